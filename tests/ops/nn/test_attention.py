import re

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.nn.attention import ATTENTION
from onnx_explorer.ops.nn.causal_conv_with_state import CAUSAL_CONV_WITH_STATE
from onnx_explorer.ops.nn.linear_attention import LINEAR_ATTENTION
from onnx_explorer.ops.nn.rotary_embedding import ROTARY_EMBEDDING
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import complaint, kernel, rule, tensor

RNG = np.random.default_rng(5)


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def plain(Q, K, V, bias=0.0):
    """Softmax of the products, times the values, one head at a time."""
    group = Q.shape[1] // K.shape[1]
    Y = np.empty((*Q.shape[:3], V.shape[3]))
    for b, h in np.ndindex(*Q.shape[:2]):
        logits = Q[b, h].astype(float) @ K[b, h // group].T / np.sqrt(Q.shape[3])
        weights = np.exp(logits + np.broadcast_to(bias, (*Q.shape[:2], *logits.shape))[b, h])
        Y[b, h] = weights / weights.sum(axis=-1, keepdims=True) @ V[b, h // group]
    return Y


@pytest.mark.parametrize("version", ATTENTION.versions)
def test_queries_take_means_of_values(version):
    Q, K, V = normal(2, 6, 3, 4), normal(2, 2, 5, 4), normal(2, 2, 5, 7)
    Y, key, value, shown = kernel(ATTENTION, version, Q, K, V, n_outputs=3)
    np.testing.assert_allclose(Y, plain(Q, K, V), rtol=1e-4, atol=1e-6)
    assert key is K
    assert value is V
    assert shown is None


def test_packed_inputs_give_a_packed_output():
    Q, K, V = normal(2, 6, 3, 4), normal(2, 2, 5, 4), normal(2, 2, 5, 7)
    packed = [x.transpose(0, 2, 1, 3).reshape(2, x.shape[2], -1) for x in (Q, K, V)]
    Y, *_ = kernel(ATTENTION, 23, *packed, q_num_heads=6, kv_num_heads=2)
    expected = plain(Q, K, V).transpose(0, 2, 1, 3).reshape(2, 3, -1)
    np.testing.assert_allclose(Y, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("length", [3, 300])
def test_blocks_of_heads_see_their_part_of_the_mask(length):
    """300 × 300 products of 8 heads do not fit into one block."""
    Q, K, V = normal(2, 8, length, 4), normal(2, 4, length, 4), normal(2, 4, length, 2)
    for shape in ((2, 8, 1, length), (8, length, length), (2, 1, length, 1), (length,)):
        mask = normal(*shape)
        if shape[-1] == 1:
            mask = np.repeat(mask, length, axis=3)
        Y, *_ = kernel(ATTENTION, 23, Q, K, V, mask)
        np.testing.assert_allclose(Y, plain(Q, K, V, mask), rtol=2e-4, atol=1e-5)
    filled = np.array([1, length], np.int64)
    Y, *_ = kernel(ATTENTION, 24, Q, K, V, None, None, None, filled)
    hidden = np.where(np.arange(length) < filled[:, None, None, None], 0, -np.inf)
    np.testing.assert_allclose(Y, plain(Q, K, V, hidden), rtol=2e-4, atol=1e-5)


def weights(version, n_queries, n_keys, *rest, **attributes):
    """What each query pays to each key, where all keys match equally: identity as values."""
    Q, K = np.zeros((1, 1, n_queries, 2), "f4"), np.zeros((1, 1, n_keys, 2), "f4")
    V = np.eye(n_keys, dtype="f4")[None, None]
    Y, *_ = kernel(ATTENTION, version, Q, K, V, *rest, **attributes)
    return Y[0, 0].tolist()


def test_what_a_query_may_see():
    third = pytest.approx(1 / 3)
    assert weights(23, 2, 2, is_causal=1) == [[1, 0], [0.5, 0.5]]
    seen = np.array([[True, False, True], [False, False, False]])
    assert weights(23, 2, 3, seen) == [[0.5, 0, 0.5], [0, 0, 0]]
    # a mask shorter than the keys hides those behind
    assert weights(23, 1, 3, np.array([[0.0, 0]], "f4")) == [[0.5, 0.5, 0]]
    assert weights(23, 1, 2, np.array([[-np.inf, 0]], "f4")) == [[0, 1]]
    # the filled part of a cache ends with the last query
    filled = np.array([3], np.int64)
    got = weights(24, 2, 4, None, None, None, filled, is_causal=1)
    assert got == [[0.5, 0.5, 0, 0], [third, third, third, 0]]
    assert weights(25, 3, 3, left_window_size=0, right_window_size=1) == [
        [0.5, 0.5, 0],
        [0, 0.5, 0.5],
        [0, 0, 1],
    ]
    assert weights(25, 3, 3, left_window_size=1, is_causal=1)[2] == [0, 0.5, 0.5]


def test_a_product_of_infinity_may_be_hidden():
    Q, K = np.full((1, 1, 1, 1), 1e30, "f4"), np.array([[[[1e30], [0]]]], "f4")
    V = np.array([[[[1], [2]]]], "f4")
    for mask in (np.array([[False, True]]), np.array([[-np.inf, 0]], "f4")):
        with np.errstate(all="ignore"):
            Y, *_ = kernel(ATTENTION, 23, Q, K, V, mask)
        assert Y.tolist() == [[[[2]]]]


def test_the_past_comes_before_new_keys():
    one, two = np.array([[[[1]]]], "f4"), np.array([[[[2]]]], "f4")
    zero = np.zeros((1, 1, 1, 1), "f4")
    Y, key, value, _ = kernel(
        ATTENTION, 23, zero, two, two, None, one, one, is_causal=1, n_outputs=3
    )
    assert Y.tolist() == [[[[1.5]]]]
    assert (key.tolist(), value.tolist()) == ([[[[1], [2]]]], [[[[1], [2]]]])


def test_the_products_are_shown_at_the_stage_named():
    Q, K = np.array([[[[2]]]], "f4"), np.array([[[[3], [5]]]], "f4")
    mask = np.array([[0, -1]], "f4")
    shown = [
        kernel(
            *(ATTENTION, 23, Q, K, K, mask),
            n_outputs=4,
            softcap=10.0,
            qk_matmul_output_mode=mode,
        )[3].reshape(-1)
        for mode in range(4)
    ]
    capped = 10 * np.tanh([0.6, 1.0])
    odds = np.exp(capped + mask[0])
    expected = [[6, 10], capped, capped + mask[0], odds / odds.sum()]
    for got, wanted in zip(shown, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_scale_and_softmax_precision():
    Q, K = np.array([[[[2]]]], "f4"), np.array([[[[3], [0]]]], "f4")
    V = np.array([[[[1], [0]]]], "f4")
    Y, *_ = kernel(ATTENTION, 23, Q, K, V, scale=0.5)
    assert Y.item() == pytest.approx(1 / (1 + np.exp(-3)))
    for dtype in (np.float16, ml_dtypes.bfloat16, np.float64):
        Y, *_ = kernel(ATTENTION, 23, Q.astype(dtype), K.astype(dtype), V, softmax_precision=11)
        assert Y.dtype == dtype


def test_attention_knows_its_shapes():
    Q, K, V = tensor("B", 8, "S", 64), tensor("B", 2, "T", 64), tensor("B", 2, "T", 32)
    got = rule(ATTENTION, 23, Q, K, V, n_outputs=4)
    assert got.shapes == ["[B, 8, S, 32]", "[B, 2, T, 64]", "[B, 2, T, 32]", "[B, 8, S, T]"]
    assert got.assumptions == []
    past = tensor("B", 2, "P", 64), tensor("B", 2, "P", 32)
    got = rule(ATTENTION, 23, Q, K, V, None, *past, n_outputs=4)
    assert got.shapes[1:] == ["[B, 2, P + T, 64]", "[B, 2, P + T, 32]", "[B, 8, S, P + T]"]
    heads = {"q_num_heads": 8, "kv_num_heads": 8}
    packed = rule(ATTENTION, 23, *[tensor("B", "S", "H")] * 3, n_outputs=4, **heads)
    assert packed.shapes[0] == "[B, S, H]"
    heads["kv_num_heads"] = 2
    packed = rule(
        *(ATTENTION, 23, tensor("B", "S", 512), tensor("B", "T", 128), tensor("B", "T", 64)),
        n_outputs=4,
        **heads,
    )
    assert packed.shapes[:2] == ["[B, S, 256]", "[B, 2, T, 64]"]
    assert rule(ATTENTION, 23, UNKNOWN, K, V, n_outputs=4).shapes[:2] == ["[...]", "[B, 2, T, 64]"]


@pytest.mark.parametrize(
    ("inputs", "attributes", "text"),
    [
        (
            (tensor(1, 6, 5, 8), tensor(1, 4, 5, 8), tensor(1, 4, 5, 8)),
            {},
            "6 query heads, but .* 4",
        ),
        ((tensor(1, 4, 5, 8), tensor(1, 4, 5, 9), tensor(1, 4, 5, 8)), {}, "head size 9 .* has 8"),
        ((tensor(1, 4, 5, 8), tensor(1, 4, 6, 8), tensor(1, 4, 7, 8)), {}, "length 7 .* has 6"),
        ((tensor(1, 5, 8), tensor(1, 5, 8), tensor(1, 5, 8)), {}, "q_num_heads = None"),
        (
            (tensor(1, 5, 8), tensor(1, 5, 8), tensor(1, 5, 8)),
            {"q_num_heads": 3, "kv_num_heads": 1},
            "hidden size 8, but it falls into 3 heads",
        ),
        (
            (*[tensor(1, 4, 5, 8)] * 3, tensor(7, 5)),
            {},
            r"shape \[7, 5\], but it must broadcast to \[1, 4, 5, 5\]",
        ),
        (
            (*[tensor(1, 4, 5, 8)] * 3, tensor(5, 6)),
            {},
            r"shape \[5, 6\], but it must broadcast to \[1, 4, 5, 5\]",
        ),
        ((*[tensor(1, 4, 5, 8)] * 3, None, tensor(1, 4, 5, 8)), {}, "past_key without past_value"),
        (
            (*[tensor(1, 4, 5, 8)] * 3, None, tensor(1, 3, 5, 8), tensor(1, 4, 5, 8)),
            {},
            r"shape \[1, 3, 5, 8\], but apart from its length it is \[1, 4, 5, 8\]",
        ),
        ((*[tensor(1, 4, 5, 8)] * 3,), {"left_window_size": -2}, "left_window_size = -2, but -1"),
        ((tensor(1, 5, 8), *[tensor(1, 4, 5, 8)] * 2), {}, "all have rank 3, or all have rank 4"),
    ],
)
def test_attention_says_what_does_not_fit(inputs, attributes, text):
    assert re.search(text, complaint(ATTENTION, 25, *inputs, n_outputs=4, **attributes))
    arrays = [None if x is None else np.zeros(x.shape, "f4") for x in inputs]
    with pytest.raises(Violation, match=text):
        kernel(ATTENTION, 25, *arrays, n_outputs=4, **attributes)


def test_rotary_embedding_turns_pairs():
    X = np.array([[[[3, 4, 5, 6]]]], np.float32)
    cos, sin = np.array([[[0, 1]]], "f4"), np.array([[[1, 0]]], "f4")  # a quarter turn, and none
    assert kernel(ROTARY_EMBEDDING, 23, X, cos, sin).tolist() == [[[[-5, 4, 3, 6]]]]
    got = kernel(ROTARY_EMBEDDING, 23, X, cos, sin, interleaved=1)
    assert got.tolist() == [[[[-4, 3, 5, 6]]]]
    part = {"rotary_embedding_dim": 2, "num_heads": 1}
    got = kernel(ROTARY_EMBEDDING, 23, X[0], cos[..., :1], sin[..., :1], **part)
    assert got.tolist() == [[[-4, 3, 5, 6]]]
    positions = np.array([[1]], np.int64)
    caches = (np.array([[1, 1], [0, 1]], "f2"), np.array([[0, 0], [1, 0]], "f2"))
    got = kernel(ROTARY_EMBEDDING, 23, X.astype("f2"), *caches, positions)
    assert (got.tolist(), got.dtype) == ([[[[-5, 4, 3, 6]]]], np.float16)
    with pytest.raises(Violation, match=r"positions from 2 to 2, but the caches have 2 rows"):
        kernel(ROTARY_EMBEDDING, 23, X.astype("f2"), *caches, positions + 1)


def test_rotary_embedding_checks_its_caches():
    X = tensor("B", 8, "S", 64)
    cache = tensor("P", 32)
    assert rule(ROTARY_EMBEDDING, 23, X, cache, cache, tensor("B", "S")).shape == "[B, 8, S, 64]"
    said = complaint(ROTARY_EMBEDDING, 23, X, tensor("P", 64), cache, tensor("B", "S"))
    assert said == "64 columns, but half of 64 features that are turned"
    said = complaint(ROTARY_EMBEDDING, 23, X, cache, cache)
    assert said == "shape [P, 32], but without position_ids: (batch, length, half)"
    said = complaint(
        ROTARY_EMBEDDING, 23, X, cache, cache, tensor("B", "S"), rotary_embedding_dim=7
    )
    assert said == "7 features to turn, but they form pairs, so their number is even"
    said = complaint(ROTARY_EMBEDDING, 23, tensor(2, 3, 64), cache, cache)
    assert said == "rank 3 and num_heads = None, but num_heads says how many heads"


def test_linear_attention_updates_its_state():
    q = np.ones((1, 2, 1), "f4")
    v = np.array([[[2], [3]]], "f4")
    one_head = {"q_num_heads": 1, "kv_num_heads": 1}
    log_half = np.full((1, 2, 1), np.log(0.5), "f4")
    half = np.full((1, 2, 1), 0.5, "f4")
    past = np.array([[[[8]]]], np.float16)
    for update_rule, gates, outputs in (
        ("linear", (None, None), [2, 5]),
        ("gated", (log_half, None), [2, 4]),
        ("delta", (None, half), [1, 2]),  # 0 + (2 - 0) / 2, 1 + (3 - 1) / 2
        ("gated_delta", (log_half, half), [1, 1.75]),  # 1 / 2 + (3 - 1 / 2) / 2
    ):
        got, state = kernel(
            LINEAR_ATTENTION, 27, q, q, v, None, *gates, update_rule=update_rule, **one_head
        )
        np.testing.assert_allclose(got.reshape(-1), outputs, rtol=1e-6)
        np.testing.assert_allclose(state.reshape(-1), outputs[-1], rtol=1e-6)
    got, state = kernel(LINEAR_ATTENTION, 27, q, q, v, past, update_rule="linear", **one_head)
    assert (got.reshape(-1).tolist(), state.dtype) == ([10, 13], np.float16)


def test_linear_attention_in_pieces_is_the_same_as_at_once():
    heads = {"q_num_heads": 4, "kv_num_heads": 2, "update_rule": "gated_delta", "scale": 0.7}
    q, k, v = normal(2, 5, 12), normal(2, 5, 6), normal(2, 5, 8)
    decay, beta = -np.abs(normal(2, 5, 6)), np.abs(normal(2, 5, 1))
    whole, last = kernel(LINEAR_ATTENTION, 27, q, k, v, None, decay, beta, **heads)
    state = None
    for t in range(5):
        piece = [x[:, t : t + 1] for x in (q, k, v)]
        gates = decay[:, t : t + 1], beta[:, t : t + 1]
        got, state = kernel(LINEAR_ATTENTION, 27, *piece, state, *gates, **heads)
        np.testing.assert_allclose(got[:, 0], whole[:, t], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(state, last, rtol=1e-4, atol=1e-6)


def test_linear_attention_knows_its_shapes_and_needs_its_gates():
    heads = {"q_num_heads": 4, "kv_num_heads": 2}
    inputs = tensor("B", "T", 12), tensor("B", "T", 6), tensor("B", "T", 8)
    linear = heads | {"update_rule": "linear"}
    got = rule(LINEAR_ATTENTION, 27, *inputs, n_outputs=2, **linear)
    assert got.shapes == ["[B, T, 16]", "[B, 2, 3, 4]"]
    said = complaint(LINEAR_ATTENTION, 27, *inputs, n_outputs=2, **heads)
    assert said == "update_rule = 'gated_delta' without decay, but it needs decay"
    gates = (None, tensor("B", "T", 2))
    said = complaint(LINEAR_ATTENTION, 27, *inputs, *gates, n_outputs=2, **linear)
    assert said == "update_rule = 'linear' with decay, but it has no use for decay"
    gates = (None, tensor("B", "T", 5), tensor("B", "T", 1))
    said = complaint(LINEAR_ATTENTION, 27, *inputs, *gates, n_outputs=2, **heads)
    assert said == "shape [B, T, 5], but [B, T, 2] or [B, T, 6]"
    with pytest.raises(Violation, match=r"q_num_heads = 3, but a multiple of kv_num_heads = 2"):
        rule(LINEAR_ATTENTION, 27, *inputs, **linear | {"q_num_heads": 3})


def test_causal_convolution_looks_back_and_hands_on_its_state():
    x, w = np.array([[[1, 2, 3]]], "f4"), np.array([[[10, 1]]], "f4")
    y, state = kernel(CAUSAL_CONV_WITH_STATE, 27, x, w, n_outputs=2)
    assert (y.tolist(), state.tolist()) == ([[[1, 12, 23]]], [[[3]]])
    y, state = kernel(CAUSAL_CONV_WITH_STATE, 27, x, w, np.array([5], "f4"), state, n_outputs=2)
    assert y.tolist() == [[[36, 17, 28]]]
    y, _ = kernel(CAUSAL_CONV_WITH_STATE, 27, x, w, activation="silu", n_outputs=2)
    np.testing.assert_allclose(y, [[np.array([1, 12, 23]) / (1 + np.exp([-1, -12, -23]))]])
    # fewer elements than the filter looks back to
    short, long = x[..., :1], np.ones((1, 1, 4), "f4")
    _, state = kernel(CAUSAL_CONV_WITH_STATE, 27, short, long, n_outputs=2)
    assert state.tolist() == [[[0, 0, 1]]]


def test_causal_convolution_knows_its_shapes():
    x, w = tensor("B", "C", "L"), tensor("C", 1, 4)
    got = rule(CAUSAL_CONV_WITH_STATE, 27, x, w, n_outputs=2)
    assert got.shapes == ["[B, C, L]", "[B, C, 3]"]
    said = complaint(CAUSAL_CONV_WITH_STATE, 27, tensor("B", 5, "L"), tensor(6, 1, 4), n_outputs=2)
    assert said == "shape [6, 1, 4], but one filter for each of 5 channels"
    said = complaint(CAUSAL_CONV_WITH_STATE, 27, x, w, None, tensor("B", "C", 4), n_outputs=2)
    assert said == "shape [B, C, 4], but what filters of 4 elements look back to is [B, C, 3]"
