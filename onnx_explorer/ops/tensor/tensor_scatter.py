"""TensorScatter: a cache with new entries written into it, each batch at a place of its own.

A decoder keeps the keys and values of the tokens so far in a cache of fixed size, and writes
those of new tokens behind them. The result is a copy of `past_cache` in which batch b has
`update[b]` on `axis` from position `write_indices[b]` on (0 where that input is left out). In
"linear" mode the entries must fit in before the end of the axis; in "circular" mode they go on at
its beginning, so that the oldest ones are overwritten. Axis 0 is the batch; both tensors have the
same sizes on all other axes but `axis`.

Spec: ai.onnx TensorScatter-24
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from onnx_explorer.dims import Dim, known_different, less
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.contents import dims_in
from onnx_explorer.ops.cotangents import moved_vjp
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.tensor.positions import whole_numbers
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Shape, Violation
from onnx_explorer.schema.typesets import EVERY_V12

Mode = Literal["linear", "circular"]

TENSOR_SCATTER = Operator(
    "TensorScatter",
    doc=__doc__,
    history=(
        Change(
            24,
            "first version",
            inputs=(
                Port("past_cache", "T", "(batch, ..., max_length, ...)", differentiable=True),
                Port("update", "T", "(batch, ..., length, ...): new entries", differentiable=True),
                Port(
                    "write_indices",
                    "tensor(int64)",
                    "(batch,): where the entries of each batch begin; default: 0",
                    option="optional",
                    differentiable=False,
                ),
            ),
            outputs=(
                Port("present_cache", "T", "the cache with the new entries", differentiable=True),
            ),
            attributes=(
                Attr("axis", "int", -2, doc="the axis of the entries, which is not the first"),
                Attr(
                    "mode",
                    "string",
                    "linear",
                    one_of=("linear", "circular"),
                    doc="circular: what does not fit goes on at the beginning of the axis",
                ),
            ),
            types={"T": EVERY_V12},
        ),
    ),
)


@TENSOR_SCATTER.infer(since=24)
def infer(
    past_cache: Abstract,
    update: Abstract,
    write_indices: Abstract | None = None,
    *,
    axis: int,
    mode: Mode,
    at: RuleSite,
) -> Abstract:
    cache = past_cache.shape
    if cache is None:
        return past_cache.like(None)
    along = _axis(axis, len(cache))
    if update.shape is not None:
        _check_update(cache, update.shape, along)
        for k, (size, wanted) in enumerate(zip(update.shape, cache, strict=True)):
            if k != along:
                at.assume(size, wanted)
        starts = (0,) if write_indices is None else dims_in(write_indices)
        for start in starts or ():
            _check_start(start, update.shape[along], cache[along], mode)
    if write_indices is not None and write_indices.shape is not None:
        _check_indices(write_indices.shape, cache[0])
    return past_cache.like(cache)


def _axis(axis: int, rank: int) -> int:
    along = axis_in(axis, rank)
    if along == 0:
        raise Violation(
            f"axis = {axis} of rank {rank}", "the first axis is the batch", code="attribute-value"
        )
    return along


def _check_update(cache: Shape, update: Shape, axis: int) -> None:
    if len(update) != len(cache):
        raise Violation(
            f"rank {len(update)}",
            f"the cache has rank {len(cache)}, and the two must be equal",
            port="update",
            code="wrong-rank",
        )
    for k, (size, wanted) in enumerate(zip(update, cache, strict=True)):
        if k == axis and less(wanted, size) is True:
            raise Violation(
                f"{size} entries on axis {k}", f"the cache has room for {wanted}", port="update"
            )
        if k != axis and known_different(size, wanted):
            raise Violation(
                f"size {size} on axis {k}", f"the cache has {wanted} there", port="update"
            )


def _check_indices(indices: Shape, batch: Dim) -> None:
    if len(indices) != 1 or known_different(indices[0], batch):
        raise Violation(
            f"shape {list(indices)}",
            f"one for each of {batch} batches",
            port="write_indices",
            code="wrong-shape",
        )


def _check_start(start: Dim, length: Dim, room: Dim, mode: Mode) -> None:
    if less(start, 0) is True:
        raise Violation(f"write index {start}", "0 or more", port="write_indices")
    if mode == "linear" and less(room, start + length) is True:
        raise Violation(
            f"{length} entries from {start} on",
            f"the cache ends at {room}, which only circular mode goes beyond",
            port="write_indices",
        )


@TENSOR_SCATTER.kernel(since=24, sizes=True)
def tensor_scatter(
    past_cache: Array,
    update: Array,
    write_indices: Array | None = None,
    *,
    axis: int,
    mode: Mode,
) -> Array:
    along = _axis(axis, past_cache.ndim)
    _check_update(past_cache.shape, update.shape, along)
    n_batches = past_cache.shape[0]
    if write_indices is None:
        starts = [0] * n_batches
    else:
        _check_indices(write_indices.shape, n_batches)
        starts = whole_numbers(write_indices).tolist()
    length, room = update.shape[along], past_cache.shape[along]
    output = past_cache.copy()
    entries, new = np.moveaxis(output, along, 1), np.moveaxis(update, along, 1)
    for batch, start in enumerate(starts):
        _check_start(start, length, room, mode)
        if start + length <= room:
            entries[batch, start : start + length] = new[batch]
        else:
            entries[batch, (start + np.arange(length)) % room] = new[batch]
    return output


TENSOR_SCATTER.vjp(since=24)(moved_vjp(tensor_scatter, 0, 1))

TENSOR_SCATTER.example(
    ([[[1], [2], [3]]], [[[8], [9]]], [2]), ([[[9], [2], [8]]],), mode="circular"
)
TENSOR_SCATTER.example(([[[1], [2], [3]]], [[[8], [9]]]), ([[[8], [9], [3]]],))
