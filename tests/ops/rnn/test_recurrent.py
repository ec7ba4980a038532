import math

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.rnn.gru import GRU
from onnx_explorer.ops.rnn.lstm import LSTM
from onnx_explorer.ops.rnn.rnn import RNN
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor

rng = np.random.default_rng(0)
GATES = {LSTM: 4, GRU: 3, RNN: 1}
ALL = pytest.mark.parametrize("op", list(GATES), ids=lambda op: op.name)


def weights(op, *, directions=1, size=2, hidden=3, dtype=np.float32):
    rows = GATES[op] * hidden
    shapes = [(directions, rows, size), (directions, rows, hidden), (directions, 2 * rows)]
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def outputs_of(op):
    return 3 if op is LSTM else 2


@pytest.mark.parametrize("version", RNN.versions)
def test_a_simple_layer_feeds_its_output_back(version):
    X, W, R = np.array([[[1.0]], [[0.0]]]), np.array([[[1.0]]]), np.array([[[2.0]]])
    Y, last = kernel(RNN, version, X, W, R, activations=("Relu",), n_outputs=2)
    assert (Y.ravel().tolist(), last.ravel().tolist()) == ([1, 2], [2])
    assert (Y.shape, last.shape) == ((2, 1, 1, 1), (1, 1, 1))


@pytest.mark.parametrize("version", LSTM.versions)
def test_an_lstm_without_weights_halves_its_cell(version):
    zeros = [np.zeros(shape) for shape in ((1, 1, 1), (1, 4, 1), (1, 4, 1), (1, 8), (1, 1, 1))]
    X, W, R, B, h = zeros
    c = np.array([[[2.0]]])
    _, hidden, cell = kernel(LSTM, version, X, W, R, B, None, h, c, n_outputs=3)
    assert cell.item() == 1
    assert hidden.item() == pytest.approx(math.tanh(1) / 2)


@pytest.mark.parametrize("version", GRU.versions)
def test_a_gru_without_weights_halves_its_output(version):
    X, W, R = np.zeros((1, 1, 1)), np.zeros((1, 3, 1)), np.zeros((1, 3, 1))
    _, hidden = kernel(GRU, version, X, W, R, None, None, np.array([[[2.0]]]), n_outputs=2)
    assert hidden.item() == 1


def test_gates_of_an_lstm_lie_in_the_order_input_output_forget_cell():
    X, W, R = np.ones((1, 1, 1)), np.zeros((1, 4, 1)), np.zeros((1, 4, 1))
    c = np.array([[[5.0]]])
    shut, open_ = -100.0, 100.0
    for gates, cell, hidden in (
        ((open_, open_, shut, 1.0), math.tanh(1), math.tanh(math.tanh(1))),
        ((shut, open_, open_, 1.0), 5, math.tanh(5)),
        ((open_, shut, open_, 1.0), 5 + math.tanh(1), 0),
    ):
        B = np.array([[*gates, 0, 0, 0, 0]])
        _, h, got = kernel(LSTM, 14, X, W, R, B, None, None, c, n_outputs=3)
        assert got.item() == pytest.approx(cell)
        assert h.item() == pytest.approx(hidden, abs=1e-12)


def test_coupled_gates_forget_what_they_let_in():
    X, W, R = np.ones((1, 1, 1)), np.zeros((1, 4, 1)), np.zeros((1, 4, 1))
    B = np.array([[0.0, 0, 100, 100, 0, 0, 0, 0]])
    c = np.array([[[5.0]]])
    _, _, got = kernel(LSTM, 14, X, W, R, B, None, None, c, input_forget=1, n_outputs=3)
    assert got.item() == pytest.approx(0.5 * 5 + 0.5)


def test_peepholes_show_the_cell_to_the_gates():
    X, W, R = np.ones((1, 1, 1)), np.zeros((1, 4, 1)), np.zeros((1, 4, 1))
    c, P = np.array([[[2.0]]]), np.array([[1.0, 10.0, 3.0]])
    B = np.array([[0.0, 0, 0, 100, 0, 0, 0, 0]])
    _, h, got = kernel(LSTM, 14, X, W, R, B, None, None, c, P, n_outputs=3)
    cell = 2 / (1 + math.exp(-6)) + 1 / (1 + math.exp(-2))
    assert got.item() == pytest.approx(cell)
    assert h.item() == pytest.approx(math.tanh(cell) / (1 + math.exp(-10 * cell)))


def test_the_reset_gate_may_come_after_the_product():
    X, W, R = np.ones((1, 1, 1)), np.zeros((1, 3, 1)), np.array([[[0.0], [0], [2]]])
    h = np.array([[[3.0]]])
    B = np.array([[-100.0, 0, 0, 0, 0, 5]])  # z is 0, r is 1/2
    given = {"activations": ("Sigmoid", "Affine"), "n_outputs": 2}
    before = kernel(GRU, 14, X, W, R, B, None, h, **given)[1]
    after = kernel(GRU, 14, X, W, R, B, None, h, linear_before_reset=1, **given)[1]
    assert before.item() == pytest.approx(0.5 * 3 * 2 + 5)
    assert after.item() == pytest.approx(0.5 * (3 * 2 + 5))


@ALL
def test_backwards_is_forwards_on_the_reversed_sequence(op):
    X, (W, R, B) = rng.standard_normal((4, 2, 2)).astype(np.float32), weights(op)
    n = outputs_of(op)
    there = kernel(op, 14, X[::-1], W, R, B, n_outputs=n)
    back = kernel(op, 14, X, W, R, B, direction="reverse", n_outputs=n)
    np.testing.assert_allclose(back[0], there[0][::-1], rtol=1e-6)
    for got, expected in zip(back[1:], there[1:], strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-6)
    both = kernel(
        op,
        14,
        X,
        *(np.concatenate([v, v]) for v in (W, R, B)),
        direction="bidirectional",
        n_outputs=n,
        **({"activations": ("Tanh", "Tanh")} if op is RNN else {}),
    )
    np.testing.assert_allclose(both[0][:, 1:], back[0], rtol=1e-6)
    np.testing.assert_allclose(both[1][1:], back[1], rtol=1e-6)


@pytest.mark.parametrize("n_steps", [3, 12])
@pytest.mark.parametrize("lengths", [None, [3, 1, 2]])
@pytest.mark.parametrize(
    "functions",
    [
        {LSTM: ("Sigmoid", "Tanh", "Tanh") * 2, GRU: ("Sigmoid", "Tanh") * 2, RNN: ("Tanh",) * 2},
        {
            LSTM: ("Sigmoid", "Tanh", "Tanh", "HardSigmoid", "Softsign", "Tanh"),
            GRU: ("Sigmoid", "Tanh", "HardSigmoid", "Softsign"),
            RNN: ("Tanh", "Softsign"),
        },
    ],
    ids=["same", "different"],
)
@ALL
def test_both_directions_at_once_are_what_each_is_alone(op, functions, lengths, n_steps):
    X, (W, R, B) = rng.standard_normal((n_steps, 3, 2)), weights(op, directions=2, dtype=float)
    h, n, names = rng.standard_normal((2, 3, 3)), outputs_of(op), functions[op]
    lengths = None if lengths is None else np.array(lengths, np.int32)
    given = (X, W, R, B, lengths, h)
    both = kernel(op, 14, *given, direction="bidirectional", activations=names, n_outputs=n)
    for d, direction in enumerate(("forward", "reverse")):
        own = [v[d : d + 1] for v in (W, R, B)]
        half = len(names) // 2
        some = names[d * half : d * half + half]
        given = (X, *own, lengths, h[d : d + 1])
        alone = kernel(op, 14, *given, direction=direction, activations=some, n_outputs=n)
        np.testing.assert_allclose(both[0][:, d : d + 1], alone[0], rtol=1e-12)
        for got, expected in zip(both[1:], alone[1:], strict=True):
            np.testing.assert_allclose(got[d : d + 1], expected, rtol=1e-12)


@pytest.mark.parametrize("peepholes", [False, True])
def test_an_lstm_takes_the_steps_of_its_formulas(peepholes):
    X, (W, R, B) = rng.standard_normal((12, 3, 2)), weights(LSTM, dtype=float)
    P = rng.standard_normal((1, 9)) if peepholes else np.zeros((1, 9))
    h, c = rng.standard_normal((2, 3, 3))
    given = (X, W, R, B, None, h[None], c[None], P if peepholes else None)
    Y, Y_h, Y_c = kernel(LSTM, 14, *given, n_outputs=3)

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    for x, y in zip(X, Y, strict=True):
        i, o, k, g = np.split(x @ W[0].T + h @ R[0].T + B[0, :12] + B[0, 12:], 4, axis=1)
        of_i, of_o, of_k = np.split(P[0], 3)
        c = sigmoid(k + of_k * c) * c + sigmoid(i + of_i * c) * np.tanh(g)
        h = sigmoid(o + of_o * c) * np.tanh(c)
        np.testing.assert_allclose(y[0], h, rtol=1e-10)
    np.testing.assert_allclose((Y_h[0], Y_c[0]), (h, c), rtol=1e-10)


@ALL
@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_a_short_sequence_is_what_it_is_alone(op, direction):
    # In float64: a float32 product of a batch may round its sums in another order than that of one
    # sequence, and a difference of near values shows it.
    X, (W, R, B) = rng.standard_normal((5, 2, 2)), (w.astype(np.float64) for w in weights(op))
    n = outputs_of(op)
    lengths = np.array([5, 3], np.int32)
    whole = kernel(op, 14, X, W, R, B, lengths, direction=direction, n_outputs=n)
    alone = kernel(op, 14, X[:3, 1:], W, R, B, direction=direction, n_outputs=n)
    np.testing.assert_allclose(whole[0][:3, :, 1:], alone[0], rtol=1e-6)
    assert (whole[0][3:, :, 1:] == 0).all()
    np.testing.assert_allclose(whole[1][:, 1:], alone[1], rtol=1e-6)


@ALL
def test_the_batch_may_come_first(op):
    X, (W, R, B) = rng.standard_normal((5, 2, 2)).astype(np.float32), weights(op)
    h = rng.standard_normal((1, 2, 3)).astype(np.float32)
    n = outputs_of(op)
    steps = kernel(op, 14, X, W, R, B, None, h, n_outputs=n)
    batch = kernel(op, 14, X.swapaxes(0, 1), W, R, B, None, h.swapaxes(0, 1), layout=1, n_outputs=n)
    assert np.array_equal(batch[0], steps[0].transpose(2, 0, 1, 3))
    assert np.array_equal(batch[1], steps[1].swapaxes(0, 1))


@ALL
def test_every_float_type_is_kept(op):
    for dtype in (np.float16, np.float64, ml_dtypes.bfloat16):
        got = kernel(op, 22, np.ones((2, 1, 2), dtype), *weights(op, dtype=dtype), n_outputs=2)
        assert got[0].dtype == got[1].dtype == dtype


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("Relu", {}, [0, 2]),
        ("Tanh", {}, [math.tanh(-2), math.tanh(2)]),
        ("Sigmoid", {}, [1 / (1 + math.e**2), 1 / (1 + math.e**-2)]),
        ("Affine", {"alpha": 3, "beta": 1}, [-5, 7]),
        ("LeakyRelu", {}, [-0.02, 2]),
        ("ThresholdedRelu", {"alpha": 3}, [0, 0]),
        ("ScaledTanh", {"alpha": 2, "beta": 0.5}, [2 * math.tanh(-1), 2 * math.tanh(1)]),
        ("HardSigmoid", {}, [0.1, 0.9]),
        ("Elu", {}, [math.exp(-2) - 1, 2]),
        ("Softsign", {}, [-2 / 3, 2 / 3]),
        ("Softplus", {}, [math.log1p(math.exp(-2)), math.log1p(math.exp(2))]),
    ],
)
def test_activations(name, given, expected):
    X, W, R = np.array([[[-2.0], [2.0]]]), np.ones((1, 1, 1)), np.zeros((1, 1, 1))
    lists = {f"activation_{key}": (float(value),) for key, value in given.items()}
    got = kernel(RNN, 14, X, W, R, activations=(name,), n_outputs=2, **lists)
    assert got[1].ravel().tolist() == pytest.approx(expected)


def test_clip_bounds_what_activations_see():
    X, W, R = np.array([[[-9.0], [0.5]]]), np.ones((1, 1, 1)), np.zeros((1, 1, 1))
    got = kernel(RNN, 14, X, W, R, activations=("Affine",), clip=2.0, n_outputs=2)
    assert got[1].ravel().tolist() == [-2, 0.5]


@ALL
def test_shapes_from_symbols(op):
    rows = GATES[op] * 8
    W, R = tensor(2, rows, 16), tensor(2, rows, 8)
    given = {"direction": "bidirectional", "n_outputs": outputs_of(op)}
    got = rule(op, 14, tensor("S", "B", 16), W, R, **given)
    assert got.shapes == ["[S, 2, B, 8]", *["[2, B, 8]"] * (outputs_of(op) - 1)]
    got = rule(op, 14, tensor("B", "S", 16), W, R, layout=1, **given)
    assert got.shapes[:2] == ["[B, S, 2, 8]", "[B, 2, 8]"]
    got = rule(op, 14, UNKNOWN, UNKNOWN, UNKNOWN, hidden_size=8, n_outputs=2)
    assert got.shapes[0] == "[dim0_0, 1, dim1_1, 8]"


@ALL
def test_faults_name_both_shapes(op):
    rows = GATES[op] * 8
    X, W, R = tensor("S", 4, 16), tensor(1, rows, 15), tensor(1, rows, 8)
    got = rule(op, 14, X, W, R, None, tensor(3), n_outputs=2)
    assert got.violations == [
        f"shape [1, {rows}, 15], but expected [1, {rows}, 16]",
        "shape [3], but expected [4]",
    ]
    assert got.shapes[0] == "[S, 1, 4, 8]"
    with pytest.raises(Violation, match=rf"shape \[1, {rows}, 15\], but expected .*16"):
        kernel(op, 14, np.ones((2, 4, 16)), np.ones((1, rows, 15)), np.ones((1, rows, 8)))
    with pytest.raises(Violation, match="rank 2, but expected rank 3"):
        rule(op, 14, tensor(3, 4), W, R)


def test_activations_must_be_known_and_complete():
    X, W, R = np.ones((1, 1, 1)), np.ones((1, 3, 1)), np.ones((1, 3, 1))
    with pytest.raises(Violation, match=r"activations = \['Tanh'\], but 2 are needed"):
        kernel(GRU, 14, X, W, R, activations=("Tanh",))
    with pytest.raises(Violation, match="activation 'Gelu', but known ones are relu, tanh"):
        kernel(GRU, 14, X, W, R, activations=("Tanh", "Gelu"))


@ALL
@pytest.mark.parametrize(("steps", "batch", "size"), [(0, 2, 2), (3, 0, 2), (0, 0, 2), (3, 2, 0)])
def test_nothing_to_walk_along_leaves_empty_outputs_and_the_state_it_began_with(
    op, steps, batch, size
):
    W, R, _ = weights(op, size=size)
    h = np.ones((1, batch, 3), np.float32)
    X = np.ones((steps, batch, size), np.float32)
    Y, last, *_ = kernel(op, 14, X, W, R, None, None, h, n_outputs=outputs_of(op))
    assert (Y.shape, last.shape) == ((steps, 1, batch, 3), h.shape)
    if not steps:
        assert last.tolist() == h.tolist()
