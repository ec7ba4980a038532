"""Softplus, Mish and Softsign: smooth activations made of logarithms and quotients.

Spec: ai.onnx Softplus-22, Mish-22, Softsign-22
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.elementwise import (
    Array,
    by_blocks,
    float_history,
    from_opset_18,
    in_float32,
    unary,
)
from onnx_explorer.schema import Body, BodyValue


def _softplus_into(values: Array, out: Array) -> None:
    # ln(1 + e^x) = max(x, 0) + ln(1 + t) with t = e^-|x|, where nothing overflows.
    t = np.absolute(values)
    np.negative(t, out=t)
    np.exp(t, out=t)
    # What rounding takes from u = 1 + t comes back as (t - (u - 1)) / u; log1p takes much longer.
    u = np.add(t, 1)
    np.subtract(u, 1, out=out)
    np.subtract(t, out, out=out)
    np.divide(out, u, out=out)
    np.log(u, out=u)
    np.add(out, u, out=out)
    np.add(out, np.maximum(values, 0), out=out)


def _mish_into(values: Array, out: Array) -> None:
    # tanh(ln(1 + e)) = n / (n + 2) with n = e × (e + 2); from x = 20 on it rounds to 1.
    e = np.minimum(values, 20)
    np.exp(e, out=e)
    np.add(e, 2, out=out)
    np.multiply(out, e, out=out)
    np.add(out, 2, out=e)
    np.divide(out, e, out=out)
    np.multiply(out, values, out=out)


def _softsign_into(values: Array, out: Array) -> None:
    np.absolute(values, out=out)
    np.add(out, 1, out=out)
    np.divide(values, out, out=out)


_softplus, _mish, _softsign = map(by_blocks, (_softplus_into, _mish_into, _softsign_into))


@in_float32
def softplus(X: Array, *, out: Array | None = None) -> Array:
    return _softplus(X, out=out)


@in_float32
def mish(X: Array, *, out: Array | None = None) -> Array:
    return _mish(X, out=out)


@in_float32
def softsign(input: Array, *, out: Array | None = None) -> Array:
    return _softsign(input, out=out)


SOFTPLUS = unary(
    "Softplus",
    """Softplus: `Y[i] = ln(1 + e^X[i])`, a Relu with a round corner; it is positive everywhere.

Large elements stay what they are instead of overflowing on the way.

Spec: ai.onnx Softplus-22
""",
    float_history(1, "numbers", "positive numbers, close to `X` where it is large"),
    softplus,
    # Through the body, whose two halves have a kink each, it would be 0 at 0.
    slope=lambda x, y: -np.expm1(-y),
)

MISH = unary(
    "Mish",
    """Mish: `Y[i] = X[i] × tanh(ln(1 + e^X[i]))`: each element times the Tanh of its Softplus.

It is shaped like Swish and dips to -0.309 below 0. Negative infinity gives NaN.

Spec: ai.onnx Mish-22
""",
    float_history(18, "numbers", "`X`, with what is negative pulled to 0"),
    mish,
)

SOFTSIGN = unary(
    "Softsign",
    """Softsign: `output[i] = x / (1 + |x|)` of every element x, which maps every number to between
-1 and 1.

It nears its ends more slowly than Tanh. Infinity gives NaN.

Spec: ai.onnx Softsign-22
""",
    float_history(1, "numbers", "between -1 and 1", ports=("input", "output")),
    softsign,
)


@SOFTPLUS.body(since=1)
@from_opset_18
def softplus_body(f: Body, X: BodyValue) -> BodyValue:
    # e to a power that is not positive does not overflow.
    small = f.Exp(f.Neg(f.Abs(X)))
    return f.Add(f.Relu(X), f.Log(f.Add(small, f.like(1.0, X))))


@MISH.body(since=18)
def mish_body(f: Body, X: BodyValue) -> BodyValue:
    return f.Mul(X, f.Tanh(f.Softplus(X)))


@SOFTSIGN.body(since=1)
@from_opset_18
def softsign_body(f: Body, input: BodyValue) -> BodyValue:
    return f.Div(input, f.Add(f.Abs(input), f.like(1.0, input)))


SOFTPLUS.example(([-1.0, 0.0, 100.0],), ([0.313262, 0.693147, 100.0],))
MISH.example(([-1.0, 0.0, 1.0],), ([-0.303401, 0.0, 0.865098],))
SOFTSIGN.example(([-1.0, 0.0, 3.0],), ([-0.5, 0.0, 0.75],))
