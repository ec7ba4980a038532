"""Transpose: the axes of a tensor in another order.

Axis i of the result is axis `perm[i]` of the input: `transposed[i0, i1, ...]` moves along with it.
Without `perm` the order of the axes is reversed. No element is copied; the result looks at the
same memory with other strides.

Spec: ai.onnx Transpose-25
"""

from __future__ import annotations

from functools import lru_cache
from operator import methodcaller

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.again import Again
from onnx_explorer.ops.cotangents import Floats, Values
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import BF16, EVERY_V1, FLOAT4, FLOAT8, FLOAT8_E8M0, INT2, INT4

DATA = Port("data", "T", "the tensor whose axes are reordered")
TRANSPOSED = Port("transposed", "T", "the same elements under reordered axes")

TRANSPOSE = Operator(
    "Transpose",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(DATA,),
            outputs=(TRANSPOSED,),
            attributes=(
                Attr(
                    "perm",
                    "ints",
                    doc="for each axis of the result, the axis of `data`; default: reversed",
                ),
            ),
            types={"T": EVERY_V1},
        ),
        Change(
            13, "bfloat16", widen={"T": BF16}, differentiable={"data": True, "transposed": True}
        ),
        Change(21, "8-bit floats and 4-bit integers", widen={"T": FLOAT8 | INT4}),
        Change(23, "4-bit floats", widen={"T": FLOAT4}),
        Change(24, "float8_e8m0fnu", widen={"T": FLOAT8_E8M0}),
        Change(25, "2-bit integers", widen={"T": INT2}),
    ),
)


@TRANSPOSE.infer(since=1)
def infer(data: Abstract, *, perm: tuple[int, ...] | None = None, at: RuleSite) -> Abstract:
    if data.shape is None:
        if perm is None:
            return data.like(None)
        return data.like(tuple(at.fresh(f"dim{axis}") for axis in range(len(perm))))
    if perm is None:
        return data.like(data.shape[::-1])
    _check(perm, len(data.shape))
    return data.like(tuple(data.shape[axis] for axis in perm))


@TRANSPOSE.kernel(since=1, sizes=True)
def transpose(
    data: NDArray[np.generic], *, perm: tuple[int, ...] | None = None
) -> NDArray[np.generic]:
    if perm is None:
        return data.transpose()
    _check(perm, data.ndim)
    return data.transpose(perm)


@lru_cache(1 << 10)
def _check(perm: tuple[int, ...], rank: int) -> None:
    if len(perm) != rank:
        raise Violation(
            f"perm = {list(perm)} of {len(perm)} axes",
            f"data has rank {rank}",
            port="data",
            code="wrong-permutation",
        )
    if sorted(perm) != list(range(rank)):
        raise Violation(
            f"perm = {list(perm)}",
            f"each axis from 0 to {rank - 1} must occur once",
            code="wrong-permutation",
        )


@TRANSPOSE.again(since=1)
def again(inputs: Values, outputs: Values, *, perm: tuple[int, ...] | None = None) -> Again | None:
    return None if perm is None else methodcaller("transpose", perm)


@TRANSPOSE.vjp(since=1)
def vjp(
    cotangents: Values, inputs: Values, outputs: Values, *, perm: tuple[int, ...] | None = None
) -> Floats:
    (c,) = cotangents
    return c.transpose() if perm is None else c.transpose([perm.index(k) for k in range(c.ndim)])


TRANSPOSE.example(([[1, 2, 3], [4, 5, 6]],), ([[1, 4], [2, 5], [3, 6]],))
TRANSPOSE.example(
    ([[[1, 2, 3], [4, 5, 6]]],), ([[[1], [2], [3]], [[4], [5], [6]]],), perm=[1, 2, 0]
)
