"""ScatterND: slices of a tensor replaced, each at a tuple of coordinates.

The result is a copy of `data`. The last axis of `indices` holds the tuples, of k coordinates each;
each addresses the first k axes of `data`, and what lies behind those is the slice that is
written: `output[indices[i]] = updates[i]`. So `updates` has the shape
`indices.shape[:-1] + data.shape[k:]`; with k = rank(data) single elements are written. Negative
coordinates count from the end. When two slices go to the same place, `reduction` says what
happens: with "none" they should not (here the last one stays), "add", "mul", "max" and "min"
combine them with what is there. GatherND is the way back.

Spec: ai.onnx ScatterND-18
"""

from __future__ import annotations

from math import prod

import numpy as np

from onnx_explorer.dims import known_different
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.tensor.gather_nd import gather_nd
from onnx_explorer.ops.tensor.positions import outside, whole_numbers
from onnx_explorer.ops.tensor.scattering import (
    REDUCTION_DOC,
    REDUCTIONS,
    Reduction,
    scattered_vjp,
    write,
)
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Shape, Violation
from onnx_explorer.schema.typesets import BF16, EVERY_V1

SCATTER_ND = Operator(
    "ScatterND",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(
                Port("data", "T", "the tensor to copy, of rank 1 or more"),
                Port("indices", "tensor(int64)", "tuples of coordinates along the last axis"),
                Port("updates", "T", "one slice of `data` for each tuple"),
            ),
            outputs=(Port("output", "T", "the copy with the updates in it"),),
            types={"T": EVERY_V1},
        ),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable={"data": True, "indices": False, "updates": True, "output": True},
        ),
        Change(
            16,
            "updates may be added and multiplied",
            attributes=(
                Attr("reduction", "string", "none", one_of=REDUCTIONS[:3], doc=REDUCTION_DOC),
            ),
        ),
        Change(
            18,
            "the larger or smaller may win",
            attributes=(Attr("reduction", "string", "none", one_of=REDUCTIONS, doc=REDUCTION_DOC),),
        ),
    ),
)


@SCATTER_ND.infer(since=11)
def infer(data: Abstract, indices: Abstract, updates: Abstract, *, at: RuleSite) -> Abstract:
    if data.shape is None or indices.shape is None:
        return data.like(data.shape)
    wanted = _updates_shape(data.shape, indices.shape)
    if wanted is not None and updates.shape is not None:
        _check_updates(wanted, updates.shape)
        for size, expected in zip(updates.shape, wanted, strict=True):
            at.assume(size, expected)
    return data.like(data.shape)


def _updates_shape(data: Shape, indices: Shape) -> Shape | None:
    """The shape that updates must have; None where the length of the tuples is not known."""
    for name, shape in (("data", data), ("indices", indices)):
        if not shape:
            raise Violation("rank 0", "rank 1 or more is needed", port=name, code="wrong-rank")
    length = indices[-1]
    if not isinstance(length, int):
        return None
    if length > len(data):
        raise Violation(
            f"tuples of {length} coordinates",
            f"data has rank {len(data)}: expected 0 to {len(data)}",
            port="indices",
        )
    return *indices[:-1], *data[length:]


def _check_updates(wanted: Shape, updates: Shape) -> None:
    if len(updates) != len(wanted) or any(map(known_different, updates, wanted)):
        raise Violation(
            f"shape {list(updates)}",
            f"data and indices call for shape {list(wanted)}",
            port="updates",
            code="wrong-shape",
        )


@SCATTER_ND.kernel(since=11, sizes=True)
def scatter_nd(
    data: Array, indices: Array, updates: Array, *, reduction: Reduction = "none"
) -> Array:
    _check_updates(_updates_shape(data.shape, indices.shape) or (), updates.shape)
    length = indices.shape[-1]
    tuples = whole_numbers(indices).reshape(prod(indices.shape[:-1]), length)
    flat = np.zeros(len(tuples), np.int64)
    for axis, size in enumerate(data.shape[:length]):
        places = tuples[:, axis]
        if places.size and not -size <= places.min() <= places.max() < size:
            raise outside(places, size, axis)
        flat = flat * size + np.where(places < 0, places + size, places)
    output = data.copy()
    if not updates.size:
        return output
    slices = data.shape[length:]
    size = prod(slices)
    if reduction == "none" or size == 1:
        shape = (-1,) if size == 1 else (-1, *slices)
        write(output.reshape(shape), flat, updates.reshape(shape), reduction)
    else:
        # Flat positions of single elements, which is what numpy combines fast.
        each = flat[:, None] * size + np.arange(size)
        write(output.reshape(-1), each.reshape(-1), updates.reshape(-1), reduction)
    return output


@SCATTER_ND.vjp(since=11)
def vjp(
    cotangents: tuple[Floats],
    inputs: tuple[Floats, Array, Floats],
    outputs: tuple[Floats],
    *,
    reduction: Reduction = "none",
) -> tuple[Floats, None, Floats]:
    data, indices, updates = inputs
    places = gather_nd(np.arange(data.size).reshape(data.shape), indices)
    return scattered_vjp(cotangents[0], data, places, updates, outputs[0], reduction)


SCATTER_ND.example(([1, 2, 3, 4], [[3], [0]], [8, 9]), ([9, 2, 3, 8],))
