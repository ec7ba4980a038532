"""CenterCropPad: a tensor cut or filled up to given sizes, the same on both sides.

`shape` gives the new size of each of `axes` (all of them by default). Where an axis is longer, its
middle stays; where it is shorter, zeros (False, empty strings) are added on both sides. What
cannot be halved goes to the end: an odd surplus takes one element more away behind the
middle, an odd gap adds one zero more behind it.

Spec: ai.onnx CenterCropPad-18
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from onnx_explorer.dims import Dim, less
from onnx_explorer.ir import DType
from onnx_explorer.ops.axes import axes_in
from onnx_explorer.ops.contents import dims_in, ints_of, length_of
from onnx_explorer.ops.cotangents import moved_vjp
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.tensor.padding import padded
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Operator,
    Port,
    RuleSite,
    Violation,
)
from onnx_explorer.schema.typesets import EVERY_V4, INDICES

CENTER_CROP_PAD = Operator(
    "CenterCropPad",
    doc=__doc__,
    history=(
        Change(
            18,
            "first version",
            inputs=(
                Port("input_data", "T", "the tensor to cut or fill up", differentiable=True),
                Port("shape", "Tind", "1-D: the new size of each axis", differentiable=False),
            ),
            outputs=(
                Port("output_data", "T", "its middle, in the new sizes", differentiable=True),
            ),
            attributes=(
                Attr(
                    "axes",
                    "ints",
                    doc="the axes that `shape` is about, negative ones from the end; default: all",
                ),
            ),
            types={"T": EVERY_V4, "Tind": INDICES},
        ),
    ),
)


@CENTER_CROP_PAD.infer(since=18)
def infer(
    input_data: Abstract, shape: Abstract, *, axes: tuple[int, ...] | None = None, at: RuleSite
) -> Abstract:
    if input_data.shape is None:
        rank = length_of(shape) if axes is None else None
        sizes = dims_in(shape) if axes is None else None
        if rank is not None and sizes is None:
            sizes = tuple(at.fresh(f"dim{axis}") for axis in range(rank))
        return input_data.like(sizes)
    touched = _axes(axes, len(input_data.shape))
    sizes = dims_in(shape)
    if sizes is None:
        sizes = tuple(at.fresh(f"dim{axis}") for axis in touched)
    _check(sizes, touched)
    result = list(input_data.shape)
    for axis, size in zip(touched, sizes, strict=True):
        result[axis] = size
    return input_data.like(tuple(result))


def _axes(axes: Sequence[int] | None, rank: int) -> tuple[int, ...]:
    return tuple(range(rank)) if axes is None else axes_in(axes, rank)


def _check(sizes: Sequence[Dim], axes: Sequence[int]) -> None:
    if len(sizes) != len(axes):
        raise Violation(
            f"{len(sizes)} sizes {list(sizes)}",
            f"one for each of {len(axes)} axes",
            port="shape",
            code="wrong-count",
        )
    if any(less(size, 0) is True for size in sizes):
        raise Violation(f"sizes {list(sizes)}", "each is 0 or more", port="shape")


def middle_of_sizes(
    input_data: Array, shape: Array, *, axes: tuple[int, ...] | None = None
) -> Array:
    """The same on sizes, of which an array looks like one of strings."""
    return _middle(input_data, shape, axes, 0)


@CENTER_CROP_PAD.kernel(since=18, sizes=middle_of_sizes)
def center_crop_pad(
    input_data: Array, shape: Array, *, axes: tuple[int, ...] | None = None
) -> Array:
    return _middle(input_data, shape, axes, "" if input_data.dtype.kind == "O" else 0)


def _middle(data: Array, shape: Array, axes: Sequence[int] | None, zero: object) -> Array:
    touched, sizes = _axes(axes, data.ndim), ints_of(shape)
    _check(sizes, touched)
    widths = [(0, 0)] * data.ndim
    for axis, size in zip(touched, sizes, strict=True):
        gap = size - data.shape[axis]
        before = gap // 2 if gap > 0 else -(-gap // 2)
        widths[axis] = (before, gap - before)
    return padded(np.asarray(data), widths, "constant", zero)


@CENTER_CROP_PAD.body(since=18)
def body(
    f: Body, input_data: BodyValue, shape: BodyValue, *, axes: tuple[int, ...] | None
) -> BodyValue:
    over = None if axes is None else f.constant(axes)
    sizes = f.Shape(input_data)
    if over is not None:
        sizes = f.Gather(sizes, over)
    wanted = f.Cast(shape, to=DType.INT64)
    zero, two = f.constant([0]), f.constant([2])
    gap = f.Max(f.Sub(wanted, sizes), zero)
    before = f.Div(gap, two)
    pads = f.Concat(before, f.Sub(gap, before), axis=0)
    filled = f.Pad(input_data, pads, None, over)
    start = f.Div(f.Max(f.Sub(sizes, wanted), zero), two)
    return f.Slice(filled, start, f.Add(start, wanted), over)


CENTER_CROP_PAD.vjp(since=18)(moved_vjp(center_crop_pad))

CENTER_CROP_PAD.example(([1, 2, 3, 4], [1]), ([2],))
CENTER_CROP_PAD.example(([1, 2, 3, 4], [7]), ([0, 1, 2, 3, 4, 0, 0],))
