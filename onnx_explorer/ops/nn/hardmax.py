"""Hardmax: 1 where the largest element stands, 0 everywhere else.

Among several largest elements the first one gets the 1. Since version 13 elements compete along one axis,
by default the last. Before, the input was taken for a matrix: all elements from `axis` on (by default
1) compete with each other.

Spec: ai.onnx Hardmax-13
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Abstract, Attr, Change, Cotangents, Operator, Port
from onnx_explorer.schema.typesets import BF16, FLOATS

HARDMAX = Operator(
    "Hardmax",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("input", "T", "numbers of any size"),),
            outputs=(Port("output", "T", "zeros and ones, same shape as `input`"),),
            attributes=(Attr("axis", "int", 1, doc="where the axes that compete begin"),),
            types={"T": FLOATS},
        ),
        Change(11, "axis may count from the end"),
        Change(
            13,
            "along one axis, by default the last; bfloat16",
            attributes=(Attr("axis", "int", -1, doc="the axis whose elements compete"),),
            widen={"T": BF16},
            differentiable={"input": True, "output": True},
        ),
    ),
)


@HARDMAX.infer(since=1)
def infer(input: Abstract, *, axis: int) -> Abstract:
    if input.shape is not None:
        axis_in(axis, len(input.shape))
    return input.like(input.shape)


HARDMAX.cost(since=1)(per_output())


@HARDMAX.kernel(since=1)
def hardmax_of_matrix(input: Floats, *, axis: int) -> Floats:
    first = axis_in(axis, input.ndim)
    columns = int(np.prod(input.shape[first:], dtype=np.int64))
    rows = int(np.prod(input.shape[:first], dtype=np.int64))
    return hardmax(input.reshape(rows, columns), axis=1).reshape(input.shape)


@HARDMAX.kernel(since=13)
def hardmax(input: Floats, *, axis: int) -> Floats:
    along = axis_in(axis, input.ndim)
    result = np.zeros_like(input)
    if input.size:
        largest = np.argmax(input, axis=along, keepdims=True)
        np.put_along_axis(result, largest, np.ones((), input.dtype), axis=along)
    return result


@HARDMAX.vjp(since=1)
def vjp(cotangents: Cotangents, inputs: Cotangents, outputs: Cotangents) -> Cotangents:
    # Small changes of the numbers do not move the 1.
    return ()


HARDMAX.example(([3.0, 1.0, 3.0],), ([1.0, 0.0, 0.0],))
HARDMAX.example(([[3.0, 1.0], [2.0, 4.0]],), ([[1.0, 0.0], [0.0, 1.0]],), axis=0)
