"""The numbers of a tensor at a glance: statistics with a histogram, and slices as pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.errors import ExplorerError
from onnx_explorer.ir import RunValue
from onnx_explorer.widgets.summary import Summary, json_number, observed_type, summary

MOST = 1 << 22
"""Of larger tensors evenly spaced elements are looked at."""
BINS = 24
SIDE = 64
"""A picture has at most as many rows and columns; of larger slices evenly spaced ones are shown."""
MISSING = -1
"""What stands for NaN among the shades of a picture."""


class Histogram(TypedDict):
    low: float | str
    high: float | str
    counts: list[int]


class Statistics(Summary):
    """`looked_at` is smaller than `elements` where a sample had to do; the counts are the
    sample's then.
    """

    elements: NotRequired[int]
    bytes: NotRequired[int]
    looked_at: NotRequired[int]
    std: NotRequired[float | str]
    infinite: NotRequired[int]
    zeros: NotRequired[int]
    histogram: NotRequired[Histogram]


class Picture(TypedDict):
    """A slice over the last two axes in shades from 0 to 255; each row and column stands for
    `every` of the slice's.
    """

    sizes: list[int]
    at: list[int]
    rows: int
    columns: int
    every: list[int]
    low: float | str
    high: float | str
    shades: list[int]


def statistics(value: RunValue) -> Statistics:
    """What there is to count about a value; only tensors of numbers have more than a summary."""
    found: Statistics = {**summary(_sample(value))}
    if not isinstance(value, np.ndarray):
        return found
    found["type"] = observed_type(value)
    found["elements"], found["bytes"] = value.size, value.nbytes
    numbers = _numbers(_sample(value))
    if numbers is None:
        return found
    found["looked_at"] = numbers.size
    finite = numbers[np.isfinite(numbers)]
    found["infinite"] = int(np.isinf(numbers).sum())
    found["zeros"] = int((numbers == 0).sum())
    if finite.size:
        found["std"] = json_number(float(finite.std()))
        low, high = float(finite.min()), float(finite.max())
        if low < high and math.isfinite(high - low):
            counts, _ = np.histogram(finite, BINS, (low, high))
            found["histogram"] = {"low": low, "high": high, "counts": counts.tolist()}
    return found


def picture(array: NDArray[np.generic], at: Sequence[int]) -> Picture:
    """The slice at these indices of all axes but the last two.

    Raises:
        ExplorerError: the tensor holds no numbers, or has no elements.
    """
    if array.size == 0:
        raise ExplorerError("there is no picture of a tensor without elements")
    outer = array.shape[:-2]
    given = [*at, *[0] * len(outer)]
    chosen = [min(max(i, 0), size - 1) for i, size in zip(given, outer, strict=False)]
    plane = array[tuple(chosen)]
    plane = plane.reshape((1,) * (2 - plane.ndim) + plane.shape)
    every = [max(1, math.ceil(size / SIDE)) for size in plane.shape]
    numbers = _numbers(plane[:: every[0], :: every[1]])
    if numbers is None:
        raise ExplorerError("there is no picture of a tensor without numbers")
    finite = numbers[np.isfinite(numbers)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    span = high - low if high > low else 1.0
    with np.errstate(invalid="ignore"):
        shades = np.clip((numbers - low) / span * 255, 0, 255).round()
    shades = np.where(np.isnan(numbers), MISSING, shades).astype(np.int64)
    return {
        "sizes": list(array.shape),
        "at": chosen,
        "rows": shades.shape[0],
        "columns": shades.shape[1],
        "every": every,
        "low": json_number(low),
        "high": json_number(high),
        "shades": shades.reshape(-1).tolist(),
    }


def _sample(value: RunValue) -> RunValue:
    if not isinstance(value, np.ndarray) or value.size <= MOST:
        return value
    return value.reshape(-1)[:: math.ceil(value.size / MOST)]


def _numbers(value: RunValue) -> NDArray[np.float64] | None:
    """The elements as float64; None where they are no real numbers."""
    if not isinstance(value, np.ndarray) or value.dtype.kind in "OUSc":
        return None
    return value.astype(np.float64)
