"""Slice: a block of a tensor: from `starts` to before `ends`, every `steps`-th, on some axes.

It is Python's `data[start:end:step]`: negative positions count from the end of the axis, and what
lies beyond the axis is cut to it, so no range is ever out of bounds, it only gets shorter or
empty. (Where a range goes backward from before the first element, it begins with that; Python's
is empty.) "To the end" is written as a very large end (INT_MAX), and "to the beginning", with a
negative step, as a very small one (INT_MIN): -1 would be the last element. Axes that `axes` does
not name stay whole; without `axes` the values belong to the first axes in order. Until version 9
everything is an attribute, and there are no steps.

Spec: ai.onnx Slice-13
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import is_
from types import EllipsisType

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, bounds
from onnx_explorer.ops.again import Again, is_small
from onnx_explorer.ops.axes import axes_in
from onnx_explorer.ops.contents import dims_in, ints_in, ints_of, length_of
from onnx_explorer.ops.cotangents import Floats, Values
from onnx_explorer.ops.tensor.spans import count_between, first_of
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import BF16, EVERY_V1, INDICES

DATA = Port("data", "T", "the tensor to cut from")
STARTS = Port("starts", "Tind", "1-D; where each range begins")
ENDS = Port("ends", "Tind", "1-D; where each range ends, that position excluded")
AXES = Port(
    "axes",
    "Tind",
    "1-D; the axis of each range, negative ones from the end; default: the first axes",
    option="optional",
)
STEPS = Port(
    "steps",
    "Tind",
    "1-D; distance between elements, negative to go backward, never 0; default: 1",
    option="optional",
)
OUTPUT = Port("output", "T", "the block")

Block = tuple[slice | EllipsisType, ...]

SLICE = Operator(
    "Slice",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(DATA,),
            outputs=(OUTPUT,),
            attributes=(
                Attr("axes", "ints", doc="the axis of each range; default: the first axes"),
                Attr("ends", "ints", required=True, doc="where each range ends, excluded"),
                Attr("starts", "ints", required=True, doc="where each range begins"),
            ),
            types={"T": EVERY_V1},
        ),
        Change(
            10,
            "the ranges become inputs and get steps",
            inputs=(DATA, STARTS, ENDS, AXES, STEPS),
            drop=("axes", "ends", "starts"),
            types={"Tind": INDICES},
        ),
        Change(11, "negative axes count from the end; a step of 0 is ruled out"),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable={
                "data": True,
                "starts": False,
                "ends": False,
                "axes": False,
                "steps": False,
                "output": True,
            },
        ),
    ),
)


@SLICE.infer(since=1)
def infer_from_attributes(
    data: Abstract,
    *,
    axes: tuple[int, ...] | None = None,
    ends: tuple[int, ...],
    starts: tuple[int, ...],
    at: RuleSite,
) -> Abstract:
    if data.shape is None:
        return data.like(None)
    return _sliced(data, starts, ends, axes, None, at)


@SLICE.infer(since=10)
def infer(
    data: Abstract,
    starts: Abstract,
    ends: Abstract,
    axes: Abstract | None = None,
    steps: Abstract | None = None,
    *,
    at: RuleSite,
) -> Abstract:
    if data.shape is None:
        return data.like(None)
    known_axes = None if axes is None else ints_in(axes)
    count = next((n for n in map(length_of, (starts, ends)) if n is not None), None)
    if axes is not None and known_axes is None:
        return data.like(tuple(_shorter(axis, size, at) for axis, size in enumerate(data.shape)))
    if count is None:
        count = len(data.shape) if known_axes is None else len(known_axes)
    unknown = (None,) * count
    return _sliced(
        data,
        dims_in(starts) or unknown,
        dims_in(ends) or unknown,
        known_axes,
        None if steps is None else ints_in(steps) or unknown,
        at,
    )


def _sliced(
    data: Abstract,
    starts: Sequence[Dim | None],
    ends: Sequence[Dim | None],
    axes: Sequence[int] | None,
    steps: Sequence[int | None] | None,
    at: RuleSite,
) -> Abstract:
    sizes = list(data.shape or ())
    named, steps = _matched(len(sizes), len(starts), len(ends), axes, steps)
    for axis, start, end, step in zip(named, starts, ends, steps, strict=True):
        size = sizes[axis]
        count = (
            None
            if start is None or end is None or step is None
            else count_between(size, start, end, step)
        )
        sizes[axis] = _shorter(axis, size, at) if count is None else count
    return data.like(tuple(sizes))


def _shorter(axis: int, size: Dim, at: RuleSite) -> Dim:
    return at.fresh(f"dim{axis}", high=bounds(size)[1])


def _matched(
    rank: int,
    n_starts: int,
    n_ends: int,
    axes: Sequence[int] | None,
    steps: Sequence[int | None] | None,
) -> tuple[tuple[int, ...], Sequence[int | None]]:
    """The axes counted from the front and the steps, one for each range."""
    if n_ends != n_starts:
        raise Violation(
            f"{n_ends} element{'s' * (n_ends != 1)}",
            f"starts has {n_starts}",
            port="ends",
            code="wrong-count",
        )
    if axes is None and n_starts > rank:
        raise Violation(
            f"{n_starts} starts", f"data has rank {rank}", port="starts", code="wrong-count"
        )
    named = axes_in(range(n_starts) if axes is None else axes, rank)
    if len(named) != n_starts:
        raise Violation(
            f"{len(named)} axes", f"there are {n_starts} starts", port="axes", code="wrong-count"
        )
    if steps is None:
        return named, (1,) * n_starts
    if len(steps) != n_starts:
        raise Violation(
            f"{len(steps)} steps", f"there are {n_starts} starts", port="steps", code="wrong-count"
        )
    for step in steps:
        if step == 0:
            raise Violation(
                f"steps = {list(steps)}", "no step may be 0", port="steps", code="input-value"
            )
    return named, steps


@SLICE.kernel(since=1)
def slice_by_attributes(
    data: NDArray[np.generic],
    *,
    axes: tuple[int, ...] | None = None,
    ends: tuple[int, ...],
    starts: tuple[int, ...],
) -> NDArray[np.generic]:
    return data[_block(data.shape, starts, ends, axes, None)]


@SLICE.kernel(since=10, sizes=True)
def slice_block(
    data: NDArray[np.generic],
    starts: NDArray[np.generic],
    ends: NDArray[np.generic],
    axes: NDArray[np.generic] | None = None,
    steps: NDArray[np.generic] | None = None,
) -> NDArray[np.generic]:
    return data[_block_by_inputs(data.shape, starts, ends, axes, steps)]


@SLICE.again(since=10)
def again(inputs: Values, outputs: Values) -> Again | None:
    data, *known = inputs
    if not is_small(*known):
        return None
    shape, block = data.shape, _block_by_inputs(data.shape, *known)

    def call(data: NDArray[np.generic], *given: NDArray[np.generic] | None) -> object:
        fits = data.shape == shape and all(map(is_, given, known))
        return data[block] if fits else NotImplemented

    return call


@SLICE.vjp(since=1)
def vjp_by_attributes(
    cotangents: Values,
    inputs: Values,
    outputs: Values,
    *,
    axes: tuple[int, ...] | None = None,
    ends: tuple[int, ...],
    starts: tuple[int, ...],
) -> Floats:
    return _put(cotangents[0], inputs[0], _block(inputs[0].shape, starts, ends, axes, None))


@SLICE.vjp(since=10)
def vjp(
    cotangents: Values, inputs: tuple[Floats, *tuple[NDArray[np.generic], ...]], outputs: Values
) -> Floats:
    data, *ranges = inputs
    return _put(cotangents[0], data, _block_by_inputs(data.shape, *ranges))


def _put(cotangent: Floats, data: Floats, block: Block) -> Floats:
    total = np.zeros(data.shape, data.dtype)
    total[block] = cotangent
    return total


def _block_by_inputs(
    shape: tuple[int, ...],
    starts: NDArray[np.generic],
    ends: NDArray[np.generic],
    axes: NDArray[np.generic] | None = None,
    steps: NDArray[np.generic] | None = None,
) -> Block:
    return _block(
        shape,
        ints_of(starts),
        ints_of(ends),
        None if axes is None else ints_of(axes),
        None if steps is None else ints_of(steps),
    )


@lru_cache(1 << 10)
def _block(
    shape: tuple[int, ...],
    starts: tuple[int, ...],
    ends: tuple[int, ...],
    axes: tuple[int, ...] | None,
    steps: tuple[int, ...] | None,
) -> Block:
    named, strides = _matched(len(shape), len(starts), len(ends), axes, steps)
    block = [slice(None)] * len(shape)
    for axis, start, end, step in zip(named, starts, ends, strides, strict=True):
        block[axis] = slice(first_of(start, step or 1, shape[axis]), end, step)
    # The ellipsis keeps a result of rank 0 an array.
    return (*block, ...)


SLICE.example(
    ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], [0, -2], [3, 2**31 - 1], [1, 0], [2, 1]),
    ([[4, 6], [7, 9]],),
)
SLICE.example(([1, 2, 3], [0], [-1]), ([1, 2],))
# Backwards, an end of -1 would be the last element: the first needs an end out of range.
SLICE.example(([1, 2, 3], [-1], [-(2**63)], None, [-1]), ([3, 2, 1],))
