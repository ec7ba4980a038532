"""Arrays under sliding windows: padding, the elements that each window sees, and reductions over
them. Convolutions and pooling share them; the arithmetic of sizes is `windows`' part.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.nn.windows import Window
from onnx_explorer.ops.precision import Floats

Scalar = TypeVar("Scalar", bound=np.generic)

BLOCK_BYTES = 1 << 20
"""How much is unfolded or reduced at a time: what a core's cache holds."""


KNOWN = 1024
"""For how many windows and shapes the arithmetic is remembered: small layers spend more time on it
than on their elements.
"""


@lru_cache(KNOWN)
def concrete_out(window: Window, spatial: tuple[int, ...]) -> tuple[int, ...]:
    """How many windows fit along each axis of an array."""
    return tuple(int(n) for n in window.out(spatial))


def padding(
    window: Window, spatial: tuple[int, ...], out: tuple[int, ...]
) -> tuple[list[slice], list[slice], list[int]]:
    """What padding keeps of each spatial axis, where that lies in the padded axis, and how long
    this is: exactly what `out` windows reach. Negative pads cut off.
    """
    cut: list[slice] = []
    place: list[slice] = []
    sizes: list[int] = []
    pads = window.pads(spatial)
    for axis, size in enumerate(spatial):
        begin = int(pads[axis][0])
        total = (out[axis] - 1) * window.strides[axis] + int(window.reach[axis])
        first, start = max(-begin, 0), max(begin, 0)
        n = max(0, min(size - first, total - start))
        cut.append(slice(first, first + n))
        place.append(slice(start, start + n))
        sizes.append(total)
    return cut, place, sizes


def padded(
    X: NDArray[Scalar], window: Window, out: tuple[int, ...], fill: float = 0
) -> NDArray[Scalar]:
    """X, (N, C, *spatial), with `fill` around it and exactly as long as `out` windows reach.

    A view of X where nothing has to be filled in. Negative pads cut off.
    """
    cut, place, sizes = placement(window, X.shape[2:], out)
    inner = X[cut]
    shape = X.shape[:2] + sizes
    if inner.shape == shape:
        return inner
    result = np.full(shape, fill, X.dtype) if fill else np.zeros(shape, X.dtype)
    result[place] = inner
    return result


Slices = tuple[slice, ...]


@lru_cache(KNOWN)
def placement(
    window: Window, spatial: tuple[int, ...], out: tuple[int, ...]
) -> tuple[Slices, Slices, tuple[int, ...]]:
    """Which part of an array goes where in the padded one, and the spatial sizes of that."""
    cut: list[slice] = [slice(None), slice(None)]
    place: list[slice] = [slice(None), slice(None)]
    sizes: list[int] = []
    pads = window.pads(spatial)
    for axis, size in enumerate(spatial):
        begin = int(pads[axis][0])
        total = (out[axis] - 1) * window.strides[axis] + int(window.reach[axis])
        first, start = max(-begin, 0), max(begin, 0)
        n = max(0, min(size - first, total - start))
        cut.append(slice(first, first + n))
        place.append(slice(start, start + n))
        sizes.append(total)
    return tuple(cut), tuple(place), tuple(sizes)


def patches(X: Floats, window: Window, out: tuple[int, ...]) -> Floats:
    """A read-only view (N, C, *kernel, *out) of a padded X: the elements that each window sees."""
    steps = X.strides[2:]
    shape = (*X.shape[:2], *map(int, window.kernel), *out)
    strides = (
        *X.strides[:2],
        *(step * d for step, d in zip(steps, window.dilations, strict=True)),
        *(step * s for step, s in zip(steps, window.strides, strict=True)),
    )
    if X.flags.c_contiguous and X.size:
        # The same view as as_strided's, in a tenth of the time.
        return np.ndarray(shape, X.dtype, X.data, 0, strides)
    return np.lib.stride_tricks.as_strided(X, shape, strides, writeable=False)


def patches_in_runs(X: Floats, window: Window, out: tuple[int, ...]) -> Floats:
    """The same of windows that touch, and of those that begin in the padding between two rows: all
    in one run, (N, C, *kernel, run), which is copied faster than many short rows are.
    """
    steps = X.strides[2:]
    last = sum(step * (n - 1) for step, n in zip(steps, out, strict=True)) // X.itemsize
    shape = (*X.shape[:2], *map(int, window.kernel), last + 1)
    taps = (step * d for step, d in zip(steps, window.dilations, strict=True))
    return np.ndarray(shape, X.dtype, X.data, 0, (*X.strides[:2], *taps, X.itemsize))


def apart(Y: Floats, X: Floats, out: tuple[int, ...]) -> Floats:
    """A view (..., *out) of results (..., run) of such runs, without those between two rows."""
    return np.ndarray((*Y.shape[:-1], *out), Y.dtype, Y.data, 0, (*Y.strides[:-1], *X.strides[2:]))


@lru_cache(KNOWN)
def blocks(out: tuple[int, ...], limit: int) -> tuple[tuple[Slices, slice], ...]:
    """Runs of at most about `limit` neighbouring windows that cover `out` in row-major order.

    Each comes as slices of the axes and as the slice of the flattened axes that they are.
    """
    return tuple(_blocks(out, limit))


def _blocks(out: tuple[int, ...], limit: int) -> Iterator[tuple[Slices, slice]]:
    axis, inner = 0, int(np.prod(out[1:], dtype=np.int64))
    while axis < len(out) - 1 and inner > limit:
        axis += 1
        inner //= max(out[axis], 1)
    step = max(1, limit // max(inner, 1))
    whole = (slice(None),) * (len(out) - 1 - axis)
    start = 0
    for lead in np.ndindex(*out[:axis]):
        for row in range(0, out[axis], step):
            rows = slice(row, min(row + step, out[axis]))
            stop = start + (rows.stop - row) * inner
            yield (*(slice(i, i + 1) for i in lead), rows, *whole), slice(start, stop)
            start = stop


@lru_cache(KNOWN)
def taps(window: Window, axis: int, n: int) -> Slices:
    """For each element of the window along one axis, where in a padded array it falls under `n`
    windows.
    """
    stride, dilation = window.strides[axis], window.dilations[axis]
    return tuple(
        slice(k * dilation, k * dilation + (n - 1) * stride + 1, stride)
        for k in range(int(window.kernel[axis]))
    )


def reduced(
    X: NDArray[Scalar],
    window: Window,
    out: tuple[int, ...],
    function: np.ufunc,
    fill: float,
    divisor: Floats | None = None,
) -> NDArray[Scalar]:
    """Every window of X, (N, C, *spatial), reduced to one element by an associative function, and
    divided by what `divisor`, (*out), has for it.

    `fill`, its neutral element, is what the padding holds. Axis after axis, so that a window of
    k × k costs 2 k steps; by blocks of channels that stay in the cache. Each step goes over all
    rows in one run and at stride 1: windows nobody asked for cost less than many short runs.
    """
    whole = np.empty((*X.shape[:2], *out), X.dtype)
    if not whole.size:
        return whole
    cut, place, sizes = placement(window, X.shape[2:], out)
    count, size = X.shape[0] * X.shape[1], prod(sizes)
    planes = X[cut]
    planes = planes.reshape(count, *planes.shape[2:])
    result = whole.reshape(count, *out)
    asked = tuple(slice(0, s * (n - 1) + 1, s) for n, s in zip(out, window.strides, strict=True))
    some = min(count, max(1, BLOCK_BYTES // 4 // (size * X.itemsize)))
    field = None if planes.shape[1:] == sizes else np.full((some, *sizes), fill, X.dtype)
    spare = np.empty((2, some * size), X.dtype)
    for start in range(0, count, some):
        block = planes[start : start + some]
        n = len(block)
        if field is not None:
            field[(slice(n), *place[2:])] = block
            block = field[:n]
        sums = _reduced_in_runs(block.reshape(-1), sizes, window, function, spare[:, : n * size])
        seen = sums.reshape(n, *sizes)[(slice(None), *asked)]
        if divisor is None:
            result[start : start + n] = seen
        else:
            np.divide(seen, divisor, out=result[start : start + n])
    return whole


def _reduced_in_runs(
    values: NDArray[Scalar],
    sizes: tuple[int, ...],
    window: Window,
    function: np.ufunc,
    spare: NDArray[Scalar],
) -> NDArray[Scalar]:
    """At each place of planes of these sizes, one after the other, the window that begins there."""
    stop, step = values.size, 1
    for axis in reversed(range(len(sizes))):
        kernel, each = int(window.kernel[axis]), step * window.dilations[axis]
        step *= sizes[axis]
        if kernel > 1:
            stop -= (kernel - 1) * each
            result, spare = spare[0], spare[::-1]
            function(values[:stop], values[each : each + stop], out=result[:stop])
            for tap in range(2 * each, kernel * each, each):
                function(result[:stop], values[tap : tap + stop], out=result[:stop])
            values = result
    return values
