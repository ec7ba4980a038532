"""GatherElements: one element of the data for each element of the indices.

The index replaces the coordinate on `axis`, the other coordinates are its own place:
`output[i, j, k] = data[i, indices[i, j, k], k]` for axis = 1. Both inputs have the same rank, the
result has the shape of `indices`. On the other axes `indices` may be smaller than `data` (the
rest is then not looked at), never larger. Negative indices count from the end.

Spec: ai.onnx GatherElements-13
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.cotangents import moved_vjp
from onnx_explorer.ops.tensor.positions import (
    check_fits,
    check_positions,
    outside,
    places_along,
    whole_numbers,
)
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite
from onnx_explorer.schema.typesets import BF16, EVERY_V1, INDICES

DATA = Port("data", "T", "the tensor to pick from, of rank 1 or more")
POSITIONS = Port("indices", "Tind", "positions along `axis`, of the same rank as `data`")
OUTPUT = Port("output", "T", "the elements, in the shape of `indices`")

GATHER_ELEMENTS = Operator(
    "GatherElements",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(DATA, POSITIONS),
            outputs=(OUTPUT,),
            attributes=(
                Attr(
                    "axis",
                    "int",
                    0,
                    doc="the axis that the indices count on; negative values count from the end",
                ),
            ),
            types={"T": EVERY_V1, "Tind": INDICES},
        ),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable={"data": True, "indices": False, "output": True},
        ),
    ),
)


@GATHER_ELEMENTS.infer(since=11)
def infer(data: Abstract, indices: Abstract, *, axis: int, at: RuleSite) -> Abstract:
    if data.shape is None:
        return data.like(indices.shape)
    picked = axis_in(axis, len(data.shape))
    check_positions(indices, data.shape[picked], picked)
    if indices.shape is None:
        return data.like(
            tuple(
                at.fresh(f"dim{k}") if k == picked else at.fresh(f"dim{k}", high=_upper(size))
                for k, size in enumerate(data.shape)
            )
        )
    check_fits(data.shape, indices.shape, picked)
    return data.like(indices.shape)


@GATHER_ELEMENTS.kernel(since=11, sizes=True)
def gather_elements(
    data: NDArray[np.generic], indices: NDArray[np.generic], *, axis: int
) -> NDArray[np.generic]:
    picked = axis_in(axis, data.ndim)
    check_fits(data.shape, indices.shape, picked)
    found = whole_numbers(indices)
    try:
        return data[places_along(found, picked)]
    except IndexError as error:
        raise outside(found, data.shape[picked], picked) from error


def _upper(size: object) -> int | None:
    return size if isinstance(size, int) else None


GATHER_ELEMENTS.vjp(since=11)(moved_vjp(gather_elements))

GATHER_ELEMENTS.example(([[5, 6, 7], [8, 9, 4]], [[2, 0], [1, 1]]), ([[7, 5], [9, 9]],), axis=1)
GATHER_ELEMENTS.example(([[5, 6, 7], [8, 9, 4]], [[1, 0, -1]]), ([[8, 6, 4]],))
