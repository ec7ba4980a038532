"""Correlation by columns: what windows see is copied into the columns of a matrix, some of them at
a time, and multiplied with the filters.

All that follows from shapes alone is worked out once, down to the bytes: small layers would spend
more time on it than on their elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from onnx_explorer.ops.nn.unfolding import Block, Index, Sizes, Unfolding, unfolding
from onnx_explorer.ops.nn.windows import Window
from onnx_explorer.ops.precision import Floats

ALL = slice(None)

ROW = 4096
"""How many windows a single filter is multiplied with at a time: about what the cache next to the
core holds.
"""


@dataclass(frozen=True, slots=True)
class View:
    """A part of the columns, and where in a flat array of planes it comes from."""

    columns: Index
    shape: Sizes
    offset: int
    strides: Sizes


@dataclass(frozen=True, slots=True)
class Piece:
    """Some neighbouring windows."""

    columns: Sizes
    """The shape of what they see: (C, *kernel, N, *windows)."""
    views: tuple[View, ...]
    blanks: tuple[Index, ...]
    """Where they see padding."""
    matrix: Sizes
    """The same for the product: (groups, C / group × kernel, N × windows)."""
    sums: Sizes
    """The shape of the product: (groups, M / group, N, windows)."""
    run: slice
    """Which windows, where all axes are flattened."""

    def fill(self, buffer: Floats, planes: Floats) -> Floats:
        """The matrix, in the buffer."""
        columns: Floats = np.ndarray(self.columns, buffer.dtype, buffer)
        for view in self.views:
            columns[view.columns] = np.ndarray(
                view.shape, planes.dtype, planes, view.offset, view.strides
            )
        for blank in self.blanks:
            columns[blank] = 0
        return columns.reshape(self.matrix)


@dataclass(frozen=True, slots=True)
class Part:
    """Some images and groups."""

    images: slice
    groups: slice
    channels: slice
    planes: Sizes
    """(number, C, N, *plane)"""
    deals: tuple[tuple[Index, Index], ...]
    """What of each plane comes from where in X, as (C, N, *spatial)."""
    where: slice
    size: int
    """Where in a flat array the planes stand, and how long that is."""
    pieces: tuple[Piece, ...]

    def dealt(self, X: Floats) -> Floats:
        """The planes, flat."""
        flat = np.empty(self.size, X.dtype)
        planes = flat[self.where].reshape(self.planes)
        some = X[self.images, self.channels].swapaxes(0, 1)
        for number, (to, origin) in enumerate(self.deals):
            planes[number][to] = some[origin]
        return flat


@dataclass(frozen=True, slots=True)
class ByColumns:
    """Filters of one shape over arrays of one shape."""

    bank: Sizes
    """(group, M / group, C / group × kernel)"""
    result: Sizes
    """(N, group, M / group, windows)"""
    parts: tuple[Part, ...]
    buffer: int
    """How many elements the columns of a piece have at most."""

    def __call__(self, X: Floats, W: Floats, Y: Floats, B: Floats | None) -> None:
        bank, result = W.reshape(self.bank), Y.reshape(self.result)
        summand = None if B is None else B.reshape(*self.bank[:2], 1)
        buffer = np.empty(self.buffer, Y.dtype)
        for part in self.parts:
            planes, filters = part.dealt(X), bank[part.groups]
            target = result[part.images, part.groups]
            more = None if summand is None else summand[part.groups]
            for piece in part.pieces:
                matrix, place = piece.fill(buffer, planes), target[..., piece.run]
                if len(place) == 1:
                    np.matmul(filters, matrix, out=place[0])
                    if more is not None:
                        place += more
                    continue
                # Images stand side by side in the product.
                sums = np.matmul(filters, matrix).reshape(piece.sums).transpose(2, 0, 1, 3)
                if more is None:
                    place[...] = sums
                else:
                    np.add(sums, more, out=place)


def by_columns(
    X: Sizes, W: Sizes, window: Window, group: int, out: Sizes, *, room: int, itemsize: int
) -> ByColumns:
    """How filters W are applied to X, if columns have about `room` elements at a time."""
    few, taps, windows = W[0] // group, prod(W[1:]), prod(out)
    at_once = min(windows, max(1, room // max(taps, few)), ROW if few == 1 else windows)
    groups = _even(group, room // (taps * at_once))
    images = _even(X[0], room // (taps * at_once * groups))
    unfolded = unfolding(window, X[2:], out, at_once)
    made: dict[tuple[int, int], tuple[Piece, ...]] = {}
    parts: list[Part] = []
    for image, first in product(range(0, X[0], images), range(0, group, groups)):
        size = min(images, X[0] - image), min(groups, group - first)
        if size not in made:
            made[size] = tuple(
                _piece(block, unfolded, *size, W, few, itemsize) for block in unfolded.blocks
            )
        parts.append(_part(unfolded, image, size[0], first, size[1], W[1], made[size]))
    buffer = max(prod(piece.columns) for pieces in made.values() for piece in pieces)
    return ByColumns((group, few, taps), (X[0], group, few, windows), tuple(parts), buffer)


def _even(n: int, most: int) -> int:
    """How many of n to take at a time, at most so many, that all parts are about as large."""
    parts = -(-n // max(1, min(n, most)))
    return -(-n // parts)


def _part(
    unfolded: Unfolding,
    image: int,
    images: int,
    first: int,
    groups: int,
    per_group: int,
    pieces: tuple[Piece, ...],
) -> Part:
    planes = (len(unfolded.planes), groups * per_group, images, *unfolded.plane)
    stop = unfolded.before + prod(planes)
    return Part(
        images=slice(image, image + images),
        groups=slice(first, first + groups),
        channels=slice(first * per_group, (first + groups) * per_group),
        planes=planes,
        deals=tuple(((ALL, ALL, *p.to), (ALL, ALL, *p.origin)) for p in unfolded.planes),
        where=slice(unfolded.before, stop),
        size=stop + unfolded.after,
        pieces=pieces,
    )


def _piece(
    block: Block, unfolded: Unfolding, images: int, groups: int, W: Sizes, few: int, itemsize: int
) -> Piece:
    per_group, *kernel = W[1:]
    channels, size, windows = groups * per_group, prod(unfolded.plane), prod(block.shape)
    views = tuple(
        View(
            columns=(ALL, *plane.taps),
            shape=(channels, *plane.counts, images, *block.shape),
            offset=itemsize
            * (unfolded.before + block.start + plane.move + number * channels * images * size),
            strides=tuple(
                itemsize * by for by in (images * size, *plane.moves, size, *unfolded.steps)
            ),
        )
        for number, plane in enumerate(unfolded.planes)
    )
    return Piece(
        columns=(channels, *kernel, images, *block.shape),
        views=views,
        blanks=tuple((ALL, *taps, ALL, *seen) for taps, seen in block.blanks),
        matrix=(groups, prod(W[1:]), images * windows),
        sums=(groups, few, images, windows),
        run=block.run,
    )
