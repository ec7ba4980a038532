"""Where the elements that windows see stand: the arithmetic of copying them in long runs.

Element k of all windows is the whole of X, moved: over several rows of windows it is one run of the
flattened axes, which is copied many times as fast as row after row. Only where windows reach over
an edge does a run hold elements of the next row, or of another channel; those are blanked. With
strides X is dealt out first into planes of every s-th element, in which windows are neighbours
again.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

from onnx_explorer.ops.nn.patches import Slices, blocks
from onnx_explorer.ops.nn.windows import Window

Index = tuple[slice | int, ...]
Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plane:
    """Every s-th element along each axis, and the elements of a window that see them."""

    to: Slices
    origin: Slices
    """What of the plane comes from where in X, by spatial axes."""
    taps: Slices
    """Which elements of a window."""
    counts: Sizes
    move: int
    """How far the first of them is moved in the flattened plane."""
    moves: Sizes
    """How much farther the next one along each axis is."""

    @property
    def last_move(self) -> int:
        return self.move + distance(self.counts, self.moves)


@dataclass(frozen=True, slots=True)
class Block:
    """Some neighbouring windows in row-major order."""

    run: slice
    """Which ones, where all axes are flattened."""
    shape: Sizes
    """How many along each axis."""
    start: int
    """Where the first one stands in the flattened plane."""
    blanks: tuple[tuple[Index, Index], ...]
    """Where they see padding, in (*kernel) and (*shape)."""


@dataclass(frozen=True, slots=True)
class Unfolding:
    """How windows over arrays of one size are unfolded, some of them at a time."""

    plane: Sizes
    """The size of a plane."""
    steps: Sizes
    """How far apart neighbouring windows of each axis stand in it."""
    planes: tuple[Plane, ...]
    blocks: tuple[Block, ...]
    before: int
    after: int
    """How many elements in front of and behind all planes are copied before they are blanked."""


@dataclass(frozen=True, slots=True)
class _Tap:
    """One element of a window along one axis."""

    phase: int
    """Which of every s elements it sees."""
    shift: int
    """How far it is moved in the plane of those."""
    first: int
    last: int
    """The windows in which it sees no padding."""


def unfolding(window: Window, spatial: Sizes, out: Sizes, limit: int) -> Unfolding:
    """How `out` windows are unfolded, about `limit` of them at a time."""
    axes = [_taps(window, axis, spatial, n) for axis, n in enumerate(out)]
    plane = tuple(
        max(n, *(tap.last + tap.shift for tap in taps)) for n, taps in zip(out, axes, strict=True)
    )
    steps = tuple(prod(plane[axis + 1 :]) for axis in range(len(plane)))
    phases = [dict.fromkeys(tap.phase for tap in taps) for taps in axes]
    planes = tuple(
        _plane(chosen, axes, window.strides, spatial, plane, steps) for chosen in product(*phases)
    )
    made = tuple(_block(where, run, axes, steps, out) for where, run in blocks(out, limit))
    first, last = min(p.move for p in planes), max(p.last_move for p in planes)
    before = max(-block.start - first for block in made)
    ends = (block.start + 1 + last + distance(block.shape, steps) for block in made)
    return Unfolding(plane, steps, planes, made, max(before, 0), max(max(ends) - prod(plane), 0))


def _taps(window: Window, axis: int, spatial: Sizes, n: int) -> list[_Tap]:
    begin, size = int(window.pads(spatial)[axis][0]), spatial[axis]
    stride, taps = window.strides[axis], list[_Tap]()
    for k in range(int(window.kernel[axis])):
        shift, phase = divmod(k * window.dilations[axis] - begin, stride)
        there = len(range(phase, size, stride))
        first = min(max(0, -shift), n)
        taps.append(_Tap(phase, shift, first, max(first, min(n, there - shift))))
    return taps


def _plane(
    phases: Sizes,
    axes: list[list[_Tap]],
    strides: Sizes,
    spatial: Sizes,
    plane: Sizes,
    steps: Sizes,
) -> Plane:
    to: list[slice] = []
    origin: list[slice] = []
    taps: list[slice] = []
    counts: list[int] = []
    moves: list[int] = []
    start = 0
    for axis, phase in enumerate(phases):
        stride = strides[axis]
        n = min(plane[axis], len(range(phase, spatial[axis], stride)))
        to.append(slice(0, n))
        origin.append(slice(phase, phase + n * stride, stride))
        # Elements of one phase follow each other at equal distances.
        own = [k for k, tap in enumerate(axes[axis]) if tap.phase == phase]
        shifts = [axes[axis][k].shift for k in own]
        each, further = (own[1] - own[0], shifts[1] - shifts[0]) if own[1:] else (1, 0)
        taps.append(slice(own[0], own[-1] + 1, each))
        counts.append(len(own))
        moves.append(further * steps[axis])
        start += shifts[0] * steps[axis]
    return Plane(tuple(to), tuple(origin), tuple(taps), tuple(counts), start, tuple(moves))


def _block(where: Slices, run: slice, axes: list[list[_Tap]], steps: Sizes, out: Sizes) -> Block:
    ranges = [range(*part.indices(n)) for part, n in zip(where, out, strict=True)]
    everything = (slice(None),) * len(axes)
    blanks: list[tuple[Index, Index]] = []
    for axis, taps in enumerate(axes):
        start, stop = ranges[axis].start, ranges[axis].stop
        for k, tap in enumerate(taps):
            seen = (range(start, min(tap.first, stop)), range(max(tap.last, start), stop))
            for low, high in ((each.start - start, each.stop - start) for each in seen if each):
                # Numpy sets one column after the other faster than rows of two or three.
                narrow = axis + 1 == len(axes) and high - low < 4
                parts = range(low, high) if narrow else [slice(low, high)]
                blanks += [(_at(everything, axis, k), _at(everything, axis, at)) for at in parts]
    start = sum(each.start * step for each, step in zip(ranges, steps, strict=True))
    return Block(run, tuple(map(len, ranges)), start, tuple(blanks))


def _at(index: Index, axis: int, part: slice | int) -> Index:
    return (*index[:axis], part, *index[axis + 1 :])


def distance(counts: Sizes, steps: Sizes) -> int:
    """How far the last of so many elements along each axis is from the first."""
    return sum((n - 1) * step for n, step in zip(counts, steps, strict=True))
