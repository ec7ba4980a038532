"""Flatten: a tensor as a matrix: the axes before `axis` become rows, the others columns.

The sizes of the result are the products of the sizes on each side, the elements keep their
row-major order. `axis` = 0 gives one row, `axis` = rank one column: a product of no sizes is 1.
So the result has rank 2 always, for a scalar too ([1, 1]).

Spec: ai.onnx Flatten-25
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import product
from onnx_explorer.ops.again import reshaped_again
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.cotangents import reshaped_vjp
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite
from onnx_explorer.schema.typesets import (
    BF16,
    BOOL,
    COMPLEX,
    FLOAT4,
    FLOAT8,
    FLOAT8_E8M0,
    FLOATS,
    INT2,
    INT4,
    INTEGERS,
    STRING,
)

INPUT = Port("input", "T", "the tensor to flatten")
OUTPUT = Port("output", "T", "the elements of `input` as a matrix")

FLATTEN = Operator(
    "Flatten",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(INPUT,),
            outputs=(OUTPUT,),
            attributes=(
                Attr(
                    "axis",
                    "int",
                    1,
                    doc="how many axes become rows; negative values count from the end",
                ),
            ),
            types={"T": FLOATS},
        ),
        Change(9, "every dtype of the time", widen={"T": INTEGERS | COMPLEX | BOOL | STRING}),
        Change(11, "a negative axis counts from the end"),
        Change(13, "bfloat16", widen={"T": BF16}, differentiable={"input": True, "output": True}),
        Change(21, "8-bit floats and 4-bit integers", widen={"T": FLOAT8 | INT4}),
        Change(23, "4-bit floats", widen={"T": FLOAT4}),
        Change(24, "float8_e8m0fnu", widen={"T": FLOAT8_E8M0}),
        Change(25, "2-bit integers", widen={"T": INT2}),
    ),
)


@FLATTEN.infer(since=1)
def infer(input: Abstract, *, axis: int, at: RuleSite) -> Abstract:
    if input.shape is None:
        rows = 1 if axis == 0 else at.fresh("dim0")
        return input.like((rows, at.fresh("dim1")))
    cut = _cut(axis, len(input.shape))
    return input.like((product(input.shape[:cut]), product(input.shape[cut:])))


@FLATTEN.kernel(since=1, sizes=True)
def flatten(input: NDArray[np.generic], *, axis: int) -> NDArray[np.generic]:
    cut = _cut(axis, input.ndim)
    return input.reshape(int(product(input.shape[:cut])), int(product(input.shape[cut:])))


def _cut(axis: int, rank: int) -> int:
    return axis_in(axis, rank, upper=rank + 1)


FLATTEN.again(since=1)(reshaped_again)
FLATTEN.vjp(since=1)(reshaped_vjp)

FLATTEN.example(([[[1, 2], [3, 4]], [[5, 6], [7, 8]]],), ([[1, 2, 3, 4], [5, 6, 7, 8]],))
FLATTEN.example(
    ([[[1, 2], [3, 4]], [[5, 6], [7, 8]]],), ([[1, 2], [3, 4], [5, 6], [7, 8]],), axis=2
)
FLATTEN.example(([1, 2, 3],), ([[1, 2, 3]],), axis=0)
