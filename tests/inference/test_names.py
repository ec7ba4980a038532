"""Sizes that inference makes up: two that may differ never share a symbol."""

from dataclasses import replace

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.dims import symbol
from onnx_explorer.ir import DType, Graph, Model, Node, TensorType, Value


def two_counts(first, second):
    """Two NonZero nodes of two inputs, whose counts have nothing to do with each other."""
    nodes = (
        Node("NonZero", ("x",), ("y",), name=first),
        Node("NonZero", ("w",), ("z",), name=second),
    )
    inputs = tuple(Value(name, TensorType(DType.FLOAT32, (4,))) for name in "xw")
    return Model(Graph("two", nodes, inputs, (Value("y"), Value("z"))), {"": 20}, 9)


@pytest.mark.parametrize("names", [("L", "L"), ("", "y"), ("", ""), ("z", "")])
def test_two_nodes_never_share_a_size_whatever_they_are_called(names):
    types = ox.infer(two_counts(*names))
    assert types["y"].shape[1] != types["z"].shape[1]


def test_a_node_and_an_input_of_one_name_do_not_share_a_size():
    nodes = (
        Node("NonZero", ("x",), ("y",), name="n"),
        Node("Reshape", ("w", "target"), ("q",), name="x"),
    )
    open_dim = TensorType(DType.FLOAT32, (symbol("?"), 3))
    inputs = (
        Value("x", open_dim),
        Value("w", open_dim),
        Value("target", TensorType(DType.INT64, (2,))),
    )
    types = ox.infer(Model(Graph("g", nodes, inputs, (Value("y"), Value("q"))), {"": 20}, 9))
    sizes = [types["x"].shape[0], types["w"].shape[0], *types["q"].shape]
    assert len(set(map(str, sizes))) == len(sizes)


def test_a_size_made_up_does_not_repeat_a_symbol_that_a_person_gives():
    g = graph("given", opset=20)
    x = g.input("x", "float32[N]")
    g.output(g.NonZero(x, name="nz"), "y")
    types = ox.infer(g.model(), {"N": "nz_count"})
    assert str(types["x"]) == "float32[nz_count]"
    assert types["y"].shape[1] != types["x"].shape[0]


def test_a_size_made_up_does_not_repeat_a_declared_symbol():
    g = graph("declared", opset=20)
    x = g.input("x", "float32[4]")
    made = g.op("Other", x, domain="com.example")
    g.output(g.NonZero(x, name="nz"), "y")
    g.output(made, "z")
    model = g.model()
    declared = Value("z", TensorType(DType.FLOAT32, (symbol("nz_count"),)))
    outputs = (model.graph.outputs[0], declared)
    types = ox.infer(replace(model, graph=replace(model.graph, outputs=outputs)))
    assert types["y"].shape[1] != types["z"].shape[0]


def test_an_input_that_a_call_leaves_out_is_absent_in_the_function():
    from onnx_explorer.ir import Function

    clip = Node("Clip", ("X", "B"), ("Y",))
    local = Function("Cut", "local", ("X", "B"), ("Y",), (clip,), {"": 20})
    g = graph("omitted", opset=20, imports={"local": 1})
    x = g.input("x", "float32[2]")
    g.output(g.op("Cut", x, domain="local"), "y")
    model = g.model(functions=[local])
    assert ox.infer(model).diagnostics == ()
    np.testing.assert_array_equal(ox.run(model, {"x": [1, 2]})["y"], [1, 2])


@pytest.mark.parametrize(
    "node",
    [
        Node("If", ("x",), ("y",)),
        Node("Loop", ("", "", "x"), ("y",)),
        Node("Scan", ("x",), ("y",)),
        Node("DepthToSpace", ("x",), ("y",)),
        Node("Sum", ("x", ""), ("y",)),
        Node("Concat", ("", "x"), ("y",)),
    ],
    ids=lambda node: node.op_type,
)
def test_a_node_without_what_it_requires_is_reported_and_refused(node):
    inputs = (Value("x", TensorType(DType.FLOAT32, (4,))),)
    model = Model(Graph("bad", (node,), inputs, (Value("y"),)), {"": 20}, 9)
    assert ox.infer(model).errors
    with pytest.raises(ox.EvaluationError, match="requires"):
        ox.run(model, {"x": np.zeros(4, np.float32)})


def test_a_rule_that_breaks_costs_its_own_outputs_only(monkeypatch):
    from onnx_explorer.ops.registry import operator

    g = graph("broken", opset=20)
    x = g.input("x", "float32[4]")
    g.output(g.Relu(x, name="bad"), "y")
    g.output(g.Abs(x), "z")
    rule = operator("Relu").rule_at(14)

    def broken(*_, **__):
        raise IndexError("out of range")

    monkeypatch.setitem(operator("Relu")._folded, ("rule", 14), replace(rule, function=broken))
    types = ox.infer(g.model())
    (found,) = types.diagnostics
    assert (found.code, found.node) == ("internal", "bad")
    assert "IndexError: out of range" in found.message
    assert str(types["z"]) == "float32[4]"
