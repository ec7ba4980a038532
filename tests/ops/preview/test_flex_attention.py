"""FlexAttention in a graph: its subgraphs run, and are inferred."""

import numpy as np
import pytest

from onnx_explorer.build import graph
from onnx_explorer.errors import ExplorerError
from onnx_explorer.evaluation import run
from onnx_explorer.inference import infer

FEEDS = {
    "Q": np.zeros((1, 1, 1, 1), "f4"),
    "K": np.array([[[[5], [7]]]], "f4"),
    "V": np.array([[[[1], [3]]]], "f4"),
}


def model(dtype="float32", heads=2, **changes):
    """FlexAttention with subgraphs: `changes` maps the name of each to what it does."""
    g = graph("g", opset=21)
    Q = g.input("Q", f"{dtype}[B, {heads}, S, D]")
    K, V = g.input("K", f"{dtype}[B, 1, T, D]"), g.input("V", f"{dtype}[B, 1, T, E]")
    given = {}
    for name, change in changes.items():
        body = g.subgraph(name)
        body.output(change(body, body.input("x")), "y")
        given[name] = body
    g.output(g.op("FlexAttention", Q, K, V, domain="ai.onnx.preview", name="flex", **given), "Y")
    return g.model()


def test_weights_and_scores_pass_through_the_subgraphs():
    double = model(heads=1, prob_mod=lambda g, x: g.Add(x, x))
    assert run(double, FEEDS)["Y"].tolist() == [[[[4]]]]

    def hide_first(g, x):
        return g.Add(x, np.array([-np.inf, 0], "f4"))

    assert run(model(heads=1, score_mod=hide_first), FEEDS)["Y"].tolist() == [[[[3]]]]
    assert run(model(heads=1), FEEDS)["Y"].tolist() == [[[[2]]]]


def test_query_heads_share_keys_and_the_result_has_the_type_of_the_queries():
    rng = np.random.default_rng(0)
    feeds = {
        "Q": rng.standard_normal((2, 2, 3, 4)).astype("f2"),
        "K": rng.standard_normal((2, 1, 5, 4)).astype("f2"),
        "V": rng.standard_normal((2, 1, 5, 6)).astype("f2"),
    }
    got = run(model("float16", score_mod=lambda g, x: g.Identity(x)), feeds)["Y"]
    Q, K, V = (array.astype(float) for array in feeds.values())
    odds = np.exp(Q @ K.swapaxes(2, 3) / 2)
    np.testing.assert_allclose(got, odds / odds.sum(-1, keepdims=True) @ V, atol=2e-3)
    assert got.dtype == np.float16


def test_sizes_and_the_types_of_scores():
    types = infer(model("float16", score_mod=lambda g, x: g.Identity(x)))
    assert str(types["Y"]) == "float16[B, 2, S, E]"
    assert not types.errors


def test_a_subgraph_keeps_the_shape():
    flat = model(heads=1, prob_mod=lambda g, x: g.ReduceSum(x))
    text = r"prob_mod returned shape \[1, 1, 1, 1\], but it keeps the shape \[1, 1, 1, 2\]"
    with pytest.raises(ExplorerError, match=text):
        run(flat, FEEDS)
    wider = model(score_mod=lambda g, x: g.Concat(x, x, axis=1))
    types = infer(wider)
    (error,) = types.errors
    assert "score_mod returned shape [B, 4, S, T], but it keeps the shape [B, 2, S, T]" in str(
        error
    )
    assert str(types["Y"]) == "float32[B, 2, S, E]"
