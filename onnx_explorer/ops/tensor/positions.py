"""Positions along an axis, as Gather and its kin take them: negative ones count from the end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, less
from onnx_explorer.ops.contents import dims_in, ints_of
from onnx_explorer.schema import Abstract, Violation


def check_positions(indices: Abstract, size: Dim, axis: int) -> None:
    """The bounds of positions along an axis, as far as they are known.

    Raises:
        Violation: one lies outside for certain.
    """
    for position in dims_in(indices) or ():
        if less(position, -size) is True or less(size - 1, position) is True:
            raise _outside(position, size, axis)


def whole_numbers(indices: NDArray[np.generic]) -> NDArray[np.int64]:
    """An array of integers, which sizes may be elements of, as 64-bit numbers."""
    if indices.dtype.kind == "O":
        return np.array(ints_of(indices), np.int64).reshape(indices.shape)
    return indices.astype(np.int64, copy=False)


def outside(indices: NDArray[np.int64], size: int, axis: int) -> Violation:
    """What to say of positions of which one lies outside of [-size, size)."""
    low = int(indices.min())
    return _outside(low if low < -size else int(indices.max()), size, axis)


def _outside(position: Dim, size: Dim, axis: int) -> Violation:
    return Violation(
        f"index {position}",
        f"axis {axis} of data has size {size}: expected {-size} to {size - 1}",
        port="indices",
    )
