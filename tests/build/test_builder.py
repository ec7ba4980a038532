"""Graphs written in Python."""

from __future__ import annotations

import numpy as np
import pytest

from onnx_explorer import build
from onnx_explorer.errors import ModelError, SchemaError
from onnx_explorer.ir import Graph, Tensor, TensorType
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


def test_python_numbers_take_the_element_type_of_what_they_meet():
    g = build.graph("net")
    x = g.input("x", "float16[n]")
    i = g.input("i", "int32[n]")
    unknown = g.input("unknown")
    for value in (2 * x, -x + 1, 1 / x, x**2, g.Clip(x, 0, 6), i * 3, i + 0.5, unknown + 1):
        g.output(value)
    g.output(np.float32(2) + g.input("y", "float32[n]"))
    constants = [(t.dtype.label, t.numpy().tolist()) for t in g.graph().initializers.values()]
    assert constants == [
        *(("float16", float(number)) for number in (2, 1, 1)),
        ("int64", 2),  # an exponent may have a type of its own
        *(("float16", float(number)) for number in (0, 6)),
        ("int32", 3),
        ("float32", 0.5),
        ("int64", 1),
        ("float32", 2.0),
    ]
    assert [n.op_type for n in g.graph().nodes][:4] == ["Mul", "Neg", "Add", "Div"]


def test_a_call_that_fails_leaves_nothing_behind():
    g = build.graph("net")
    x = g.input("x", "float32[n]")
    for mistaken in (
        lambda: g.Softmax(x, axes=1, name="one"),
        lambda: g.Add([1.0], object(), name="one"),
        lambda: g.Split(x, num_outputs=2, outputs=["half", "half"], name="one"),
        lambda: g.Split(x, num_outputs=2, outputs=["half", "x"], name="one"),
    ):
        with pytest.raises(ModelError):
            mistaken()
    assert (g.graph().nodes, dict(g.graph().initializers)) == ((), {})
    g.Add(x, [1.0], name="one")
    assert g.Split(x, num_outputs=2, outputs=["half", "other"])[0].name == "half"


def test_a_model_does_not_change_with_the_arrays_it_was_made_of():
    values = np.zeros(3, np.float32)
    tensor = Tensor.of(values)
    values[0] = 1
    assert tensor.numpy().tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (object(), "object is no element type"),
        ([[1, 2], [3]], "inhomogeneous"),
        (2**70, "int is no element type"),
        (np.zeros(2, "datetime64[s]"), "no counterpart"),
    ],
)
def test_what_no_tensor_holds_is_refused(values, reason):
    with pytest.raises(ModelError, match=reason):
        Tensor.of(values)


def test_a_number_outside_the_element_type_is_refused():
    g = build.graph("net")
    with pytest.raises(ModelError, match="300 is outside the range of uint8"):
        g.input("x", "uint8[n]") + 300


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


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda g, x: g.input("y", 5), "input 'y' is of type 5; expected one as in"),
        (lambda g, x: g.input(5), "an input is called 5; expected a name"),
        (lambda g, x: g.output([1]), r"an output is given as \[1\]; expected a value"),
        (lambda g, x: g.output(x, 5), "an output is called 5"),
        (lambda g, x: g.Relu(x, name=5), "a node of Relu-14 is called 5"),
        (lambda g, x: g.Relu(x, outputs=1.5), "outputs = 1.5 of Relu-14; expected how many"),
        (lambda g, x: g.Relu(x, outputs=10**400), "outputs = an integer of 1329 bits"),
        (lambda g, x: g.Relu(x, outputs="yz"), "outputs = 'yz' of Relu-14; .* or a list"),
        (lambda g, x: g.op("Relu", x, domain=5), "the domain is given as 5"),
        (lambda g, x: x + None, "Add of 'x' and None; expected a value or an array"),
        (
            lambda g, x: g.Relu(build.graph().input("z")),
            "input 0 of Relu-14 is 'z' of another builder",
        ),
        (lambda g, x: g.model(functions=[5]), "a function is given as 5"),
        (lambda g, x: g.model(ir_version="8"), "ir_version = '8'; expected a whole number"),
        (lambda g, x: build.graph(opset="21"), "the opset is '21'; expected a whole number"),
        (lambda g, x: build.graph(imports=[1]), r"the imports are given as \[1\]; expected a dict"),
        (lambda g, x: build.graph(imports={"ai.onnx.ml": 0}), "opset of domain 'ai.onnx.ml' is 0"),
        (lambda g, x: g.LeakyRelu(x, alpha=10**400), "an integer beyond all floats"),
    ],
)
def test_what_is_given_by_mistake_is_told(call, told):
    g = build.graph()
    with pytest.raises(ModelError, match=told):
        call(g, g.input("x", "float32[2]"))


@pytest.mark.parametrize("number", [1e40, 70000, -1e300])
def test_a_number_that_the_element_type_does_not_hold_is_refused(number):
    g = build.graph()
    x = g.input("x", "float16[2]")
    with pytest.raises(ModelError, match="outside the range of float16"):
        number * x
    infinite = float("inf") * x
    g.output(infinite, "y")
    assert g.model().graph.initializers["mul_1_A"].numpy() == np.inf


def test_a_call_that_fails_takes_no_name_and_imports_nothing():
    g = build.graph()
    x = g.input("x", "float32[2]")
    for wrong in ({"alpha": "a"}, {"outputs": [5]}):
        with pytest.raises(ModelError):
            g.LeakyRelu(x, **wrong)
        with pytest.raises(ModelError):
            g.op("Foo", x, domain="com.acme", name="", **wrong)
    assert g.LeakyRelu(x).name == "leakyrelu_1"
    assert g.LeakyRelu(x).name == "leakyrelu_2"
    g.ops("Split", x, outputs=2, num_outputs=2)
    g.ops("Split", x, outputs=2, num_outputs=2)
    g.output(x, "y")
    model = g.model()
    assert [node.name for node in model.graph.nodes[:4]] == [
        "leakyrelu_1", "leakyrelu_2", "split_1", "split_2",
    ]  # fmt: skip
    assert model.opset_imports == {"": 21}


@pytest.mark.parametrize(
    ("make", "dtype"),
    [
        (lambda g, x: g.Cast(x, to="float16"), "float16"),
        (lambda g, x: g.Cast(x, to="int8"), "int8"),
        (lambda g, x: g.ConstantOfShape(g.Shape(x), value=np.int32([7])), "int32"),
        (lambda g, x: g.EyeLike(x, dtype="float64"), "float64"),
        (lambda g, x: g.RandomNormal(shape=[2, 2]), "float32"),
        (lambda g, x: g.Constant(value=np.uint8([[1]])), "uint8"),
    ],
)
def test_numbers_take_the_element_type_that_an_attribute_gave(make, dtype):
    g = build.graph()
    g.output(make(g, g.input("x", "float32[2, 2]")) + 1, "y")
    assert g.model().graph.initializers["add_1_B"].dtype.label == dtype


def test_texts_given_as_bytes_are_texts_and_what_is_no_text_is_refused():
    g = build.graph()
    g.output(g.Identity(g.initializer("words", np.array([b"a", b"\xc3\xa9"]))), "y")
    assert g.model().graph.initializers["words"].numpy().tolist() == ["a", "é"]
    g.model().to_bytes()
    with pytest.raises(ModelError, match="no text in UTF-8"):
        g.initializer("broken", [b"\xff"])
    with pytest.raises(ModelError, match="no Unicode"):
        g.model(doc="\ud800").to_bytes()
