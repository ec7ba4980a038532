"""Interpolation between the elements of an array, one axis after the other: the numeric part of
Resize and Upsample.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.schema import Violation

Mode = Literal["nearest", "linear", "cubic"]
Coordinates = Literal[
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
]
Rounding = Literal["round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "by_scale"]
Floats = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Stretch:
    """One axis from `before` to `after` elements. `scale` need not be their exact quotient;
    `roi` is the range that a crop looks at, as parts of the axis.
    """

    axis: int
    before: int
    after: int
    scale: float
    roi: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Interpolation:
    """How elements between elements are found; the fields are Resize's attributes. The rounding
    "by_scale" is that of opset 10: down where an axis grows, up where it shrinks.
    """

    mode: Mode
    coordinates: Coordinates = "half_pixel"
    rounding: Rounding = "round_prefer_floor"
    cubic_a: float = -0.75
    exclude_outside: bool = False
    antialias: bool = False
    extrapolation: float = 0.0

    def __call__(
        self, data: NDArray[np.generic], stretches: Iterable[Stretch]
    ) -> NDArray[np.generic]:
        """The array, resized on each of the axes.

        Raises:
            Violation: an axis is to grow from nothing, or elements of this dtype cannot be mixed.
        """
        done = [s for s in stretches if self._does_something(s)]
        for s in done:
            if not s.before and s.after:
                raise Violation(
                    f"size 0 on axis {s.axis}", f"it cannot be resized to {s.after}", port="X"
                )
        result = data if self.mode == "nearest" else data.astype(_working_dtype(data), copy=False)
        for s in sorted(done, key=_cheapest_first):
            result = self._along(result, s)
        if self.mode != "nearest":
            result = _rounded_to(result, data.dtype)
        if not self._crops:
            return result
        return self._extrapolated(result, done, self.extrapolation)

    def transposed(self, cotangent: Floats, stretches: Iterable[Stretch]) -> Floats:
        """The cotangent of the array that was resized, from that of the result."""
        done = [s for s in stretches if self._does_something(s)]
        total = cotangent
        if self._crops:
            total = cast("Floats", self._extrapolated(total.copy(), done, 0.0))
        for s in done:
            # A row for each element of the result: the weights of those of the input.
            matrix = np.zeros((s.after, s.before), total.dtype)
            sources, weights = _taps(self, s)
            np.add.at(matrix, (np.arange(s.after)[:, None], sources), weights.astype(total.dtype))
            total = np.moveaxis(np.tensordot(matrix, total, (0, s.axis)), 0, s.axis)
        return total

    @property
    def _crops(self) -> bool:
        return self.coordinates == "tf_crop_and_resize"

    def _does_something(self, s: Stretch) -> bool:
        return s.after != s.before or s.scale != 1 or (self._crops and s.roi != (0, 1))

    def _along(self, data: NDArray[np.generic], s: Stretch) -> NDArray[np.generic]:
        if not s.after:
            return data[(slice(None),) * s.axis + (slice(0, 0),)]
        if self.mode == "nearest":
            return data.take(_taps(self, s)[0][:, 0], s.axis)
        return _weighted(data, s.axis, *_taps(self, s))

    def _places(self, s: Stretch, dtype: type[np.floating]) -> Floats:
        """Where each element of the result lies between those of the input."""
        x = np.arange(s.after, dtype=dtype)
        scale, last = dtype(s.scale), dtype(s.before - 1)
        extent = dtype(s.scale * s.before)
        half = dtype(0.5)
        match self.coordinates:
            case "half_pixel":
                return (x + half) / scale - half
            case "half_pixel_symmetric":
                offset = dtype(s.before / 2) * (1 - dtype(s.after) / extent)
                return offset + (x + half) / scale - half
            case "pytorch_half_pixel":
                return (x + half) / scale - half if s.after > 1 else x
            case "align_corners":
                return x * last / (extent - 1) if s.after > 1 else x
            case "asymmetric":
                return x / scale
            case "tf_half_pixel_for_nn":
                return (x + half) / scale
            case "tf_crop_and_resize":
                start, end = dtype(s.roi[0]), dtype(s.roi[1])
                if s.after == 1:
                    return x + half * (start + end) * last
                return start * last + x * (end - start) * last / (extent - 1)

    def taps(self, s: Stretch) -> tuple[NDArray[np.intp], Floats]:
        """For each element of the result, the elements it is made of and their weights,
        (after, taps) both.
        """
        if self.mode == "nearest":
            # In single precision, as scales are: 8 / 1.6 is to be 5.
            places = self._places(s, np.float32)
            sources = _nearest(places, self.rounding, s.scale)[:, None].astype(np.intp)
            return np.clip(sources, 0, s.before - 1), np.ones(sources.shape)
        places = self._places(s, np.float64)
        # Distance to the element before, in (0, 1].
        first = np.ceil(places) - 1
        shrink = min(s.scale, 1.0) if self.antialias else 1.0
        radius = 1 if self.mode == "linear" else 2
        begin = int(np.floor(-radius / shrink)) + 1
        steps = np.arange(begin, 2 - begin)
        sources = first[:, None] + steps
        distance = np.abs(sources - places[:, None]) * shrink
        weights = (
            np.maximum(1 - distance, 0) if self.mode == "linear" else _cubic(distance, self.cubic_a)
        )
        if self.exclude_outside:
            weights[(sources < 0) | (sources >= s.before)] = 0
        if self.exclude_outside or self.antialias:
            sums = weights.sum(1, keepdims=True)
            weights /= np.where(sums == 0, 1, sums)
        return np.clip(sources, 0, s.before - 1).astype(np.intp), weights

    def _extrapolated(
        self, result: NDArray[np.generic], stretches: Iterable[Stretch], value: float
    ) -> NDArray[np.generic]:
        for s in stretches:
            places = self._places(s, np.float64)
            outside = (places < 0) | (places > s.before - 1)
            if outside.any():
                result[(slice(None),) * s.axis + (outside,)] = value
        return result


@lru_cache(32)
def _taps(how: Interpolation, s: Stretch) -> tuple[NDArray[np.intp], Floats]:
    """What the last of them asked for: small arrays take less time than their taps."""
    return how.taps(s)


OPSET_10: dict[Mode, Interpolation] = {
    mode: Interpolation(mode, "asymmetric", "by_scale") for mode in ("nearest", "linear")
}
"""The interpolation of Upsample and of Resize-10, which offer no choice."""


def _cheapest_first(s: Stretch) -> tuple[bool, int]:
    """Shrinking axes come first. Elements of the last axis are the dearest to pick, so it comes
    while the array is small.
    """
    grows = s.after >= s.before
    return grows, -s.axis if grows else s.axis


def _nearest(places: Floats, rounding: Rounding, scale: float) -> Floats:
    match rounding:
        case "round_prefer_floor":
            return np.ceil(places - places.dtype.type(0.5))
        case "round_prefer_ceil":
            return np.floor(places + places.dtype.type(0.5))
        case "floor":
            return np.floor(places)
        case "ceil":
            return np.ceil(places)
        case "by_scale":
            return np.ceil(places) if scale < 1 else np.floor(places)


def _cubic(distance: Floats, a: float) -> Floats:
    """The weight of an element at a distance of 0 or more: a piecewise cubic that is 1 at 0,
    0 at 1 and from 2 on, and smooth.
    """
    d2 = distance * distance
    d3 = d2 * distance
    near = (a + 2) * d3 - (a + 3) * d2 + 1
    far = a * (d3 - 5 * d2 + 8 * distance - 4)
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0))


def _weighted(
    data: NDArray[np.generic], axis: int, sources: NDArray[np.intp], weights: Floats
) -> NDArray[np.generic]:
    """The sum over the taps of weight × element, along one axis."""
    along = (-1,) + (1,) * (data.ndim - axis - 1)
    real = cast("NDArray[np.floating]", data)
    result: NDArray[np.generic] | None = None
    for tap in range(sources.shape[1]):
        weight = weights[:, tap]
        if not weight.any():
            continue
        part = real.take(sources[:, tap], axis)
        part *= weight.astype(real.dtype).reshape(along)
        result = part if result is None else np.add(result, part, out=result)
    return np.zeros_like(real.take(sources[:, 0], axis)) if result is None else result


def _working_dtype(data: NDArray[np.generic]) -> np.dtype[np.generic]:
    if data.dtype.kind == "O":
        raise Violation("a tensor of strings", "only mode = 'nearest' can resize it", port="X")
    if data.dtype.kind in "iub":
        return np.dtype(np.float64)
    # Half precision, of numpy and ml_dtypes, would lose too much on the way.
    return data.dtype if data.dtype.kind in "fc" and data.itemsize > 2 else np.dtype(np.float32)


def _rounded_to(result: NDArray[np.generic], dtype: np.dtype[np.generic]) -> NDArray[np.generic]:
    if dtype.kind in "iu":
        limits = np.iinfo(cast("np.dtype[np.integer]", dtype))
        result = np.clip(np.rint(cast("Floats", result)), limits.min, limits.max)
    elif dtype.kind == "b":
        result = np.rint(cast("Floats", result))
    return result.astype(dtype, copy=False)
