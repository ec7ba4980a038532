"""Broken models, one per kind of mistake that people make. `GALLERY` maps names to builders, each
with what is to be found: the code, the node, texts that the finding must contain and, where the
finding must propose one, a repair.
"""

from dataclasses import dataclass, replace
from functools import wraps

import numpy as np

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.dims import symbol
from onnx_explorer.ir import (
    Attribute,
    DType,
    Function,
    Graph,
    Model,
    Node,
    QuantizationAnnotation,
    SparseTensor,
    Tensor,
    TensorType,
    Value,
)


@dataclass(frozen=True)
class Expected:
    code: str
    node: str = ""
    says: tuple[str, ...] = ()
    repair: str = ""
    cause: str = ""


GALLERY = {}
EXPECTED = {}


def broken(code, node="", *says, repair="", cause=""):
    """Add a model to the gallery under its builder's name, with what must be found in it."""

    def add(build):
        @wraps(build)
        def finished():
            return with_output_types(build())

        GALLERY[build.__name__] = finished
        EXPECTED[build.__name__] = Expected(code, node, says, repair, cause)
        return finished

    return add


def with_output_types(model):
    """The model with a type for each output that declares none, so that nothing else is wrong."""
    try:
        types = ox.infer(model)
    except ox.ModelError:  # a cycle
        types = {}
    outputs = []
    for output in model.graph.outputs:
        known = types.get(output.name)
        if output.type is None or getattr(output.type, "shape", ()) is None:
            if known is None or known.shape is None or known.dtype is DType.UNDEFINED:
                known = TensorType(DType.FLOAT32, (symbol("rows"), symbol("columns")))
            output = replace(output, type=known)
        outputs.append(output)
    return replace(model, graph=replace(model.graph, outputs=tuple(outputs)))


def zeros(*shape, dtype="f4"):
    return np.zeros(shape, dtype)


def one(op, *inputs, name="it", opset=20, out=None, **attributes):
    """A model of one node over declared inputs (texts) and constants (arrays)."""
    g = graph("broken", opset=opset)
    handles = [
        g.input(f"x{i}" if i else "x", given)
        if isinstance(given, str)
        else None
        if given is None
        else g.initializer(f"c{i}", given)
        for i, given in enumerate(inputs)
    ]
    g.output(g.op(op, *handles, name=name, **attributes), "y", out)
    return g.model()


def nodes(*given, inputs=(("x", "float32[2, 3]"),), outputs=("y",), opset=20, **graph_fields):
    """A model of bare nodes, for what the builder would refuse."""
    g = graph("broken", opset=opset)
    for name, text in inputs:
        g.input(name, text)
    model = g.model()
    ends = tuple(Value(name, TensorType(DType.FLOAT32, (2, 3))) for name in outputs)
    return replace(model, graph=replace(model.graph, nodes=given, outputs=ends, **graph_fields))


def attribute(name, kind, value, reference=""):
    return {name: Attribute(name, kind, value, reference)}


# -- products and layers -------------------------------------------------------------------------


@broken(
    "inner-size-mismatch",
    "fc3",
    "96 (axis 1 of 'relu2'",
    "from fc2.weight axis 1",
    "64 (axis 0 of 'fc3.weight'",
)
def layers_of_different_width():
    g = graph("mlp", opset=20)
    x = g.input("x", "float32[N, 128]")
    h = g.MatMul(x, g.initializer("fc2.weight", zeros(128, 96)), name="fc2")
    h = g.Relu(h, name="relu2")
    h = g.MatMul(h, g.initializer("fc3.weight", zeros(64, 10)), name="fc3")
    g.output(g.Softmax(h, name="softmax"), "y")
    return g.model()


@broken("inner-size-mismatch", "fc", "96", "10", repair="transB = 1 missing?")
def transposed_weight_in_gemm():
    g = graph("gemm", opset=20)
    x = g.input("x", "float32[N, 96]")
    weight, bias = g.initializer("fc.weight", zeros(10, 96)), g.initializer("fc.bias", zeros(10))
    g.output(g.Gemm(x, weight, bias, name="fc"), "y")
    return g.model()


@broken("inner-size-mismatch", "fc", repair="is transA = 1 wrong?")
def flag_left_behind_in_gemm():
    return one("Gemm", "float32[8, 16]", zeros(16, 4), name="fc", transA=1)


@broken("inner-size-mismatch", "fc", repair="Transpose of 'c1' with perm = [1, 0]")
def transposed_weight_in_matmul():
    return one("MatMul", "float32[N, 96]", zeros(10, 96), name="fc")


@broken(
    "inner-size-mismatch",
    "scores",
    "64 (axis 3 of 'query'",
    "10 (axis 2 of 'key'",
    repair="Transpose of 'key' with perm = [0, 1, 3, 2]",
)
def missing_transpose_of_keys():
    g = graph("attention", opset=20)
    query, key = (g.input(name, "float32[2, 8, 10, 64]") for name in ("query", "key"))
    g.output(g.MatMul(query, key, name="scores"), "y")
    return g.model()


@broken("broadcast-mismatch", "scores", "8 (axis 1 of 'query'", "4 (axis 1 of 'key'")
def different_numbers_of_heads():
    g = graph("attention", opset=20)
    query, key = g.input("query", "float32[2, 8, 10, 64]"), g.input("key", "float32[2, 4, 64, 10]")
    g.output(g.MatMul(query, key, name="scores"), "y")
    return g.model()


@broken("wrong-rank", "fc", "rank 4", "rank 2", repair="Flatten of 'pool' to [N, 512]")
def missing_flatten():
    g = graph("head", opset=20)
    x = g.input("x", "float32[N, 512, 7, 7]")
    pooled = g.GlobalAveragePool(x, name="pool")
    g.output(g.Gemm(pooled, g.initializer("W", zeros(512, 10)), name="fc"), "y")
    return g.model()


@broken(
    "inner-size-mismatch",
    "decode",
    "48 (axis 1 of 'encode'",
    "32 (axis 0 of 'decode.weight'",
    cause="encode",
)
def failure_that_follows_from_another():
    g = graph("chain", opset=20)
    x = g.input("x", "float32[N, 96]")
    h = g.MatMul(x, g.initializer("encode.weight", zeros(64, 48)), name="encode")
    h = g.MatMul(h, g.initializer("decode.weight", zeros(32, 96)), name="decode")
    g.output(g.Add(h, x, name="skip"), "y")
    return g.model()


@broken("bias-shape", "fc", "[12]", "[N, 10]", repair="10 elements")
def bias_of_wrong_length_in_gemm():
    return one("Gemm", "float32[N, 8]", zeros(8, 10), zeros(12), name="fc")


# -- convolutions --------------------------------------------------------------------------------


@broken(
    "channel-mismatch",
    "conv1",
    "224 (axis 1 of 'image'",
    "3 (axis 1 of 'conv1.weight'",
    repair="perm = [0, 3, 1, 2]",
)
def channels_last_image():
    g = graph("vision", opset=20)
    x = g.input("image", "float32[1, 224, 224, 3]")
    weight = g.initializer("conv1.weight", zeros(64, 3, 3, 3))
    g.output(g.Conv(x, weight, pads=[1, 1, 1, 1], name="conv1"), "y")
    return g.model()


@broken("window-too-large", "stem", repair="perm = [0, 3, 1, 2]")
def channels_last_image_under_a_large_window():
    return one("Conv", "float32[1, 224, 224, 3]", zeros(64, 3, 7, 7), name="stem")


@broken(
    "channel-mismatch", "conv2", "64 (axis 1 of 'conv1'", "from w1 axis 0", "32 (axis 1 of 'w2'"
)
def convolutions_that_do_not_follow():
    g = graph("vision", opset=20)
    x = g.input("x", "float32[1, 3, 32, 32]")
    h = g.Conv(x, g.initializer("w1", zeros(64, 3, 3, 3)), name="conv1")
    h = g.Conv(h, g.initializer("w2", zeros(128, 32, 3, 3)), name="conv2")
    g.output(g.Relu(h, name="relu"), "y")
    return g.model()


@broken("channel-mismatch", "depthwise", "32", "1", repair="group = 32")
def depthwise_without_group():
    return one("Conv", "float32[1, 32, 8, 8]", zeros(32, 1, 3, 3), name="depthwise")


@broken("window-too-large", "conv", repair="Transpose of 'c1' with perm = [3, 2, 0, 1]")
def filters_in_another_layout():
    return one("Conv", "float32[1, 8, 32, 32]", zeros(3, 3, 8, 64), name="conv")


@broken("group-mismatch", "conv", "8 filters", "3 groups")
def groups_that_do_not_divide():
    return one("Conv", "float32[1, 6, 8, 8]", zeros(8, 2, 3, 3), name="conv", group=3)


@broken("bias-length", "conv", "[3]", "8 output channels", repair="8 elements")
def bias_of_wrong_length():
    return one("Conv", "float32[1, 3, 32, 32]", zeros(8, 3, 3, 3), zeros(3), name="conv")


@broken("kernel-shape-mismatch", "conv", "[3, 3]", "[5, 5]", repair="without kernel_shape")
def kernel_shape_that_is_not_the_filters():
    return one("Conv", "float32[1, 3, 8, 8]", zeros(8, 3, 3, 3), name="conv", kernel_shape=[5, 5])


@broken("window-too-large", "conv3", "size 1", "3 elements")
def image_that_became_too_small():
    g = graph("deep", opset=20)
    h = g.input("x", "float32[1, 4, 16, 16]")
    for i in range(4):
        h = g.Conv(h, g.initializer(f"w{i}", zeros(4, 4, 3, 3)), strides=[2, 2], name=f"conv{i}")
    g.output(h, "y")
    return g.model()


@broken("wrong-rank", "conv", "rank 3", repair="Unsqueeze of 'x' at axis 0")
def missing_batch():
    return one("Conv", "float32[3, 32, 32]", zeros(8, 3, 3, 3), name="conv")


@broken("parameter-shape", "bn", "[4]", "[8]", repair="8 elements")
def parameters_of_another_layer():
    g = graph("norm", opset=20)
    x = g.input("x", "float32[1, 8, 4, 4]")
    scale, *rest = (
        g.initializer(n, zeros(s)) for n, s in (("scale", 4), ("b", 8), ("m", 8), ("v", 8))
    )
    g.output(g.BatchNormalization(x, scale, *rest, name="bn"), "y")
    return g.model()


# -- joining -------------------------------------------------------------------------------------


@broken("broadcast-mismatch", "join", "56 (axis 2 of 'main'", "55 (axis 2 of 'skip'", repair="pads")
def skip_connection_off_by_one():
    g = graph("residual", opset=20)
    x = g.input("x", "float32[1, 8, 112, 112]")
    main = g.Conv(
        x, g.initializer("w", zeros(8, 8, 3, 3)), strides=[2, 2], pads=[1, 1, 1, 1], name="main"
    )
    skip = g.MaxPool(x, kernel_shape=[3, 3], strides=[2, 2], name="skip")
    g.output(g.Relu(g.Add(main, skip, name="join"), name="relu"), "y")
    return g.model()


@broken("broadcast-mismatch", "bias", "56", "8", repair="Unsqueeze of 'c1' to [8, 1, 1]")
def bias_of_channels_added_to_the_last_axis():
    return one("Add", "float32[1, 8, 56, 56]", zeros(8), name="bias")


@broken("broadcast-mismatch", "join", repair="Transpose of 'x' with perm = [0, 2, 3, 1]")
def two_layouts_meet():
    return one("Add", "float32[1, 8, 16, 12]", "float32[1, 16, 12, 8]", name="join")


@broken("concat-mismatch", "join", "2 (axis 0 of 'x'", "3 (axis 0 of 'x1'", repair="axis = 0")
def concat_on_the_wrong_axis():
    return one("Concat", "float32[2, 4]", "float32[3, 4]", name="join", axis=1)


@broken("wrong-rank", "join", "rank 3", "rank 2")
def concat_of_different_ranks():
    return one("Concat", "float32[2, 4]", "float32[2, 4, 1]", name="join", axis=1)


@broken("broadcast-mismatch", "mask", "10 (axis 2 of 'x1'", "12 (axis 0 of 'c0'")
def mask_of_another_length():
    return one("Where", zeros(12, dtype="?"), "float32[1, 8, 10]", zeros(1), name="mask")


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
    return one("Relu", "int32[2, 3]", name="relu", opset=13)


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


@broken("output-count", "relu", "2 outputs", "Relu-14 takes 1")
def output_that_is_not_there():
    return nodes(Node("Relu", ("x",), ("y", "z"), name="relu"))


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


def value(name, dtype=DType.FLOAT32, shape=(2, 3)):
    return Value(name, TensorType(dtype, shape))


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
