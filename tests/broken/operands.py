"""Broken shapes, types and operators."""

from dataclasses import replace

import numpy as np

from onnx_explorer.build import graph
from onnx_explorer.ir import (
    DType,
    Node,
    Tensor,
    TensorType,
    Value,
)
from tests.broken.making import attribute, broken, nodes, one, zeros

# -- shapes --------------------------------------------------------------------------------------


@broken(
    "baked-size",
    "reshape_7",
    "batch = 1",
    "[1, 12, 64]",
    repair="batch 1 is baked into the target shape: reshape_7 asks for [1, 12, 64]; with -1",
)
def batch_baked_into_a_reshape():
    g = graph("heads", opset=20)
    x = g.input("x", "float32[batch, 768]")
    g.output(g.Reshape(x, np.array([1, 12, 64]), name="reshape_7"), "y")
    return g.model()


@broken(
    "reshape-count", "split_heads", "3072", "1536", repair="batch 2 is baked into the target shape"
)
def batch_baked_for_another_batch():
    return one("Reshape", "float32[4, 768]", np.array([2, 12, 64]), name="split_heads")


@broken("reshape-count", "flat", "[1, 7, 7, 512]", "25087")
def reshape_that_loses_an_element():
    return one("Reshape", "float32[1, 7, 7, 512]", np.array([1, 25087]), name="flat")


@broken("reshape-target", "flat", "2 times -1")
def reshape_with_two_holes():
    return one("Reshape", "float32[2, 3, 4]", np.array([-1, -1, 4]), name="flat")


@broken("axis-out-of-range", "softmax", "axis = 2", "rank 2")
def axis_behind_the_last():
    return one("Softmax", "float32[2, 3]", name="softmax", axis=2)


@broken("axis-twice", "mean", "[1, -1]")
def axis_named_twice():
    return one("ReduceMean", "float32[2, 3]", np.array([1, -1]), name="mean")


@broken("wrong-permutation", "turn", "[0, 2, 1]", "rank 4")
def permutation_of_another_rank():
    return one("Transpose", "float32[1, 3, 8, 8]", name="turn", perm=[0, 2, 1])


@broken("squeeze-size", "drop", "size 3 on axis 1")
def squeeze_of_a_large_axis():
    return one("Squeeze", "float32[2, 3]", np.array([1]), name="drop")


@broken("split-sum", "parts", "sums up to 8", "size 10")
def split_that_does_not_sum_up():
    g = graph("split", opset=20)
    x = g.input("x", "float32[2, 10]")
    first, _ = g.Split(x, np.array([4, 4]), axis=1, outputs=["a", "b"], name="parts")
    g.output(first)
    return g.model()


@broken("split-sum", "parts", repair="axis = 1")
def split_on_the_wrong_axis():
    g = graph("split", opset=20)
    x = g.input("x", "float32[2, 10]")
    first, _ = g.Split(x, np.array([4, 6]), axis=0, outputs=["a", "b"], name="parts")
    g.output(first)
    return g.model()


@broken("wrong-count", "cut", "1 element", "starts has 2")
def slice_with_fewer_ends_than_starts():
    return one("Slice", "float32[2, 10]", np.array([0, 0]), np.array([1]), name="cut")


@broken("wrong-count", "pad", "4 values", "6")
def pads_of_another_rank():
    return one("Pad", "float32[1, 2, 3]", np.array([0, 1, 0, 1]), name="pad")


@broken("negative-size", "fill", "-1")
def size_below_zero():
    return one("ConstantOfShape", np.array([-1, 3]), name="fill")


@broken("wrong-shape", "scatter", "[2, 4]", "[2, 3]")
def updates_that_do_not_fit():
    return one(
        "ScatterElements", "float32[2, 5]", zeros(2, 3, dtype="i8"), zeros(2, 4), name="scatter"
    )


# -- types ---------------------------------------------------------------------------------------


@broken("type-mismatch", "scale", "float64", "A is float32", repair="Cast of 'c1' to float32")
def constant_of_double_precision():
    return one("Mul", "float32[2, 3]", np.ones(1), name="scale")


@broken("type-mismatch", "half", "float16", repair="Cast")
def half_and_single_precision():
    return one("Add", "float16[2, 3]", "float32[2, 3]", name="half")


@broken("type-not-allowed", "relu", "int32[2, 3]", "Relu-13", repair="from opset 14 on")
def type_that_came_later():
    return one("Relu", "int32[2, 3]", name="relu", opset=13, out="int32[2, 3]")


@broken("type-not-allowed", "not", "float32", "Not-1 takes bool")
def mask_that_is_no_bool():
    return one("Not", "float32[2, 3]", name="not")


@broken("type-not-allowed", "look_up", "float32[4]", "int32, int64")
def indices_that_are_floats():
    return one("Gather", "float32[10, 8]", "float32[4]", name="look_up")


@broken(
    "declared-mismatch", "", "float32[4, 11]", "float32[4, 10]", "axis 1 is 10 against declared 11"
)
def declaration_that_is_out_of_date():
    model = one("MatMul", "float32[4, 8]", zeros(8, 10), name="fc")
    stated = Value("y", TensorType(DType.FLOAT32, (4, 11)))
    return replace(model, graph=replace(model.graph, outputs=(stated,)))


@broken("initializer-mismatch", "", "float32[64, 10]", "float32[96, 10]")
def initializer_that_contradicts_its_input():
    model = one("MatMul", "float32[N, 96]", zeros(96, 10), name="fc")
    stated = Value("c1", TensorType(DType.FLOAT32, (64, 10)))
    return replace(model, graph=replace(model.graph, inputs=(*model.graph.inputs, stated)))


# -- operators and versions ----------------------------------------------------------------------


@broken("operator-too-new", "gelu", "opset 20", "imports 13", repair="import opset 20 or newer")
def operator_of_a_later_opset():
    return nodes(Node("Gelu", ("x",), ("y",), name="gelu"), opset=13)


@broken("unknown-attribute", "sum", "'axes'", "ReduceSum-13", repair="'axes' is an input")
def attribute_that_became_an_input():
    node = Node("ReduceSum", ("x",), ("y",), attribute("axes", "ints", (1,)), name="sum")
    return nodes(node, opset=13)


@broken("input-count", "squeeze", "2 inputs", "Squeeze-11 takes 1", repair="from opset 13 on")
def input_that_was_an_attribute():
    node = Node("Squeeze", ("x", "axes"), ("y",), name="squeeze")
    axes = {"axes": Tensor.of(np.array([0]), "axes")}
    return nodes(node, opset=11, inputs=(("x", "float32[1, 2, 3]"),), initializers=axes)


@broken("deprecated-operator", "up", "Upsample")
def operator_that_was_taken_out():
    scales = {"scales": Tensor.of(np.array([1, 1, 2, 2], "f4"), "scales")}
    node = Node("Upsample", ("x", "scales"), ("y",), name="up")
    return nodes(node, opset=13, inputs=(("x", "float32[1, 1, 2, 2]"),), initializers=scales)


@broken("no-such-operator", "act", "'Relue'", "did you mean 'Relu'?")
def misspelt_operator():
    return nodes(Node("Relue", ("x",), ("y",), name="act"))


@broken("missing-import", "scale", "ai.onnx.ml")
def domain_that_is_not_imported():
    node = Node("Scaler", ("x",), ("y",), domain="ai.onnx.ml", name="scale")
    return nodes(node)


@broken("unknown-operator", "frob", "com.example")
def operator_of_ones_own():
    model = nodes(Node("Frobnicate", ("x",), ("y",), domain="com.example", name="frob"))
    return replace(model, opset_imports={**model.opset_imports, "com.example": 1})


@broken("unknown-operator", "frob", "nothing declares its output 'h', which stays unknown")
def operator_of_ones_own_without_types():
    made = Node("Frobnicate", ("x",), ("h",), domain="com.example", name="frob")
    model = nodes(made, Node("Relu", ("h",), ("y",), name="act"))
    return replace(model, opset_imports={**model.opset_imports, "com.example": 1})


@broken("unknown-attribute", "conv", "'stride'", repair="did you mean 'strides'?")
def misspelt_attribute():
    node = Node("Conv", ("x", "w"), ("y",), attribute("stride", "ints", (2, 2)), name="conv")
    weight = {"w": Tensor.of(zeros(8, 3, 3, 3), "w")}
    return nodes(node, inputs=(("x", "float32[1, 3, 8, 8]"),), initializers=weight)


@broken("missing-attribute", "join", "'axis'", repair="axis = 0")
def concat_without_axis():
    inputs = (("x", "float32[2, 3]"), ("z", "float32[4, 3]"))
    return nodes(Node("Concat", ("x", "z"), ("y",), name="join"), inputs=inputs)


@broken("attribute-type", "softmax", "float", "int", repair="as int 1")
def attribute_of_another_type():
    return nodes(Node("Softmax", ("x",), ("y",), attribute("axis", "float", 1.0), name="softmax"))


@broken("attribute-value", "pad", "'reflected'", "'reflect'", repair="did you mean 'reflect'?")
def value_that_is_not_allowed():
    pads = {"pads": Tensor.of(np.array([0, 1, 0, 1]), "pads")}
    node = Node("Pad", ("x", "pads"), ("y",), attribute("mode", "string", b"reflected"), name="pad")
    return nodes(node, initializers=pads)


@broken("missing-input", "add", "left out", "Add-14")
def input_left_out():
    return nodes(Node("Add", ("x", ""), ("y",), name="add"))


@broken("missing-output", "relu", "output Y is left out", "Relu-14")
def output_left_out():
    return nodes(Node("Relu", ("x",), ("",), name="relu"), outputs=())


@broken("output-count", "relu", "2 outputs", "Relu-14 takes 1")
def output_that_is_not_there():
    return nodes(Node("Relu", ("x",), ("y", "z"), name="relu"))


@broken("impossible-size", "second", "no value of batch", "'first' and 'second'")
def two_batches_baked_in():
    g = graph("heads", opset=20)
    x = g.input("x", "float32[batch, 768]")
    first = g.Reshape(x, np.array([1, 12, 64]), name="first")
    second = g.Reshape(x, np.array([2, 12, 64]), name="second")
    g.output(g.Concat(first, second, axis=0, name="both"), "y")
    return g.model()
