"""Graphs written in Python."""

from __future__ import annotations

import numpy as np
import pytest

from onnx_explorer import build
from onnx_explorer.errors import ModelError, SchemaError
from onnx_explorer.ir import Graph, TensorType
from onnx_explorer.ir.type_text import parse_type


def test_arrays_become_initializers_named_after_node_and_port():
    g = build.graph("net", opset=20)
    x = g.input("x", "float32[batch, 1, 8, 8]")
    g.output(g.Conv(x, np.zeros((4, 1, 3, 3), np.float32), name="first"), "y")
    graph = g.model().graph
    assert graph.nodes[0].inputs == ("x", "first_W")
    assert graph.initializers["first_W"].dims == (4, 1, 3, 3)


def test_naming_an_output_renames_its_value_everywhere():
    g = build.graph("net")
    x = g.input("x", "float32[n]")
    h = g.Relu(x)
    g.output(g.Sigmoid(h), "z")
    g.output(h, "y")
    relu, sigmoid = g.model().graph.nodes
    assert relu.outputs == ("y",)
    assert sigmoid.inputs == ("y",)


def test_an_input_as_output_goes_through_identity():
    g = build.graph("net")
    g.output(g.input("x", "float32[n]"), "y")
    (node,) = g.model().graph.nodes
    assert (node.op_type, node.inputs, node.outputs) == ("Identity", ("x",), ("y",))


def test_names_count_up_within_a_scope():
    g = build.graph("net")
    x = g.input("x", "float32[n]")
    with g.scope("encoder/layer0"):
        x = g.Relu(g.Relu(x))
    g.output(g.Relu(x), "y")
    names = [node.name for node in g.model().graph.nodes]
    assert names == ["encoder/layer0/relu_1", "encoder/layer0/relu_2", "relu_1"]


def test_operators_on_handles_add_their_nodes():
    g = build.graph("net")
    x = g.input("x", "float32[n, n]")
    g.output((x @ x + 1.0) * x - x / 2.0, "y")
    graph = g.model().graph
    assert sorted(n.op_type for n in graph.nodes) == ["Add", "Div", "MatMul", "Mul", "Sub"]
    assert {t.dtype.label for t in graph.initializers.values()} == {"float32"}


def test_attributes_take_the_kind_that_the_schema_says():
    g = build.graph("net")
    x = g.input("x", "float32[n, 6]")
    g.output(g.Cast(x, to="float16"), "half")
    g.output(g.Gemm(x, np.zeros((6, 2), np.float32), alpha=2), "scaled")
    cast, gemm = g.model().graph.nodes
    assert cast.attributes["to"].value == 10
    assert (gemm.attributes["alpha"].kind, gemm.attributes["alpha"].value) == ("float", 2.0)


def test_subgraphs_use_the_values_around_them():
    g = build.graph("net")
    x = g.input("x", "float32[n]")
    condition = g.input("condition", "bool[]")
    yes, no = g.subgraph("yes"), g.subgraph("no")
    yes.output(yes.Relu(x), "positive")
    no.output(no.Identity(x), "same")
    g.output(g.If(condition, then_branch=yes, else_branch=no), "y")
    branch = g.model().graph.nodes[0].attributes["then_branch"].value
    assert isinstance(branch, Graph)
    assert branch.nodes[0].inputs == ("x",)


def test_several_outputs_come_as_a_tuple():
    g = build.graph("net")
    x = g.input("x", "float32[6]")
    first, second = g.Split(x, outputs=2, num_outputs=2)
    g.output(g.Add(first, second), "y")
    assert g.model().graph.nodes[0].outputs == (first.name, second.name)


@pytest.mark.parametrize(
    ("write", "error", "message"),
    [
        (lambda g, x: g.Conw(x), SchemaError, "Conv"),
        (lambda g, x: g.Softmax(x, axes=1), ModelError, "did you mean 'axis'"),
        (lambda g, x: g.Softmax(x, axis="last"), ModelError, "expected an int"),
        (lambda g, x: g.Transpose(x, perm=1), ModelError, "expected a list of ints"),
        (lambda g, x: g.Cast(x, to="floaty"), ModelError, "an element type"),
        (lambda g, x: g.Relu(x, x), ModelError, "at most 1: X"),
        (lambda g, x: g.Relu("x"), ModelError, "the text 'x'"),
        (lambda g, x: g.input("x"), ModelError, "taken"),
    ],
)
def test_mistakes_are_told_with_what_was_expected(write, error, message):
    g = build.graph("net")
    x = g.input("x", "float32[n, n]")
    with pytest.raises(error, match=message):
        write(g, x)


@pytest.mark.parametrize(
    "text",
    [
        "float32[N, 3, 224, 224]",
        "int64[]",
        "float32[...]",
        "bfloat16[2*seq + 1]",
        "float32[max(a, b), 4]",
        "seq(float32[rows, 4])",
        "optional(seq(int64[]))",
        "map(int64, float32[])",
        "sparse(float32[3])",
    ],
)
def test_the_text_of_a_type_reads_back(text):
    assert str(parse_type(text)) == text


def test_element_types_may_have_their_names_in_onnx():
    assert parse_type("float[?]") == parse_type("float32[?]")
    assert isinstance(parse_type("double[1]"), TensorType)


@pytest.mark.parametrize("text", ["", "float33[2]", "float32[2", "float32[2,,3]", "map(int64)"])
def test_no_type_is_refused_with_its_text(text):
    with pytest.raises(ModelError, match="cannot read the type"):
        parse_type(text)
