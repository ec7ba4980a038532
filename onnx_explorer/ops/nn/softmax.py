"""Softmax and LogSoftmax: numbers become probabilities, or the logarithms of probabilities.

`Softmax = exp(x) / sum of exp(x)`, `LogSoftmax = x - log(sum of exp(x))`. The largest element is
subtracted first, which changes nothing but keeps exp from overflowing.

Since version 13 the sum goes along one axis, by default the last. Before, the input was taken
for a matrix: all axes from `axis` on (by default 1) are summed over together. For a matrix the two
defaults agree; for images of shape (N, C, H, W) they do not.

Spec: ai.onnx Softmax-13, LogSoftmax-13
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod

import numpy as np

from onnx_explorer.ops.again import Again
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import Values
from onnx_explorer.ops.nn.patches import BLOCK_BYTES
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import Abstract, Attr, Body, BodyValue, Change, Operator, Port
from onnx_explorer.schema.typesets import BF16, FLOATS

INPUT = Port("input", "T", "numbers of any size")
OUTPUT = Port("output", "T", "same shape as `input`")


def family(
    name: str,
    what: str,
    function: Callable[[Floats, int], Floats],
    back: Callable[[Floats, Floats, int], Floats],
    result: Callable[[Body, BodyValue, BodyValue], BodyValue],
) -> Operator:
    """One of the two; `function` makes a new array, working along one axis. `back` makes the
    cotangent of the input of that of the output, the output and the axis. In a body, `result`
    makes the output of the input less its largest element and of the axis.
    """
    op = Operator(
        name,
        doc=f"{what}.\n\n{__doc__}",
        history=(
            Change(
                1,
                "first version",
                inputs=(INPUT,),
                outputs=(OUTPUT,),
                attributes=(Attr("axis", "int", 1, doc="where the summed axes begin"),),
                types={"T": FLOATS},
            ),
            Change(11, "axis may count from the end"),
            Change(
                13,
                "along one axis, by default the last; bfloat16",
                attributes=(Attr("axis", "int", -1, doc="the axis to sum over"),),
                widen={"T": BF16},
                differentiable={"input": True, "output": True},
            ),
        ),
    )

    def infer(input: Abstract, *, axis: int) -> Abstract:
        if input.shape is not None:
            axis_in(axis, len(input.shape))
        return input.like(input.shape)

    def of_matrix(input: Floats, *, axis: int) -> Floats:
        return along(input.reshape(as_matrix(input.shape, axis)), axis=1).reshape(input.shape)

    def along(input: Floats, *, axis: int) -> Floats:
        return _by_blocks(input, axis_in(axis, input.ndim), function)

    def vjp_of_matrix(cotangents: Values, inputs: Values, outputs: Values, *, axis: int) -> Floats:
        matrix = as_matrix(inputs[0].shape, axis)
        c, y = cotangents[0].reshape(matrix), outputs[0].reshape(matrix)
        return back(c, y, 1).reshape(inputs[0].shape)

    def vjp(cotangents: Values, inputs: Values, outputs: Values, *, axis: int) -> Floats:
        return back(cotangents[0], outputs[0], axis_in(axis, inputs[0].ndim))

    def body(f: Body, input: BodyValue, *, axis: int) -> BodyValue:
        over = f.constant([axis])
        largest = f.ReduceMax(input, axes=[axis]) if f.opset < 18 else f.ReduceMax(input, over)
        return result(f, f.Sub(input, largest), over)

    def again(inputs: Values, outputs: Values, *, axis: int) -> Again | None:
        (x,) = inputs
        rank, along = x.ndim, axis_in(axis, x.ndim)
        if widened(x) is not x or not x.size:
            return None

        def call(input: Floats) -> object:
            fits = input.ndim == rank and 0 < input.nbytes <= BLOCK_BYTES
            return function(input, along) if fits else NotImplemented

        return call

    op.infer(since=1)(infer)
    op.cost(since=1)(per_output(5))
    op.kernel(since=1)(of_matrix)
    op.kernel(since=13)(along)
    op.again(since=13)(again)
    op.vjp(since=1)(vjp_of_matrix)
    op.vjp(since=13)(vjp)
    op.body(since=13)(body)
    return op


def as_matrix(shape: tuple[int, ...], axis: int) -> tuple[int, int]:
    """The shape as a matrix whose columns begin at the axis."""
    first = axis_in(axis, len(shape))
    return prod(shape[:first]), prod(shape[first:])


def _by_blocks(x: Floats, axis: int, function: Callable[[Floats, int], Floats]) -> Floats:
    """`function` along one axis; along the last one by blocks of rows that stay in the cache."""
    if not x.size:
        return x
    if x.nbytes <= BLOCK_BYTES or axis < x.ndim - 1:
        return narrowed(function(widened(x), axis), x)
    rows = x.reshape(-1, x.shape[axis])
    whole = np.empty(x.shape, x.dtype)
    result = whole.reshape(rows.shape)
    step = max(1, BLOCK_BYTES // 4 // (rows.shape[1] * rows.itemsize))
    for start in range(0, len(rows), step):
        result[start : start + step] = function(widened(rows[start : start + step]), 1)
    return whole


def _sum(x: Floats, axis: int) -> Floats:
    # Along short last axes einsum is three times faster than add.reduce, and so is a product with
    # ones, which begins sooner. A matrix product would be faster still, but give equal rows unequal
    # sums.
    if axis == x.ndim - 1:
        if x.size <= FEW and x.dtype == np.float32:
            return np.vecdot(x, _ones(x.shape[axis]))[..., None]
        return np.einsum("...i->...", x)[..., None]
    return np.add.reduce(x, axis=axis, keepdims=True)


FEW = 4096
"""Up to how many elements what counts is how soon adding them up begins."""


@lru_cache(64)
def _ones(count: int) -> Floats:
    return np.ones(count, np.float32)


LEAST_SUM, LARGEST_SUM = 1e-6, 1e30
"""Without a shift, no sum of exponentials may be above the one, or it overflows, or below the other,
or probabilities above 1e-32 lose digits.
"""


def _softmax(x: Floats, axis: int) -> Floats:
    # The largest of each row takes as long as the exponentials, and matters only for the range.
    result = np.exp(x)
    sums = _sum(result, axis)
    # Where the least stands is found sooner than what it is; a NaN counts for the least and largest.
    if sums.item(sums.argmin()) > LEAST_SUM and sums.item(sums.argmax()) < LARGEST_SUM:
        return np.divide(result, sums, result)
    np.subtract(x, np.maximum.reduce(x, axis=axis, keepdims=True), result)
    np.exp(result, result)
    return np.divide(result, _sum(result, axis), result)


def log_softmax(x: Floats, axis: int) -> Floats:
    """The logarithms of probabilities along one axis: a new array."""
    result = x - np.maximum.reduce(x, axis=axis, keepdims=True)
    powers = np.exp(result)
    sums = _sum(powers, axis)
    if not sums.size or sums.item(sums.argmin()) >= NEAR_ONE:
        result -= np.log(sums)
        return result
    # The largest number of a row has the power 1, next to which small ones are lost: added up without.
    is_largest = np.equal(result, 0)
    powers -= is_largest
    others = np.count_nonzero(is_largest, axis, keepdims=True) - 1
    result -= np.log1p(_sum(powers, axis) + others.astype(x.dtype))
    return result


NEAR_ONE = 1.5
"""A sum whose logarithm has fewer digits than the sum."""


def _softmax_back(c: Floats, y: Floats, axis: int) -> Floats:
    return (c - _sum(c * y, axis)) * y


def _log_softmax_back(c: Floats, y: Floats, axis: int) -> Floats:
    return c - np.exp(y) * _sum(c, axis)


def _softmax_result(f: Body, shifted: BodyValue, axes: BodyValue) -> BodyValue:
    powers = f.Exp(shifted)
    return f.Div(powers, f.ReduceSum(powers, axes))


def _log_softmax_result(f: Body, shifted: BodyValue, axes: BodyValue) -> BodyValue:
    return f.Sub(shifted, f.Log(f.ReduceSum(f.Exp(shifted), axes)))


SOFTMAX = family(
    "Softmax",
    "Numbers as probabilities that add up to 1",
    _softmax,
    _softmax_back,
    _softmax_result,
)
LOG_SOFTMAX = family(
    "LogSoftmax",
    "Logarithms of probabilities that add up to 1",
    log_softmax,
    _log_softmax_back,
    _log_softmax_result,
)

# 1.098612 is log 3.
SOFTMAX.example(([0.0, 1.098612],), ([0.25, 0.75],))
SOFTMAX.example(([[0.0, 5.0], [1.098612, 5.0]],), ([[0.25, 0.5], [0.75, 0.5]],), axis=0)
SOFTMAX.example(([1000.0, 1000.0],), ([0.5, 0.5],))
LOG_SOFTMAX.example(([0.0, 1.098612],), ([-1.386294, -0.287682],))
LOG_SOFTMAX.example(([0.0, 1000.0],), ([-1000.0, 0.0],))
