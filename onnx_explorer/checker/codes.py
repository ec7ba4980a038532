"""All codes of findings: those of inference, and those that only the checker finds."""

from __future__ import annotations

from onnx_explorer.inference.codes import CODES as INFERENCE_CODES
from onnx_explorer.inference.codes import Code

_OWN = (
    Code(
        "unreadable",
        "the model cannot be read",
        "What is there is no model, is damaged, or is ambiguous: a name that must stand once stands "
        "twice.",
        "a download that was cut off",
        "The message says what was found instead.",
    ),
    Code(
        "ir-version",
        "the IR version is not usable",
        "A model states the version of the format it is written in. This package knows the versions "
        "up to the one in the message.",
        "a model with ir_version 0",
        "Set the version that the tool which wrote the model uses.",
    ),
    Code(
        "import-conflict",
        "imports contradict each other",
        "One domain is imported twice, under both spellings, or by a function in a version that "
        "means something else than the model's.",
        'imports of "" 13 and "ai.onnx" 17',
        "Keep one version.",
    ),
    Code(
        "import-version",
        "an opset has no such version",
        "Opsets count from 1.",
        "an import of opset 0",
        "Import a version that exists.",
    ),
    Code(
        "newer-import",
        "an opset is newer than what is known",
        "The model imports an opset that came after this package. The newest that it knows stands in "
        "for it, so that operators which changed since are not seen as they are.",
        "an import of opset 99",
        "Update onnx-explorer.",
        severity="warning",
    ),
    Code(
        "missing-field",
        "a required field is empty",
        "Graphs, values, nodes, tensors and functions need a name, attributes as well.",
        "a graph without a name",
        "Fill it in.",
    ),
    Code(
        "missing-type",
        "an input or output declares no type",
        "What goes into and out of the main graph declares its type, so that a model can be used "
        "without running inference.",
        "output y without a type",
        "Declare it; the finding says what inference knows of it. `ox.infer(model).annotate()` writes "
        "that of outputs into the model.",
    ),
    Code(
        "missing-shape",
        "an input or output declares no shape",
        "What goes into and out of the main graph declares its shape; its sizes may be names.",
        "input x: float32[...]",
        "Declare the rank, with a name for each size that is open.",
    ),
    Code(
        "missing-output",
        "an output is left out that is always there",
        "The empty name leaves an optional output out; this one is not optional.",
        "Relu('x') with the output ''",
        "Give it a name, or remove the node.",
    ),
    Code(
        "empty-node",
        "a node reads and makes nothing",
        "A node has an input or an output.",
        "Relu without inputs and outputs",
        "Remove it.",
    ),
    Code(
        "attribute-kind",
        "an attribute is not well formed",
        "An attribute holds one value, of the kind that it states.",
        "an attribute of kind int that holds a float",
        "Write it anew.",
    ),
    Code(
        "stray-reference",
        "an attribute refers to nothing",
        "Inside of a function, an attribute may refer to one that the function lists. Elsewhere "
        "there is nothing to refer to.",
        "ref_attr_name in the main graph",
        "Write the value itself, or list the attribute in the function.",
    ),
    Code(
        "tensor-type",
        "a tensor has no element type",
        "Each tensor says what its elements are.",
        "an initializer of type UNDEFINED",
        "Set the type.",
    ),
    Code(
        "tensor-size",
        "a tensor does not fill its shape",
        "The number of bytes or elements that are stored is what type and shape call for.",
        "float32[2, 3] with 20 bytes",
        "The file is damaged, or the shape was edited: correct the shape.",
    ),
    Code(
        "tensor-payload",
        "a tensor is stored in a wrong way",
        "Elements are stored once, in raw form or in the field that is made for their type.",
        "a string tensor with raw_data",
        "Write the tensor anew.",
    ),
    Code(
        "external-data",
        "the elements of a tensor are not at hand",
        "The tensor lies in a data file beside the model, which is not there or too short.",
        "weights.bin is missing",
        "Put the data file beside the model, and load the model by its path.",
    ),
    Code(
        "sparse-tensor",
        "a sparse tensor is not well formed",
        "A sparse tensor has a vector of values and as many indices, in range and in ascending order.",
        "two values at one place",
        "Write the tensor anew.",
    ),
    Code(
        "duplicate-function",
        "a function has two parts of one name",
        "Inputs, outputs and attributes of a function have names of their own.",
        "a function with two inputs 'x'",
        "Rename one.",
    ),
    Code(
        "duplicate-metadata",
        "a key of the metadata stands twice",
        "Metadata is a table: each key stands once.",
        "two entries 'author'",
        "Keep one.",
    ),
    Code(
        "impossible-size",
        "no size fits",
        "Nodes ask for different values of a size that has a name, so that the graph works for none.",
        "Reshape of float32[batch, 768] to [1, 768] here and to [2, 768] there",
        "Put -1 in the place of the numbers, or correct one of them.",
    ),
    Code(
        "training-binding",
        "a binding of the training does not fit",
        "An update writes an output of the training to an initializer of its type and shape.",
        "an update of W, float32[3, 4], by an output float32[4, 3]",
        "Name an initializer and an output that go together.",
    ),
    Code(
        "sharding",
        "a placement names what is not there",
        "A node is placed on devices of a configuration that the model lists, along axes that its "
        "tensors have.",
        "device 5 of a configuration of 4",
        "Correct the placement, or list the configuration.",
    ),
    Code(
        "quantization",
        "a quantization annotation names what is not there",
        "Annotations say which values hold the scale and the zero point of a tensor.",
        "SCALE_TENSOR x_scale without such a value",
        "Remove the annotation, or add the value.",
        severity="warning",
    ),
)

CODES = {**INFERENCE_CODES, **{code.name: code for code in _OWN}}
