"""Gelu: the Gaussian error linear unit, `Y[i] = X[i] × Φ(X[i])`, where Φ is the share of a normal
distribution that lies below X[i].

Exactly, `Φ(x) = (1 + erf(x / √2)) / 2`. With `approximate` = "tanh" it is
`(1 + tanh(√(2 / π) × (x + 0.044715 × x³))) / 2`, which differs by at most 0.0005 or so.
Unlike Relu it is smooth, and slightly negative between -6 and 0.

Spec: ai.onnx Gelu-20
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from onnx_explorer.ops.elementwise import Array, by_blocks, in_float32, unary
from onnx_explorer.ops.math.erf import artanh_of_erf, precise_erf
from onnx_explorer.schema import Attr, Body, BodyValue, Change, Port
from onnx_explorer.schema.typesets import FLOATS_BF16

# (1 + tanh t) / 2 = 1 / (1 + exp(-2 t))
_exponent = artanh_of_erf(sqrt(0.5), -2)
_ONE = np.asarray(1, np.float32)


def _exact_into(values: Array, out: Array) -> None:
    if values.dtype != np.float32:
        np.copyto(out, precise_erf(np.multiply(values, sqrt(0.5))))
        _times_half_of_one_more(values, out)
        return
    # Far below 0 it overflows to infinity, and a number over that is the right 0.
    _exponent(values, out)
    np.exp(out, out)
    np.add(out, _ONE, out)
    np.divide(values, out, out)


def _tanh_into(values: Array, out: Array) -> None:
    np.multiply(values, values, out=out)
    np.multiply(out, 0.044715 * sqrt(2 / pi), out=out)
    np.add(out, sqrt(2 / pi), out=out)
    np.multiply(out, values, out=out)
    np.tanh(out, out=out)
    _times_half_of_one_more(values, out)


def _times_half_of_one_more(values: Array, out: Array) -> None:
    """Fill `out` with values × (1 + out) / 2."""
    np.add(out, 1, out=out)
    np.multiply(out, 0.5, out=out)
    np.multiply(out, values, out=out)


_exact, _by_tanh = by_blocks(_exact_into), by_blocks(_tanh_into)


@in_float32
def gelu(X: Array, *, approximate: str, out: Array | None = None) -> Array:
    return (_by_tanh if approximate == "tanh" else _exact)(X, out=out)


GELU = unary(
    "Gelu",
    __doc__,
    (
        Change(
            20,
            "first version",
            inputs=(Port("X", "T", "numbers", differentiable=True),),
            outputs=(
                Port("Y", "T", "`X`, with what is negative pulled to 0", differentiable=True),
            ),
            attributes=(
                Attr(
                    "approximate",
                    "string",
                    "none",
                    one_of=("none", "tanh"),
                    doc="tanh: a formula by tanh; none: the exact one by erf",
                ),
            ),
            types={"T": FLOATS_BF16},
        ),
    ),
    gelu,
)


@GELU.body(since=20)
def body(f: Body, X: BodyValue, *, approximate: str) -> BodyValue:
    half = f.Mul(X, f.like(0.5, X))
    if approximate == "tanh":
        cubed = f.Mul(f.Mul(X, X), X)
        inner = f.Add(X, f.Mul(cubed, f.like(0.044715, X)))
        bent = f.Tanh(f.Mul(inner, f.like(sqrt(2 / pi), X)))
    else:
        bent = f.Erf(f.Mul(X, f.like(sqrt(1 / 2), X)))
    return f.Mul(half, f.Add(bent, f.like(1.0, X)))


GELU.example(([-1.0, 0.0, 1.0],), ([-0.158655, 0.0, 0.841345],))
GELU.example(([-1.0, 0.0, 1.0],), ([-0.158808, 0.0, 0.841192],), approximate="tanh")
