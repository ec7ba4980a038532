"""LeakyRelu, PRelu, ThresholdedRelu and Shrink: activations made of straight lines.

Relu and Clip, which are as well, have pages of their own.

Spec: ai.onnx LeakyRelu-16, PRelu-16, ThresholdedRelu-22, Shrink-9
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from onnx_explorer.dims import known_different
from onnx_explorer.ir import DType
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import Floats, Values, binary_vjp, elementwise_vjp
from onnx_explorer.ops.elementwise import (
    CONSUMED,
    Array,
    float_history,
    from_opset_18,
    in_float32,
    unary,
    unary_history,
)
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Cotangents,
    DerivativeSite,
    Operator,
    Port,
    RuleSite,
    Shape,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOATS, NUMBERS, WIDE_INTEGERS


@in_float32
def leaky_relu(X: Array, *, alpha: float) -> Array:
    scaled = np.multiply(X, alpha, out=np.empty_like(X))
    # The larger of the two is the right one; infinity times 0 would be NaN.
    return (
        np.maximum(X, scaled, out=scaled) if 0 < alpha <= 1 else np.where(np.less(X, 0), scaled, X)
    )


@in_float32
def thresholded_relu(X: Array, *, alpha: float) -> Array:
    return np.where(np.greater(X, alpha), X, X.dtype.type(0))


@in_float32
def shrink(input: Array, *, bias: float, lambd: float) -> Array:
    # Integers are compared and moved as floats, and cut again.
    below, above = np.add(input, bias), np.subtract(input, bias)
    kept = np.where(np.greater(input, lambd), above, above.dtype.type(0))
    return np.where(np.less(input, -lambd), below, kept).astype(input.dtype, copy=False)


_LEAKY_V1, _LEAKY_V6, _ = unary_history(
    "numbers",
    "`X` with what is negative scaled by alpha",
    attributes=(Attr("alpha", "float", 0.01, doc="the slope below 0"),),
)

LEAKY_RELU = unary(
    "LeakyRelu",
    """LeakyRelu: `Y[i] = X[i]` where X[i] is 0 or more, else `alpha × X[i]`.

A Relu that lets a little of what is negative through, so that its slope is 0 nowhere.

Spec: ai.onnx LeakyRelu-16
""",
    (
        _LEAKY_V1,
        replace(_LEAKY_V6, differentiable={"X": True, "Y": True}),
        Change(16, "bfloat16", widen={"T": BF16}),
    ),
    leaky_relu,
)

THRESHOLDED_RELU = unary(
    "ThresholdedRelu",
    """ThresholdedRelu: `Y[i] = X[i]` where X[i] is more than alpha, else 0.

The result jumps at alpha. NaN, which is not more than anything, becomes 0.

Spec: ai.onnx ThresholdedRelu-22
""",
    float_history(
        10,
        "numbers",
        "`X` with 0 in place of what is not above alpha",
        attributes=(Attr("alpha", "float", 1.0, doc="what an element must exceed to stay"),),
    ),
    thresholded_relu,
)

SHRINK = unary(
    "Shrink",
    """Shrink: `input[i] + bias` where input[i] is less than -lambd, `input[i] - bias` where it is
more than lambd, else 0.

With bias = lambd it is the soft threshold, which is continuous; with bias = 0 the hard one. NaN
becomes 0. Integers are computed as floats and cut, so that a fractional bias does not add up.

Spec: ai.onnx Shrink-9
""",
    (
        Change(
            9,
            "first version",
            inputs=(Port("input", "T", "numbers", differentiable=True),),
            outputs=(Port("output", "T", "`input`, moved toward 0 by bias", differentiable=True),),
            attributes=(
                Attr("bias", "float", 0.0, doc="how far the elements move toward 0"),
                Attr("lambd", "float", 0.5, doc="what is no farther than this from 0 becomes 0"),
            ),
            types={"T": NUMBERS},
        ),
    ),
    shrink,
)

_X = Port("X", "T", "numbers, (N, C, *spatial) before version 7")
_Y = Port("Y", "T", "`X` with what is negative scaled by its slope")

PRELU = Operator(
    "PRelu",
    doc="""PRelu: `Y[i] = X[i]` where X[i] is 0 or more, else `slope × X[i]`: a LeakyRelu whose
slopes were learned.

`slope` broadcasts to the shape of X, which stays what it is. One slope per channel of (N, C, H, W)
has the shape (C, 1, 1) then. Before version 7 it was 1-D, with one slope for all channels or one
for each.

Spec: ai.onnx PRelu-16
""",
    history=(
        Change(
            1,
            "first version",
            inputs=(_X, Port("slope", "T", "1-D: one slope for all channels, or one for each")),
            outputs=(_Y,),
            attributes=(CONSUMED,),
            types={"T": FLOATS},
        ),
        Change(6, "the hint for in-place execution goes", drop=("consumed_inputs",)),
        Change(
            7,
            "the slopes broadcast to the shape of X",
            inputs=(_X, Port("slope", "T", "the slopes below 0, broadcast to the shape of X")),
        ),
        Change(
            9,
            "32 and 64-bit integers",
            widen={"T": WIDE_INTEGERS},
            differentiable={"X": True, "slope": True, "Y": True},
        ),
        Change(16, "bfloat16", widen={"T": BF16}),
    ),
)


def _per_channel(slope: Shape, X: Shape) -> Shape:
    """The shape under which slopes of before version 7 broadcast to X."""
    return (*slope, *(1,) * (len(X) - 2)) if len(slope) == 1 else slope


def _check_slope(slope: Shape, X: Shape) -> None:
    window = X[len(X) - len(slope) :] if len(slope) <= len(X) else ()
    if len(window) != len(slope) or any(
        known_different(size, 1) and known_different(size, wanted)
        for size, wanted in zip(slope, window, strict=True)
    ):
        raise Violation(
            f"shape {list(slope)}",
            f"it must broadcast to X's shape {list(X)}",
            port="slope",
            code="wrong-shape",
        )


@PRELU.infer(since=1)
def infer_per_channel(X: Abstract, slope: Abstract, *, at: RuleSite) -> Abstract:
    if X.shape is None or slope.shape is None:
        return Abstract(None, X.shape)
    return infer(X, slope.like(_per_channel(slope.shape, X.shape)), at=at)


@PRELU.infer(since=7)
def infer(X: Abstract, slope: Abstract, *, at: RuleSite) -> Abstract:
    if X.shape is not None and slope.shape is not None:
        _check_slope(slope.shape, X.shape)
        for size, to in zip(slope.shape[::-1], X.shape[::-1], strict=False):
            if not isinstance(size, int):
                at.assume(size, to, f"{size} = {to}, or {size} = 1")
    return Abstract(None, X.shape)


PRELU.cost(since=1)(per_output())


@PRELU.kernel(since=1)
def prelu_per_channel(X: Array, slope: Array) -> Array:
    return prelu(X, slope.reshape(_per_channel(slope.shape, X.shape)))


@PRELU.kernel(since=7)
@in_float32
def prelu(X: Array, slope: Array) -> Array:
    _check_slope(slope.shape, X.shape)
    return np.where(np.less(X, 0), np.multiply(X, slope), X)


def leaky_relu_slope(X: Floats, Y: Floats, *, alpha: float) -> Floats:
    return np.where(X < 0, X.dtype.type(alpha), X.dtype.type(1))


LEAKY_RELU.vjp(since=1)(elementwise_vjp(leaky_relu_slope))
_prelu_vjp = binary_vjp(
    lambda x, slope, y: np.where(x < 0, slope, 1),
    lambda x, slope, y: np.minimum(x, 0),
)
PRELU.vjp(since=7)(_prelu_vjp)


@PRELU.vjp(since=1)
def vjp_per_channel(
    cotangents: Values, inputs: Values, outputs: Values, *, at: DerivativeSite
) -> Cotangents:
    X, slope = inputs
    each = slope.reshape(_per_channel(slope.shape, X.shape))
    by_x, by_slope = _prelu_vjp(cotangents, (X, each), outputs, at=at)
    return by_x, None if by_slope is None else by_slope.reshape(slope.shape)


@LEAKY_RELU.body(since=16)
def leaky_relu_body(f: Body, X: BodyValue, *, alpha: float) -> BodyValue:
    return prelu_body(f, X, f.like(alpha, X))


@PRELU.body(since=16)
def prelu_body(f: Body, X: BodyValue, slope: BodyValue) -> BodyValue:
    return f.Where(f.Less(X, f.like(0.0, X)), f.Mul(X, slope), X)


@THRESHOLDED_RELU.body(since=10)
@from_opset_18
def thresholded_relu_body(f: Body, X: BodyValue, *, alpha: float) -> BodyValue:
    return f.Where(f.Greater(X, f.like(alpha, X)), X, f.like(0.0, X))


@SHRINK.body(since=9)
@from_opset_18
def shrink_body(f: Body, input: BodyValue, *, bias: float, lambd: float) -> BodyValue:
    # Integers are compared with fractions as well.
    wide = f.Cast(input, to=DType.FLOAT64)
    way = f.constant(bias, DType.FLOAT64)
    above = f.Greater(wide, f.constant(lambd, DType.FLOAT64))
    below = f.Less(wide, f.constant(-lambd, DType.FLOAT64))
    kept = f.Where(above, f.Sub(wide, way), f.constant(0.0, DType.FLOAT64))
    return f.CastLike(f.Where(below, f.Add(wide, way), kept), input)


LEAKY_RELU.example(([-2.0, 0.0, 3.0],), ([-0.2, 0.0, 3.0],), alpha=0.1)
THRESHOLDED_RELU.example(([-2.0, 1.0, 3.0],), ([0.0, 0.0, 3.0],), alpha=1.0)
SHRINK.example(([-2.0, -1.0, 3.0],), ([-0.5, 0.0, 1.5],), lambd=1.5, bias=1.5)
SHRINK.example(([-2, -1, 3],), ([0, 0, 1],), lambd=1.5, bias=1.5)
PRELU.example(([[-1.0, 2.0], [-3.0, 4.0]], [10.0, 100.0]), ([[-10.0, 2.0], [-30.0, 4.0]],))
PRELU.example(([[[-1.0, 2.0], [-3.0, 4.0]]], [[10.0], [100.0]]), ([[[-10.0, 2.0], [-300.0, 4.0]]],))
