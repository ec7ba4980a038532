"""Bodies of losses, normalizations and attention, where onnx's cases do not look."""

from math import inf, log

import numpy as np
import pytest

from onnx_explorer.ir import Attribute, Graph, Node, Tensor, Value
from tests.schema.test_bodies_at_edges import body, float32, result

PREVIEW = "ai.onnx.preview"


@pytest.mark.parametrize("opset", [12, 13, 28])
def test_a_loss_takes_classes_along_axis_1_in_every_opset(opset):
    # Odds of 3 to 1 at the first place, even ones at the second.
    scores = float32(0, 0, log(3), 0).reshape(1, 2, 2)
    labels = np.array([[1, 0]], np.int32)
    loss, log_prob = result(
        "SoftmaxCrossEntropyLoss", opset, scores, labels, outputs=2, reduction=b"none"
    )
    assert loss[0] == pytest.approx([log(4 / 3), log(2)])
    assert log_prob[0] == pytest.approx(np.log([[1 / 4, 1 / 2], [3 / 4, 1 / 2]]))


@pytest.mark.parametrize("opset", [12, 22])
@pytest.mark.parametrize(("reduction", "wanted"), [(b"mean", 2), (b"sum", 6), (b"none", [6, 0])])
def test_an_ignored_place_counts_for_nothing_even_where_a_class_is_impossible(
    opset, reduction, wanted
):
    logs, weight = float32(-1, -2, -inf, -1).reshape(2, 2), float32(1, 3)
    loss = result(
        "NegativeLogLikelihoodLoss",
        opset,
        logs,
        np.array([1, -1]),
        weight,
        ignore_index=-1,
        reduction=reduction,
    )
    assert loss.tolist() == wanted


def test_a_loss_of_unknown_type_has_no_body():
    inputs = [float32(-1, -2).reshape(1, 2), np.array([0])]
    assert body("NegativeLogLikelihoodLoss", 12, inputs, types=False) is None


@pytest.mark.parametrize(
    ("opset", "scale", "wanted"),
    [(18, [1, 10], [-1, 1, -10, 10]), (21, [1, 1, 1, 10], [-1, 1, -1, 10])],
)
def test_groups_have_a_factor_each_and_since_opset_21_channels_have(opset, scale, wanted):
    X, factors = float32(1, 3, 10, 30).reshape(1, 4), float32(*scale)
    Y = result("GroupNormalization", opset, X, factors, 0 * factors, num_groups=2, epsilon=0.0)
    assert Y[0] == pytest.approx(wanted)


def test_a_normalized_tensor_takes_the_type_of_its_factors():
    Y = result("RMSNormalization", 23, np.array([[1, 7]], np.float16), float32(10, 100))
    assert Y.dtype == np.float32
    assert Y[0] == pytest.approx([2, 140], rel=1e-3)


def heads(*numbers):
    """One head, one number for each place."""
    return float32(*numbers).reshape(1, 1, -1, 1)


def test_a_query_that_may_see_nothing_gives_zeros():
    mask = np.array([[False, False], [False, True]])
    Y = result("Attention", 23, heads(0, 0), heads(5, 7), heads(1, 3), mask)
    assert Y.ravel().tolist() == [0, 3]


def test_keys_beyond_a_mask_are_hidden():
    Y = result("Attention", 23, heads(0), heads(5, 6, 7), heads(1, 3, 9), float32(0, 0))
    assert Y.ravel().tolist() == [2]


def test_attention_of_unknown_types_has_no_body():
    assert body("Attention", 23, [heads(1)] * 3, types=False) is None


def test_linear_attention_needs_no_types():
    inputs = [float32(1, 1).reshape(1, 2, 1)] * 2 + [float32(2, 3).reshape(1, 2, 1)]
    output, state = result(
        "LinearAttention",
        27,
        *inputs,
        types=False,
        outputs=2,
        q_num_heads=1,
        kv_num_heads=1,
        update_rule=b"linear",
    )
    assert (output.ravel().tolist(), state.ravel().tolist()) == ([2, 5], [5])


def test_a_convolution_of_unknown_channels_has_no_body():
    inputs = [float32(1, 2).reshape(1, 1, 2), float32(1, 1).reshape(1, 1, 2)]
    assert body("CausalConvWithState", 27, inputs, types=False, outputs=2) is None


def flex(**mods):
    """What two queries see of keys that match equally, with values 1 and 3."""
    operands = [heads(0, 0), heads(5, 7), heads(1, 3)]
    return result("FlexAttention", 26, *operands, domain=PREVIEW, **mods).ravel().tolist()


def times(factor):
    """A graph that multiplies, whose values have the names that a body gives to its own."""
    return Graph(
        "times",
        (Node("Mul", ("softmax_1", "matmul_1"), ("mul_1",), name="mul_1"),),
        (Value("softmax_1"),),
        (Value("mul_1"),),
        {"matmul_1": Tensor.of(float32(factor)[0])},
    )


def test_names_in_a_graph_that_changes_scores_may_be_those_of_the_body():
    assert flex(score_mod=times(7), prob_mod=times(2)) == [4, 4]


def test_a_graph_that_changes_weights_may_hold_graphs_that_read_from_it():
    twice = Graph(
        "twice", (Node("Add", ("weights", "weights"), ("sum",)),), outputs=(Value("sum"),)
    )
    branches = {name: Attribute(name, "graph", twice) for name in ("then_branch", "else_branch")}
    nested = Graph(
        "nested",
        (Node("If", ("always",), ("mul_1",), branches),),
        (Value("weights"),),
        (Value("mul_1"),),
        {"always": Tensor.of(True)},
    )
    assert flex(prob_mod=nested) == [4, 4]


def test_a_row_of_which_a_graph_hides_all_gives_zeros():
    assert flex(score_mod=hiding()) == [0, 0]


def hiding():
    bottom = Tensor.of(float32(-inf)[0])
    nodes = (Node("Min", ("scores", "bottom"), ("hidden",)),)
    return Graph("hiding", nodes, (Value("scores"),), (Value("hidden"),), {"bottom": bottom})


def test_flex_attention_that_reads_values_around_it_has_no_body():
    outer = Graph("outer", (Node("Add", ("x", "around"), ("y",)),), (Value("x"),), (Value("y"),))
    inputs = [heads(0), heads(5, 7), heads(1, 3)]
    assert body("FlexAttention", 26, inputs, domain=PREVIEW, score_mod=outer) is None
