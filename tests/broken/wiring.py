"""Broken graphs, bodies and functions."""

from dataclasses import replace

import numpy as np

from onnx_explorer.dims import symbol
from onnx_explorer.ir import (
    DType,
    Function,
    Graph,
    Model,
    Node,
    QuantizationAnnotation,
    SparseTensor,
    Tensor,
    TensorType,
    TrainingInfo,
    Value,
)
from tests.broken.making import attribute, broken, nodes, one, value, zeros

# -- graphs --------------------------------------------------------------------------------------


@broken("missing-value", "act", "'hiden'", repair="did you mean 'hidden'?")
def misspelt_value():
    first = Node("Relu", ("x",), ("hidden",), name="first")
    return nodes(first, Node("Relu", ("hiden",), ("y",), name="act"))


@broken("missing-value", "fc", "'fc.weight'")
def initializer_that_was_dropped():
    return nodes(Node("MatMul", ("x", "fc.weight"), ("y",), name="fc"))


@broken("missing-value", "", "nothing makes this output of the graph")
def output_that_nothing_makes():
    return nodes(Node("Relu", ("x",), ("z",), name="act"))


@broken("duplicate-value", "second", "'y'", "'first'")
def two_nodes_make_one_value():
    return nodes(
        Node("Relu", ("x",), ("y",), name="first"), Node("Neg", ("x",), ("y",), name="second")
    )


@broken("duplicate-node-name", "", "'act'")
def two_nodes_of_one_name():
    first = Node("Relu", ("x",), ("h",), name="act")
    return nodes(first, Node("Relu", ("h",), ("y",), name="act"))


@broken("cycle", "", "'a' -> 'b' -> 'a'")
def nodes_that_need_each_other():
    return nodes(Node("Relu", ("y",), ("h",), name="a"), Node("Relu", ("h",), ("y",), name="b"))


@broken("unsorted-nodes", "second", "'h'", "'first'")
def nodes_out_of_order():
    second = Node("Relu", ("h",), ("y",), name="second")
    return nodes(second, Node("Relu", ("x",), ("h",), name="first"))


@broken("initializer-not-input", "", "version 3")
def constants_of_an_old_file():
    return replace(one("MatMul", "float32[2, 3]", zeros(3, 4), opset=8), ir_version=3)


@broken("placeholder-size", "", "axis 0", "-1")
def batch_of_minus_one():
    model = one("Relu", "float32[2, 3]")
    sizes = (symbol("?"), 3)
    x = Value("x", TensorType(DType.FLOAT32, sizes, spelling=("-1", "")))
    return replace(model, graph=replace(model.graph, inputs=(x,)))


@broken("missing-shape", "", "'x'")
def input_without_a_shape():
    return one("Relu", "float32[...]")


@broken("quantization", "", "'x_scale'")
def annotation_that_names_nothing():
    model = one("Relu", "float32[2, 3]")
    stated = QuantizationAnnotation("x", (("SCALE_TENSOR", "x_scale"),))
    return replace(model, graph=replace(model.graph, quantization=(stated,)))


@broken("sparse-tensor", "", "ascend")
def sparse_indices_out_of_order():
    values = Tensor.of(np.ones(2, "f4"), "s")
    sparse = SparseTensor(values, Tensor.of(np.array([5, 1])), (2, 3))
    return nodes(Node("Add", ("x", "s"), ("y",), name="add"), sparse_initializers=(sparse,))


# -- bodies and functions ------------------------------------------------------------------------


@broken("subgraph-arity", "if", "2 outputs", "the node has 1")
def branch_with_too_many_outputs():
    then = Graph(
        "then",
        (Node("Relu", ("x",), ("a",)), Node("Neg", ("x",), ("b",))),
        (),
        (value("a"), value("b")),
    )
    other = Graph("other", (Node("Neg", ("x",), ("c",)),), (), (value("c"),))
    bodies = {**attribute("then_branch", "graph", then), **attribute("else_branch", "graph", other)}
    inputs = (("x", "float32[2, 3]"), ("flag", "bool[]"))
    return nodes(Node("If", ("flag",), ("y",), bodies, name="if"), inputs=inputs)


@broken("branch-mismatch", "if", "float32", "int64")
def branches_of_different_types():
    then = Graph("then", (Node("Relu", ("x",), ("a",)),), (), (value("a"),))
    other = Graph("other", (Node("Shape", ("x",), ("c",)),), (), (value("c", DType.INT64, (2,)),))
    bodies = {**attribute("then_branch", "graph", then), **attribute("else_branch", "graph", other)}
    inputs = (("x", "float32[2, 3]"), ("flag", "bool[]"))
    return nodes(Node("If", ("flag",), ("y",), bodies, name="if"), inputs=inputs)


@broken("subgraph-arity", "loop", "2 inputs", "3")
def body_without_the_carried_value():
    body = Graph(
        "body",
        (Node("Identity", ("going",), ("on",)), Node("Relu", ("x",), ("h",))),
        (value("i", DType.INT64, ()), value("going", DType.BOOL, ())),
        (value("on", DType.BOOL, ()), value("h")),
    )
    inputs = (("x", "float32[2, 3]"), ("count", "int64[]"))
    node = Node("Loop", ("count", "", "x"), ("y",), attribute("body", "graph", body), name="loop")
    return nodes(node, inputs=inputs)


@broken("inner-size-mismatch", "if/then_branch/fc", "3 (axis 1 of 'x'", "4 (axis 0 of 'W'")
def fault_inside_of_a_branch():
    then = Graph("then", (Node("MatMul", ("x", "W"), ("a",), name="fc"),), (), (value("a"),))
    other = Graph("other", (Node("Neg", ("x",), ("c",)),), (), (value("c"),))
    bodies = {**attribute("then_branch", "graph", then), **attribute("else_branch", "graph", other)}
    inputs = (("x", "float32[2, 3]"), ("flag", "bool[]"))
    weight = {"W": Tensor.of(zeros(4, 3), "W")}
    return nodes(
        Node("If", ("flag",), ("y",), bodies, name="if"), inputs=inputs, initializers=weight
    )


def calling(*called, functions, attributes=None):
    model = nodes(*called)
    return Model(model.graph, {"": 20, "local": 1}, 10, {f.key: f for f in functions})


def function(name, *body, inputs=("a",), outputs=("b",), **fields):
    return Function(name, "local", inputs, outputs, body, {"": 20, "local": 1}, **fields)


@broken("input-count", "call", "2 inputs", "has 1")
def call_with_too_many_inputs():
    norm = function("Norm", Node("Relu", ("a",), ("b",)))
    node = Node("Norm", ("x", "x"), ("y",), domain="local", name="call")
    return calling(node, functions=[norm])


@broken(
    "missing-attribute", "call/function/join", "'axis'", repair="'along' is missing in the call"
)
def call_without_an_attribute():
    joined = Node(
        "Concat", ("a", "a"), ("b",), attribute("axis", "int", None, "along"), name="join"
    )
    twice = function("Twice", joined, attributes=("along",))
    node = Node("Twice", ("x",), ("y",), domain="local", name="call")
    return calling(node, functions=[twice])


@broken("recursive-function", "", "'F' -> 'G' -> 'F'")
def functions_that_call_each_other():
    f = function("F", Node("G", ("a",), ("b",), domain="local"))
    g = function("G", Node("F", ("a",), ("b",), domain="local"))
    node = Node("F", ("x",), ("y",), domain="local", name="call")
    return calling(node, functions=[f, g])


@broken("missing-value", "call/function/act", "'x'")
def function_that_reads_from_around():
    norm = function("Norm", Node("Add", ("a", "x"), ("b",), name="act"))
    node = Node("Norm", ("x",), ("y",), domain="local", name="call")
    return calling(node, functions=[norm])


@broken("stray-reference", "softmax", "'along'")
def reference_outside_of_a_function():
    node = Node("Softmax", ("x",), ("y",), attribute("axis", "int", None, "along"), name="softmax")
    return nodes(node)


@broken("declared-mismatch", "", "declared as float32[3]", "float32[2] is passed")
def body_that_declares_another_shape():
    body = Graph(
        "body",
        (Node("Identity", ("going",), ("on",)), Node("Relu", ("h",), ("carried",))),
        (
            value("i", DType.INT64, ()),
            value("going", DType.BOOL, ()),
            value("h", shape=(3,)),
        ),
        (value("on", DType.BOOL, ()), value("carried", shape=(2,))),
    )
    inputs = (("x", "float32[2]"), ("count", "int64[]"))
    node = Node("Loop", ("count", "", "x"), ("y",), attribute("body", "graph", body), name="loop")
    return replace(
        (model := nodes(node, inputs=inputs)),
        graph=replace(model.graph, outputs=(value("y", shape=(2,)),)),
    )


@broken("training-binding", "", "'W' = 'new_b'", "float32[3] does not fit float32[3, 3]")
def update_of_another_parameter():
    weight, bias = Tensor.of(np.zeros((3, 3), "f4"), "W"), Tensor.of(np.zeros(3, "f4"), "b")
    model = nodes(Node("Gemm", ("x", "W", "b"), ("y",)), initializers={"W": weight, "b": bias})
    algorithm = Graph(
        "algorithm", (Node("Neg", ("b",), ("new_b",)),), (), (value("new_b", shape=(3,)),)
    )
    step = TrainingInfo(None, algorithm, (), (("W", "new_b"),))
    return replace(model, training=(step,))


@broken(
    "shadowed-value", "", "this initializer of subgraph if/then_branch hides a value of the graph"
)
def constant_that_hides_an_input():
    hidden = {"x": Tensor.of(np.ones((2, 3), "f4"), "x")}
    then = Graph("then", (Node("Relu", ("x",), ("a",)),), (), (value("a"),), hidden)
    other = Graph("other", (Node("Neg", ("x",), ("c",)),), (), (value("c"),))
    bodies = {**attribute("then_branch", "graph", then), **attribute("else_branch", "graph", other)}
    inputs = (("x", "float32[2, 3]"), ("flag", "bool[]"))
    return nodes(Node("If", ("flag",), ("y",), bodies, name="if"), inputs=inputs)
