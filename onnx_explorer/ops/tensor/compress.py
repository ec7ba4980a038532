"""Compress: the slices of a tensor for which a condition is true.

`condition` has one boolean for each position along `axis`; the slices with a true one stay, in
order. Without `axis` the tensor is flattened first and the condition chooses among its elements.
The condition may be shorter than the axis, and drops what lies beyond its end. How many slices
stay is known only when the condition is.

Spec: ai.onnx Compress-28
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import Dim, less, product
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.cotangents import moved_vjp
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import BF16, BOOL, EVERY_V1

COMPRESS = Operator(
    "Compress",
    doc=__doc__,
    history=(
        Change(
            9,
            "first version",
            inputs=(
                Port("input", "T", "the tensor to choose from, of rank 1 or more"),
                Port("condition", "T1", "1-D: which slices stay"),
            ),
            outputs=(Port("output", "T", "the slices that stay"),),
            attributes=(
                Attr(
                    "axis",
                    "int",
                    doc="the axis to choose along, negative values count from the end; default: "
                    "flatten first",
                ),
            ),
            types={"T": EVERY_V1, "T1": BOOL},
        ),
        Change(
            11,
            "a negative axis counts from the end",
            differentiable={"input": True, "condition": False, "output": True},
        ),
        Change(28, "bfloat16", widen={"T": BF16}),
    ),
)


@COMPRESS.infer(since=9)
def infer(
    input: Abstract, condition: Abstract, *, axis: int | None = None, at: RuleSite
) -> Abstract:
    if condition.shape is not None and len(condition.shape) != 1:
        raise Violation(
            f"rank {len(condition.shape)}",
            "a condition has rank 1",
            port="condition",
            code="wrong-rank",
        )
    if input.shape is None:
        return input.like((_kept(condition, None, at),) if axis is None else None)
    if axis is None:
        return input.like((_kept(condition, product(input.shape), at),))
    along = axis_in(axis, len(input.shape))
    kept = _kept(condition, input.shape[along], at)
    return input.like((*input.shape[:along], kept, *input.shape[along + 1 :]))


def _kept(condition: Abstract, size: Dim | None, at: RuleSite) -> Dim:
    if condition.content is not None:
        true = [place for place, keep in enumerate(condition.content) if keep is True]
        if true and size is not None and less(size - 1, true[-1]) is True:
            raise _beyond(true[-1], size)
        return len(true)
    length = condition.shape[0] if condition.shape else None
    numbers = [number for number in (length, size) if isinstance(number, int)]
    return at.fresh("kept", high=min(numbers, default=None))


def _beyond(place: int, size: Dim) -> Violation:
    return Violation(
        f"true at position {place}", f"the axis has only {size} positions", port="condition"
    )


@COMPRESS.kernel(since=9, sizes=True)
def compress(input: Array, condition: Array, *, axis: int | None = None) -> Array:
    if condition.ndim != 1:
        raise Violation(
            f"rank {condition.ndim}", "a condition has rank 1", port="condition", code="wrong-rank"
        )
    data = input.reshape(-1) if axis is None else input
    along = 0 if axis is None else axis_in(axis, input.ndim)
    kept = np.flatnonzero(condition)
    if kept.size and kept[-1] >= data.shape[along]:
        raise _beyond(int(kept[-1]), data.shape[along])
    return data.take(kept, along)


COMPRESS.vjp(since=9)(moved_vjp(compress))

COMPRESS.example(([[1, 2], [3, 4], [5, 6]], [False, True, True]), ([[3, 4], [5, 6]],), axis=0)
COMPRESS.example(([[1, 2], [3, 4], [5, 6]], [True, False, True]), ([1, 3],))
