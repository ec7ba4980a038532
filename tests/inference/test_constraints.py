"""Which sizes a graph works for: what the rules assume, solved, against what inference says when the
sizes are bound.
"""

from contextlib import nullcontext

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.dims import DimError, evaluate, parse
from onnx_explorer.dims.solving import solve


def texts(types):
    return [str(each) for each in types.constraints]


def heads():
    """An attention whose heads are split by a target shape with the batch in it."""
    g = graph("heads", opset=20)
    x = g.input("x", "float32[batch, seq, 768]")
    g.output(g.Reshape(x, np.array([1, -1, 12, 64]), name="reshape_7"), "y")
    return g.model()


def test_a_batch_baked_into_a_target_shape_is_found():
    g = graph("baked", opset=20)
    x = g.input("x", "float32[batch, 768]")
    g.output(g.Reshape(x, np.array([1, 12, 64]), name="reshape_7"), "y")
    types = ox.infer(g.model())
    assert texts(types) == ["holds only for batch = 1: reshape_7"]
    (found,) = types.constraints
    assert (found.symbols, found.nodes) == (("batch",), ("reshape_7",))
    assert found.allows({"batch": 1}) is True
    assert found.allows({"batch": 2}) is False
    assert found.allows({}) is None


def test_nothing_is_asked_of_a_graph_that_works_for_every_size():
    assert texts(ox.infer(heads())) == []


def test_symbols_that_must_be_equal_are_told_with_the_nodes():
    g = graph("pair", opset=20)
    a, b = g.input("a", "float32[m, k]"), g.input("b", "float32[l, n]")
    g.output(g.MatMul(a, b, name="product"), "y")
    (found,) = ox.infer(g.model()).constraints
    assert str(found) in {"holds only for k = l: product", "holds only for l = k: product"}
    assert found.allows({"k": 3, "l": 3}) is True
    assert found.allows({"k": 3, "l": 4}) is False


def test_two_sizes_that_broadcast_are_told():
    g = graph("added", opset=20)
    a, b = g.input("a", "float32[B]"), g.input("b", "float32[S]")
    g.output(g.Add(a, b, name="sum"), "y")
    (found,) = ox.infer(g.model()).constraints
    assert found.text == "B = S, or one of them is 1"
    assert [found.allows({"B": b, "S": s}) for b, s in ((3, 3), (1, 3), (3, 1), (2, 3))] == [
        True,
        True,
        True,
        False,
    ]


def test_a_size_beside_a_number_may_be_that_number_or_1():
    g = graph("bias", opset=20)
    a, b = g.input("a", "float32[B]"), g.input("b", "float32[4]")
    g.output(g.Add(a, b, name="sum"), "y")
    assert texts(ox.infer(g.model())) == ["holds only for B is 1 or 4: sum"]


def test_a_size_that_is_split_into_equal_parts_is_a_multiple():
    g = graph("split", opset=17)
    x = g.input("x", "float32[S]")
    for handle in g.Split(x, name="halves", outputs=["a", "b"]):
        g.output(handle)
    assert texts(ox.infer(g.model())) == ["holds only for S is a multiple of 2: halves"]


def test_a_reshape_into_groups_needs_a_multiple():
    g = graph("groups", opset=20)
    x = g.input("x", "float32[C]")
    g.output(g.Reshape(x, np.array([4, -1]), name="grouped"), "y")
    assert texts(ox.infer(g.model())) == ["holds only for C is a multiple of 4: grouped"]


def test_a_window_needs_a_size_that_holds_it():
    g = graph("window", opset=20)
    x = g.input("x", "float32[1, 3, height, 8]")
    g.output(g.Conv(x, np.zeros((2, 3, 5, 5), "f4"), name="conv"), "y")
    (found,) = ox.infer(g.model()).constraints
    # height - 4 windows fit, and their number is not below 0
    assert str(found) == "holds only for height >= 4: conv"


def test_several_demands_on_one_symbol_are_met_together():
    g = graph("both", opset=20)
    x = g.input("x", "float32[S]")
    g.output(g.Reshape(x, np.array([4, -1]), name="by4"), "a")
    g.output(g.Reshape(x, np.array([6, -1]), name="by6"), "b")
    assert texts(ox.infer(g.model())) == ["holds only for S is a multiple of 12: by4, by6"]


def test_demands_that_exclude_each_other_leave_no_value():
    g = graph("none", opset=20)
    x = g.input("x", "float32[batch, 6]")
    g.output(g.Reshape(x, np.array([1, 6]), name="one"), "a")
    g.output(g.Reshape(x, np.array([2, 6]), name="two"), "b")
    assert texts(ox.infer(g.model())) == ["holds only for no value of batch: one, two"]


def test_what_a_branch_needs_is_not_asked_of_all_runs():
    g = graph("branches", opset=20)
    x = g.input("x", "float32[batch, 6]")
    flag = g.input("flag", "bool[]")
    then, other = g.subgraph("then"), g.subgraph("other")
    then.output(then.Reshape(x, np.array([1, 6]), name="baked"), "a")
    other.output(other.Identity(x), "b")
    g.output(g.If(flag, then_branch=then, else_branch=other, name="if"), "y")
    types = ox.infer(g.model())
    assert types.assumptions
    assert types.constraints == ()


@pytest.mark.parametrize("size", range(1, 9))
@pytest.mark.parametrize("target", [[4, -1], [2, 3], [1, -1], [-1, 6], [15]])
def test_a_size_is_allowed_where_inference_finds_no_fault_with_it(target, size):
    g = graph("one", opset=20)
    x = g.input("x", "float32[S, 3]")
    g.output(g.Reshape(x, np.array(target), name="it"), "y")
    types = ox.infer(g.model())
    allowed = all(each.allows({"S": size}) for each in types.constraints)
    assert allowed == (not types.with_inputs({"S": size}).errors)
    assert allowed == (
        3 * size % abs(int(np.prod(target))) == 0 and (-1 in target or 3 * size == np.prod(target))
    )


def test_a_table_that_is_cut_to_the_length_bounds_it():
    g = graph("table", opset=20)
    x = g.input("x", "float32[seq, 4]")
    rows = g.Slice(np.zeros((512, 4), "f4"), np.array([0]), g.Shape(x, end=1), np.array([0]))
    g.output(g.Concat(g.Mul(x, rows, name="by_position"), x, axis=1, name="both"), "y")
    (found,) = ox.infer(g.model()).constraints
    assert found.allows({"seq": 512})
    assert not found.allows({"seq": 513})
    assert found.text == "seq <= 512"


def test_halving_and_doubling_again_needs_a_multiple():
    g = graph("unet", opset=20)
    x = g.input("x", "float32[1, 3, height, 8]")
    w = np.zeros((3, 3, 2, 2), "f4")
    down = g.Conv(x, w, strides=[2, 2], name="down")
    g.output(g.Concat(g.ConvTranspose(down, w, strides=[2, 2]), x, axis=1, name="skip"), "y")
    assert texts(ox.infer(g.model())) == [
        "holds only for height is a multiple of 2: skip",
    ]


SIZES = st.recursive(
    st.one_of(st.just("n"), st.integers(-9, 9).map(str)),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.integers(-3, 3), inner).map(lambda t: f"({t[0]} * {t[1]})"),
        st.tuples(inner, st.integers(2, 4)).map(lambda t: f"floor({t[0]} / {t[1]})"),
        st.tuples(inner, st.integers(2, 4)).map(lambda t: f"({t[0]} mod {t[1]})"),
        st.tuples(inner, inner).map(lambda t: f"max({t[0]}, {t[1]})"),
        st.tuples(inner, inner).map(lambda t: f"min({t[0]}, {t[1]})"),
    ),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None)
@given(SIZES)
def test_solutions_are_those_that_trying_every_number_finds(text):
    size = parse(text)
    equal, above = solve(size, "n", "= 0"), solve(size, "n", ">= 0")
    for n in range(200):
        try:
            value = evaluate(size, {"n": n})
        except DimError:
            continue
        if equal is not None:
            assert (n in equal) == (value == 0), (text, n)
        if above is not None:
            assert (n in above) == (value >= 0), (text, n)


@pytest.mark.parametrize("offset", [0, 2])
def test_a_table_of_positions_bounds_what_is_looked_up_in_it(offset):
    g = graph("positions", opset=20)
    x = g.input("ids", "int64[batch, seq]")
    end = g.Gather(g.Shape(x), np.array(1), axis=0)
    at = g.Unsqueeze(g.Range(np.array(0), end, np.array(1)), np.array([0]))
    if offset:
        at = g.Add(at, np.array([offset]))
    g.output(g.Gather(np.zeros((8, 3), "f4"), at, axis=0, name="look_up"), "y")
    model = g.model()
    (found,) = ox.infer(model).constraints
    assert str(found) == f"holds only for seq <= {8 - offset}: look_up"
    session = onnxruntime.InferenceSession(model.to_bytes(), providers=["CPUExecutionProvider"])
    for seq, works in ((8 - offset, True), (9 - offset, False)):
        assert found.allows({"seq": seq}) is works
        with nullcontext() if works else pytest.raises(Exception, match="out of data bounds"):
            session.run(None, {"ids": np.zeros((1, seq), "i8")})
