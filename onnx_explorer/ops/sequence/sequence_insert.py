"""SequenceInsert: a list with one tensor more.

The tensor goes in before the one at `position`, and behind all of them where `position` is left
out. Negative positions count from the end: -1 is before the last tensor. The tensor has the dtype
of the others; its shape may differ.

Spec: ai.onnx SequenceInsert-11
"""

from __future__ import annotations

from onnx_explorer.ops.contents import ints_of
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.sequence.items import (
    check_position,
    common,
    is_empty,
    one_position,
    position_in,
    sequence_of,
)
from onnx_explorer.schema import Abstract, AbstractSequence, Change, Operator, Port, Violation
from onnx_explorer.schema.typesets import EVERY_V1, INDICES, SEQUENCES_V1

SEQUENCE_INSERT = Operator(
    "SequenceInsert",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(
                Port("input_sequence", "S", "the list"),
                Port("tensor", "T", "what to put in, of the list's dtype"),
                Port(
                    "position",
                    "I",
                    "one number: before which tensor; default: behind all",
                    option="optional",
                ),
            ),
            outputs=(Port("output_sequence", "S", "the longer list"),),
            types={"T": EVERY_V1, "S": SEQUENCES_V1, "I": INDICES},
        ),
    ),
)


@SEQUENCE_INSERT.infer(since=11)
def infer(
    input_sequence: AbstractSequence, tensor: Abstract, position: Abstract | None = None
) -> AbstractSequence:
    element, length = input_sequence.element, input_sequence.length
    if isinstance(element, Abstract):
        _check_dtypes(element, tensor)
    place = position_in(position, length, end=True)
    if is_empty(input_sequence):
        return sequence_of((tensor,))
    items = input_sequence.items
    if items is not None and (place is not None or position is None):
        end = len(items) if place is None else place
        return sequence_of((*items[:end], tensor, *items[end:]))
    together = None if element is None else common(element, tensor)
    return AbstractSequence(together, None if length is None else length + 1)


def _check_dtypes(element: Abstract, tensor: Abstract) -> None:
    if element.dtype and tensor.dtype and element.dtype is not tensor.dtype:
        raise Violation(
            f"a {tensor.dtype.label} tensor",
            f"the list holds {element.dtype.label} tensors",
            port="tensor",
        )


@SEQUENCE_INSERT.kernel(since=11)
def sequence_insert(
    input_sequence: list[object], tensor: object, position: Array | None = None
) -> list[object]:
    length = len(input_sequence)
    place = length if position is None else one_position(ints_of(position))
    check_position(place, length, end=True)
    longer = input_sequence.copy()
    longer.insert(place, tensor)
    return longer


SEQUENCE_INSERT.example((([1, 2], [4]), [3], 1), (([1, 2], [3], [4]),))
SEQUENCE_INSERT.example((([1, 2], [4]), [5]), (([1, 2], [4], [5]),))
