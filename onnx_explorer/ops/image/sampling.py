"""Sampling between the elements of an array, at positions of any fraction along each spatial axis."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.precision import Floats

Mode = Literal["nearest", "linear", "cubic"]
Padding = Literal["zeros", "border", "reflection"]
Positions = NDArray[np.floating]
Taps = list[tuple[NDArray[np.int64], Positions | None]]
"""For each neighbour of the positions along one axis, its index (-1: outside) and its weight."""

CUBIC_A = -0.75


@dataclass(frozen=True, slots=True)
class Sampler:
    """How elements are found at positions between elements and outside of the array. Reflection
    happens at the centers of the outermost elements if `at_centers`, else at their outer edges.
    """

    mode: Mode = "linear"
    padding: Padding = "zeros"
    at_centers: bool = False

    def __call__(
        self, X: NDArray[np.generic], positions: Sequence[Positions]
    ) -> NDArray[np.generic]:
        """X, (N, C, *spatial), at positions (N, P), given for each spatial axis and counted in elements:
        (N, C, P). Only "nearest" takes dtypes that are no floats.
        """
        batch, channels, *spatial = X.shape
        # One more element at the end is what lies outside.
        outside = (
            np.zeros((batch, channels, 1), X.dtype)
            if X.dtype != object
            else np.full((batch, channels, 1), "", X.dtype)
        )
        flat = np.concatenate((X.reshape(batch, channels, int(np.prod(spatial))), outside), axis=2)
        result = np.zeros((batch, channels, positions[0].shape[1]), X.dtype)
        for index, weight in self._neighbours(positions, spatial):
            for sample in range(batch):
                seen = flat[sample].take(index[sample], axis=1)
                if weight is None:
                    result[sample] = seen
                else:
                    result[sample] += seen * weight[sample].astype(X.dtype, copy=False)
        return result

    def transposed(
        self, cotangent: Floats, positions: Sequence[Positions], spatial: Sequence[int]
    ) -> Floats:
        """The cotangent of X from that of the samples."""
        batch, channels, _ = cotangent.shape
        size = int(np.prod(spatial))
        total = np.zeros((batch * channels, size + 1), cotangent.dtype)
        rows = np.arange(batch * channels, dtype=np.int64).reshape(batch, channels, 1)
        for index, weight in self._neighbours(positions, spatial):
            # What lies outside is the last element, -1 from behind.
            places = rows * (size + 1) + (index % (size + 1))[:, None]
            share = cotangent
            if weight is not None:
                share = cotangent * weight[:, None].astype(cotangent.dtype, copy=False)
            np.add.at(total.reshape(-1), places.reshape(-1), share.reshape(-1))
        return total[:, :size].reshape(batch, channels, *spatial)

    def _neighbours(
        self, positions: Sequence[Positions], spatial: Sequence[int]
    ) -> Iterator[tuple[NDArray[np.int64], Positions | None]]:
        """The flat index (-1: outside) and weight of each element that a sample is mixed from."""
        taps = [self._taps(p, n) for p, n in zip(positions, spatial, strict=True)]
        for corner in itertools.product(*taps):
            yield _combined(corner, spatial)

    def _taps(self, positions: Positions, size: int) -> Taps:
        low, high = (0.0, size - 1.0) if self.at_centers else (-0.5, size - 0.5)
        x = np.rint(positions) if self.mode == "nearest" else positions
        if self.padding == "border" and self.mode != "cubic":
            x = np.clip(x, 0, size - 1)
        elif self.padding == "reflection":
            x = np.where((x < low) | (x > high), reflected(x, low, high), x)
        # Far outside, and NaN, are as good as just outside, and do not overflow.
        x = np.clip(np.nan_to_num(x, nan=-3.0), -3, size + 2)
        start = np.floor(x)
        t = x - start
        first = start.astype(np.int64)
        if self.mode == "nearest":
            return [(self._inside(first, size), None)]
        if self.mode == "linear":
            return [(self._inside(first, size), 1 - t), (self._inside(first + 1, size), t)]
        return [
            (self._inside(first + step, size), _cubic(np.absolute(t - step)))
            for step in (-1, 0, 1, 2)
        ]

    def _inside(self, index: NDArray[np.int64], size: int) -> NDArray[np.int64]:
        """Indices outside of the axis moved into it; -1 where zeros are."""
        match self.padding:
            case "border":
                return np.clip(index, 0, size - 1)
            case "reflection":
                low, high = (0.0, size - 1.0) if self.at_centers else (-0.5, size - 0.5)
                return np.clip(reflected(index, low, high).astype(np.int64), 0, size - 1)
            case "zeros":
                return np.where((index < 0) | (index >= size), -1, index)


def reflected(x: NDArray[np.generic], low: float, high: float) -> Positions:
    """Positions thrown back and forth between two mirrors until they lie between them."""
    span = high - low
    if span <= 0:
        return np.full(x.shape, low)
    there = np.mod(np.asarray(x, np.float64) - low, 2 * span)
    return low + np.where(there > span, 2 * span - there, there)


def _combined(
    corner: Sequence[tuple[NDArray[np.int64], Positions | None]], spatial: Sequence[int]
) -> tuple[NDArray[np.int64], Positions | None]:
    """Flat indices and weights of one neighbour per axis; -1 where it is outside of any axis."""
    index, weight = corner[0]
    outside = index < 0
    for (along, factor), size in zip(corner[1:], spatial[1:], strict=True):
        outside = outside | (along < 0)
        index = index * size + along
        weight = factor if weight is None or factor is None else weight * factor
    return np.where(outside, -1, index), weight


def _cubic(distance: Positions) -> Positions:
    """Weight of an element at this distance, 0 to 2, in a cubic convolution."""
    a, d = CUBIC_A, distance
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, far)


def as_floats(X: NDArray[np.generic]) -> Floats:
    """Numbers of any type as something that weights can multiply: floats, or complex numbers."""
    if X.dtype.kind in "iub":
        return X.astype(np.float64)
    return X.astype(np.float32) if X.dtype.itemsize < 4 else X  # pyright: ignore[reportReturnType]
