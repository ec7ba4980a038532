"""Values at the size of a label: a number, or a histogram of a few bars."""

from __future__ import annotations

import math
from typing import NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import RunValue
from onnx_explorer.view.labels import shortened
from onnx_explorer.widgets.summary import element_text

BARS = 12
SAMPLE = 1 << 14
"""Of larger tensors evenly spaced elements are drawn; the range, NaN and infinities are those of more."""
SCANNED = 1 << 20
LONGEST = 8
"""Characters of a number or text that stands for itself."""


class Miniature(TypedDict):
    """`text` is the value itself, where it is one element or the same everywhere; else `counts` are
    the bars between `low` and `high`. `nan` and `infinite` count what is no number. `sampled`: not
    all elements were looked at.
    """

    text: NotRequired[str]
    low: NotRequired[float]
    high: NotRequired[float]
    counts: NotRequired[list[int]]
    nan: int
    infinite: int
    sampled: NotRequired[bool]


def miniature(value: RunValue) -> Miniature | None:
    """The miniature of a tensor; None of what has none."""
    if not isinstance(value, np.ndarray) or value.size == 0 or value.dtype.kind in "cS":
        return None
    if value.dtype.kind in "OU":
        if value.size != 1:
            return None
        return {"text": shortened(str(value.reshape(-1)[0]), LONGEST), "nan": 0, "infinite": 0}
    if value.size == 1:
        return _single(value.reshape(-1)[0])
    numbers = _some(value, SCANNED).astype(np.float64)
    nan, infinite = int(np.isnan(numbers).sum()), int(np.isinf(numbers).sum())
    finite = numbers[np.isfinite(numbers)]
    if not finite.size:
        return {"nan": nan, "infinite": infinite}
    low, high = float(finite.min()), float(finite.max())
    is_sample = numbers.size < value.size
    if low == high and is_sample:
        low, high = _whole_range(value, low)
    if low == high:
        return {"text": f"={element_text(low)}", "nan": nan, "infinite": infinite}
    if not math.isfinite(high - low):
        return {"low": low, "high": high, "nan": nan, "infinite": infinite}
    counts, _ = np.histogram(_some(finite, SAMPLE), BARS, (low, high))
    found: Miniature = {
        "low": low,
        "high": high,
        "counts": counts.tolist(),
        "nan": nan,
        "infinite": infinite,
    }
    if is_sample:
        found["sampled"] = True
    return found


def _whole_range(value: NDArray[np.generic], number: float) -> tuple[float, float]:
    """The range of a tensor of which all that was looked at is one number: a few others decide
    whether it is the same everywhere.
    """
    low, high = (float(f.reduce(value, axis=None)) for f in (np.fmin, np.fmax))
    return (low, high) if math.isfinite(low) and math.isfinite(high) else (number, number)


def _single(element: np.generic) -> Miniature:
    number = float(element)  # pyright: ignore[reportArgumentType]
    text = element_text(element.item())
    text = text if len(text) <= LONGEST else f"{number:.3g}"
    return {"text": text, "nan": int(math.isnan(number)), "infinite": int(math.isinf(number))}


def _some(array: NDArray[np.generic], most: int) -> NDArray[np.generic]:
    flat = array.reshape(-1)
    return flat if flat.size <= most else flat[:: math.ceil(flat.size / most)]
