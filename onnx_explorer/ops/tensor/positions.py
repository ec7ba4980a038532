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


def positions(indices: NDArray[np.generic], size: int, axis: int) -> NDArray[np.int64]:
    """Positions counted from the front, under the shape of `indices`.

    Raises:
        Violation: one lies outside.
        UndecidedError: one is a symbolic size.
    """
    found = whole_numbers(indices)
    if found.size:
        low, high = int(found.min()), int(found.max())
        if low < -size or high >= size:
            raise _outside(low if low < -size else high, size, axis)
        if low < 0:
            found = np.where(found < 0, found + size, found)
    return found


def whole_numbers(indices: NDArray[np.generic]) -> NDArray[np.int64]:
    """An array of integers, which sizes may be elements of, as 64-bit numbers."""
    if indices.dtype.kind == "O":
        return np.array(ints_of(indices), np.int64).reshape(indices.shape)
    return indices.astype(np.int64, copy=False)


def _outside(position: Dim, size: Dim, axis: int) -> Violation:
    return Violation(
        f"index {position}",
        f"axis {axis} of data has size {size}: expected {-size} to {size - 1}",
        port="indices",
    )
