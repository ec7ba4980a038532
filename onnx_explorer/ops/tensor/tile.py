"""Tile: a tensor laid out again and again along its axes, like tiles on a floor.

`repeats` has one number per axis: `output.shape[i] = input.shape[i] × repeats[i]`, and
`output[k] = input[k mod size]` on each axis. The whole axis is repeated as a block: [1, 2] twice
is [1, 2, 1, 2], not [1, 1, 2, 2]. A repeat of 0 empties the axis. Unlike numpy's `tile`, the rank
never grows. Until version 6 one axis at a time is repeated, and the numbers are floats.

Spec: ai.onnx Tile-13
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from onnx_explorer.dims import Dim
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.contents import dims_in, ints_in, ints_of, length_of
from onnx_explorer.ops.cotangents import moved_vjp
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.schema import Abstract, Change, Operator, Port, RuleSite, Shape, Violation
from onnx_explorer.schema.typesets import BF16, BOOL, COMPLEX, FLOATS, INT64, INTEGERS, STRING

D = TypeVar("D", bound=Dim)

INPUT = Port("input", "T", "the tensor to repeat")

TILE = Operator(
    "Tile",
    doc=__doc__,
    history=(
        Change(
            1,
            "one axis is repeated; both numbers are floats",
            inputs=(
                INPUT,
                Port("tiles", "T", "a scalar: how often the axis is laid out"),
                Port("axis", "T", "a scalar: the axis to repeat"),
            ),
            outputs=(Port("output", "T", "the repeated tensor"),),
            types={"T": FLOATS, "T1": INT64},
        ),
        Change(
            6,
            "every axis has its repeat; every dtype of the time",
            inputs=(INPUT, Port("repeats", "T1", "1-D: how often each axis is laid out")),
            widen={"T": INTEGERS | COMPLEX | BOOL | STRING},
        ),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable={"input": True, "repeats": False, "output": True},
        ),
    ),
)


@TILE.infer(since=1)
def infer_v1(input: Abstract, tiles: Abstract, axis: Abstract, *, at: RuleSite) -> Abstract:
    if input.shape is None:
        return input.like(None)
    rank = len(input.shape)
    places, counts = ints_in(axis), dims_in(tiles)
    if places is None:
        return input.like(tuple(at.fresh(f"dim{k}") for k in range(rank)))
    repeated = axis_in(_one(places, "axis"), rank)
    repeats: list[Dim] = [1] * rank
    repeats[repeated] = at.fresh("tiles") if counts is None else _one(counts, "tiles")
    return input.like(_tiled(input.shape, repeats, "tiles"))


@TILE.infer(since=6)
def infer(input: Abstract, repeats: Abstract, *, at: RuleSite) -> Abstract:
    counts, rank = dims_in(repeats), length_of(repeats)
    if input.shape is None:
        return input.like(None if rank is None else tuple(_fresh(rank, at)))
    if rank is not None and rank != len(input.shape):
        raise _wrong_length(rank, len(input.shape))
    if counts is None:
        return input.like(tuple(_fresh(len(input.shape), at)))
    return input.like(_tiled(input.shape, counts, "repeats"))


def _fresh(rank: int, at: RuleSite) -> list[Dim]:
    return [at.fresh(f"dim{axis}") for axis in range(rank)]


def _tiled(shape: Shape, repeats: Sequence[Dim], port: str) -> Shape:
    if any(isinstance(count, int) and count < 0 for count in repeats):
        raise Violation(
            f"{port} = {list(repeats)}", "each is 0 or more", port=port, code="input-value"
        )
    return tuple(size * count for size, count in zip(shape, repeats, strict=True))


@TILE.kernel(since=1)
def tile_axis(input: Array, tiles: Array, axis: Array) -> Array:
    repeats = [1] * input.ndim
    place = axis_in(_one(ints_of(axis.astype(np.int64)), "axis"), input.ndim)
    repeats[place] = _one(ints_of(tiles.astype(np.int64)), "tiles")
    return _laid_out(input, repeats, "tiles")


@TILE.kernel(since=6, sizes=True)
def tile(input: Array, repeats: Array) -> Array:
    counts = ints_of(repeats)
    if len(counts) != input.ndim:
        raise _wrong_length(len(counts), input.ndim)
    return _laid_out(input, counts, "repeats")


def _laid_out(input: Array, repeats: Sequence[int], port: str) -> Array:
    if any(count < 0 for count in repeats):
        raise Violation(
            f"{port} = {list(repeats)}", "each is 0 or more", port=port, code="input-value"
        )
    # An axis of size 1 is repeated by looking at the same memory again.
    blocks = [1 if size == 1 else n for size, n in zip(input.shape, repeats, strict=True)]
    copied = input if all(count == 1 for count in blocks) else np.tile(input, blocks)
    shape = tuple(
        count if size == 1 else out
        for size, count, out in zip(input.shape, repeats, copied.shape, strict=True)
    )
    return copied if shape == copied.shape else np.broadcast_to(copied, shape)


def _one(values: Sequence[D], port: str) -> D:
    if len(values) != 1:
        raise Violation(f"{len(values)} elements", "one is expected", port=port, code="wrong-count")
    return values[0]


def _wrong_length(length: int, rank: int) -> Violation:
    return Violation(
        f"{length} repeats",
        f"the input has rank {rank}: one for each axis",
        port="repeats",
        code="wrong-count",
    )


TILE.vjp(since=1)(moved_vjp(tile_axis))
TILE.vjp(since=6)(moved_vjp(tile))

TILE.example(([[1, 2], [3, 4]], [1, 2]), ([[1, 2, 1, 2], [3, 4, 3, 4]],))
