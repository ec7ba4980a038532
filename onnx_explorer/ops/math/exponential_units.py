"""Elu, Celu and Selu: activations that keep what is positive and let what is negative level off.

Spec: ai.onnx Elu-22, Celu-28, Selu-22
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from onnx_explorer.ops.cotangents import Floats, elementwise_vjp
from onnx_explorer.ops.elementwise import (
    Array,
    by_blocks,
    from_opset_18,
    in_float32,
    unary,
    unary_history,
)
from onnx_explorer.schema import Attr, Body, BodyValue, Change, Port
from onnx_explorer.schema.typesets import BF16, FLOAT16, FLOAT32, FLOAT64


def _expm1_into(x: Array) -> None:
    """Put e^x - 1 in the place of x, which is not positive."""
    # With t = tanh(x / 2) it is 2 × t / (1 - t), and several times as fast as expm1.
    np.multiply(x, 0.5, out=x)
    np.tanh(x, out=x)
    rest = np.subtract(1, x)
    np.divide(x, rest, out=x)
    np.multiply(x, 2, out=x)


def _unit_into(values: Array, out: Array, *, above: float, below: float, stretch: float) -> None:
    """Fill `out` with above × x where x is positive, else with below × (e^(x / stretch) - 1)."""
    np.minimum(values, 0, out=out)
    if stretch != 1:
        np.divide(out, stretch, out=out)
    if stretch > 0:
        _expm1_into(out)
    else:
        np.expm1(out, out=out)
    np.multiply(out, below, out=out)
    # One of the two parts is 0 everywhere.
    positive = np.maximum(values, 0)
    if above != 1:
        np.multiply(positive, above, out=positive)
    np.add(out, positive, out=out)


def _unit(
    X: Array, above: float, below: float, stretch: float = 1, *, out: Array | None = None
) -> Array:
    fill = partial(_unit_into, above=above, below=below, stretch=stretch)
    return by_blocks(fill)(X, out=out)


@in_float32
def elu(X: Array, *, alpha: float, out: Array | None = None) -> Array:
    return _unit(X, 1, alpha, out=out)


@in_float32
def celu(X: Array, *, alpha: float, out: Array | None = None) -> Array:
    return _unit(X, 1, alpha, stretch=alpha, out=out)


@in_float32
def selu(X: Array, *, alpha: float, gamma: float, out: Array | None = None) -> Array:
    return _unit(X, gamma, gamma * alpha, out=out)


_ELU_V1, _ELU_V6, _ = unary_history(
    "numbers",
    "`X` with what is negative pulled up to above -alpha",
    attributes=(Attr("alpha", "float", 1.0, doc="how far below 0 the results reach"),),
)

ELU = unary(
    "Elu",
    """Elu: the exponential linear unit, `Y[i] = X[i]` where X[i] is 0 or more, else
`alpha × (e^X[i] - 1)`.

Unlike Relu it has a slope everywhere, which fades out as the result nears -alpha. At 0 the slope
jumps unless alpha is 1; Celu has no such jump.

Spec: ai.onnx Elu-22
""",
    (
        _ELU_V1,
        replace(_ELU_V6, differentiable={"X": True, "Y": True}),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
    elu,
)

CELU = unary(
    "Celu",
    """Celu: the exponential linear unit without a kink, `Y[i] = X[i]` where X[i] is 0 or more, else
`alpha × (e^(X[i] / alpha) - 1)`.

The slope at 0 is 1 from both sides, whatever alpha is. With alpha = 1 it is Elu.

Spec: ai.onnx Celu-28
""",
    (
        Change(
            12,
            "first version",
            inputs=(Port("X", "T", "numbers", differentiable=True),),
            outputs=(
                Port(
                    "Y",
                    "T",
                    "`X` with what is negative pulled up to above -alpha",
                    differentiable=True,
                ),
            ),
            attributes=(Attr("alpha", "float", 1.0, doc="how far below 0 the results reach"),),
            types={"T": FLOAT32},
        ),
        Change(28, "floats of other widths", widen={"T": FLOAT64 | FLOAT16 | BF16}),
    ),
    celu,
)

_ALPHA = Attr("alpha", "float", 1.6732, doc="how far below 0 the results reach, before `gamma`")
_GAMMA = Attr("gamma", "float", 1.0507, doc="the factor of all results")
_SELU_V1, _SELU_V6, _ = unary_history(
    "numbers", "`X` scaled, with what is negative levelling off", attributes=(_ALPHA, _GAMMA)
)

SELU = unary(
    "Selu",
    """Selu: the scaled exponential linear unit, `Y[i] = gamma × X[i]` where X[i] is positive, else
`gamma × alpha × (e^X[i] - 1)`.

With the default factors a layer's outputs tend to mean 0 and variance 1 when its inputs have them,
so that a deep network needs no normalization. Version 6 gave the two factors more digits.

Spec: ai.onnx Selu-22
""",
    (
        _SELU_V1,
        replace(
            _SELU_V6,
            reason="more digits of both factors; the hint for in-place execution goes",
            attributes=(
                replace(_ALPHA, default=1.6732631921768188),
                replace(_GAMMA, default=1.0507010221481323),
            ),
            differentiable={"X": True, "Y": True},
        ),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
    selu,
)


def elu_slope(X: Floats, Y: Floats, *, alpha: float) -> Floats:
    return np.where(X < 0, Y + alpha, 1)


def celu_slope(X: Floats, Y: Floats, *, alpha: float) -> Floats:
    return np.where(X < 0, Y / alpha + 1, 1)


def selu_slope(X: Floats, Y: Floats, *, alpha: float, gamma: float) -> Floats:
    return np.where(X < 0, Y + gamma * alpha, gamma)


# Through the bodies, an exponential that overflows where nobody takes it would give NaN.
ELU.vjp(since=1)(elementwise_vjp(elu_slope))
CELU.vjp(since=12)(elementwise_vjp(celu_slope))
SELU.vjp(since=1)(elementwise_vjp(selu_slope))


@ELU.body(since=6)
@from_opset_18
def elu_body(f: Body, X: BodyValue, *, alpha: float) -> BodyValue:
    bent = f.Mul(f.Sub(f.Exp(X), f.like(1.0, X)), f.like(alpha, X))
    return f.Where(f.Less(X, f.like(0.0, X)), bent, X)


@CELU.body(since=12)
def celu_of_float32_body(f: Body, X: BodyValue, *, alpha: float) -> BodyValue:
    return _celu_body(f, X, f.constant(alpha), f.constant(0.0), f.constant(1.0))


@CELU.body(since=28)
def celu_body(f: Body, X: BodyValue, *, alpha: float) -> BodyValue:
    return _celu_body(f, X, f.like(alpha, X), f.like(0.0, X), f.like(1.0, X))


def _celu_body(
    f: Body, X: BodyValue, alpha: BodyValue, zero: BodyValue, one: BodyValue
) -> BodyValue:
    bent = f.Mul(f.Sub(f.Exp(f.Div(X, alpha)), one), alpha)
    return f.Where(f.Less(X, zero), bent, X)


@SELU.body(since=6)
@from_opset_18
def selu_body(f: Body, X: BodyValue, *, alpha: float, gamma: float) -> BodyValue:
    return f.Mul(f.Elu(X, alpha=alpha), f.like(gamma, X))


ELU.example(([-1.0, 0.0, 2.0],), ([-0.632121, 0.0, 2.0],))
ELU.example(([-2.0, 0.0, 2.0],), ([-1.729329, 0.0, 2.0],), alpha=2.0)
CELU.example(([-2.0, 0.0, 2.0],), ([-1.264241, 0.0, 2.0],), alpha=2.0)
SELU.example(([-1.0, 0.0, 2.0],), ([-1.111331, 0.0, 2.101402],))
