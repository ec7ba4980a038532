"""Exact arithmetic on sizes that are elements of a tensor, for questions that numpy would answer
by a guess: which of two symbolic sizes is larger, whether they are equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod
from struct import unpack
from typing import cast

import numpy as np

from onnx_explorer.dims import Dim, Expr, UndecidedError, maximum, minimum, ratio
from onnx_explorer.errors import ModelError
from onnx_explorer.ir import DType, Tensor
from onnx_explorer.schema import CONTENT_LIMIT, Content, Size

FLOAT_LIMIT = 16
"""Float tensors with more elements than this are no sizes: scales, bounds and steps are few."""

_FORMATS = {DType.INT64: "q", DType.INT32: "i", DType.FLOAT32: "f", DType.FLOAT64: "d"}


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


def content_in(tensor: Tensor) -> Content | None:
    """The elements of a constant as exact content; None where it is large, not numeric, or cannot
    be read.
    """
    if not may_be_content(tensor.dtype, tensor.dims):
        return None
    form = _FORMATS.get(tensor.dtype)
    try:
        read = cast("Callable[[], bytes | None] | None", getattr(tensor.payload, "raw", None))
        raw = read() if read and form else None
        if raw is not None and len(raw) * 8 == tensor.size * tensor.dtype.bits:
            return content_of(unpack(f"<{tensor.size}{form}", raw))
        return content_of(tensor.numpy().reshape(-1).tolist())
    except ModelError:  # damaged, or in a data file that is not there: types need no elements
        return None


def may_be_content(dtype: DType, dims: tuple[int, ...]) -> bool:
    """Whether a constant of this type is small enough, and of numbers."""
    family = dtype.family
    limit = FLOAT_LIMIT if family == "float" else CONTENT_LIMIT
    return (
        0 <= prod(dims) <= limit
        and min(dims, default=0) >= 0
        and family not in {"string", "complex", "undefined"}
    )


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
