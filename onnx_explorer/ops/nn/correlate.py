"""Cross-correlation of a padded input with a bank of filters: what convolutions spend their time
in.

All functions fill `Y`, (N, M, *out), from `X`, (N, C, *spatial), or from `field`, which is X padded
to what the windows reach, and `W`, (M, C / group, *kernel). All have the same float type of 32 or
64 bits.
"""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from onnx_explorer.ops.nn.patches import (
    BLOCK_BYTES,
    apart,
    blocks,
    padded,
    patches,
    patches_in_runs,
)
from onnx_explorer.ops.nn.windows import Window
from onnx_explorer.ops.precision import Floats

FEW_FILTERS = 32
"""Up to so many for each group, copying the windows takes longer than multiplying them."""


def correlate(X: Floats, W: Floats, window: Window, group: int, Y: Floats) -> None:
    """Fill Y the way that suits the shapes."""
    if not Y.size:
        return
    if not prod(W.shape[1:]):
        Y.fill(0)
        return
    if prod(W.shape[2:]) == 1:
        _pointwise(X, W, window, group, Y)
        return
    field = padded(X, window, Y.shape[2:])
    if prod(W.shape[1:]) * prod(Y.shape[2:]) * Y.itemsize <= BLOCK_BYTES // 2:
        _by_planes(field, W, window, group, Y)
    elif group == 1 and set(window.strides) == {1} and 3 * W.shape[0] <= W.shape[1]:
        _by_taps(field, W, window, Y)
    else:
        _by_rows(field, W, window, group, Y)


def _pointwise(X: Floats, W: Floats, window: Window, group: int, Y: Floats) -> None:
    """Windows of one element: a matrix product over the channels."""
    n, filters, *out = Y.shape
    seen = X
    if X.shape[2:] != tuple(out) or set(window.strides) != {1} or any(window.begins):
        steps = tuple(slice(None, None, stride) for stride in window.strides)
        seen = padded(X, window, tuple(out))[(slice(None), slice(None), *steps)]
    if group == 1:
        columns = seen.reshape(n, seen.shape[1], -1)
        np.matmul(W.reshape(filters, -1), columns, out=Y.reshape(n, filters, -1))
        return
    columns = seen.reshape(n, group, seen.shape[1] // group, -1)
    bank = W.reshape(group, filters // group, -1)
    np.matmul(bank, columns, out=Y.reshape(n, group, filters // group, -1))


def _by_planes(field: Floats, W: Floats, window: Window, group: int, Y: Floats) -> None:
    """All windows of some images and groups copied into columns, and multiplied with the filters."""
    n, filters, *out = Y.shape
    few, channels, taps = filters // group, W.shape[1], prod(W.shape[1:])
    in_runs = few <= FEW_FILTERS and len(out) > 1 and set(window.strides) == {1}
    if in_runs:
        field = np.ascontiguousarray(field)
        seen = patches_in_runs(field, window, tuple(out))
    else:
        seen = patches(field, window, tuple(out))
    windows = prod(seen.shape[2 + len(out) :])
    limit = BLOCK_BYTES // 2 // (taps * windows * Y.itemsize)
    groups = min(group, max(1, limit))
    images = min(n, max(1, limit // groups))
    bank = W.reshape(group, few, taps)
    result = Y.reshape(n, group, few, *out)
    buffer = np.empty((images, groups * channels, *seen.shape[2:]), Y.dtype)
    for image, first in product(range(0, n, images), range(0, group, groups)):
        some, last = slice(image, image + images), first + groups
        block = seen[some, first * channels : last * channels]
        columns = buffer[: len(block), : block.shape[1]]
        columns[...] = block
        columns = columns.reshape(len(block), -1, taps, windows)
        target = result[some, first:last]
        if in_runs:
            target[...] = apart(np.matmul(bank[first:last], columns), field, tuple(out))
        else:
            np.matmul(bank[first:last], columns, out=target.reshape(*target.shape[:3], windows))


def _by_taps(field: Floats, W: Floats, window: Window, Y: Floats) -> None:
    """A product for each element of the filters, with what it sees in all windows: of few filters
    for many channels, adding products up takes less time than copying windows.
    """
    n, filters, *out = Y.shape
    field = np.ascontiguousarray(field)
    seen = patches_in_runs(field, window, tuple(out))
    row = field.strides[2] // field.itemsize
    bank = np.ascontiguousarray(np.moveaxis(W, (0, 1), (-2, -1)))
    taps = list(np.ndindex(*W.shape[2:]))
    rows = max(1, BLOCK_BYTES // (filters * row * Y.itemsize))
    for image, start in product(range(n), range(0, out[0], rows)):
        stop = min(start + rows, out[0])
        run = slice(start * row, seen.shape[-1] - (out[0] - stop) * row)
        parts = [(bank[tap], seen[(image, slice(None), *tap, run)]) for tap in taps]
        sums = np.matmul(*parts[0])
        more = np.empty_like(sums)
        for part in parts[1:]:
            sums += np.matmul(*part, out=more)
        Y[image, :, start:stop] = apart(sums, field, (stop - start, *out[1:]))


def _by_rows(field: Floats, W: Floats, window: Window, group: int, Y: Floats) -> None:
    """The windows of some rows of an image copied into columns, and multiplied with the filters."""
    n, filters, *out = Y.shape
    taps = field.shape[1] * prod(W.shape[2:])
    windows = prod(out)
    # Many filters ask for larger blocks: each block reads all of them.
    limit = min(windows, max(BLOCK_BYTES, W.nbytes // 4) // (taps * field.itemsize))
    seen = patches(field, window, tuple(out))
    bank = W.reshape(group, filters // group, -1)
    result = Y.reshape(n, group, filters // group, windows)
    each = blocks(tuple(out), limit)
    buffer = np.empty(taps * max(run.stop - run.start for _, run in each), field.dtype)
    for image in range(n):
        for where, run in each:
            block = seen[(image, ..., *where)]
            columns = buffer[: block.size]
            columns.reshape(block.shape)[...] = block
            np.matmul(bank, columns.reshape(group, taps // group, -1), out=result[image, :, :, run])
