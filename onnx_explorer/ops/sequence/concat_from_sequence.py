"""ConcatFromSequence: the tensors of a list joined into one.

With `new_axis` = 0 they are joined along `axis` as Concat does, and must agree in all other sizes.
With `new_axis` = 1 they are stacked along a new axis, and must agree in all sizes; `axis` is then
the place of the new axis in the result. A list without tensors cannot be joined.

Spec: ai.onnx ConcatFromSequence-11
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from onnx_explorer.dims import known_equal, total
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.sequence.items import is_empty, opened
from onnx_explorer.schema import (
    Abstract,
    AbstractSequence,
    Attr,
    Change,
    Operator,
    Port,
    RuleSite,
    Shape,
    Violation,
)
from onnx_explorer.schema.typesets import EVERY_V1, SEQUENCES_V1

CONCAT_FROM_SEQUENCE = Operator(
    "ConcatFromSequence",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(Port("input_sequence", "S", "the tensors to join, one or more"),),
            outputs=(Port("concat_result", "T", "the joined tensors"),),
            attributes=(
                Attr(
                    "axis",
                    "int",
                    required=True,
                    doc="the axis to join along; negative values count from the end of the result",
                ),
                Attr(
                    "new_axis",
                    "int",
                    0,
                    one_of=(0, 1),
                    doc="1: the axis is a new one; 0: it is one of theirs",
                ),
            ),
            types={"S": SEQUENCES_V1, "T": EVERY_V1},
        ),
    ),
)


@CONCAT_FROM_SEQUENCE.infer(since=11)
def infer(input_sequence: AbstractSequence, *, axis: int, new_axis: int, at: RuleSite) -> Abstract:
    if is_empty(input_sequence):
        raise _nothing()
    element = opened(input_sequence.element, "item", at)
    if not isinstance(element, Abstract) or element.shape is None:
        return Abstract(element.dtype if isinstance(element, Abstract) else None)
    along = axis_in(axis, len(element.shape) + new_axis)
    shapes = [
        item.shape
        for item in input_sequence.items or ()
        if isinstance(item, Abstract) and item.shape is not None
    ]
    length = input_sequence.length
    if shapes:
        return element.like(_joined(shapes, along, new_axis, at))
    if new_axis:
        count = at.fresh("length") if length is None else length
        return element.like((*element.shape[:along], count, *element.shape[along:]))
    common = isinstance(input_sequence.element, Abstract) and (
        known_equal(element.shape[along], (input_sequence.element.shape or ())[along])
    )
    size = element.shape[along] * length if common and length is not None else at.fresh("size")
    return element.like((*element.shape[:along], size, *element.shape[along + 1 :]))


def _joined(shapes: Sequence[Shape], along: int, new_axis: int, at: RuleSite) -> Shape:
    sizes = list(shapes[0])
    for place, shape in enumerate(shapes[1:], 1):
        for axis, size in enumerate(shape):
            if axis == along and not new_axis:
                continue
            same = at.same(sizes[axis], size)
            if same is None:
                raise Violation(
                    f"size {size} on axis {axis} of tensor {place}",
                    f"the tensors before it have {sizes[axis]} there",
                    port="input_sequence",
                )
            sizes[axis] = same
    if new_axis:
        return *sizes[:along], len(shapes), *sizes[along:]
    sizes[along] = total(shape[along] for shape in shapes)
    return tuple(sizes)


def _nothing() -> Violation:
    return Violation("0 tensors", "joining needs 1 or more", port="input_sequence")


@CONCAT_FROM_SEQUENCE.kernel(since=11)
def concat_from_sequence(input_sequence: list[Array], *, axis: int, new_axis: int) -> Array:
    if not input_sequence:
        raise _nothing()
    along = axis_in(axis, input_sequence[0].ndim + new_axis)
    try:
        return (np.stack if new_axis else np.concatenate)(input_sequence, along)
    except ValueError as error:
        shapes = " and ".join(str(list(array.shape)) for array in input_sequence)
        raise Violation(
            f"tensors of shapes {shapes}",
            "all sizes must agree"
            if new_axis
            else f"all sizes but those on axis {along} must agree",
            port="input_sequence",
        ) from error


CONCAT_FROM_SEQUENCE.example((([1, 2], [3, 4]),), ([1, 2, 3, 4],), axis=0)
CONCAT_FROM_SEQUENCE.example((([1, 2], [3, 4]),), ([[1, 2], [3, 4]],), axis=0, new_axis=1)
