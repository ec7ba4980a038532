"""Erf: the Gauss error function of every element, `erf(x) = 2 / √π × ∫ e^(-t²) dt` from 0 to x.

It is odd and goes from -1 to 1; beyond ±4 it is ±1 in float32. The exact Gelu is made of it.
Before version 13 integers were allowed: their results are cut to -1, 0 or 1, which is 0 for all
that are not rounded to ±1.

Spec: ai.onnx Erf-13
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi, sqrt
from typing import cast

import numpy as np

from onnx_explorer.ops.elementwise import Array, by_blocks, in_float32, unary
from onnx_explorer.schema import Change, Port
from onnx_explorer.schema.typesets import FLOATS_BF16, NUMBERS

# erf(x) = x P(x²) / Q(x²) on [-3.85, 3.85], fitted to the smallest relative error; float32
# arithmetic stays within 5e-7. It takes a third of the time of scipy's erf.
_EDGE = 3.85
_P = (0.05443219624, 7.375775564, 94.85855869, 1354.962007, 4851.325257, 29133.1913)
_Q = (1.0, 29.57588878, 381.7310365, 2920.860606, 12905.56952, 25818.61893)


def scaled_erf(scale: float, height: float) -> Callable[[Array, Array], None]:
    """A function that fills its second argument with `height × erf(scale × x)` for float32 values
    x: the factors cost nothing, as they go into the coefficients.
    """
    degrees = range(len(_Q) - 1, -1, -1)
    # The first coefficient of Q stays 1, which saves a product.
    by_degree = [scale ** (2 * degree) / scale ** (2 * degrees[0]) for degree in degrees]
    above = [height * scale * p * by for p, by in zip(_P, by_degree, strict=True)]
    below = [q * by for q, by in zip(_Q, by_degree, strict=True)]
    # Arrays: numpy takes longer with its scalars, and with Python's.
    (p, *P), (_, q, *Q) = ([np.asarray(c, np.float32) for c in cs] for cs in (above, below))
    least, edge = np.asarray(0, np.float32), np.asarray((_EDGE / scale) ** 2, np.float32)
    top = np.asarray(height, np.float32)
    bottom = -top

    def fill(values: Array, out: Array) -> None:
        # Clipping, numpy is faster with two bounds than with one.
        square = np.multiply(values, values)
        square.clip(least, edge, out=square)
        numerator = np.multiply(square, p)
        _continue(numerator, square, P)
        denominator = np.add(square, q)
        np.multiply(denominator, square, out=denominator)
        _continue(denominator, square, Q)
        np.multiply(numerator, values, out=out)
        np.divide(out, denominator, out=out)
        out.clip(bottom, top, out=out)

    return fill


def _continue(value: Array, x: Array, coefficients: Sequence[Array]) -> None:
    """Add coefficients to a polynomial, in place, with a product between one and the next."""
    *others, last = coefficients
    for coefficient in others:
        np.add(value, coefficient, out=value)
        np.multiply(value, x, out=value)
    np.add(value, last, out=value)


erf_into = scaled_erf(1, 1)


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
