"""The numbers of a tensor at a glance: statistics with a histogram."""

from __future__ import annotations

import math
from typing import NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import RunValue
from onnx_explorer.widgets.summary import Summary, json_number, summary

MOST = 1 << 22
"""Of larger tensors evenly spaced elements are counted; the range, the mean and NaN are of all."""
BINS = 24


class Histogram(TypedDict):
    low: float | str
    high: float | str
    counts: list[int]


class Statistics(Summary):
    """`looked_at` is smaller than `elements` where a sample had to do; `std`, `infinite`, `zeros`
    and the histogram are the sample's then.
    """

    elements: NotRequired[int]
    bytes: NotRequired[int]
    looked_at: NotRequired[int]
    std: NotRequired[float | str]
    infinite: NotRequired[int]
    zeros: NotRequired[int]
    histogram: NotRequired[Histogram]


def statistics(value: RunValue) -> Statistics:
    """What there is to count about a value; only tensors of numbers have more than a summary."""
    found: Statistics = {**summary(value)}
    if not isinstance(value, np.ndarray):
        return found
    found["elements"] = value.size
    if value.dtype.kind != "O":  # of text these would be the bytes of pointers
        found["bytes"] = value.nbytes
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


def _sample(value: NDArray[np.generic]) -> NDArray[np.generic]:
    if value.size <= MOST:
        return value
    return value.reshape(-1)[:: math.ceil(value.size / MOST)]


def _numbers(value: NDArray[np.generic]) -> NDArray[np.float64] | None:
    """The elements as float64; None where they are no real numbers."""
    if value.dtype.kind in "OUSc":
        return None
    return value.astype(np.float64)
