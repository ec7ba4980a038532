"""Erf: the Gauss error function of every element, `erf(x) = 2 / √π × ∫ e^(-t²) dt` from 0 to x.

It is odd and goes from -1 to 1; beyond ±4 it is ±1 in float32. The exact Gelu is made of it.
Before version 13 integers were allowed: their results are cut to -1, 0 or 1, which is 0 for all
that are not rounded to ±1.

Spec: ai.onnx Erf-13
"""

from __future__ import annotations

from math import pi, sqrt
from typing import cast

import numpy as np

from onnx_explorer.ops.elementwise import Array, by_blocks, in_float32, unary
from onnx_explorer.schema import Change, Port
from onnx_explorer.schema.typesets import FLOATS_BF16, NUMBERS

# erf(x) = x P(x²) / Q(x²) on [-3.925, 3.925], fitted to the smallest relative error; float32
# arithmetic stays within 5e-7. It takes half the time of scipy's erf.
_EDGE, _ONE = np.asarray(3.925, np.float32), np.asarray(1, np.float32)
_P = np.array(
    [2.04601935e-06, 0.000284841941, 0.00377252077, 0.0527692025, 0.19059321, 1.12837915],
    np.float32,
)
_Q = np.array(
    [3.8047608e-05, 0.00116384895, 0.0149831391, 0.114182475, 0.502241565, 1.0], np.float32
)

# A product with powers rounds in another order; the last bit more brings the ends to ±1 again.
_PQ = np.stack([_P[::-1] * np.float32(1 + 2**-23), _Q[::-1]])
FEW = 4096
"""Up to how many elements such a product is faster: it takes fewer calls, not less work."""


def erf_into(values: Array, out: Array) -> None:
    """The erf of float32 values."""
    x = np.maximum(values, -_EDGE)
    np.minimum(x, _EDGE, out=x)
    square = np.multiply(x, x)
    if x.size <= FEW:
        above, below = np.matmul(_PQ, _powers(square))
    else:
        above, below = (_polynomial(p, square) for p in (_P, _Q))
    np.multiply(x, above, out=out)
    np.divide(out, below, out=out)
    np.maximum(out, -_ONE, out=out)
    np.minimum(out, _ONE, out=out)


def _powers(x: Array) -> Array:
    """1, x, x², ... x⁵, one row each."""
    powers = np.empty((6, x.size), np.float32)
    powers[0], powers[1] = _ONE, x
    square = np.multiply(x, x, out=powers[2])
    np.multiply(powers[1:3], square, out=powers[3:5])
    np.multiply(powers[3], square, out=powers[5])
    return powers


def _polynomial(coefficients: Array, x: Array) -> Array:
    value = np.multiply(x, coefficients[0])
    for coefficient in coefficients[1:-1]:
        np.add(value, coefficient, out=value)
        np.multiply(value, x, out=value)
    return np.add(value, coefficients[-1], out=value)


def precise_erf(values: Array) -> Array:
    """The erf to the last bit of float64."""
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    return cast("Array", special.erf(values))  # pyright: ignore[reportUnknownMemberType]


_erf_float32 = by_blocks(erf_into)


@in_float32
def erf(input: Array, *, out: Array | None = None) -> Array:
    if input.dtype == np.float32:
        return _erf_float32(input, out=out)
    return precise_erf(input).astype(input.dtype)


ERF = unary(
    "Erf",
    __doc__,
    (
        Change(
            9,
            "first version",
            inputs=(Port("input", "T", "numbers"),),
            outputs=(Port("output", "T", "between -1 and 1"),),
            types={"T": NUMBERS},
        ),
        Change(
            13,
            "bfloat16; integers go, for which the result said nothing",
            types={"T": FLOATS_BF16},
            differentiable={"input": True, "output": True},
        ),
    ),
    erf,
    slope=lambda x, y: 2 / sqrt(pi) * np.exp(-x * x),
)

ERF.example(([0.0, 1.0, -1.0],), ([0.0, 0.842701, -0.842701],))
