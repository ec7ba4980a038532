"""Lengths and steps that travel as scalar tensors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, known_different, less, product
from onnx_explorer.ops.contents import dims_in, ints_of
from onnx_explorer.schema import Abstract, Violation


def scalar_in(value: Abstract, port: str, *, low: int) -> Dim | None:
    """The only element; None where it is not known.

    Raises:
        Violation: there is not exactly one, or it is known to be less than `low`.
    """
    if value.shape is not None and known_different(product(value.shape), 1):
        raise Violation(
            f"shape {list(value.shape)}", "a scalar, of shape []", port=port, code="wrong-shape"
        )
    found = dims_in(value)
    if found is None:
        return None
    (number,) = found
    if less(number, low):
        raise Violation(
            f"{port} = {number}", f"expected {low} or more", port=port, code="input-value"
        )
    return number


def scalar_of(value: NDArray[np.generic], port: str, *, low: int) -> int:
    """The only element of a run-time tensor.

    Raises:
        Violation: there is not exactly one, or it is less than `low`.
    """
    if value.size != 1:
        raise Violation(
            f"shape {list(value.shape)}", "a scalar, of shape []", port=port, code="wrong-shape"
        )
    (number,) = ints_of(value)
    if number < low:
        raise Violation(
            f"{port} = {number}", f"expected {low} or more", port=port, code="input-value"
        )
    return number
