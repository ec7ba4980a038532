"""Unsqueeze: a tensor with new axes of size 1.

The elements and their order stay. `axes` says where the new axes stand *in the result*, whose
rank is rank(data) + len(axes); negative ones count from its end, their order does not matter, and
none may occur twice. Until version 11 `axes` is an attribute.

Spec: ai.onnx Unsqueeze-25
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim
from onnx_explorer.ops.again import reshaped_again
from onnx_explorer.ops.axes import axes_in
from onnx_explorer.ops.contents import ints_in, ints_of, length_of
from onnx_explorer.ops.cotangents import reshaped_vjp
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Shape
from onnx_explorer.schema.typesets import BF16, EVERY_V1, FLOAT4, FLOAT8, FLOAT8_E8M0, INT2, INT4

DATA = Port("data", "T", "the tensor that gets new axes")
AXES = Port("axes", "tensor(int64)", "1-D; where the new axes stand in the result")
EXPANDED = Port("expanded", "T", "the elements of `data` with those axes")

UNSQUEEZE = Operator(
    "Unsqueeze",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(DATA,),
            outputs=(EXPANDED,),
            attributes=(
                Attr("axes", "ints", required=True, doc="where the new axes stand in the result"),
            ),
            types={"T": EVERY_V1},
        ),
        Change(11, "negative axes count from the end"),
        Change(
            13,
            "the axes become an input; bfloat16",
            inputs=(DATA, AXES),
            drop=("axes",),
            widen={"T": BF16},
            differentiable={"data": True, "axes": False, "expanded": True},
        ),
        Change(21, "8-bit floats and 4-bit integers", widen={"T": FLOAT8 | INT4}),
        Change(23, "4-bit floats", widen={"T": FLOAT4}),
        Change(24, "float8_e8m0fnu", widen={"T": FLOAT8_E8M0}),
        Change(25, "2-bit integers", widen={"T": INT2}),
    ),
)


@UNSQUEEZE.infer(since=1)
def infer_from_attribute(data: Abstract, *, axes: tuple[int, ...]) -> Abstract:
    return data.like(None if data.shape is None else _with_ones(data.shape, axes))


@UNSQUEEZE.infer(since=13)
def infer(data: Abstract, axes: Abstract, *, at: RuleSite) -> Abstract:
    known = ints_in(axes)
    if known is not None:
        return infer_from_attribute(data, axes=known)
    count = length_of(axes)
    if data.shape is None or count is None:
        return data.like(None)
    return data.like(tuple(at.fresh(f"dim{axis}") for axis in range(len(data.shape) + count)))


@UNSQUEEZE.kernel(since=1)
def unsqueeze_by_attribute(
    data: NDArray[np.generic], *, axes: tuple[int, ...]
) -> NDArray[np.generic]:
    return data.reshape(_sizes_with_ones(data.shape, axes))


@UNSQUEEZE.kernel(since=13, sizes=True)
def unsqueeze(data: NDArray[np.generic], axes: NDArray[np.generic]) -> NDArray[np.generic]:
    return unsqueeze_by_attribute(data, axes=ints_of(axes))


@lru_cache(1 << 10)
def _sizes_with_ones(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(size) for size in _with_ones(shape, axes))


def _with_ones(shape: Shape, axes: tuple[int, ...]) -> Shape:
    rank = len(shape) + len(axes)
    new = axes_in(axes, rank)
    rest = iter(shape)
    sizes: list[Dim] = [1 if axis in new else next(rest) for axis in range(rank)]
    return tuple(sizes)


UNSQUEEZE.again(since=1)(reshaped_again)
UNSQUEEZE.again(since=13)(reshaped_again)
UNSQUEEZE.vjp(since=1)(reshaped_vjp)

UNSQUEEZE.example(([1, 2], [0]), ([[1, 2]],))
UNSQUEEZE.example(([1, 2], [0, -1]), ([[[1], [2]]],))
