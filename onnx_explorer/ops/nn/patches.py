"""Arrays under sliding windows: padding, the elements that each window sees, and reductions over
them. Convolutions and pooling share them; the arithmetic of sizes is `windows`' part.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.nn.windows import Window
from onnx_explorer.ops.precision import Floats

Scalar = TypeVar("Scalar", bound=np.generic)

BLOCK_BYTES = 1 << 20
"""How much is unfolded or reduced at a time: what a core's cache holds."""


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

    A view of X where nothing has to be filled in.
    """
    cut, place, sizes = padding(window, X.shape[2:], out)
    inner = X[(slice(None), slice(None), *cut)]
    shape = (*X.shape[:2], *sizes)
    if inner.shape == shape:
        return inner
    result = np.full(shape, fill, X.dtype) if fill else np.zeros(shape, X.dtype)
    result[(slice(None), slice(None), *place)] = inner
    return result


def patches(X: Floats, window: Window, out: tuple[int, ...]) -> Floats:
    """A read-only view (N, C, *kernel, *out) of a padded X: the elements that each window sees."""
    strides = X.strides[2:]
    return np.lib.stride_tricks.as_strided(
        X,
        (*X.shape[:2], *(int(k) for k in window.kernel), *out),
        (
            *X.strides[:2],
            *(s * d for s, d in zip(strides, window.dilations, strict=True)),
            *(s * step for s, step in zip(strides, window.strides, strict=True)),
        ),
        writeable=False,
    )


def blocks(out: tuple[int, ...], limit: int) -> Iterator[tuple[tuple[slice, ...], slice]]:
    """Runs of at most about `limit` neighbouring windows that cover `out` in row-major order.

    Each comes as slices of the axes and as the slice of the flattened axes that they are.
    """
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


def taps(window: Window, axis: int, n: int) -> list[slice]:
    """For each element of the window along one axis, where in a padded array it falls under `n`
    windows.
    """
    stride, dilation = window.strides[axis], window.dilations[axis]
    return [
        slice(k * dilation, k * dilation + (n - 1) * stride + 1, stride)
        for k in range(int(window.kernel[axis]))
    ]


def reduced(
    X: Floats, window: Window, out: tuple[int, ...], function: np.ufunc, fill: float
) -> Floats:
    """Every window of X, (N, C, *spatial), reduced to one element by an associative function.

    `fill`, its neutral element, is what the padding holds. Axis after axis, so that a window of
    k × k costs 2 k steps; by blocks of channels that stay in the cache.
    """
    planes = X.reshape(1, X.shape[0] * X.shape[1], *X.shape[2:])
    result = np.empty((1, planes.shape[1], *out), X.dtype)
    step = max(1, BLOCK_BYTES // 4 // max(planes[:, :1].nbytes, 1))
    for start in range(0, planes.shape[1], step):
        block = padded(planes[:, start : start + step], window, out, fill)
        for axis, n in enumerate(out):
            block = _reduced_along(axis + 2, taps(window, axis, n), block, function)
        result[:, start : start + step] = block
    return result.reshape(*X.shape[:2], *out)


def _reduced_along(axis: int, where: list[slice], X: Floats, function: np.ufunc) -> Floats:
    before = (slice(None),) * axis
    if len(where) == 1:
        return X[(*before, where[0])]
    result: Floats = function(X[(*before, where[0])], X[(*before, where[1])])
    for tap in where[2:]:
        function(result, X[(*before, tap)], out=result)
    return result
