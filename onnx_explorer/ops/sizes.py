"""Exact arithmetic on sizes that are elements of a tensor, for questions that numpy would answer
by a guess: which of two symbolic sizes is larger, whether they are equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from onnx_explorer.dims import Dim, Expr, UndecidedError, maximum, minimum, ratio
from onnx_explorer.schema import Content, Size


def fraction(size: Size) -> tuple[Dim, int]:
    """Numerator and denominator."""
    return (size, 1) if isinstance(size, Expr) else (size.numerator, size.denominator)


def content_of(elements: Sequence[object]) -> Content | None:
    """Python numbers as exact content; None when one of them is not finite or no number."""
    sizes: list[Size] = []
    for element in elements:
        if isinstance(element, int):
            sizes.append(element)
            continue
        try:
            number = float(element)  # pyright: ignore[reportArgumentType]
        except (TypeError, ValueError):
            return None
        if not math.isfinite(number):
            return None
        sizes.append(int(number) if number.is_integer() else Fraction(number))
    return tuple(sizes)


def decide(question: Callable[[Dim, Dim], bool | None]) -> np.ufunc:
    """The question about sizes as an elementwise function of two tensors of sizes.

    The function raises `UndecidedError` where the answer depends on what the symbols stand for.
    """

    def answer(a: Size, b: Size) -> bool:
        (p, q), (r, s) = fraction(a), fraction(b)
        found = question(p * s, r * q)
        if found is None:
            raise UndecidedError(f"cannot decide how {a} compares with {b}")
        return found

    return np.frompyfunc(answer, 2, 1)


def _larger(a: Size, b: Size) -> Size:
    (p, q), (r, s) = fraction(a), fraction(b)
    return ratio(maximum(p * s, r * q), q * s)


def _smaller(a: Size, b: Size) -> Size:
    (p, q), (r, s) = fraction(a), fraction(b)
    return ratio(minimum(p * s, r * q), q * s)


larger: np.ufunc = np.frompyfunc(_larger, 2, 1)
"""The larger of two sizes, elementwise."""

smaller: np.ufunc = np.frompyfunc(_smaller, 2, 1)
"""The smaller of two sizes, elementwise."""
