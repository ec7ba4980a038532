"""What runs use again in graphs inside others: what is constant around them is constant in them."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.evaluation import Stepper
from onnx_explorer.evaluation.plan import plan_of
from onnx_explorer.ir import DType, Function, TensorType, Value


@pytest.mark.parametrize("inside", ["function", "branch"])
def test_dtypes_are_checked_anew_in_a_graph_that_is_entered_with_others(inside):
    g = graph("g", opset=20, imports={"local": 1})
    cond, x = g.input("cond", "bool[]"), g.input("x", "float32[1]")
    then, other = g.subgraph("then"), g.subgraph("other")
    then.output(then.Identity(x))
    other.output(other.Cast(x, to="int64"))
    either = g.If(cond, then_branch=then, else_branch=other)
    h = graph("halves", opset=20)
    h.output(h.Floor(h.Identity(h.input("a", "float32[1]"), name="same"), name="floor"), "b")
    floors = Function("Floors", "local", ("a",), ("b",), h.model().graph.nodes, {"": 20})
    if inside == "function":
        g.output(g.op("Floors", either, domain="local"), "y")
    else:
        down = g.subgraph("down")
        down.output(down.Floor(down.Identity(either), name="floor"))
        g.output(g.If(True, then_branch=down, else_branch=down), "y")
    model = g.model(functions=[floors])
    for _ in range(2):
        assert ox.run(model, {"cond": True, "x": [2.5]})["y"] == [2]
        with pytest.raises(ox.EvaluationError, match="floor"):
            ox.run(model, {"cond": False, "x": [2.5]})


def scaled_inside(kind):
    """An input divided by the exponential of a captured constant, in a graph inside another, where
    the constant is an input too.
    """
    g = graph("outer", opset=20, imports={"local": 1})
    x, weight = g.input("x", "float32[2]"), g.initializer("w", np.float32([1, 2]))
    twice = g.Mul(weight, np.float32(2), name="twice")
    functions = []
    if kind == "function":
        h = graph("inner", opset=20)
        a, w = h.input("a", "float32[2]"), h.input("factor", "float32[2]")
        h.output(h.Div(a, h.Exp(w)), "b")
        functions.append(
            Function("Scaled", "local", ("a", "factor"), ("b",), h.model().graph.nodes, {"": 20})
        )
        y = g.op("Scaled", x, twice, domain="local")
    elif kind == "loop":
        body = g.subgraph("body")
        body.input("i", "int64[]")
        more, carried = body.input("more", "bool[]"), body.input("carried", "float32[2]")
        body.output(body.Identity(more))
        body.output(body.Div(carried, body.Exp(twice)))
        (y,) = g.Loop(np.array(1), None, x, body=body, outputs=1)
    else:
        branches = [g.subgraph("then"), g.subgraph("other")]
        for branch in branches:
            inner = [branch.subgraph("inner_then"), branch.subgraph("inner_other")]
            for deepest in inner:
                deepest.output(deepest.Div(x, deepest.Exp(twice)))
            branch.output(branch.If(True, then_branch=inner[0], else_branch=inner[1]))
        y = g.If(True, then_branch=branches[0], else_branch=branches[1])
    g.output(y, "y")
    model = g.model(functions=functions)
    w = Value("w", TensorType(DType.FLOAT32, (2,)))
    return replace(model, graph=replace(model.graph, inputs=(*model.graph.inputs, w)))


KINDS_INSIDE = pytest.mark.parametrize("kind", ["branch", "loop", "function"])


def fed_and_expected(w):
    fed = {"x": np.float32([8, 9])} | ({} if w is None else {"w": np.float32(w)})
    return fed, np.float32([8, 9]) / np.exp(2 * np.float32(w or [1, 2]))


@KINDS_INSIDE
def test_what_a_graph_inside_makes_of_constants_around_it_is_left_to_the_first_run(kind):
    model = scaled_inside(kind)
    fed, expected = fed_and_expected(None)
    for _ in range(3):
        np.testing.assert_allclose(ox.run(model, fed)["y"], expected, rtol=1e-6)
    (inside,) = [step for step in plan_of(model, ("y",)).lean.steps if step.operator[:3] != "Mul"]
    while inside.plain is None:
        plan = inside.function or next(iter(inside.keywords.values())).plan
        inside = next(step for step in plan.lean.steps if step.operator[:8] != "Identity")
    assert inside.node.op_type == "Div"


@KINDS_INSIDE
@pytest.mark.parametrize("order", [(None, [3, 4], None, [5, 6]), ([3, 4], None, [3, 4], None)])
def test_constants_inside_are_those_that_were_fed(kind, order):
    model = scaled_inside(kind)
    for w in (*order, *order):
        fed, expected = fed_and_expected(w)
        np.testing.assert_allclose(ox.run(model, fed)["y"], expected, rtol=1e-6)
        stepper = Stepper(model, fed)
        stepper.run()
        np.testing.assert_allclose(stepper.outputs["y"], expected, rtol=1e-6)


@KINDS_INSIDE
def test_threads_may_feed_others_in_place_of_constants_inside(kind):
    model = scaled_inside(kind)

    def check(w):
        fed, expected = fed_and_expected(w)
        for _ in range(50):
            np.testing.assert_allclose(ox.run(model, fed)["y"], expected, rtol=1e-6)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(check, [None, [3, 4], None, [5, 6]]))


@KINDS_INSIDE
def test_a_constant_around_that_a_person_sets_counts_inside(kind):
    model = scaled_inside(kind)
    fed, expected = fed_and_expected(None)
    for _ in range(2):
        ox.run(model, fed)
        stepper = Stepper(model, fed)
        stepper.step()
        (twice,) = stepper.walk.latest.outputs
        stepper.set(twice, np.float32([0, 1]))
        stepper.run()
        np.testing.assert_allclose(stepper.outputs["y"], [8, 9 / np.exp(1)], rtol=1e-6)
        while stepper.position:
            stepper.back()
        stepper.run()
        np.testing.assert_allclose(stepper.outputs["y"], expected, rtol=1e-6)


def test_what_is_too_large_to_keep_is_made_anew_and_read_inside():
    n = 5_000_000  # 20 MB
    g = graph("large", opset=20)
    x = g.input("x", "float32[1]")
    ones = g.ConstantOfShape(np.array([n]), value=np.float32([1]))
    two = g.ReduceSum(g.Reshape(g.Add(ones, ones), np.array([-1, 1])), np.array([1]), keepdims=0)
    then, other = g.subgraph("then"), g.subgraph("other")
    then.output(then.Mul(x, then.ReduceSum(two, np.array([0]), name="sum")))
    other.output(other.Identity(x))
    g.output(g.If(True, then_branch=then, else_branch=other), "y")
    model = g.model()
    for fed in (1, 2, 3):
        assert ox.run(model, {"x": [fed]})["y"] == [fed * 2 * n]
