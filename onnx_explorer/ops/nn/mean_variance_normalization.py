"""MeanVarianceNormalization: brings the elements along some axes to mean 0 and variance 1.

`Y = (X - mean) / standard deviation`, both taken over `axes` together, the deviation over the whole
population. The default axes (0, 2, 3) make one mean and one deviation for each channel of a batch of
images. To constant elements, whose deviation is 0, it gives 0: 1e-9 is added to the deviation.

Spec: ai.onnx MeanVarianceNormalization-13
"""

from __future__ import annotations

from math import prod

import numpy as np

from onnx_explorer.ir import DType
from onnx_explorer.ops.axes import axes_in
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import Values
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import Abstract, Attr, Body, BodyValue, Change, Operator, Port
from onnx_explorer.schema.typesets import BF16, FLOATS

MEAN_VARIANCE_NORMALIZATION = Operator(
    "MeanVarianceNormalization",
    doc=__doc__,
    history=(
        Change(
            9,
            "first version",
            inputs=(Port("X", "T", "the tensor to normalize"),),
            outputs=(Port("Y", "T", "the normalized tensor, same shape"),),
            attributes=(
                Attr(
                    "axes", "ints", (0, 2, 3), doc="the axes whose elements share a mean; none: all"
                ),
            ),
            types={"T": FLOATS},
        ),
        Change(13, "bfloat16", widen={"T": BF16}, differentiable={"X": True, "Y": True}),
    ),
)


@MEAN_VARIANCE_NORMALIZATION.infer(since=9)
def infer(X: Abstract, *, axes: tuple[int, ...]) -> Abstract:
    if X.shape is not None:
        axes_in(axes, len(X.shape))
    return X.like(X.shape)


MEAN_VARIANCE_NORMALIZATION.cost(since=9)(per_output(5))


@MEAN_VARIANCE_NORMALIZATION.kernel(since=9)
def mean_variance_normalization(X: Floats, *, axes: tuple[int, ...]) -> Floats:
    over = axes_in(axes, X.ndim) or tuple(range(X.ndim))
    seen = widened(X)
    count = seen.dtype.type(max(int(np.prod([X.shape[axis] for axis in over])), 1))
    difference = seen - np.add.reduce(seen, axis=over, keepdims=True) / count
    variance = np.add.reduce(difference * difference, axis=over, keepdims=True) / count
    difference /= np.sqrt(variance) + seen.dtype.type(1e-9)
    return narrowed(difference, X)


@MEAN_VARIANCE_NORMALIZATION.vjp(since=9)
def vjp(cotangents: Values, inputs: Values, outputs: Values, *, axes: tuple[int, ...]) -> Floats:
    (c,), (x,), (y,) = cotangents, inputs, outputs
    over = axes_in(axes, x.ndim) or tuple(range(x.ndim))
    count = max(prod(x.shape[axis] for axis in over), 1)

    def mean(values: Floats) -> Floats:
        return np.add.reduce(values, axis=over, keepdims=True) / count

    difference = x - mean(x)
    deviation = np.sqrt(mean(difference * difference))
    # The root in the body has an infinite slope where elements are constant.
    direction = difference / np.where(deviation == 0, 1, deviation)
    return (c - mean(c) - direction * mean(c * y)) / (deviation + 1e-9)


@MEAN_VARIANCE_NORMALIZATION.body(since=9)
def body(f: Body, X: BodyValue, *, axes: tuple[int, ...]) -> BodyValue:
    def mean(values: BodyValue) -> BodyValue:
        if f.opset < 18:
            return f.ReduceMean(values, axes=axes)
        return f.ReduceMean(values, f.constant(axes))

    dtype = f.dtype(X)
    narrow = dtype in {DType.FLOAT16, DType.BFLOAT16}
    wide = f.Cast(X, to=DType.FLOAT32) if narrow else X
    difference = f.Sub(wide, mean(wide))
    deviation = f.Sqrt(mean(f.Mul(difference, difference)))
    # CastLike came with opset 15 only: what is not known counts as float32.
    tiny = f.constant(1e-9, DType.FLOAT64 if dtype is DType.FLOAT64 else DType.FLOAT32)
    normalized = f.Div(difference, f.Add(deviation, tiny))
    return f.Cast(normalized, to=dtype) if narrow else normalized


MEAN_VARIANCE_NORMALIZATION.example(([[[[1.0]]], [[[3.0]]]],), ([[[[-1.0]]], [[[1.0]]]],))
MEAN_VARIANCE_NORMALIZATION.example(
    ([[1.0, 3.0], [5.0, 5.0]],), ([[-1.0, 1.0], [0.0, 0.0]],), axes=[1]
)
