"""Cross-correlation of an input with a bank of filters: what convolutions spend their time in.

`Y`, (N, M, *out), is filled from `X`, (N, C, *spatial), and `W`, (M, C / group, *kernel). All have the
same float type of 32 or 64 bits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import prod
from typing import Protocol

import numpy as np

from onnx_explorer.ops.nn.at_once import AtOnce
from onnx_explorer.ops.nn.columns import by_columns
from onnx_explorer.ops.nn.patches import (
    BLOCK_BYTES,
    KNOWN,
    Slices,
    apart,
    blocks,
    padded,
    patches,
    patches_in_runs,
)
from onnx_explorer.ops.nn.unfolding import Sizes
from onnx_explorer.ops.nn.windows import Window
from onnx_explorer.ops.precision import Floats


class Way(Protocol):
    """How filters are applied to arrays of one shape."""

    def __call__(self, X: Floats, W: Floats, Y: Floats, B: Floats | None) -> None:
        """Fill Y; `B` has what is added to each of its channels."""
        ...


def correlate(X: Floats, W: Floats, window: Window, group: int, Y: Floats) -> None:
    """Fill Y the way that suits the shapes."""
    way(X.shape, W.shape, window, group, Y.shape[2:], Y.itemsize)(X, W, Y, None)


@lru_cache(KNOWN)
def way(X: Sizes, W: Sizes, window: Window, group: int, out: Sizes, itemsize: int) -> Way:
    """The way that suits the shapes."""
    filters, per_group, *kernel = W
    taps, windows = prod(W[1:]), prod(out)
    if not (X[0] * filters * windows and taps):
        return _constant
    if prod(kernel) == 1:
        return _Pointwise.of(X, W, window, group, out)
    if X[0] * group * taps * windows <= FEW:
        return AtOnce.of(X, W, window, group, out, itemsize)
    plane = taps * windows * itemsize
    if (
        plane > BLOCK_BYTES // 2
        and group == 1
        and set(window.strides) == {1}
        and 3 * filters <= per_group
    ):
        return _ByTaps(window)
    # Many filters ask for larger blocks: each block reads all of them.
    room = max(BLOCK_BYTES, filters // group * taps * itemsize // 4) // itemsize
    disjoint = all(
        stride >= int(reach) for stride, reach in zip(window.strides, window.reach, strict=True)
    )
    # By columns, X is dealt out over as many planes as a stride is long; a few windows are copied sooner.
    if disjoint or prod(window.strides) > windows:
        return _ByPatches(window, group, blocks(out, min(windows, max(1, room // (taps * group)))))
    options = {"room": room, "itemsize": itemsize}
    whole = by_columns(X, W, window, group, out, **options)
    bands = -(-whole.parts[0].size * itemsize // BAND_BYTES)
    step = -(-out[0] // bands)
    made: list[_Band] = []
    for start in range(0, out[0], step):
        rows = slice(start, min(start + step, out[0]))
        seen, own = _band(X, window, rows)
        if seen.start >= seen.stop or bands == 1:
            return whole  # a band that sees nothing but padding is not worth a way of its own
        some = (*X[:2], seen.stop - seen.start, *X[3:])
        size = (rows.stop - rows.start, *out[1:])
        made.append(_Band(rows, seen, by_columns(some, W, own, group, size, **options)))
    return _ByBands(tuple(made))


FEW = 1 << 12
"""Elements that windows see up to which what counts is how soon copying them begins."""

BAND_BYTES = 1 << 22
"""How much of an input is copied at once, for all of the columns that are made of it."""


def _constant(X: Floats, W: Floats, Y: Floats, B: Floats | None) -> None:
    """Windows that see nothing."""
    Y.fill(0)
    _add(Y, B)


def _add(Y: Floats, B: Floats | None) -> None:
    """Add to each channel what it gets."""
    if B is not None:
        np.add(Y, B.reshape(-1, *(1,) * (Y.ndim - 2)), out=Y)


def _band(X: Sizes, window: Window, rows: slice) -> tuple[slice, Window]:
    """What some rows of windows see of the first axis, and how they lie on that."""
    begins, ends = ([int(pad) for pad in side] for side in zip(*window.pads(X[2:]), strict=True))
    first = rows.start * window.strides[0] - begins[0]
    last = (rows.stop - 1) * window.strides[0] + int(window.reach[0]) - begins[0]
    begins[0], ends[0] = max(-first, 0), max(last - X[2], 0)
    own = replace(window, begins=tuple(begins), ends=tuple(ends), auto_pad="NOTSET")
    return slice(max(first, 0), min(last, X[2])), own


@dataclass(frozen=True, slots=True)
class _Band:
    rows: slice
    seen: slice
    way: Way


@dataclass(frozen=True, slots=True)
class _ByBands:
    """Some rows of windows after the other, each with what they see of a large input."""

    bands: tuple[_Band, ...]

    def __call__(self, X: Floats, W: Floats, Y: Floats, B: Floats | None) -> None:
        for band in self.bands:
            band.way(X[:, :, band.seen], W, Y[:, :, band.rows], B)


@dataclass(frozen=True, slots=True)
class _Pointwise:
    """Windows of one element: a matrix product over the channels."""

    window: Window
    out: Sizes
    steps: Slices | None
    """Which elements of the padded input windows see; None: all of X."""
    bank: Sizes
    seen: Sizes
    result: Sizes
    summand: Sizes
    """Shapes for the product: with an axis for groups, if there are several."""

    @classmethod
    def of(cls, X: Sizes, W: Sizes, window: Window, group: int, out: Sizes) -> _Pointwise:
        everything = X[2:] == out and set(window.strides) == {1} and not any(window.begins)
        steps = tuple(slice(None, None, stride) for stride in window.strides)
        groups = (group,) if group > 1 else ()
        filters, channels = W[0] // group, W[1]
        return cls(
            window=window,
            out=out,
            steps=None if everything else (slice(None), slice(None), *steps),
            bank=(*groups, filters, channels),
            seen=(X[0], *groups, channels, prod(out)),
            result=(X[0], *groups, filters, prod(out)),
            summand=(*groups, filters, 1),
        )

    def __call__(self, X: Floats, W: Floats, Y: Floats, B: Floats | None) -> None:
        seen = X if self.steps is None else padded(X, self.window, self.out)[self.steps]
        result = Y.reshape(self.result)
        np.matmul(W.reshape(self.bank), seen.reshape(self.seen), out=result)
        if B is not None:
            np.add(result, B.reshape(self.summand), out=result)


@dataclass(frozen=True, slots=True)
class _ByPatches:
    """All elements of some rows of windows in one copy, where they do not overlap or are few."""

    window: Window
    group: int
    blocks: tuple[tuple[Slices, slice], ...]

    def __call__(self, X: Floats, W: Floats, Y: Floats, B: Floats | None) -> None:
        n, filters, *out = Y.shape
        group = self.group
        field = padded(X, self.window, tuple(out))
        taps = field.shape[1] * prod(W.shape[2:])
        seen = patches(field, self.window, tuple(out))
        bank = W.reshape(group, filters // group, -1)
        result = Y.reshape(n, group, filters // group, -1)
        most = max(run.stop - run.start for _, run in self.blocks)
        buffer = np.empty(taps * most, field.dtype)
        for image, (where, run) in product(range(n), self.blocks):
            block = seen[(image, ..., *where)]
            columns = buffer[: block.size]
            columns.reshape(block.shape)[...] = block
            np.matmul(bank, columns.reshape(group, taps // group, -1), out=result[image, :, :, run])
        _add(Y, B)


@dataclass(frozen=True, slots=True)
class _ByTaps:
    """A product for each element of the filters, with what it sees in all windows: of few filters
    for many channels, adding products up takes less time than copying windows.
    """

    window: Window

    def __call__(self, X: Floats, W: Floats, Y: Floats, B: Floats | None) -> None:
        n, filters, *out = Y.shape
        field = np.ascontiguousarray(padded(X, self.window, tuple(out)))
        seen = patches_in_runs(field, self.window, tuple(out))
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
            if B is not None:
                sums += B[:, None]
            Y[image, :, start:stop] = apart(sums, field, (stop - start, *out[1:]))
