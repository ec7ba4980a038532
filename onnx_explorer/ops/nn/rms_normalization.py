"""RMSNormalization: divides the last axes, from `axis` on, by their root mean square, then scales them.

`Y = X / sqrt(mean(X²) + epsilon) × scale`. The mean is taken over axes `axis`, ..., rank - 1 together;
every position of the axes before has its own. Unlike LayerNormalization nothing is subtracted, and
there is no bias. `scale` is broadcast to X.

`stash_type` is the number of the type that the quotient is computed in (1: float32). It is cast back
to X's type before it is scaled, and Y has the type of `scale`.

Spec: ai.onnx RMSNormalization-23
"""

from __future__ import annotations

from typing import cast

import numpy as np

from onnx_explorer.dims import Dim, known_different
from onnx_explorer.ir import DType, shape_text
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.precision import Floats, narrowed
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Operator,
    Port,
    RuleSite,
    Shape,
    Violation,
)
from onnx_explorer.schema.typesets import FLOATS_BF16


def float_type(number: object) -> DType:
    """The float type with this number in the file format.

    Raises:
        ValueError: it is no float of 16 bits or more.
    """
    dtype = DType(cast("int", number))
    if dtype.family != "float" or dtype.bits < 16:
        msg = f"expected the number of a float type: 1, 10, 11 or 16, not of {dtype.label}"
        raise ValueError(msg)
    return dtype


RMS_NORMALIZATION = Operator(
    "RMSNormalization",
    doc=__doc__,
    history=(
        Change(
            23,
            "first version",
            inputs=(
                Port("X", "T", "the tensor to normalize"),
                Port("scale", "V", "factors, broadcast to X"),
            ),
            outputs=(Port("Y", "V", "the normalized tensor, same shape as X"),),
            attributes=(
                Attr("axis", "int", -1, doc="the first axis of those normalized together"),
                Attr("epsilon", "float", 1e-5, doc="keeps the divisor away from 0"),
                Attr(
                    "stash_type",
                    "int",
                    1,
                    as_=float_type,
                    doc="number of the type to compute in: 1 float32, 10 float16, 11 float64, "
                    "16 bfloat16",
                ),
            ),
            types={"T": FLOATS_BF16, "V": FLOATS_BF16},
        ),
    ),
)


@RMS_NORMALIZATION.infer(since=23)
def infer(
    X: Abstract, scale: Abstract, *, axis: int, at: RuleSite
) -> Abstract | tuple[Abstract, ...] | None:
    result = Abstract(scale.dtype, X.shape)
    if X.shape is None:
        return result
    axis_in(axis, len(X.shape))
    try:
        _check(X.shape, scale.shape)
    except Violation as violation:
        return at.fail(
            violation.found,
            violation.expected,
            port=violation.port,
            partial=result,
            code=violation.code,
            sides=violation.sides,
        )
    return result


def _check(X: Shape, scale: Shape | None) -> None:
    if scale is None:
        return
    aligned = X[max(len(X) - len(scale), 0) :]
    if len(scale) > len(X) or any(map(_cannot_spread, scale, aligned)):
        raise Violation(
            f"shape {shape_text(scale)}",
            f"it must broadcast to X's {shape_text(X)}",
            port="scale",
            code="parameter-shape",
        )


def _cannot_spread(size: Dim, to: Dim) -> bool:
    return known_different(size, 1) and known_different(size, to)


RMS_NORMALIZATION.cost(since=23)(per_output(4))


@RMS_NORMALIZATION.kernel(since=23)
def rms_normalization(
    X: Floats, scale: Floats, *, axis: int, epsilon: float, stash_type: DType
) -> Floats:
    first = axis_in(axis, X.ndim)
    _check(X.shape, scale.shape)
    # 16-bit floats are only how numbers are kept: sums in them lose digits.
    wide = np.float64 if stash_type is DType.FLOAT64 else np.float32
    count = int(np.prod(X.shape[first:], dtype=np.int64))
    rows = X.astype(wide, copy=False).reshape(int(np.prod(X.shape[:first])), count)
    # Along short rows einsum is three times faster than add.reduce.
    mean = np.einsum("ni,ni->n", rows, rows) / wide(max(count, 1))
    normalized = narrowed(rows / np.sqrt(mean + wide(epsilon))[:, None], X).reshape(X.shape)
    return narrowed(np.multiply(normalized, scale), scale)


@RMS_NORMALIZATION.body(since=23)
def body(
    f: Body, X: BodyValue, scale: BodyValue, *, axis: int, epsilon: float, stash_type: DType
) -> BodyValue:
    rows = f.Cast(f.Flatten(X, axis=axis), to=stash_type)
    mean = f.ReduceMean(f.Mul(rows, rows), f.constant([1]))
    quotient = f.Div(rows, f.Sqrt(f.Add(mean, f.constant(epsilon, stash_type))))
    normalized = f.Reshape(f.CastLike(quotient, X), f.Shape(X))
    if f.dtype(scale) is not f.dtype(X):
        normalized = f.CastLike(normalized, scale)
    return f.Mul(normalized, scale)


# The root mean square is 5: no mean is taken off.
RMS_NORMALIZATION.example(([[1.0, 7.0]], [10.0, 100.0]), ([[2.0, 140.0]],), epsilon=0.0)
