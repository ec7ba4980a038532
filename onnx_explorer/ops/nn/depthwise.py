"""Depthwise cross-correlation: each channel has filters of its own, so there is no sum over
channels that a matrix product could take.
"""

from __future__ import annotations

import itertools

import numpy as np

from onnx_explorer.ops.nn.patches import BLOCK_BYTES, taps
from onnx_explorer.ops.nn.windows import Window
from onnx_explorer.ops.precision import Floats


def depthwise(field: Floats, W: Floats, window: Window, Y: Floats) -> None:
    """Fill Y, (N, M, *out), from field, (N, C, *spatial), and W, (M, 1, *kernel); M is a multiple
    of C, and the filters of a channel are neighbours.
    """
    n, filters, *out = Y.shape
    channels = field.shape[1]
    each = filters // channels
    result = Y.reshape(n, channels, each, *out)
    bank = W.reshape(channels, each, -1)
    where = list(itertools.product(*(taps(window, a, size) for a, size in enumerate(out))))
    step = max(1, BLOCK_BYTES // 4 // max(result[:1, :1].nbytes, 1))
    ones = (1,) * len(out)
    for image, multiple, start in itertools.product(
        range(n), range(each), range(0, channels, step)
    ):
        some = slice(start, start + step)
        weights = bank[some, multiple].reshape(-1, bank.shape[2], *ones)
        target = result[image, some, multiple]
        seen = field[image, some]
        np.multiply(seen[(slice(None), *where[0])], weights[:, 0], out=target)
        product = np.empty_like(target)
        for tap, position in enumerate(where[1:], 1):
            np.multiply(seen[(slice(None), *position)], weights[:, tap], out=product)
            target += product
