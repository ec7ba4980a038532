"""How far two values are apart."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType, RunValue
from onnx_explorer.ir.types import shape_text


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Numbers are the same within `atol + rtol × |theirs|`."""

    rtol: float
    atol: float

    def __str__(self) -> str:
        return f"{self.atol:g} + {self.rtol:g} × |theirs|"


@dataclass(frozen=True, slots=True)
class Difference:
    """How far a value is from the partner's: the largest difference, where it is, and how many
    times the tolerance it is. `note` says what cannot be told in numbers.
    """

    largest: float
    times: float
    place: tuple[int, ...] = ()
    note: str = ""

    @property
    def outside(self) -> bool:
        """Whether the values are not the same."""
        return not self.times <= 1

    def __str__(self) -> str:
        if self.note or not self.largest:
            return self.note or "none"
        where = f" at {list(self.place)}" if self.place else ""
        return f"{self.largest:.3g}{where}, {self.times:.3g} × tolerance"


SAME = Difference(0, 0)


def difference(ours: RunValue, theirs: RunValue, tolerance: Tolerance) -> Difference:
    """How far our value is from theirs. NaN is NaN's equal."""
    if isinstance(ours, np.ndarray) and isinstance(theirs, (np.ndarray, np.generic)):
        return _between(ours, np.asarray(theirs), tolerance)
    if isinstance(ours, list) and isinstance(theirs, (list, tuple)):
        if len(ours) != len(theirs):
            return _unlike(f"{len(ours)} items against {len(theirs)}")
        found = [difference(a, b, tolerance) for a, b in zip(ours, theirs, strict=True)]
        return max(found, key=lambda each: each.times, default=SAME)
    return SAME if ours == theirs else _unlike(f"{_kind(ours)} against {_kind(theirs)}")


def _between(
    ours: NDArray[np.generic], theirs: NDArray[np.generic], tolerance: Tolerance
) -> Difference:
    if ours.shape != theirs.shape:
        return _unlike(f"shape {shape_text(ours.shape)} against {shape_text(theirs.shape)}")
    if not ours.size:
        return SAME
    kinds = [DType.from_numpy(each.dtype).family for each in (ours, theirs)]
    if ("string" in kinds or "bool" in kinds) and kinds[0] != kinds[1]:
        return _unlike(f"{kinds[0]} against {kinds[1]}")
    if kinds[0] in {"string", "bool"}:
        wrong = ours != theirs
        if not wrong.any():
            return SAME
        return _unlike(f"{int(wrong.sum())} of {ours.size} elements differ")
    kind = np.complex128 if "c" in ours.dtype.kind + theirs.dtype.kind else np.float64
    a, b = ours.astype(kind), theirs.astype(kind)
    # What is equal is not taken apart: infinity less infinity is no number. Integers that differ
    # do so by 1 at least, also where float64 cannot tell.
    equal = (ours == theirs) | (np.isnan(a) & np.isnan(b))
    with np.errstate(all="ignore"):
        gap = np.abs(a - b)
    apart = np.where(equal, 0, np.where(gap == 0, 1, gap))
    apart = np.where(np.isnan(apart), inf, apart)
    if not apart.any():
        return SAME
    allowed = tolerance.atol + tolerance.rtol * np.abs(b)
    # Nothing is allowed (0), or the partner's number is none: what differs is out of all bounds.
    bounded = np.isfinite(allowed) & (allowed > 0)
    times = np.where(bounded, apart / np.where(bounded, allowed, 1), inf)
    times = np.where(apart == 0, 0, times)
    flat = int(np.argmax(times))
    place = tuple(int(i) for i in np.unravel_index(flat, times.shape))
    return Difference(float(apart.max()), float(times[place]), place)


def _unlike(note: str) -> Difference:
    return Difference(inf, inf, note=note)


def _kind(value: RunValue) -> str:
    return "nothing" if value is None else type(value).__name__
