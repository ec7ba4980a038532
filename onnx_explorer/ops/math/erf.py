"""Erf: the Gauss error function of every element, `erf(x) = 2 / √π × ∫ e^(-t²) dt` from 0 to x.

It is odd and goes from -1 to 1; beyond ±4 it is ±1 in float32. The exact Gelu is made of it.
Before version 13 integers were allowed: their results are cut to -1, 0 or 1, which is 0 for all
that are not rounded to ±1.

Spec: ai.onnx Erf-13
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import cast

import numpy as np

from onnx_explorer.ops.elementwise import Array, by_blocks, in_float32, unary
from onnx_explorer.schema import Change, Port
from onnx_explorer.schema.typesets import FLOATS_BF16, NUMBERS

# erf(x) = tanh(x P(x²)), fitted to the smallest relative error, 1e-7; float32 arithmetic stays within
# 3e-7. It takes a third of the time of scipy's erf. From the lowest coefficient on; the highest is
# positive, so that beyond the fit the tanh stays ±1.
_P = (
    1.128379274,
    0.1027690559,
    -1.918311258e-4,
    -6.197842888e-4,
    8.763718398e-5,
    -5.668453706e-6,
    1.418511834e-7,
)


def artanh_of_erf(scale: float, factor: float) -> Callable[[Array, Array], None]:
    """A function that fills its second argument with `factor × artanh(erf(scale × x))` for float32
    values x: the factors cost nothing, as they go into the coefficients.
    """
    scaled = [factor * p * scale ** (2 * i + 1) for i, p in enumerate(_P)]
    # Arrays: numpy takes longer with its scalars, and with Python's.
    highest, next_one, *rest = [np.asarray(p, np.float32) for p in reversed(scaled)]

    def fill(values: Array, out: Array) -> None:
        square = np.multiply(values, values)
        np.multiply(square, highest, out)
        np.add(out, next_one, out)
        for coefficient in rest:
            np.multiply(out, square, out)
            np.add(out, coefficient, out)
        np.multiply(out, values, out)

    return fill


_artanh_of_erf = artanh_of_erf(1, 1)


def _erf_into(values: Array, out: Array) -> None:
    _artanh_of_erf(values, out)
    np.tanh(out, out)


def precise_erf(values: Array) -> Array:
    """The erf to the last bit of float64."""
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    return cast("Array", special.erf(values))  # pyright: ignore[reportUnknownMemberType]


_erf_float32 = by_blocks(_erf_into)


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
