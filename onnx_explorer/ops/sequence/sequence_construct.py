"""SequenceConstruct: a list of tensors, made of all inputs in their order.

The tensors have one dtype; their shapes may differ. SequenceAt takes one out again,
ConcatFromSequence joins all of them.

Spec: ai.onnx SequenceConstruct-11
"""

from __future__ import annotations

from onnx_explorer.ops.sequence.items import sequence_of
from onnx_explorer.schema import Abstract, AbstractSequence, Change, Operator, Port
from onnx_explorer.schema.typesets import EVERY_V1, SEQUENCES_V1

SEQUENCE_CONSTRUCT = Operator(
    "SequenceConstruct",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(Port("inputs", "T", "the tensors, of one dtype", option="variadic"),),
            outputs=(Port("output_sequence", "S", "the tensors as a list"),),
            types={"T": EVERY_V1, "S": SEQUENCES_V1},
        ),
    ),
)


@SEQUENCE_CONSTRUCT.infer(since=11)
def infer(*inputs: Abstract) -> AbstractSequence:
    return sequence_of(inputs)


@SEQUENCE_CONSTRUCT.kernel(since=11)
def sequence_construct(*inputs: object) -> list[object]:
    return list(inputs)


SEQUENCE_CONSTRUCT.example(([1, 2], [3]), (([1, 2], [3]),))
