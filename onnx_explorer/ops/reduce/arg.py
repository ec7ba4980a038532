"""ArgMax and ArgMin: where along an axis the largest or the smallest element is.

The result holds positions as int64. Of equal elements the first one counts, with
`select_last_index` = 1 the last one. NaN counts as the extreme. The axis stays with size 1, unless
`keepdims` = 0; it may not be empty.

Spec: ai.onnx ArgMax-13, ArgMin-13
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from onnx_explorer.dims import known_equal
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.costs import per_input
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.reduce.reductions import KEEPDIMS
from onnx_explorer.ops.reduce.shapes import reduced_shape
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, Violation
from onnx_explorer.schema.typesets import BF16, NUMBERS


def arg(name: str, what: str, search: Callable[..., Array]) -> Operator:
    """One of the two."""
    op = Operator(
        name,
        doc=f"{name}: the position of {what} along an axis.\n\n{__doc__}",
        history=(
            Change(
                1,
                "first version",
                inputs=(Port("data", "T", "where to search"),),
                outputs=(Port("reduced", "tensor(int64)", f"the positions of {what}"),),
                attributes=(
                    Attr("axis", "int", 0, doc="the axis to search along"),
                    KEEPDIMS,
                ),
                types={"T": NUMBERS},
            ),
            Change(11, "a negative axis counts from the end"),
            Change(
                12,
                "which of several equal elements counts",
                attributes=(
                    Attr(
                        "select_last_index",
                        "int",
                        0,
                        one_of=(0, 1),
                        doc="of equal elements, 0: the first counts, 1: the last",
                    ),
                ),
            ),
            Change(
                13,
                "bfloat16",
                widen={"T": BF16},
                differentiable={"data": False, "reduced": False},
            ),
        ),
    )
    op.infer(since=1)(infer)
    op.cost(since=1)(per_input())
    op.kernel(since=1)(_kernel(search))
    return op


def infer(data: Abstract, *, axis: int, keepdims: int) -> Abstract:
    if data.shape is None:
        return Abstract()
    along = axis_in(axis, len(data.shape))
    if known_equal(data.shape[along], 0):
        raise _empty(along)
    return Abstract(None, reduced_shape(data.shape, (along,), bool(keepdims)))


def _kernel(search: Callable[..., Array]) -> Callable[..., Array]:
    def kernel(data: Array, *, axis: int, keepdims: int, select_last_index: int = 0) -> Array:
        along = axis_in(axis, data.ndim)
        size = data.shape[along]
        if size == 0:
            raise _empty(along)
        if select_last_index:
            found = search(np.flip(data, along), axis=along, keepdims=bool(keepdims))
            return np.subtract(size - 1, found, dtype=np.int64)
        return search(data, axis=along, keepdims=bool(keepdims))

    return kernel


def _empty(axis: int) -> Violation:
    return Violation(f"0 elements along axis {axis}", "1 or more to choose from", port="data")


ARG_MAX = arg("ArgMax", "the largest element", np.argmax)
ARG_MIN = arg("ArgMin", "the smallest element", np.argmin)

ARG_MAX.example(([[1, 5, 5]],), ([[1]],), axis=1)
ARG_MAX.example(([[1, 5, 5]],), ([2],), axis=1, keepdims=0, select_last_index=1)
ARG_MIN.example(([[1, 5, 5]],), ([[0]],), axis=1)
ARG_MIN.example(([[1, 5], [0, 7]],), ([[1, 0]],))
