"""The kinds of mistake that inference tells apart, each with what it means and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from onnx_explorer.inference.diagnostics import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of mistake. A code never changes its meaning; a new kind gets a new code."""

    name: str
    headline: str
    meaning: str
    example: str
    remedy: str
    severity: Severity = "error"


_SIZES = (
    Code(
        "inner-size-mismatch",
        "inner sizes differ",
        "A matrix product sums over the columns of its left factor and the rows of its right one, "
        "so there must be as many of both.",
        "MatMul of float32[N, 96] and float32[64, 10]",
        "Follow both sizes to where they come from. A weight that was saved transposed needs a "
        "Transpose, or transB = 1 in a Gemm.",
    ),
    Code(
        "broadcast-mismatch",
        "sizes do not broadcast",
        "Shapes are aligned at their last axes; two sizes go together when they are equal or one of "
        "them is 1.",
        "Add of float32[1, 8, 56, 56] and float32[1, 8, 55, 55], a skip connection that is off by "
        "one",
        "Make the sizes equal. A vector that belongs to channels rather than to the last axis has to "
        "be unsqueezed behind: [8] to [8, 1, 1].",
    ),
    Code(
        "channel-mismatch",
        "channels differ",
        "The filters of a convolution are made for a number of channels: their axis 1 times `group`, "
        "or, in a transposed convolution, their axis 0.",
        "Conv of float32[1, 224, 224, 3] with filters float32[8, 3, 7, 7]: channels stand last",
        "If the input is (N, H, W, C), transpose it with perm = [0, 3, 1, 2]; otherwise compare the "
        "filters with the layer that feeds them.",
    ),
    Code(
        "concat-mismatch",
        "sizes differ on an axis that is not joined",
        "Tensors that are concatenated have the same sizes on all axes but the one they are joined "
        "on.",
        "Concat of float32[2, 3] and float32[2, 4] with axis = 0",
        "Check `axis`, and which of the two inputs has the size that was meant.",
    ),
    Code(
        "size-mismatch",
        "sizes differ",
        "Two sizes that the operator needs to be equal are known to differ.",
        "Scan over two sequences of 5 and 6 elements",
        "Follow both sizes to where they come from.",
    ),
    Code(
        "wrong-rank",
        "the rank does not fit",
        "An input has more or fewer axes than the operator works on.",
        "GlobalAveragePool of float32[64]",
        "Add axes with Unsqueeze, remove them with Squeeze, or join them with Reshape or Flatten.",
    ),
    Code(
        "wrong-shape",
        "the shape does not fit",
        "An input has another shape than the other inputs or the attributes call for.",
        "ScatterElements with indices int64[2, 3] and updates float32[2, 4]",
        "Compare the two shapes in the message, axis by axis.",
    ),
    Code(
        "parameter-shape",
        "a parameter does not fit the channels",
        "A normalization has one scale and one bias for each channel, or for each of the sizes that "
        "it normalizes over.",
        "BatchNormalization of float32[1, 8, 4, 4] with scale float32[4]",
        "Use the parameters of the layer that has as many channels, or look whether the layout of "
        "the input is (N, C, H, W).",
    ),
    Code(
        "bias-length",
        "the bias has a wrong length",
        "A convolution adds one number to each output channel.",
        "Conv with 8 filters and bias float32[3]",
        "The bias has the size of axis 0 of the filters.",
    ),
    Code(
        "bias-shape",
        "the summand does not broadcast",
        "What a Gemm adds must broadcast to the product, and not enlarge it.",
        "Gemm whose product is float32[N, 10] with C float32[12]",
        "The summand has one element for each column of the product.",
    ),
    Code(
        "group-mismatch",
        "channels do not fall into groups",
        "`group` and `num_groups` divide channels into blocks of one size.",
        "Conv with 8 filters and group = 3",
        "Choose a number of groups that divides the channels of the input and of the output.",
    ),
    Code(
        "kernel-shape-mismatch",
        "kernel_shape is not the filters' shape",
        "`kernel_shape` repeats the spatial sizes of the filters; it cannot change them.",
        "Conv with kernel_shape = [5, 5] and filters float32[8, 3, 3, 3]",
        "Drop `kernel_shape`, or set it to the filters' spatial sizes.",
    ),
    Code(
        "window-too-large",
        "a window is larger than its input",
        "A convolution or a pool slides a window, dilated, over the padded input; it must fit once.",
        "Conv of float32[1, 3, 4, 4] with filters float32[8, 3, 7, 7]",
        "The input became too small: fewer strides before this node, more padding, or a larger "
        "input.",
    ),
    Code(
        "reshape-count",
        "the numbers of elements differ",
        "Reshape keeps all elements, so both shapes must have the same number of them.",
        "Reshape of float32[2, 12] to [1, 12, 1]",
        "Put -1 where the size depends on the input. A batch size that stands in the target as a "
        "number is the usual reason.",
    ),
    Code(
        "reshape-target",
        "the target of a Reshape makes no sense",
        "In a target, -1 may stand once, 0 copies the size of the same axis of the input, and other "
        "sizes are above 0.",
        "Reshape to [-1, -1, 64]",
        "Leave one -1, and name the other sizes.",
    ),
    Code(
        "baked-size",
        "a size is baked into a target",
        "The target of a Reshape fits only one value of a size that has a name. The model then works "
        "for that value alone.",
        "Reshape of float32[batch, 768] to [1, 12, 64]",
        "Put -1, or 0, in the place of the number.",
        severity="warning",
    ),
    Code(
        "split-sum",
        "the parts do not sum up",
        "The sizes in `split` add up to the size of the axis that is split.",
        "Split of an axis of 10 into [4, 4]",
        "Correct `split`, or `axis` if the sizes belong to another one.",
    ),
    Code(
        "split-uneven",
        "an axis does not fall into equal parts",
        "Without `split`, all outputs get the same size (before version 18, exactly).",
        "Split of an axis of 10 into 3 outputs",
        "Give the sizes in `split`.",
    ),
    Code(
        "squeeze-size",
        "an axis that is squeezed has not size 1",
        "Squeeze removes axes of size 1 only.",
        "Squeeze of axis 1 of float32[2, 3]",
        "Check the axes; to drop a larger axis, take one element of it with Gather.",
    ),
    Code(
        "wrong-permutation",
        "perm is no permutation of the axes",
        "`perm` names each axis of the input once.",
        "Transpose of a tensor of rank 4 with perm = [0, 2, 1]",
        "Write one number for each axis, from 0 to rank - 1.",
    ),
    Code(
        "axis-out-of-range",
        "there is no such axis",
        "An axis lies from -rank to rank - 1.",
        "Softmax of float32[2, 3] with axis = 2",
        "Count axes from 0, or negative ones from the end.",
    ),
    Code(
        "axis-twice",
        "an axis is named twice",
        "Each axis may be named once; -1 and rank - 1 are the same one.",
        "ReduceSum of float32[2, 3] over axes [1, -1]",
        "Name each axis once.",
    ),
    Code(
        "index-out-of-range",
        "an index lies outside",
        "Indices lie from -size to size - 1.",
        "Gather with index 5 from an axis of 3",
        "Check the axis and the index.",
    ),
    Code(
        "pad-too-large",
        "more is cut off than there is",
        "Negative padding takes elements away, at most all of them.",
        "Pad with -3 at both ends of an axis of 4",
        "Check the order of `pads`: all begins first, then all ends.",
    ),
    Code(
        "negative-size",
        "a size is below 0",
        "The sizes work out to less than nothing.",
        "ConstantOfShape of [-1, 3]",
        "Follow the size to where it comes from; -1 has a meaning in Reshape only.",
    ),
    Code(
        "wrong-count",
        "there are too few or too many values",
        "A list has to have one entry for each axis, input or output that it speaks of.",
        "Slice with 2 starts and 1 end",
        "Make the list as long as the message says.",
    ),
    Code(
        "input-value",
        "the elements of an input are not allowed",
        "An input is constant, and its elements cannot be used.",
        "Range with delta = 0",
        "Correct the constant.",
    ),
    Code(
        "operator-rule",
        "a rule of the operator is broken",
        "The inputs and attributes break a rule that has no code of its own.",
        "Resize without scales and sizes",
        "The message says what was found and what is expected; `ox.schema(name)` has the page.",
    ),
)

_TYPES = (
    Code(
        "type-not-allowed",
        "the type is not allowed",
        "The operator, in the version that the model imports, does not take this element type.",
        "Relu of int32 under opset 13",
        "Put a Cast before the node, or import the opset that added the type.",
    ),
    Code(
        "type-mismatch",
        "two inputs have different types",
        "Inputs that share a type variable must have one element type; nothing is converted.",
        "Add of float32 and float64",
        "Put a Cast before one of the inputs, or save the constant in the other type.",
    ),
    Code(
        "declared-mismatch",
        "what is declared contradicts what is inferred",
        "The file states another type for a value than the graph computes. Inference goes on with "
        "what it found.",
        "value_info float32[4, 11] for a value that is float32[batch, 10]",
        "Drop the statement, or look for the edit that it was not told of.",
        severity="warning",
    ),
    Code(
        "initializer-mismatch",
        "an initializer contradicts its input",
        "An input of the graph has a default value of another type or shape than it declares.",
        "input W: float32[64, 10] with an initializer float32[96, 10]",
        "Correct the declaration, or save the right initializer.",
    ),
    Code(
        "placeholder-size",
        "a size that stands for unknown",
        "Some exporters write -1 or 0 for a size that they do not know. It is read as unknown.",
        "input x: float32[-1, 3]",
        "Give the axis a name: float32[batch, 3].",
        severity="warning",
    ),
    Code(
        "branch-mismatch",
        "two ways give different types",
        "What an If returns must have one type in both branches, and what a loop carries one type "
        "in all rounds.",
        "If whose branches give float32 and int64",
        "Cast inside of one of the branches.",
    ),
)

_NODES = (
    Code(
        "unknown-attribute",
        "there is no such attribute",
        "The operator, in the version that the model imports, does not have this attribute.",
        "ReduceSum with the attribute axes under opset 13, where axes are an input",
        "Check the spelling, and in which opset the attribute exists.",
    ),
    Code(
        "missing-attribute",
        "an attribute is missing",
        "The operator needs the attribute and has no default for it.",
        "Concat without axis",
        "Set it.",
    ),
    Code(
        "attribute-type",
        "an attribute has another type",
        "An attribute is stored as one kind of value, and must be the kind that the operator takes.",
        "Softmax with axis = 1.0",
        "Store it as the type in the message.",
    ),
    Code(
        "attribute-value",
        "an attribute has a value that is not allowed",
        "The value lies outside of what the operator defines.",
        "Pad with mode = 'mirror'",
        "Use one of the values in the message.",
    ),
    Code(
        "input-count",
        "there are too few or too many inputs",
        "The operator, in the version that the model imports, takes another number of inputs.",
        "Add with one input",
        "Check the order of the inputs, and whether one of them was an attribute in this opset.",
    ),
    Code(
        "missing-input",
        "an input is left out that is needed",
        "The empty name leaves an optional input out; this one is not optional.",
        "Add('x', '')",
        "Connect it.",
    ),
    Code(
        "output-count",
        "there are too few or too many outputs",
        "The operator gives another number of outputs than the node names.",
        "Relu with two outputs",
        "Remove what is not there.",
    ),
    Code(
        "subgraph-arity",
        "a body does not fit its node",
        "A body takes what its node passes and returns what its node gives.",
        "Loop whose body has two inputs and carries one value: it needs three",
        "A Loop's body takes the round, the condition and the carried values, and returns the "
        "condition, the carried values and the scanned ones.",
    ),
    Code(
        "unknown-operator",
        "an operator is not known",
        "No operator and no function of the model has this name and domain. Its outputs are taken to "
        "be what the file declares, or stay unknown.",
        "Frobnicate of com.example",
        "Check the spelling. For an operator of your own, declare the types of its outputs, or define "
        "it as a function of the model.",
        severity="warning",
    ),
    Code(
        "no-such-operator",
        "the standard has no such operator",
        "The domain is one of the standard's, and no operator of this name is in it.",
        "Rellu",
        "Check the spelling, or give your own operator a domain of its own.",
    ),
    Code(
        "missing-import",
        "an operator set is not imported",
        "A model names each domain that it uses, with a version.",
        "Scaler of ai.onnx.ml without an import",
        "Add the domain to the model's opset imports.",
    ),
    Code(
        "operator-too-new",
        "an operator came with a later opset",
        "The opset that the model imports does not have this operator yet.",
        "Gelu, of opset 20, under opset 13",
        "Import the later opset, or write the operator with older ones.",
    ),
    Code(
        "deprecated-operator",
        "an operator was taken out",
        "The opset that the model imports does not have this operator any more.",
        "Upsample under opset 13",
        "Use what replaced it, or import the last opset that had it.",
    ),
    Code(
        "recursive-function",
        "a function calls itself",
        "Functions are macros; they cannot recurse, not even through others.",
        "a function f with a node f",
        "Use Loop or Scan.",
    ),
    Code(
        "no-rule",
        "there is no inference rule",
        "The types of this node's outputs cannot be told.",
        "an operator version that the page does not cover",
        "Declare them in value_info.",
        severity="warning",
    ),
    Code(
        "internal",
        "a rule failed",
        "A fault of onnx_explorer, not of the model.",
        "",
        "Please report it, with the model.",
        severity="warning",
    ),
)

_GRAPHS = (
    Code(
        "missing-value",
        "a value is not there",
        "A node or a graph output reads a name that no input, initializer or node has.",
        "Relu of 'hidden', which nothing makes",
        "Check the spelling, and whether the node or initializer that made it was removed.",
    ),
    Code(
        "cycle",
        "nodes need each other",
        "Each node of a cycle reads what another one makes, so none can be the first.",
        "a = Relu(b), b = Relu(a)",
        "Rename the output that was meant to be a new value.",
    ),
    Code(
        "unsorted-nodes",
        "nodes are not in order",
        "A node stands before one that it reads from. Inference mends the order and warns; the "
        "standard asks for it, so to `ox.check` this is an error.",
        "y = Relu(h) listed before h = Relu(x)",
        "Save the nodes in an order in which each comes after those it reads from.",
        severity="warning",
    ),
    Code(
        "duplicate-value",
        "a name is given twice",
        "Each value has one maker: one input, one initializer or one node, also across the graphs "
        "around it.",
        "two nodes with the output 'y'",
        "Rename one of the two and what reads it.",
    ),
    Code(
        "shadowed-value",
        "a name hides another one",
        "An input or an initializer of a body has the name of a value around it, which the body then "
        "cannot read.",
        "a Loop whose body has an input 'x' like the graph",
        "Rename the inner one.",
        severity="warning",
    ),
    Code(
        "duplicate-node-name",
        "nodes share a name",
        "Names of nodes are for people and tools; shared ones make messages ambiguous.",
        "two nodes named 'conv'",
        "Rename one.",
        severity="warning",
    ),
    Code(
        "initializer-not-input",
        "an initializer is no input",
        "Up to IR version 3, initializers are defaults of inputs, and must be listed among them.",
        "an initializer W in a model of IR version 3 without an input W",
        "Save with IR version 4 or later, or list it among the inputs.",
    ),
)

CODES = {code.name: code for code in (*_SIZES, *_TYPES, *_NODES, *_GRAPHS)}
