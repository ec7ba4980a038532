"""OneHot: each index becomes a row that is "on" at the index and "off" everywhere else.

The result has one axis more than `indices`, of size `depth`, at position `axis` of the result
(the last one by default): `output[i, j, d]` is `values[1]` where `d = indices[i, j]`, else
`values[0]`. The result has the type of `values`. An index outside of the range gives a row that
is off throughout, not an error. From version 11 on, negative indices count from the end of the
row. Indices and depth may come as floats; they are cut to integers.

Spec: ai.onnx OneHot-28
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, Expr, known_different, less, product
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.tensor.positions import whole_numbers
from onnx_explorer.ops.tensor.room import check_room
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Operator,
    Port,
    RuleSite,
    Shape,
    Size,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, EVERY_V1, NUMBERS

ONE_HOT = Operator(
    "OneHot",
    doc=__doc__,
    history=(
        Change(
            9,
            "first version",
            inputs=(
                Port("indices", "T1", "where each row is on, of any shape"),
                Port("depth", "T2", "one number: how long each row is"),
                Port("values", "T3", "1-D: the two elements [off, on]"),
            ),
            outputs=(Port("output", "T3", "the rows, along a new axis"),),
            attributes=(
                Attr(
                    "axis",
                    "int",
                    -1,
                    doc="where in the result the new axis is; negative values count from its end",
                ),
            ),
            types={"T1": NUMBERS, "T2": NUMBERS, "T3": EVERY_V1},
        ),
        Change(
            11,
            "negative indices count from the end",
            differentiable={"indices": False, "depth": False, "values": False, "output": False},
        ),
        Change(28, "bfloat16 values", widen={"T3": BF16}),
    ),
)


@ONE_HOT.infer(since=9)
def infer(
    indices: Abstract, depth: Abstract, values: Abstract, *, axis: int, at: RuleSite
) -> Abstract:
    _check(depth.shape, values.shape)
    if indices.shape is None:
        return values.like(None)
    place = axis_in(axis, len(indices.shape) + 1)
    known = None if depth.content is None else _whole(depth.content[0])
    if known is not None and less(known, 0) is True:
        raise Violation(f"depth = {known}", "0 or more", port="depth", code="input-value")
    size = at.fresh("depth") if known is None else known
    return values.like((*indices.shape[:place], size, *indices.shape[place:]))


def _whole(size: Size) -> Dim | None:
    match size:
        case int() | Fraction():
            return int(size)
        case Expr():
            return size
        case _:
            return None


def _check(depth: Shape | None, values: Shape | None) -> None:
    if depth is not None and known_different(product(depth), 1):
        raise Violation(
            f"shape {list(depth)}", "depth is 1 number", port="depth", code="wrong-shape"
        )
    if values is not None and (len(values) != 1 or known_different(values[0], 2)):
        raise Violation(
            f"shape {list(values)}", "[off, on] has shape [2]", port="values", code="wrong-shape"
        )


@ONE_HOT.kernel(since=9, sizes=True)
def one_hot_v9(indices: Array, depth: Array, values: Array, *, axis: int) -> Array:
    return _rows(whole_numbers(indices), depth, values, axis)


@ONE_HOT.kernel(since=11, sizes=True)
def one_hot(indices: Array, depth: Array, values: Array, *, axis: int) -> Array:
    places = whole_numbers(indices)
    return _rows(np.where(places < 0, places + _length(depth), places), depth, values, axis)


def _length(depth: Array) -> int:
    if depth.size != 1:
        raise Violation(
            f"shape {list(depth.shape)}", "depth is 1 number", port="depth", code="wrong-shape"
        )
    length = int(whole_numbers(depth).reshape(-1)[0])
    if length < 0:
        raise Violation(f"depth = {length}", "0 or more", port="depth", code="input-value")
    return length


def _rows(places: NDArray[np.int64], depth: Array, values: Array, axis: int) -> Array:
    _check(depth.shape, values.shape)
    length = _length(depth)
    before = axis_in(axis, places.ndim + 1)
    shape = (*places.shape[:before], length, *places.shape[before:])
    check_room(shape, values.dtype, port="depth")
    outer = int(np.prod(places.shape[:before], dtype=np.int64))
    flat = places.reshape(outer, -1 if outer else 0)
    rows = np.full((outer, length, flat.shape[1]), values[0], values.dtype)
    inside = np.nonzero((flat >= 0) & (flat < length))
    rows[inside[0], flat[inside], inside[1]] = values[1]
    return rows.reshape(shape)


ONE_HOT.example(([0, 2], 3, [0, 1]), ([[1, 0, 0], [0, 0, 1]],))
ONE_HOT.example(([-1, 3], 3, [0, 1]), ([[0, 0, 1], [0, 0, 0]],))
