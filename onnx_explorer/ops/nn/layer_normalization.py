"""LayerNormalization: brings the last axes, from `axis` on, to mean 0 and variance 1, then scales
and shifts them.

`Y = (X - Mean) × InvStdDev × Scale + B` with `InvStdDev = 1 / sqrt(variance + epsilon)`. Mean and
variance (the population's) are taken over axes `axis`, ..., rank - 1 together; every position of the
axes before has its own. They keep their rank: the axes they went over have size 1. Scale and B are
broadcast to X.

`stash_type` is the type that statistics and normalized values are computed in, and the type of the
outputs Mean and InvStdDev (1: float32, 16: bfloat16); X in float16 loses nothing that way. Scaling
happens after the cast back to X's type.

Spec: ai.onnx LayerNormalization-17
"""

from __future__ import annotations

from functools import lru_cache
from math import prod, sqrt
from typing import cast

import numpy as np

from onnx_explorer.dims import Dim, known_different
from onnx_explorer.ir import DType, Tensor, shape_text
from onnx_explorer.ops.again import Again
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import summed_to
from onnx_explorer.ops.nn.norms import standardized_back
from onnx_explorer.ops.precision import Floats, narrowed
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Cotangents,
    Operator,
    Port,
    RuleSite,
    RunSite,
    Shape,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOAT32, FLOATS_BF16


def _stash_type(number: object) -> DType:
    return DType(cast("int", number))


LAYER_NORMALIZATION = Operator(
    "LayerNormalization",
    doc=__doc__,
    history=(
        Change(
            17,
            "first version",
            inputs=(
                Port("X", "T", "the tensor to normalize"),
                Port("Scale", "T", "factors, broadcast to X"),
                Port("B", "T", "summands, broadcast to X", option="optional"),
            ),
            outputs=(
                Port("Y", "T", "the normalized tensor, same shape as X"),
                Port("Mean", "U", "the means, with size 1 on reduced axes", option="optional"),
                Port(
                    "InvStdDev",
                    "U",
                    "1 / sqrt(variance + epsilon), shaped like Mean",
                    option="optional",
                ),
            ),
            attributes=(
                Attr("axis", "int", -1, doc="the first axis of those normalized together"),
                Attr("epsilon", "float", 1e-5, doc="keeps the divisor away from 0"),
                Attr(
                    "stash_type",
                    "int",
                    1,
                    one_of=(1, 16),
                    as_=_stash_type,
                    doc="number of the type to compute in: 1 float32, 16 bfloat16",
                ),
            ),
            types={"T": FLOATS_BF16, "U": FLOAT32 | BF16},
        ),
    ),
)


def _check(X: Shape, parameters: dict[str, Shape | None]) -> None:
    for port, shape in parameters.items():
        if shape is None:
            continue
        aligned = X[len(X) - len(shape) :]
        if len(shape) > len(X) or any(map(_cannot_spread, shape, aligned)):
            raise Violation(
                f"shape {shape_text(shape)}",
                f"it must broadcast to X's {shape_text(X)}",
                port=port,
                code="parameter-shape",
            )


def _cannot_spread(size: Dim, to: Dim) -> bool:
    return known_different(size, 1) and known_different(size, to)


@LAYER_NORMALIZATION.infer(since=17)
def infer(
    X: Abstract,
    Scale: Abstract,
    B: Abstract | None = None,
    *,
    axis: int,
    stash_type: DType,
    at: RuleSite,
) -> tuple[Abstract, ...]:
    if X.shape is None:
        return (X.like(None), Abstract(stash_type), Abstract(stash_type))
    first = axis_in(axis, len(X.shape))
    try:
        _check(X.shape, {"Scale": Scale.shape, "B": None if B is None else B.shape})
    except Violation as violation:
        at.fail(
            violation.found,
            violation.expected,
            port=violation.port,
            code=violation.code,
            sides=violation.sides,
        )
    kept = (*X.shape[:first], *(1,) * (len(X.shape) - first))
    statistics = Abstract(stash_type, kept)
    return (X.like(X.shape), statistics, statistics)


LAYER_NORMALIZATION.cost(since=17)(per_output(7))


@LAYER_NORMALIZATION.kernel(since=17, inplace=("X",))
def layer_normalization(
    X: Floats,
    Scale: Floats,
    B: Floats | None = None,
    *,
    axis: int,
    epsilon: float,
    stash_type: DType,
    out: Floats | None = None,
) -> tuple[Floats, Floats, Floats]:
    shape = X.shape
    of_shift = None if B is None else B.shape
    (n_rows, count), step, kept, own_scale, own_shift = _layout(shape, Scale.shape, of_shift, axis)
    in_float32 = X.dtype == _FLOAT32
    # bfloat16 is only how the results are kept: numpy adds it up in bfloat16 too, losing digits.
    rows = (X if in_float32 else X.astype(np.float32)).reshape(n_rows, count)
    # Rows of one whose axes lie in another order would be a copy.
    if out is not None and not (in_float32 and out.flags.c_contiguous):
        out = None
    result = np.empty(shape, np.float32) if out is None else out
    normalized = result.reshape(n_rows, count)
    means, inverse = np.empty(n_rows, np.float32), np.empty(n_rows, np.float32)
    constants = _constants(max(count, 1), epsilon)
    # Rows with their own scale and shift are finished while they are in the cache.
    scale = Scale.reshape(count) if in_float32 and own_scale else None
    shift = B.reshape(count) if scale is not None and B is not None and own_shift else None
    if not count:
        means[...] = inverse[...] = np.nan  # nothing has no mean
    elif n_rows <= step:
        _finish(rows, constants, scale, shift, normalized, means, inverse)
    else:
        for start in range(0, n_rows, step):
            some = slice(start, start + step)
            parts = (normalized[some], means[some], inverse[some])
            _finish(rows[some], constants, scale, shift, *parts)
    result = narrowed(result, X)
    if scale is None:
        np.multiply(result, Scale, out=result)
    if B is not None and shift is None:
        np.add(result, B, out=result)
    if stash_type is not DType.FLOAT32:
        means, inverse = (value.astype(stash_type.numpy) for value in (means, inverse))
    return result, means.reshape(kept), inverse.reshape(kept)


_FLOAT32 = np.dtype(np.float32)


@lru_cache(256)
def _layout(
    shape: tuple[int, ...],
    of_scale: tuple[int, ...],
    of_shift: tuple[int, ...] | None,
    axis: int,
) -> tuple[tuple[int, int], int, tuple[int, ...], bool, bool]:
    """X as rows, how many of them are done at a time, the shape of the statistics, and whether scale and shift are those of a row.

    Raises:
        Violation: there is no such axis, or one of the two does not broadcast to X.
    """
    first = axis_in(axis, len(shape))
    _check(shape, {"Scale": of_scale, "B": of_shift})
    of_row = shape[first:]
    kept = shape[:first] + (1,) * len(of_row)
    count = prod(of_row)
    step = max(1, BLOCK_BYTES // max(4 * count, 1))
    return (prod(shape[:first]), count), step, kept, of_scale == of_row, of_shift == of_row


BLOCK_BYTES = 1 << 18
"""How much is normalized at a time: it is gone through several times."""


def _finish(
    rows: Floats,
    constants: tuple[Floats, Floats, Floats],
    scale: Floats | None,
    shift: Floats | None,
    normalized: Floats | None = None,
    means: Floats | None = None,
    inverse: Floats | None = None,
) -> tuple[Floats, Floats, Floats]:
    """The normalized rows and their statistics, in these arrays if there are any: the rows may stand
    where the results come. With neither scale nor shift they stay as they are.
    """
    share, times_epsilon, root = constants
    # A matrix product would be faster, but give equal rows unequal means.
    if len(share) < SHORT:
        sums: Floats = np.einsum("...i->...", rows, out=means)
        of_rows = np.multiply(sums, share[0], sums)
    else:
        of_rows = cast("Floats", np.vecdot(rows, share, means))
    result = np.subtract(rows, of_rows[..., None], normalized)
    factors = cast("Floats", np.vecdot(result, result, inverse))
    # 1 / sqrt(sum / count + epsilon)
    np.add(factors, times_epsilon, factors)
    np.sqrt(factors, factors)
    np.divide(root, factors, factors)
    np.multiply(result, factors[..., None], result)
    if scale is not None:
        np.multiply(result, scale, result)
    if shift is not None:
        np.add(result, shift, result)
    return result, of_rows, factors


SHORT = 32
"""Rows shorter than this are added up faster by einsum than by a product with their shares."""


@lru_cache(64)
def _constants(count: int, epsilon: float) -> tuple[Floats, Floats, Floats]:
    """What each of `count` numbers adds to their mean; epsilon of their sum; the root of count."""
    of_sum, root = np.array([count * epsilon, sqrt(count)], np.float32)
    return np.full(count, 1 / count, np.float32), np.asarray(of_sum), np.asarray(root)


@LAYER_NORMALIZATION.again(since=17)
def again(
    inputs: tuple[Floats, Floats, Floats | None],
    outputs: Cotangents,
    *,
    axis: int,
    epsilon: float,
    at: RunSite,
) -> Again | None:
    """For few short rows along the last axis, of which nobody wants to know the statistics."""
    X, Scale, B = (*inputs, None)[:3]
    shape, of_shift = X.shape, None if B is None else B.shape
    by_rows, _, _, own_scale, own_shift = _layout(shape, Scale.shape, of_shift, axis)
    if (
        any(at.wanted[1:])
        or X.dtype != _FLOAT32
        or X.ndim < 2
        or not 0 < X.size <= FEW
        or by_rows[1] != shape[-1]
        or not (own_scale and (own_shift or B is None))
    ):
        return None
    constants = _constants(by_rows[1], epsilon)
    # What does not have to be repeated for each row is done in half the time.
    scale, shift = (
        None if row is None else np.ascontiguousarray(np.broadcast_to(row, shape))
        for row in (Scale, B)
    )

    def call(
        X: Floats, scales: Floats, shifts: Floats | None = None, *, out: Floats | None = None
    ) -> object:
        if X.shape != shape or scales is not Scale or shifts is not B:
            return NotImplemented
        if not X.flags.c_contiguous:
            return NotImplemented  # what lies apart is added up in another order
        return _finish(X, constants, scale, shift)[0]

    return call


FEW = 4096
"""Up to how many elements what counts is how soon each step begins."""


@LAYER_NORMALIZATION.vjp(since=17)
def vjp(
    cotangents: Cotangents,
    inputs: tuple[Floats, Floats, Floats | None],
    outputs: Cotangents,
    *,
    axis: int,
    epsilon: float,
) -> Cotangents:
    (c, by_mean, by_inverse), (x, scale, *bias) = (*cotangents, None, None)[:3], inputs
    over = tuple(range(axis_in(axis, x.ndim), x.ndim))
    count = max(prod(x.shape[over[0] :]), 1)
    difference = x - np.add.reduce(x, axis=over, keepdims=True) / count
    variance = np.add.reduce(difference * difference, axis=over, keepdims=True) / count
    inverse = 1 / np.sqrt(variance + epsilon)
    normalized = difference * inverse
    by_x, by_scale, by_bias = np.zeros_like(x), None, None
    if c is not None:
        by_x = standardized_back(c * scale, normalized, inverse, over)
        by_scale = summed_to(c * normalized, scale.shape)
        by_bias = None if not bias or bias[0] is None else summed_to(c, bias[0].shape)
    if by_mean is not None:
        by_x += by_mean / count
    if by_inverse is not None:
        by_x -= by_inverse * inverse * inverse * normalized / count
    return by_x, by_scale, by_bias


@LAYER_NORMALIZATION.body(since=17)
def body(
    f: Body,
    X: BodyValue,
    Scale: BodyValue,
    B: BodyValue | None = None,
    *,
    axis: int,
    epsilon: float,
    stash_type: DType,
) -> tuple[BodyValue, BodyValue, BodyValue]:
    def mean(values: BodyValue) -> BodyValue:
        if f.opset < 18:
            return f.ReduceMean(values, axes=[1])
        return f.ReduceMean(values, f.constant([1]))

    rows = f.Cast(f.Flatten(X, axis=axis), to=DType.FLOAT32)
    means = mean(rows)
    difference = f.Sub(rows, means)
    variance = mean(f.Mul(difference, difference))
    inverse = f.Reciprocal(f.Sqrt(f.Add(variance, f.constant(epsilon))))
    shape = f.Shape(X)
    normalized = f.Reshape(f.CastLike(f.Mul(difference, inverse), X), shape)
    scaled = f.Mul(normalized, Scale)
    ones = f.ConstantOfShape(f.Shape(f.Shape(X, start=axis)), value=Tensor.of([1]))
    kept = f.Concat(f.Shape(X, end=axis), ones, axis=0)
    return (
        scaled if B is None else f.Add(scaled, B),
        f.Reshape(f.Cast(means, to=stash_type), kept),
        f.Reshape(f.Cast(inverse, to=stash_type), kept),
    )


LAYER_NORMALIZATION.example(
    ([[1.0, 3.0]], [10.0, 10.0], [1.0, 1.0]), ([[-9.0, 11.0]], [[2.0]], [[1.0]]), epsilon=0.0
)
# From axis 0 on, all four have one mean, 4, and one variance, 9.
LAYER_NORMALIZATION.example(
    ([[1.0, 1.0], [7.0, 7.0]], [[1.0, 1.0], [1.0, 10.0]]),
    ([[-1.0, -1.0], [1.0, 10.0]],),
    axis=0,
    epsilon=0.0,
)
