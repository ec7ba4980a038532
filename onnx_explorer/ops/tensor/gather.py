"""Gather: whole slices of a tensor, picked by their position along one axis.

With axis = 0, `output[i, j, ...] = data[indices[i, j], ...]`: the axis that is picked from is
replaced by all axes of `indices`, so the rank becomes rank(data) + rank(indices) - 1. A scalar
index removes the axis. Looking up rows of an embedding table is a Gather on axis 0. Negative
indices count from the end; an index outside of [-size, size) is an error.

Spec: ai.onnx Gather-13
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.again import Again
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.cotangents import Floats, Values
from onnx_explorer.ops.tensor.positions import check_positions, outside, whole_numbers
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port
from onnx_explorer.schema.typesets import BF16, EVERY_V1, INDICES

DATA = Port("data", "T", "the tensor to pick from, of rank 1 or more")
POSITIONS = Port("indices", "Tind", "positions along `axis`, of any shape; negative from the end")
OUTPUT = Port("output", "T", "the slices, where `axis` gave way to the axes of `indices`")

GATHER = Operator(
    "Gather",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(DATA, POSITIONS),
            outputs=(OUTPUT,),
            attributes=(
                Attr(
                    "axis",
                    "int",
                    0,
                    doc="the axis to pick from; negative values count from the end",
                ),
            ),
            types={"T": EVERY_V1, "Tind": INDICES},
        ),
        Change(11, "negative indices count from the end"),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable={"data": True, "indices": False, "output": True},
        ),
    ),
)


@GATHER.infer(since=1)
def infer(data: Abstract, indices: Abstract, *, axis: int) -> Abstract:
    if data.shape is None:
        return data.like(None)
    picked = axis_in(axis, len(data.shape))
    check_positions(indices, data.shape[picked], picked)
    if indices.shape is None:
        return data.like(None)
    return data.like((*data.shape[:picked], *indices.shape, *data.shape[picked + 1 :]))


@GATHER.kernel(since=1, sizes=True)
def gather(
    data: NDArray[np.generic], indices: NDArray[np.generic], *, axis: int
) -> NDArray[np.generic]:
    picked = axis_in(axis, data.ndim)
    # Taking with a flat list keeps a result of rank 0 an array.
    flat = whole_numbers(indices).reshape(-1)
    size = data.shape[picked]
    # numpy looks at no position where there is nothing to take.
    if not data.size and flat.size and not (-size <= flat.min() and flat.max() < size):
        raise outside(flat, size, picked)
    try:
        taken = data.take(flat, picked)
    except IndexError as error:
        raise outside(flat, size, picked) from error
    return taken.reshape((*data.shape[:picked], *indices.shape, *data.shape[picked + 1 :]))


@GATHER.again(since=1)
def again(inputs: Values, outputs: Values, *, axis: int) -> Again | None:
    if inputs[0].dtype.kind == "O":
        return None  # what is taken may be a string itself, and no array of one

    def call(data: NDArray[np.generic], indices: NDArray[np.int64]) -> object:
        # numpy takes from a scalar too, and from nothing what is not there.
        return data.take(indices, axis) if data.size and data.ndim else NotImplemented

    return call


@GATHER.vjp(since=1)
def vjp(
    cotangents: Values, inputs: tuple[Floats, NDArray[np.int64]], outputs: Values, *, axis: int
) -> Floats:
    (data, indices), c = inputs, cotangents[0]
    picked = axis_in(axis, data.ndim)
    before, behind = data.shape[:picked], data.shape[picked + 1 :]
    # Few rows of a large table are looked up: numbers for all its elements would be too many.
    total = np.zeros_like(data)
    rows = np.moveaxis(c.reshape(*before, indices.size, *behind), picked, 0)
    np.add.at(np.moveaxis(total, picked, 0), indices.reshape(-1), rows)
    return total


GATHER.example(([[1, 2], [3, 4], [5, 6]], [2, 0]), ([[5, 6], [1, 2]],))
GATHER.example(([[1, 2], [3, 4], [5, 6]], [-1]), ([[2], [4], [6]],), axis=1)
GATHER.example(([[1, 2], [3, 4], [5, 6]], -1), ([2, 4, 6],), axis=1)
