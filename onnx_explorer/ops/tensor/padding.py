"""Arrays with elements added around them, in the modes that Pad has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.schema import Violation

Mode = Literal["constant", "reflect", "edge", "wrap"]
MODES: tuple[Mode, ...] = ("constant", "reflect", "edge", "wrap")


def padded(
    data: NDArray[np.generic], widths: Sequence[tuple[int, int]], mode: Mode, value: object
) -> NDArray[np.generic]:
    """The array with (before, behind) elements added to each axis; negative ones are taken away
    first. `value` is what "constant" adds.

    Raises:
        Violation: another mode is to fill an axis from nothing.
    """
    if any(before < 0 or behind < 0 for before, behind in widths):
        data = data[_inside(data, widths)]
        widths = [(max(before, 0), max(behind, 0)) for before, behind in widths]
    if mode == "constant":
        return _surrounded(data, widths, value)
    for axis, (before, behind) in enumerate(widths):
        if before or behind:
            data = data.take(_sources(data.shape[axis], before, behind, mode, axis), axis)
    return data


def _inside(data: NDArray[np.generic], widths: Sequence[tuple[int, int]]) -> tuple[slice, ...]:
    """What is left when negative widths are taken away."""
    cuts: list[slice] = []
    for size, (before, behind) in zip(data.shape, widths, strict=True):
        begin = min(max(-before, 0), size)
        cuts.append(slice(begin, max(size - max(-behind, 0), begin)))
    return tuple(cuts)


def _surrounded(
    data: NDArray[np.generic], widths: Sequence[tuple[int, int]], value: object
) -> NDArray[np.generic]:
    sizes = [b + size + e for size, (b, e) in zip(data.shape, widths, strict=True)]
    result = np.empty(sizes, data.dtype)
    result.fill(value)
    inner = tuple(slice(b, b + size) for size, (b, _) in zip(data.shape, widths, strict=True))
    result[inner] = data
    return result


@lru_cache(64)
def _sources(size: int, before: int, behind: int, mode: Mode, axis: int) -> NDArray[np.intp]:
    """For each position of the padded axis, the position that its element comes from: of few rows
    it takes longer to tell than to copy them. Not to be written to.
    """
    if size == 0:
        raise Violation(
            f"size 0 on axis {axis}, to be padded by {before} and {behind}",
            f"{mode} mode needs 1 element or more to repeat",
            port="data",
        )
    place = np.arange(-before, size + behind)
    if mode == "edge":
        return np.clip(place, 0, size - 1)
    if mode == "wrap":
        return place % size
    period = max(2 * (size - 1), 1)
    place %= period
    return np.minimum(place, period - place) if size > 1 else place
