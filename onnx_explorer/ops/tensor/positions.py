"""Positions along an axis, as Gather and its kin take them: negative ones count from the end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, less
from onnx_explorer.ops.contents import dims_in, ints_of
from onnx_explorer.schema import Abstract, Shape, Violation


def check_positions(indices: Abstract, size: Dim, axis: int) -> None:
    """The bounds of positions along an axis, as far as they are known.

    Raises:
        Violation: one lies outside for certain.
    """
    for position in dims_in(indices) or ():
        if less(position, -size) is True or less(size - 1, position) is True:
            raise _outside(position, size, axis)


def check_fits(data: Shape, indices: Shape, axis: int) -> None:
    """Indices that stand for one element each, along `axis` of the data: their rank is that of
    the data, and on the other axes they are no larger.

    Raises:
        Violation: they do not fit.
    """
    if len(indices) != len(data):
        raise Violation(
            f"rank {len(indices)}",
            f"data has rank {len(data)}, and the two must be equal",
            port="indices",
            code="wrong-rank",
        )
    for k, (size, wanted) in enumerate(zip(indices, data, strict=True)):
        if k != axis and less(wanted, size) is True:
            raise Violation(
                f"size {size} on axis {k}", f"data has only {wanted} there", port="indices"
            )


def whole_numbers(indices: NDArray[np.generic]) -> NDArray[np.int64]:
    """An array of integers, which sizes may be elements of, as 64-bit numbers."""
    if indices.dtype.kind == "O":
        return np.array(ints_of(indices), np.int64).reshape(indices.shape)
    return indices.astype(np.int64, copy=False)


def places_along(indices: NDArray[np.int64], axis: int) -> tuple[NDArray[np.int64], ...]:
    """Coordinates, one array per axis: the index itself on `axis`, its own place on the others."""
    place: list[NDArray[np.int64]] = []
    for k, size in enumerate(indices.shape):
        if k == axis:
            place.append(indices)
        else:
            along = (1,) * k + (size,) + (1,) * (indices.ndim - k - 1)
            place.append(np.arange(size, dtype=np.int64).reshape(along))
    return tuple(place)


def outside(indices: NDArray[np.int64], size: int, axis: int) -> Violation:
    """What to say of positions of which one lies outside of [-size, size)."""
    low = int(indices.min())
    return _outside(low if low < -size else int(indices.max()), size, axis)


def _outside(position: Dim, size: Dim, axis: int) -> Violation:
    return Violation(
        f"index {position}",
        f"axis {axis} of data has size {size}: expected {-size} to {size - 1}",
        port="indices",
        code="index-out-of-range",
    )
