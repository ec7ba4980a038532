"""The reductions: ReduceSum, ReduceMean, ReduceMax, ReduceMin, ReduceProd, ReduceSumSquare,
ReduceL1, ReduceL2, ReduceLogSum and ReduceLogSumExp make one element of all that lie along the
given axes.

Without axes, all axes are reduced; with `noop_with_empty_axes` = 1 none is, and what is left is the
operator's formula on single elements (ReduceSumSquare squares, ReduceSum does nothing). The reduced
axes stay with size 1, unless `keepdims` = 0. Negative axes count from the end.

Over an empty axis a sum is 0, a product 1, a logarithm negative infinity, a maximum the smallest
number of the type and a minimum the largest one, infinities included; a mean is NaN. Floats of 16
bits are computed in float32. Integers stay integers: they wrap around, and a mean is cut toward 0.

Spec: ai.onnx ReduceSum-13, ReduceMean-18, ReduceMax-20, ReduceMin-20, ReduceProd-18,
ReduceSumSquare-18, ReduceL1-18, ReduceL2-18, ReduceLogSum-28, ReduceLogSumExp-28
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

import numpy as np

from onnx_explorer.ops.contents import ints_of
from onnx_explorer.ops.costs import per_input
from onnx_explorer.ops.elementwise import Array, in_float32
from onnx_explorer.ops.math.arithmetic import divide
from onnx_explorer.ops.reduce import bodies, slopes
from onnx_explorer.ops.reduce.shapes import (
    reduced_axes,
    reduced_shape,
    rule_by_attribute,
    rule_by_input,
)
from onnx_explorer.ops.sizes import larger, smaller
from onnx_explorer.schema import Attr, Change, Operator, Port, Violation
from onnx_explorer.schema.typesets import BF16, BOOL, BYTES, WIDE_INTEGERS, WIDE_NUMBERS, TypeSet

Reduce = Callable[[Array, tuple[int, ...], bool], Array]
"""What a member computes, of data, axes counted from the front and whether to keep them."""

DATA = Port("data", "T", "what to reduce")
REDUCED = Port("reduced", "T", "one element for all that lie along the reduced axes")
KEEPDIMS = Attr("keepdims", "int", 1, one_of=(0, 1), doc="1: the reduced axes stay, with size 1")

AXES_AS_ATTRIBUTE = (
    Change(
        1,
        "first version",
        inputs=(DATA,),
        outputs=(REDUCED,),
        attributes=(Attr("axes", "ints", doc="the axes to reduce; default: all"), KEEPDIMS),
        types={"T": WIDE_NUMBERS},
    ),
    Change(11, "negative axes count from the end"),
)
BYTES_IN_12 = (Change(12, "8-bit integers", widen={"T": BYTES}),)
IN_13 = (Change(13, "bfloat16", widen={"T": BF16}, differentiable={"data": True, "reduced": True}),)
BOOL_IN_20 = (Change(20, "bools, false below true", widen={"T": BOOL}),)
NO_INTEGERS_IN_28 = (
    Change(28, "integers go, which cannot hold a logarithm", narrow={"T": WIDE_INTEGERS}),
)


def _axes_become_input(since: int, more: TypeSet | None = None) -> Change:
    return Change(
        since,
        "the axes become an input" + ("; bfloat16" if more else ""),
        inputs=(
            replace(DATA, differentiable=True),
            Port(
                "axes",
                "tensor(int64)",
                "1-D: the axes to reduce, negative ones from the end; default: all",
                option="optional",
                differentiable=False,
            ),
        ),
        drop=("axes",),
        attributes=(
            Attr(
                "noop_with_empty_axes",
                "int",
                0,
                one_of=(0, 1),
                doc="what no axes mean: 0, all of them; 1, none",
            ),
        ),
        widen={"T": more} if more else {},
        differentiable={"reduced": True},
    )


IN_18 = (_axes_become_input(18),)


def reduction(
    name: str,
    what: str,
    reduce: Reduce,
    history: tuple[Change, ...],
    *,
    slope: slopes.Slope,
    sizes: Reduce | None = None,
    body: bodies.BodyOfReduction | None = None,
) -> Operator:
    """One of the ten; `slope` is its derivative, `sizes` its computation on sizes, `body` the same
    by other operators.
    """
    op = Operator(name, doc=f"{name}: {what} along axes.\n\n{__doc__}", history=history)
    by_input = next(c.since for c in history if "axes" in c.drop)
    op.infer(since=1)(rule_by_attribute)
    op.infer(since=by_input)(rule_by_input)
    op.kernel(since=1, sizes=_by_attribute(sizes) if sizes else False)(_by_attribute(reduce))
    op.kernel(since=by_input, sizes=_by_input(sizes) if sizes else False)(_by_input(reduce))
    op.cost(since=1)(per_input())
    op.vjp(since=1)(slopes.vjp_by_attribute(slope))
    op.vjp(since=by_input)(slopes.vjp_by_input(slope))
    if body is not None:
        op.body(since=by_input)(bodies.body_of(body))
    return op


def _by_attribute(reduce: Reduce) -> Callable[..., Array]:
    def kernel(data: Array, *, axes: tuple[int, ...] | None = None, keepdims: int) -> Array:
        return reduce(data, reduced_axes(axes, data.ndim), bool(keepdims))

    return kernel


def _by_input(reduce: Reduce) -> Callable[..., Array]:
    def kernel(
        data: Array, axes: Array | None = None, *, keepdims: int, noop_with_empty_axes: int
    ) -> Array:
        given = None if axes is None else ints_of(axes)
        found = reduced_axes(given, data.ndim, noop=bool(noop_with_empty_axes))
        return reduce(data, found, bool(keepdims))

    return kernel


def total(data: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    # Without the dtype, sums of small integers would become int64.
    return np.add.reduce(data, axis=axes, keepdims=keepdims, dtype=data.dtype)


def product(data: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    return np.multiply.reduce(data, axis=axes, keepdims=keepdims, dtype=data.dtype)


def mean(data: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    count = prod(data.shape[axis] for axis in axes)
    summed = total(data, axes, keepdims)
    if data.dtype.kind == "f":
        return np.divide(summed, count)
    if not count and summed.size:
        raise Violation("a mean of no elements", "integers have no quotient by 0", port="data")
    return divide(summed, np.asarray(count, data.dtype))


def sum_of_squares(data: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    return total(np.multiply(data, data), axes, keepdims)


def sum_of_magnitudes(data: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    return total(np.absolute(data), axes, keepdims)


def length(data: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    return np.sqrt(sum_of_squares(_as_float(data), axes, keepdims)).astype(data.dtype)


def log_of_sum(data: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    return np.log(total(_as_float(data), axes, keepdims)).astype(data.dtype)


def log_of_sum_of_exponentials(data: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    floats = _as_float(data)
    # The largest element comes out of the sum, so that no exponential overflows.
    largest = maximum(floats, axes, True)
    shift = np.where(np.isfinite(largest), largest, floats.dtype.type(0))
    summed = total(np.exp(np.subtract(floats, shift)), axes, True)
    result = np.add(np.log(summed), shift).astype(data.dtype)
    return result.reshape(reduced_shape(data.shape, axes, keepdims))


def maximum(data: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    if data.size == 0:
        return _nothing(data, axes, keepdims, -1)
    return np.maximum.reduce(data, axis=axes, keepdims=keepdims)


def minimum(data: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    if data.size == 0:
        return _nothing(data, axes, keepdims, 1)
    return np.minimum.reduce(data, axis=axes, keepdims=keepdims)


def _nothing(data: Array, axes: tuple[int, ...], keepdims: bool, sign: int) -> Array:
    """The extreme of no elements: the end of the type's range that every element is better than."""
    shape = reduced_shape(data.shape, axes, keepdims)
    if data.dtype == bool:
        return np.full(shape, sign > 0)
    if data.dtype.kind in "iu":
        span = np.iinfo(data.dtype.name)
        return np.full(shape, span.max if sign > 0 else span.min, data.dtype)
    return np.full(shape, sign * np.inf, data.dtype)


def _as_float(data: Array) -> Array:
    return data.astype(np.float64) if data.dtype.kind in "iu" else data


def _extreme_of_sizes(choose: np.ufunc) -> Reduce:
    def reduce(data: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
        result = data
        # One axis at a time, the last first: numpy does not know that their order is free.
        for axis in sorted(axes, reverse=True):
            result = choose.reduce(result, axis=axis, keepdims=keepdims)
        return result

    return reduce


REDUCE_SUM = reduction(
    "ReduceSum",
    "the sum",
    in_float32(total),
    (*AXES_AS_ATTRIBUTE, _axes_become_input(13, BF16)),
    slope=slopes.of_total,
    sizes=total,
)
REDUCE_MEAN = reduction(
    "ReduceMean",
    "the mean",
    in_float32(mean),
    (*AXES_AS_ATTRIBUTE, *IN_13, *IN_18),
    slope=slopes.of_mean,
)
REDUCE_MAX = reduction(
    "ReduceMax",
    "the largest element",
    maximum,
    (*AXES_AS_ATTRIBUTE, *BYTES_IN_12, *IN_13, *IN_18, *BOOL_IN_20),
    slope=slopes.of_extreme,
    sizes=_extreme_of_sizes(larger),
)
REDUCE_MIN = reduction(
    "ReduceMin",
    "the smallest element",
    minimum,
    (*AXES_AS_ATTRIBUTE, *BYTES_IN_12, *IN_13, *IN_18, *BOOL_IN_20),
    slope=slopes.of_extreme,
    sizes=_extreme_of_sizes(smaller),
)
REDUCE_PROD = reduction(
    "ReduceProd",
    "the product",
    in_float32(product),
    (*AXES_AS_ATTRIBUTE, *IN_13, *IN_18),
    slope=slopes.of_product,
    sizes=product,
)
REDUCE_SUM_SQUARE = reduction(
    "ReduceSumSquare",
    "the sum of the squares",
    in_float32(sum_of_squares),
    (*AXES_AS_ATTRIBUTE, *IN_13, *IN_18),
    slope=slopes.of_sum_of_squares,
    body=bodies.sum_of_squares,
)
REDUCE_L1 = reduction(
    "ReduceL1",
    "the sum of the magnitudes",
    in_float32(sum_of_magnitudes),
    (*AXES_AS_ATTRIBUTE, *IN_13, *IN_18),
    slope=slopes.of_sum_of_magnitudes,
    body=bodies.sum_of_magnitudes,
)
REDUCE_L2 = reduction(
    "ReduceL2",
    "the square root of the sum of the squares",
    in_float32(length),
    (*AXES_AS_ATTRIBUTE, *IN_13, *IN_18),
    slope=slopes.of_length,
    body=bodies.length,
)
REDUCE_LOG_SUM = reduction(
    "ReduceLogSum",
    "the logarithm of the sum",
    in_float32(log_of_sum),
    (*AXES_AS_ATTRIBUTE, *IN_13, *IN_18, *NO_INTEGERS_IN_28),
    slope=slopes.of_log_of_sum,
    body=bodies.log_of_sum,
)
REDUCE_LOG_SUM_EXP = reduction(
    "ReduceLogSumExp",
    "the logarithm of the sum of the exponentials",
    in_float32(log_of_sum_of_exponentials),
    (*AXES_AS_ATTRIBUTE, *IN_13, *IN_18, *NO_INTEGERS_IN_28),
    slope=slopes.of_log_of_sum_of_exponentials,
    body=bodies.log_of_sum_of_exponentials,
)

REDUCE_SUM.example(([[1, 2], [3, 4]], [1]), ([[3], [7]],))
REDUCE_SUM.example(([[1, 2], [3, 4]],), (10,), keepdims=0)
REDUCE_SUM.example(([[1, 2], [3, 4]],), ([[1, 2], [3, 4]],), noop_with_empty_axes=1)
REDUCE_MEAN.example(([[1.0, 2.0], [3.0, 4.0]], [1]), ([[1.5], [3.5]],))
REDUCE_MEAN.example(([-1, -2],), ([-1],))
REDUCE_MAX.example(([[1, 2], [3, 4]], [0]), ([[3, 4]],))
REDUCE_MIN.example(([[1, 2], [3, 4]], [0]), ([[1, 2]],))
REDUCE_PROD.example(([[1, 2], [3, 4]], [-1]), ([[2], [12]],))
REDUCE_SUM_SQUARE.example(([[1, 2], [3, 4]], [1]), ([[5], [25]],))
REDUCE_SUM_SQUARE.example(([[1, 2], [3, 4]],), ([[1, 4], [9, 16]],), noop_with_empty_axes=1)
REDUCE_L1.example(([[3.0, -4.0]], [1]), ([[7.0]],))
REDUCE_L2.example(([[3.0, -4.0]], [1]), ([[5.0]],))
REDUCE_LOG_SUM.example(([1.0, 2.0],), ([1.098612],))
REDUCE_LOG_SUM_EXP.example(([0.0, 0.0],), ([0.693147],))
REDUCE_LOG_SUM_EXP.example(([1000.0, 1000.0],), ([1000.693147],))
