"""Gelu: the Gaussian error linear unit, `Y[i] = X[i] × Φ(X[i])`, where Φ is the share of a normal
distribution that lies below X[i].

Exactly, `Φ(x) = (1 + erf(x / √2)) / 2`. With `approximate` = "tanh" it is
`(1 + tanh(√(2 / π) × (x + 0.044715 × x³))) / 2`, which differs by at most 0.0005 or so.
Unlike Relu it is smooth, and slightly negative between -6 and 0.

Spec: ai.onnx Gelu-20
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.cotangents import Floats, elementwise_vjp
from onnx_explorer.ops.elementwise import Array, by_blocks, in_float32, unary
from onnx_explorer.ops.math.erf import artanh_of_erf
from onnx_explorer.schema import Attr, Body, BodyValue, Change, Port
from onnx_explorer.schema.typesets import FLOATS_BF16

# (1 + tanh t) / 2 = 1 / (1 + exp(-2 t)), which keeps its digits far below 0, where tanh is next to -1.
_exponent = artanh_of_erf(sqrt(0.5), -2)
_ONE = np.asarray(1, np.float32)
_OF_TANH = 2 * sqrt(2 / pi)

FAR = -1.9
"""Below it, what is made for all numbers loses digits in float32: Φ is small there."""
# Φ(x) = e^(-x²/2) × k P(k) with k = 1 / (5/2 - x), fitted from `FAR` down to the smallest relative
# error, 5e-8. From the highest coefficient on.
_P = (39.0912879, -43.4989935, 9.63657578, 2.2772627, 2.16239335, 0.99480104, 0.398981911)
# Arrays: numpy takes longer with its scalars, and with Python's.
_HIGHEST, *_REST = [np.asarray(p, np.float32) for p in _P]
_OFFSET, _LARGEST, _HALF = (np.asarray(p, np.float32) for p in (2.5, 20, 0.5))
_UPPER_DIGITS = np.asarray(0xFFFFF000, np.uint32)


def _exact_into(values: Array, out: Array) -> None:
    if values.dtype != np.float32:
        np.multiply(values, _share_below(values.astype(np.float64)), out, casting="same_kind")
        return
    # Far below 0 it overflows to infinity, and a number over that is 0.
    _exponent(values, out)
    np.exp(out, out)
    np.add(out, _ONE, out)
    np.divide(values, out, out)


def _share_below(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Φ of float64 numbers, to the last digits also where it is small."""
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    size = np.minimum(np.absolute(x), 40)  # beyond, it is 0 or 1
    # In e^(-x²/2) the rounding of x² would count as often as x² says: half of the digits of x have
    # an exact square.
    half = size.astype(np.float32).astype(np.float64)
    erfcx = cast("Callable[[object], NDArray[np.float64]]", special.erfcx)  # pyright: ignore[reportUnknownMemberType]
    scaled = erfcx(size * sqrt(0.5))
    outside = (
        0.5 * np.exp(-0.5 * half * half) * np.exp(0.5 * (size + half) * (half - size)) * scaled
    )
    return np.where(np.less(x, 0), outside, 1 - outside)


def _share_far_below(x: Array) -> Array:
    """The same of float32 numbers below `FAR`."""
    size = np.minimum(np.negative(x), _LARGEST)
    k = np.divide(_ONE, np.add(size, _OFFSET))
    polynomial = np.multiply(k, _HIGHEST)
    for coefficient in _REST:
        np.add(polynomial, coefficient, polynomial)
        np.multiply(polynomial, k, polynomial)
    # e^(-x²/2) as above: the upper half of the digits has an exact square.
    half = np.bitwise_and(size.view(np.uint32), _UPPER_DIGITS).view(np.float32)
    exponent = np.multiply(half, half)
    np.multiply(exponent, _HALF, exponent)
    np.exp(np.negative(exponent, exponent), exponent)
    np.multiply(polynomial, exponent, polynomial)
    np.subtract(half, size, exponent)
    np.multiply(exponent, np.add(size, half, size), exponent)
    np.multiply(exponent, _HALF, exponent)
    np.exp(exponent, exponent)
    return np.multiply(polynomial, exponent, polynomial)


def _tanh_into(values: Array, out: Array) -> None:
    np.multiply(values, values, out=out)
    np.multiply(out, -0.044715 * _OF_TANH, out=out)
    np.subtract(out, _OF_TANH, out=out)
    np.multiply(out, values, out=out)
    np.exp(out, out=out)
    np.add(out, 1, out=out)
    np.divide(values, out, out=out)


_exact, _by_tanh = by_blocks(_exact_into), by_blocks(_tanh_into)


def _exact_far_below(x: Array) -> Array:
    return np.multiply(x, _share_far_below(x))


def _tanh_far_below(x: Array) -> Array:
    # The exponent is large, and its rounding counts as often as that says.
    return _by_tanh(x.astype(np.float64))


@in_float32
def gelu(X: Array, *, approximate: str, out: Array | None = None) -> Array:
    by_tanh = approximate == "tanh"
    whole, far_below = (_by_tanh, _tanh_far_below) if by_tanh else (_exact, _exact_far_below)
    if X.dtype != np.float32:
        return whole(X, out=out)
    far = np.flatnonzero(np.less(X, FAR))
    x = X.reshape(-1)[far]  # before it is written over
    Y = whole(X, out=out)
    if far.size:
        Y.reshape(-1)[far] = far_below(x)
    return Y


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


def slope(X: Floats, Y: Floats, *, approximate: str) -> Floats:
    # Through the body, 1 + erf would be 0 from -6 down.
    x = X.astype(np.float64)
    if approximate == "tanh":
        steepness = _OF_TANH * (1 + 3 * 0.044715 * x * x)
        exponent = np.clip(_OF_TANH * x * (1 + 0.044715 * x * x), -700, 700)
        share, rest = 1 / (1 + np.exp(-exponent)), 1 / (1 + np.exp(exponent))
        return (share + x * steepness * share * rest).astype(X.dtype)
    density = np.exp(-0.5 * x * x) / sqrt(2 * pi)
    return (_share_below(x) + x * density).astype(X.dtype)


GELU.vjp(since=20)(elementwise_vjp(slope))


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
