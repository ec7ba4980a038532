"""Windows the other way: what each holds goes back to the elements that it saw. These are the
transposes of what `patches` and `correlate` do: ConvTranspose, Col2Im, and derivatives.
"""

from __future__ import annotations

import itertools
from math import prod

import numpy as np

from onnx_explorer.ops.nn.patches import padded, padding, patches, taps
from onnx_explorer.ops.nn.windows import Window
from onnx_explorer.ops.precision import Floats


def unpadded(field: Floats, window: Window, spatial: tuple[int, ...]) -> Floats:
    """The part of a padded array, as long as its windows reach, that is not padding; zeros where
    no window reached.
    """
    out = tuple(
        (size - int(reach)) // stride + 1
        for size, reach, stride in zip(field.shape[2:], window.reach, window.strides, strict=True)
    )
    cut, place, _ = padding(window, spatial, out)
    inner = field[(slice(None), slice(None), *place)]
    if inner.shape[2:] == spatial:
        return inner
    result = np.zeros((*field.shape[:2], *spatial), field.dtype)
    result[(slice(None), slice(None), *cut)] = inner
    return result


def folded(columns: Floats, window: Window, spatial: tuple[int, ...]) -> Floats:
    """X, (N, C, *spatial), from what each window holds, (N, C, *kernel, *out): added where they
    overlap.
    """
    out = columns.shape[2 + len(spatial) :]
    field = np.zeros((*columns.shape[:2], *_reached(window, out)), columns.dtype)
    overlap = any(s < int(r) for s, r in zip(window.strides, window.reach, strict=True))
    where = (list(enumerate(taps(window, axis, n))) for axis, n in enumerate(out))
    for tap in itertools.product(*where):
        spots = field[(slice(None), slice(None), *(spot for _, spot in tap))]
        seen = columns[(slice(None), slice(None), *(k for k, _ in tap))]
        if overlap:
            spots += seen
        else:
            spots[...] = seen
    return unpadded(field, window, spatial)


def spread(Y: Floats, window: Window, spatial: tuple[int, ...]) -> Floats:
    """X, (N, C, *spatial), where each window adds its number to all elements that it sees."""
    field = Y
    for axis, size in enumerate(_reached(window, Y.shape[2:]), 2):
        wider = np.zeros((*field.shape[:axis], size, *field.shape[axis + 1 :]), Y.dtype)
        for tap in taps(window, axis - 2, Y.shape[axis]):
            wider[(slice(None),) * axis + (tap,)] += field
        field = wider
    return unpadded(field, window, spatial)


def of_input(c: Floats, W: Floats, window: Window, group: int, spatial: tuple[int, ...]) -> Floats:
    """The cotangent of the X, (N, C, *spatial), that was correlated with W, (M, C / group,
    *kernel), from that of the result, (N, M, *out).
    """
    n, filters, *out = c.shape
    per_group, *kernel = W.shape[1:]
    bank = W.reshape(group, filters // group, prod(W.shape[1:])).swapaxes(1, 2)
    rows = c.reshape(n, group, filters // group, prod(out))
    result = np.empty((n, group * per_group, *spatial), c.dtype)
    # One image at a time: columns are many times as large.
    for image in range(n):
        columns = np.matmul(bank, rows[image]).reshape(1, group * per_group, *kernel, *out)
        result[image] = folded(columns, window, spatial)[0]
    return result


def of_filters(X: Floats, c: Floats, window: Window, group: int) -> Floats:
    """The cotangent of the filters, (M, C / group, *kernel)."""
    n, filters, *out = c.shape
    per_group, kernel = X.shape[1] // group, [int(size) for size in window.kernel]
    seen = patches(padded(X, window, tuple(out)), window, tuple(out))
    rows = c.reshape(n, group, filters // group, prod(out))
    total = np.zeros((group, filters // group, per_group * prod(kernel)), c.dtype)
    for image in range(n):
        columns = seen[image].reshape(group, per_group * prod(kernel), prod(out))
        total += np.matmul(rows[image], columns.swapaxes(1, 2))
    return total.reshape(filters, per_group, *kernel)


def _reached(window: Window, out: tuple[int, ...]) -> list[int]:
    """How long each axis of an array is that as many windows as `out` says reach over."""
    return [
        (n - 1) * stride + int(reach)
        for n, stride, reach in zip(out, window.strides, window.reach, strict=True)
    ]
