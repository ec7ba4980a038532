"""SequenceErase: a list with one tensor less.

The tensor at `position` goes, the last one where `position` is left out. Negative positions count
from the end. One outside of the list is an error, and so is an empty list.

Spec: ai.onnx SequenceErase-11
"""

from __future__ import annotations

from onnx_explorer.ops.contents import ints_of
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.sequence.items import (
    check_position,
    is_empty,
    one_position,
    position_in,
    sequence_of,
)
from onnx_explorer.schema import Abstract, AbstractSequence, Change, Operator, Port
from onnx_explorer.schema.typesets import INDICES, SEQUENCES_V1

SEQUENCE_ERASE = Operator(
    "SequenceErase",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(
                Port("input_sequence", "S", "the list"),
                Port(
                    "position",
                    "I",
                    "one number: which tensor goes; default: the last one",
                    option="optional",
                ),
            ),
            outputs=(Port("output_sequence", "S", "the shorter list"),),
            types={"S": SEQUENCES_V1, "I": INDICES},
        ),
    ),
)


@SEQUENCE_ERASE.infer(since=11)
def infer(input_sequence: AbstractSequence, position: Abstract | None = None) -> AbstractSequence:
    length, items = input_sequence.length, input_sequence.items
    if is_empty(input_sequence):
        check_position(-1, 0)
    place = position_in(position, length)
    if items is not None and (place is not None or position is None):
        gone = len(items) - 1 if place is None else place
        return sequence_of((*items[:gone], *items[gone + 1 :]))
    return AbstractSequence(input_sequence.element, None if length is None else length - 1)


@SEQUENCE_ERASE.kernel(since=11)
def sequence_erase(input_sequence: list[object], position: Array | None = None) -> list[object]:
    place = -1 if position is None else one_position(ints_of(position))
    check_position(place, len(input_sequence))
    shorter = input_sequence.copy()
    del shorter[place]
    return shorter


SEQUENCE_ERASE.example((([1, 2], [3], [4]), 1), (([1, 2], [4]),))
