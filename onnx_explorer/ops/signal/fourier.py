"""Fourier transforms of signals whose last axis holds 1 number (real) or 2 (real and imaginary)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, known_different
from onnx_explorer.schema import Violation

Real = NDArray[np.floating]
Complex = NDArray[np.complexfloating]


def check_parts(size: Dim, port: str) -> None:
    """Whether an axis may hold the parts of a number.

    Raises:
        Violation: it holds neither 1 nor 2.
    """
    if known_different(size, 1) and known_different(size, 2):
        raise Violation(
            f"the last axis has size {size}",
            "it holds 1 number (real) or 2 (real and imaginary)",
            port=port,
        )


def joined(parts: Real) -> Real | Complex:
    """The numbers whose parts lie along the last axis."""
    if parts.shape[-1] == 1:
        return parts[..., 0]
    return parts[..., 0] + 1j * parts[..., 1]


def split(numbers: Complex) -> Real:
    """The real and the imaginary parts along a new last axis."""
    whole = np.ascontiguousarray(numbers)
    return whole.view(whole.real.dtype).reshape(*numbers.shape, 2)
