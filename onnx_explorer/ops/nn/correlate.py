"""Cross-correlation of a padded input with a bank of filters: what convolutions spend their time
in.

All functions fill `Y`, (N, M, *out), from `X`, (N, C, *spatial), or from `field`, which is X padded
to what the windows reach, and `W`, (M, C / group, *kernel). All have the same float type of 32 or
64 bits.
"""

from __future__ import annotations

from math import prod

import numpy as np

from onnx_explorer.ops.nn.depthwise import depthwise
from onnx_explorer.ops.nn.patches import BLOCK_BYTES, blocks, padded, patches
from onnx_explorer.ops.nn.windows import Window
from onnx_explorer.ops.precision import Floats


def correlate(X: Floats, W: Floats, window: Window, group: int, Y: Floats) -> None:
    """Fill Y the way that suits the shapes."""
    if not Y.size:
        return
    if not prod(W.shape[1:]):
        Y.fill(0)
        return
    if all(size == 1 for size in W.shape[2:]):
        _pointwise(padded(X, window, Y.shape[2:]), W, window, group, Y)
    elif group > 1 and W.shape[1] == 1:
        depthwise(X, W, window, Y)
    else:
        _unfolded(padded(X, window, Y.shape[2:]), W, window, group, Y)


def _pointwise(field: Floats, W: Floats, window: Window, group: int, Y: Floats) -> None:
    """Windows of one element: a matrix product over the channels."""
    steps = tuple(slice(None, None, stride) for stride in window.strides)
    seen = field[(slice(None), slice(None), *steps)]
    n, filters = Y.shape[:2]
    if group == 1:
        columns = seen.reshape(n, seen.shape[1], -1)
        np.matmul(W.reshape(filters, -1), columns, out=Y.reshape(n, filters, -1))
        return
    columns = seen.reshape(n, group, seen.shape[1] // group, -1)
    bank = W.reshape(group, filters // group, -1)
    np.matmul(bank, columns, out=Y.reshape(n, group, filters // group, -1))


def _unfolded(field: Floats, W: Floats, window: Window, group: int, Y: Floats) -> None:
    """Windows copied into columns, a block of them at a time, and multiplied with the filters."""
    n, filters, *out = Y.shape
    taps = field.shape[1] * prod(W.shape[2:])
    windows = prod(out)
    # Many filters ask for larger blocks: each block reads all of them.
    limit = min(windows, max(BLOCK_BYTES, W.nbytes // 4) // (taps * field.itemsize))
    seen = patches(field, window, tuple(out))
    bank = W.reshape(group, filters // group, -1)
    result = Y.reshape(n, group, filters // group, windows)
    runs = blocks(tuple(out), limit)
    buffer = np.empty(taps * max(run.stop - run.start for _, run in runs), field.dtype)
    for image in range(n):
        for where, run in runs:
            block = seen[(image, ..., *where)]
            columns = buffer[: block.size]
            columns.reshape(block.shape)[...] = block
            np.matmul(bank, columns.reshape(group, taps // group, -1), out=result[image, :, :, run])
