"""Derivatives of layers: in versions and modes that onnx's node cases leave out, and of those that
compute in float32, which are compared with differences of their formulas in float64.
"""

import numpy as np
import pytest

from onnx_explorer.build import graph
from onnx_explorer.evaluation import run
from tests.derivatives.differences import check_node, with_gradient

RNG = np.random.default_rng(11)
X = RNG.standard_normal((3, 2, 4))
SCALE, BIAS = np.array([1.5, -0.5]), np.array([0.25, 2.0])
MEAN, VAR = np.array([0.1, -0.2]), np.array([0.5, 1.5])


def check_formula(formula, op_type, feeds, xs, *, outputs=("y",), **attributes):
    """Compare the derivatives of one node's first output in float32 with differences of a formula
    of the same inputs in float64.
    """
    g = graph("g", opset=28)
    narrow = {name: feed.astype(np.float32) for name, feed in feeds.items() if feed is not None}
    inputs = [None if feed is None else g.input(name) for name, feed in feeds.items()]
    g.ops(op_type, *inputs, outputs=list(outputs), **attributes)
    rng = np.random.default_rng(12)
    weights = rng.standard_normal(run(g.model(), narrow, ["y"])["y"].shape).astype(np.float32)
    model = with_gradient(g.model(), "y", xs, weights)
    found = run(model, {**narrow, "weights": weights}, [f"d_{x}" for x in xs])

    def value(x, along):
        return np.sum(formula(**{**feeds, x: feeds[x] + along}) * weights)

    for x in xs:
        for _ in range(3):
            along = rng.standard_normal(feeds[x].shape)
            wanted = (value(x, 1e-5 * along) - value(x, -1e-5 * along)) / 2e-5
            np.testing.assert_allclose(np.sum(found[f"d_{x}"] * along), wanted, 1e-4, 1e-4)


def batch_normalization(x=X, spatial_of=(2,)):
    statistics = {"scale": SCALE, "bias": BIAS, "mean": MEAN, "var": VAR}
    fitted = {name: np.resize(value, spatial_of) for name, value in statistics.items()}
    return {"x": x, **fitted}


@pytest.mark.parametrize("opset", [7, 9, 14, 28])
@pytest.mark.parametrize("shape", [(3, 2), (3, 2, 4), (2, 2, 3, 2)])
def test_batch_normalization_in_use_has_derivatives_by_all_inputs(opset, shape):
    feeds = batch_normalization(np.resize(X, shape))
    check_node("BatchNormalization", feeds, list(feeds), opset=opset)


@pytest.mark.parametrize("opset", [7, 9, 14, 28])
def test_batch_normalization_in_training_has_derivatives_through_the_batch(opset):
    mode = {"training_mode": 1} if opset >= 14 else {}
    g = graph("g", opset=opset)
    feeds = batch_normalization()
    outputs = ["y", "m", "v"] if mode else ["y", "m", "v", "sm", "sv"]
    g.ops("BatchNormalization", *map(g.input, feeds), outputs=outputs, epsilon=0.01, **mode)

    def formula(x, scale, bias, mean, var):
        centred = x - x.mean((0, 2), keepdims=True)
        deviation = np.sqrt((centred**2).mean((0, 2), keepdims=True) + 0.01)
        return centred / deviation * scale[:, None] + bias[:, None]

    weights = np.random.default_rng(1).standard_normal(X.shape)
    xs = ["x", "scale", "bias", "mean", "var"]
    found = run(with_gradient(g.model(), "y", xs, weights), {**feeds, "weights": weights})
    for x in xs:
        along = np.random.default_rng(2).standard_normal(feeds[x].shape)
        ahead, behind = (
            np.sum(formula(**{**feeds, x: feeds[x] + step * along}) * weights)
            for step in (1e-5, -1e-5)
        )
        np.testing.assert_allclose(np.sum(found[f"d_{x}"] * along), (ahead - behind) / 2e-5, 1e-6)


@pytest.mark.parametrize("shape", [(2, 4), (2,)])
def test_statistics_of_single_elements_have_derivatives(shape):
    feeds = batch_normalization(spatial_of=shape)
    check_node("BatchNormalization", feeds, list(feeds), opset=7, spatial=0)


@pytest.mark.parametrize("shape", [(3, 2, 4), (2, 2, 3, 2)])
def test_instance_normalization_has_derivatives_by_all_inputs(shape):
    feeds = {"x": np.resize(RNG.standard_normal(24), shape), "scale": SCALE, "bias": BIAS}
    check_node("InstanceNormalization", feeds, list(feeds), opset=7, epsilon=0.01)


@pytest.mark.parametrize("groups", [1, 2])
def test_group_normalization_has_derivatives_by_all_inputs(groups):
    feeds = {"x": X, "scale": SCALE, "bias": BIAS}
    attributes = {"num_groups": groups, "stash_type": 11, "epsilon": 0.01}
    check_node("GroupNormalization", feeds, list(feeds), **attributes)


@pytest.mark.parametrize("axis", [-1, 1])
@pytest.mark.parametrize("with_bias", [True, False])
def test_layer_normalization_has_derivatives_by_all_inputs(axis, with_bias):
    def formula(x, scale, bias):
        over = tuple(range(axis % 3, 3))
        centred = x - x.mean(over, keepdims=True)
        deviation = np.sqrt((centred**2).mean(over, keepdims=True) + 0.01)
        return centred / deviation * scale + (0 if bias is None else bias)

    feeds = {
        "x": X,
        "scale": RNG.standard_normal((2, 4)),
        "bias": RNG.standard_normal(4) if with_bias else None,
    }
    xs = [name for name, feed in feeds.items() if feed is not None]
    check_formula(formula, "LayerNormalization", feeds, xs, axis=axis, epsilon=0.01)


@pytest.mark.parametrize("axis", [-1, 1])
def test_rms_normalization_has_derivatives_by_both_inputs(axis):
    feeds = {"x": X, "scale": RNG.standard_normal((2, 4))}
    check_node("RMSNormalization", feeds, list(feeds), axis=axis, stash_type=11, epsilon=0.01)


@pytest.mark.parametrize("op_type", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize(("opset", "axis"), [(7, 1), (11, -2), (28, 1), (28, 0)])
def test_softmax_has_derivatives_along_one_axis_and_of_matrices(op_type, opset, axis):
    check_node(op_type, {"x": X}, ["x"], opset=opset, axis=axis)


@pytest.mark.parametrize("p", [1, 2])
def test_normalized_vectors_have_derivatives(p):
    check_node("LpNormalization", {"x": X}, ["x"], axis=1, p=p)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("beta", [0.5, 0.6])
def test_neighbours_among_the_channels_share_derivatives(size, beta):
    x = X.reshape(2, 6, 2)
    check_node("LRN", {"x": x}, ["x"], opset=7, size=size, alpha=0.5, beta=beta, bias=1.5)


@pytest.mark.parametrize("seed", [None, 3])
def test_dropped_elements_have_no_derivative(seed):
    feeds = {"x": X, "ratio": np.array(0.4), "training_mode": np.array(True)}
    check_node("Dropout", feeds, ["x"], seed=seed, outputs=("y", ""))
    check_node("Dropout", {**feeds, "training_mode": np.array(False)}, ["x"], seed=seed)


@pytest.mark.parametrize("opset", [7, 10])
def test_dropout_in_use_hands_derivatives_on(opset):
    check_node("Dropout", {"x": X}, ["x"], opset=opset)


def test_a_constant_row_keeps_normalizations_finite():
    g = graph("g", opset=28)
    g.ops("LpNormalization", g.input("x"), outputs=["y"], axis=1, p=2)
    weights = np.ones((2, 3))
    model = with_gradient(g.model(), "y", ["x"], weights)
    found = run(model, {"x": np.zeros((2, 3)), "weights": weights}, ["d_x"])["d_x"]
    np.testing.assert_array_equal(found, np.zeros((2, 3)))


Q, K, V = (RNG.standard_normal((2, heads, 3, 4)) for heads in (4, 2, 2))
PAST = {
    "past_key": RNG.standard_normal((2, 2, 2, 4)),
    "past_value": RNG.standard_normal((2, 2, 2, 4)),
}
HIDES = np.array([[True, False, False], [False, False, False], [True, True, False]])


@pytest.mark.parametrize(
    ("more", "attributes"),
    [
        ({}, {}),
        ({}, {"is_causal": 1}),
        ({}, {"left_window_size": 1, "scale": 0.7}),
        ({}, {"softcap": 0.8}),
        ({"mask": RNG.standard_normal((3, 3))}, {}),
        ({"mask": HIDES}, {}),
        ({"mask": np.where(HIDES, 0.5, -np.inf)}, {}),
        ({"mask": None, **PAST}, {"is_causal": 1}),
        ({"mask": None, "p": None, "q": None, "filled": np.array([1, 3])}, {}),
    ],
)
def test_attention_has_derivatives_by_what_it_attends_to(more, attributes):
    feeds = {"q0": Q, "k0": K, "v0": V, **more}
    xs = ["q0", "k0", "v0", *(p for p in PAST if p in more)]
    if "mask" in more and more["mask"] is not None and np.isfinite(more["mask"]).all():
        xs += ["mask"] if more["mask"].dtype == np.float64 else []
    check_node("Attention", feeds, xs, **attributes)


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
def test_products_that_attention_shows_have_derivatives(mode):
    feeds = {"q0": Q, "k0": K, "v0": V, "mask": np.array([0.5, -1.0, 0.0])}
    outputs = ("seen", "", "", "y")
    attributes = {"softcap": 0.8, "qk_matmul_output_mode": mode}
    check_node("Attention", feeds, ["q0", "k0"], outputs=outputs, **attributes)


def test_packed_attention_has_derivatives():
    packed = {
        name: x.transpose(0, 2, 1, 3).reshape(2, 3, -1)
        for name, x in (("q0", Q), ("k0", K), ("v0", V))
    }
    check_node("Attention", packed, list(packed), q_num_heads=4, kv_num_heads=2)


def recurrence(rule):
    """Linear attention of one head in float64, token by token."""

    def formula(query, key, value, past, decay, beta):
        state = np.zeros((query.shape[0], key.shape[2], value.shape[2]))
        state = state if past is None else past[:, 0]
        read = []
        for t in range(query.shape[1]):
            if decay is not None:
                state = state * np.exp(decay[:, t, :, None])
            new = value[:, t]
            if beta is not None:
                new = beta[:, t] * (new - np.einsum("bk,bkv->bv", key[:, t], state))
            state = state + key[:, t, :, None] * new[:, None]
            read.append(np.einsum("bk,bkv->bv", query[:, t], state))
        return np.stack(read, 1) / np.sqrt(key.shape[2])

    return formula


@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
@pytest.mark.parametrize("with_past", [True, False])
def test_linear_attention_has_derivatives_through_all_tokens(rule, with_past):
    sizes = {"query": (2, 4, 3), "key": (2, 4, 3), "value": (2, 4, 2)}
    feeds = {name: RNG.standard_normal(shape) for name, shape in sizes.items()}
    feeds["past"] = RNG.standard_normal((2, 1, 3, 2)) if with_past else None
    feeds["decay"] = -RNG.random((2, 4, 3)) if "gated" in rule else None
    feeds["beta"] = RNG.random((2, 4, 1)) if "delta" in rule else None
    # The standard calls the state of the past constant.
    xs = [name for name, feed in feeds.items() if feed is not None and name != "past"]
    check_formula(
        recurrence(rule),
        "LinearAttention",
        feeds,
        xs,
        outputs=("y", "state"),
        update_rule=rule,
        q_num_heads=1,
        kv_num_heads=1,
    )


@pytest.mark.parametrize("axes", [None, [1], [0, 2]])
def test_mean_and_variance_have_derivatives(axes):
    x = RNG.standard_normal((3, 2, 2, 2)) if axes is None else X
    check_node("MeanVarianceNormalization", {"x": x}, ["x"], axes=axes)
    check_node("MeanVarianceNormalization", {"x": x}, ["x"], opset=9, axes=axes)


def test_statistics_that_layer_normalization_gives_have_derivatives():
    def mean(x, scale):
        return x.mean(-1, keepdims=True)

    def inverse(x, scale):
        return 1 / np.sqrt(x.var(-1, keepdims=True) + 0.01)

    feeds = {"x": X, "scale": RNG.standard_normal(4)}
    for outputs, formula in ((("r", "y"), mean), (("r", "", "y"), inverse)):
        check_formula(formula, "LayerNormalization", feeds, ["x"], outputs=outputs, epsilon=0.01)


def test_constant_elements_have_finite_derivatives_of_their_normalization():
    g = graph("g", opset=28)
    g.ops("MeanVarianceNormalization", g.input("x"), outputs=["y"], axes=[1])
    weights = np.array([[1.0, 0.0], [1.0, 1.0]])
    model = with_gradient(g.model(), "y", ["x"], weights)
    found = run(model, {"x": np.full((2, 2), 3.0), "weights": weights}, ["d_x"])["d_x"]
    # What is added to the deviation is 1e-9.
    np.testing.assert_allclose(found, [[5e8, -5e8], [0, 0]])
