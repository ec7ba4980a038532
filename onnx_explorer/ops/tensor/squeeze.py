"""Squeeze: a tensor without some of its axes of size 1.

The elements and their order stay. `axes` names the axes to remove; each must have size 1, and
negative ones count from the end. Without `axes` every axis of size 1 goes, so the rank of the
result depends on the sizes: a batch that happens to be 1 disappears too, and where a size is
symbolic nothing can be said about the rank. Until version 11 `axes` is an attribute.

Spec: ai.onnx Squeeze-25
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import known_different, known_equal
from onnx_explorer.ops.again import reshaped_again
from onnx_explorer.ops.axes import axes_in
from onnx_explorer.ops.contents import ints_in, ints_of, length_of
from onnx_explorer.ops.cotangents import reshaped_vjp
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Shape, Violation
from onnx_explorer.schema.typesets import BF16, EVERY_V1, FLOAT4, FLOAT8, FLOAT8_E8M0, INT2, INT4

DATA = Port("data", "T", "the tensor that has axes of size 1")
AXES = Port(
    "axes",
    "tensor(int64)",
    "1-D; the axes to remove, negative ones from the end; default: all of size 1",
    option="optional",
)
SQUEEZED = Port("squeezed", "T", "the elements of `data` without those axes")

SQUEEZE = Operator(
    "Squeeze",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(DATA,),
            outputs=(SQUEEZED,),
            attributes=(Attr("axes", "ints", doc="the axes to remove; default: all of size 1"),),
            types={"T": EVERY_V1},
        ),
        Change(11, "negative axes count from the end"),
        Change(
            13,
            "the axes become an input; bfloat16",
            inputs=(DATA, AXES),
            drop=("axes",),
            widen={"T": BF16},
            differentiable={"data": True, "axes": False, "squeezed": True},
        ),
        Change(21, "8-bit floats and 4-bit integers", widen={"T": FLOAT8 | INT4}),
        Change(23, "4-bit floats", widen={"T": FLOAT4}),
        Change(24, "float8_e8m0fnu", widen={"T": FLOAT8_E8M0}),
        Change(25, "2-bit integers", widen={"T": INT2}),
    ),
)


@SQUEEZE.infer(since=1)
def infer_from_attribute(
    data: Abstract, *, axes: tuple[int, ...] | None = None, at: RuleSite
) -> Abstract:
    if axes is None:
        return data.like(_without_ones(data.shape))
    if data.shape is None:
        return data.like(None)
    removed = axes_in(axes, len(data.shape))
    _check(data.shape, removed)
    for axis in removed:
        at.assume(data.shape[axis], 1)
    return data.like(_without(data.shape, removed))


@SQUEEZE.infer(since=13)
def infer(data: Abstract, axes: Abstract | None = None, *, at: RuleSite) -> Abstract:
    known = None if axes is None else ints_in(axes)
    if axes is None or known is not None:
        return infer_from_attribute(data, axes=known, at=at)
    count = length_of(axes)
    if data.shape is None or count is None:
        return data.like(None)
    rank = len(data.shape) - count
    if rank < 0:
        raise Violation(
            f"{count} axes", f"data has rank {len(data.shape)}", port="axes", code="wrong-count"
        )
    return data.like(tuple(at.fresh(f"dim{axis}") for axis in range(rank)))


@SQUEEZE.kernel(since=1)
def squeeze_by_attribute(
    data: NDArray[np.generic], *, axes: tuple[int, ...] | None = None
) -> NDArray[np.generic]:
    if axes is None:
        return data.reshape([size for size in data.shape if size != 1])
    return data.reshape(_left(data.shape, axes))


@SQUEEZE.kernel(since=13, sizes=True)
def squeeze(
    data: NDArray[np.generic], axes: NDArray[np.generic] | None = None
) -> NDArray[np.generic]:
    return squeeze_by_attribute(data, axes=None if axes is None else ints_of(axes))


@lru_cache(1 << 10)
def _left(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    removed = axes_in(axes, len(shape))
    _check(shape, removed)
    return tuple(size for axis, size in enumerate(shape) if axis not in removed)


def _without_ones(shape: Shape | None) -> Shape | None:
    if shape is None or not all(known_equal(d, 1) or known_different(d, 1) for d in shape):
        return None
    return tuple(size for size in shape if known_different(size, 1))


def _check(shape: Shape, axes: tuple[int, ...]) -> None:
    for axis in axes:
        if known_different(shape[axis], 1):
            raise Violation(
                f"size {shape[axis]} on axis {axis} of shape {list(shape)}",
                "only axes of size 1 can be removed",
                port="data",
                code="squeeze-size",
            )


def _without(shape: Shape, axes: tuple[int, ...]) -> Shape:
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


SQUEEZE.again(since=1)(reshaped_again)
SQUEEZE.again(since=13)(reshaped_again)
SQUEEZE.vjp(since=1)(reshaped_vjp)

SQUEEZE.example(([[[1], [2], [3]]], [0]), ([[1], [2], [3]],))
SQUEEZE.example(([[[1], [2], [3]]],), ([1, 2, 3],))
