"""Depthwise cross-correlation: each channel has filters of its own, so there is no sum over
channels for a matrix product to take.

The product is made all the same, over windows that are neighbours in a row: `TILE` of them look
at one stretch of the input, and a banded matrix holds the filter once for each, shifted. Most of
the band is zeros, yet it is several times faster than going over the output once for each element
of the filter.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from onnx_explorer.ops.nn.patches import BLOCK_BYTES, padded, taps
from onnx_explorer.ops.nn.windows import Window
from onnx_explorer.ops.precision import Floats

TILE = 20
"""The most windows that one tile takes; half of it where windows do not touch."""


def depthwise(X: Floats, W: Floats, window: Window, Y: Floats) -> None:
    """Fill Y, (N, M, *out), from X, (N, C, *spatial), and W, (M, 1, *kernel).

    M is a multiple of C, and the filters of a channel are neighbours.
    """
    out = Y.shape[2:]
    columns = out[-1]
    channels = X.shape[1]
    result = Y.reshape(X.shape[0], channels, -1, *out)
    bank = W.reshape(channels, -1, *W.shape[2:])
    banded = len(out) <= 2 and window.dilations[-1] == 1
    band = _Band.of(bank, window, columns) if banded else None
    room = BLOCK_BYTES // 4
    step = max(1, room // max(X[:1, :1].nbytes, result[:1, :1].nbytes))
    for image, start in itertools.product(range(X.shape[0]), range(0, channels, step)):
        some = slice(start, start + step)
        field = padded(X[image : image + 1, some], window, out)[0]
        target = result[image, some]
        # A zero of the band times infinity is NaN, and spreads it over the whole tile.
        if band is None or not band.apply(field, some, window, target):
            _shifted(field, bank[some], window, target)


@dataclass(frozen=True, slots=True)
class _Band:
    """The filters, shifted for each window of a tile: (C, kernel rows × reach, each × tile)."""

    matrices: Floats
    tile: int

    @classmethod
    def of(cls, bank: Floats, window: Window, columns: int) -> _Band:
        channels, each, *_, across = bank.shape
        stride = window.strides[-1]
        tiles = -(-columns // (TILE // min(stride, 2)))
        tile = -(-columns // tiles)
        windows = np.arange(tile)
        filters = bank.reshape(channels, each, -1, across).transpose(3, 0, 2, 1)
        reach = (tile - 1) * stride + across
        band = np.zeros((channels, filters.shape[2], reach, each, tile), bank.dtype)
        for tap in range(across):
            band[:, :, windows * stride + tap, :, windows] = filters[tap]
        return cls(band.reshape(channels, -1, each * tile), tile)

    def apply(self, field: Floats, some: slice, window: Window, Y: Floats) -> bool:
        """Y, (c, each, *out), from field, (c, *spatial); False if something is not finite."""
        tile, stride = self.tile, window.strides[-1]
        channels, each, *_, columns = Y.shape
        rows = int(np.prod(Y.shape[2:-1]))
        one = field.strides[-1]
        # The last tile may overlap the one before; what both cover comes out the same.
        runs = [(0, columns // tile)] + ([(columns - tile, 1)] if columns % tile else [])
        for first, tiles in runs:
            seen = field[..., first * stride :]
            down = seen.strides[-2] if seen.ndim == 3 else 0
            kernel_rows = int(window.kernel[0]) if seen.ndim == 3 else 1
            reach = self.matrices.shape[1] // kernel_rows
            stretches = np.lib.stride_tricks.as_strided(
                seen,
                (channels, rows, tiles, kernel_rows, reach),
                (
                    seen.strides[0],
                    down * window.strides[0],
                    one * tile * stride,
                    down * window.dilations[0],
                    one,
                ),
                writeable=False,
            ).reshape(channels, rows * tiles, -1)
            product = np.matmul(stretches, self.matrices[some])
            if not np.isfinite(np.add.reduce(product, axis=None)):
                return False
            whole = product.reshape(channels, rows, tiles, each, tile).transpose(0, 3, 1, 2, 4)
            target = Y[..., first : first + tiles * tile]
            target[...] = whole.reshape(target.shape)
        return True


def _shifted(field: Floats, bank: Floats, window: Window, Y: Floats) -> None:
    """Y, (c, each, *out), from field, (c, *spatial), as a sum over the elements of the filters."""
    channels, each, *out = Y.shape
    weights = bank.reshape(channels, each, -1, *(1,) * len(out))
    product = np.empty_like(Y[:, 0])
    steps = (taps(window, axis, size) for axis, size in enumerate(out))
    for tap, where in enumerate(itertools.product(*steps)):
        for multiple in range(each):
            seen = field[(slice(None), *where)]
            if tap == 0:
                np.multiply(seen, weights[:, multiple, tap], out=Y[:, multiple])
            else:
                np.multiply(seen, weights[:, multiple, tap], out=product)
                Y[:, multiple] += product
