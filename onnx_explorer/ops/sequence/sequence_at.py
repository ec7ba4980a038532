"""SequenceAt: one tensor of a list.

`position` counts from 0; negative positions count from the end. One outside of the list is an
error.

Spec: ai.onnx SequenceAt-11
"""

from __future__ import annotations

from onnx_explorer.ops.contents import ints_of
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.sequence.items import check_position, one_position, opened, position_in
from onnx_explorer.schema import (
    Abstract,
    AbstractSequence,
    AbstractValue,
    Change,
    Operator,
    Port,
    RuleSite,
)
from onnx_explorer.schema.typesets import EVERY_V1, INDICES, SEQUENCES_V1

SEQUENCE_AT = Operator(
    "SequenceAt",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(
                Port("input_sequence", "S", "the list"),
                Port("position", "I", "one number: which tensor; negative from the end"),
            ),
            outputs=(Port("tensor", "T", "the tensor at this position"),),
            types={"S": SEQUENCES_V1, "T": EVERY_V1, "I": INDICES},
        ),
    ),
)


@SEQUENCE_AT.infer(since=11)
def infer(input_sequence: AbstractSequence, position: Abstract, *, at: RuleSite) -> AbstractValue:
    place = position_in(position, input_sequence.length)
    if place is not None and input_sequence.items is not None:
        return opened(input_sequence.items[place], "item", at)
    return opened(input_sequence.element, "item", at)


@SEQUENCE_AT.kernel(since=11)
def sequence_at(input_sequence: list[object], position: Array) -> object:
    place = one_position(ints_of(position))
    check_position(place, len(input_sequence))
    return input_sequence[place]


SEQUENCE_AT.example((([1, 2], [3]), -1), ([3],))
