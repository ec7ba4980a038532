"""ScatterElements (and Scatter, its first name): single elements of a tensor replaced.

The result is a copy of `data` into which each element of `updates` is written. Where to is told by
the element of `indices` at the same place: it replaces the coordinate on `axis`, the others are
its own place. For axis = 0: `output[indices[i, j], j] = updates[i, j]`. `indices` and `updates` have
one shape, no larger than that of `data` on the other axes. Negative indices count from the end.
When two updates go to the same element, `reduction` says what happens: with "none" they should
not (here the last one stays), "add", "mul", "max" and "min" combine them with what is there.
GatherElements is the way back.

Spec: ai.onnx ScatterElements-18
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import known_different
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.tensor.gather_elements import gather_elements
from onnx_explorer.ops.tensor.positions import (
    check_fits,
    check_positions,
    outside,
    places_along,
    whole_numbers,
)
from onnx_explorer.ops.tensor.scattering import (
    REDUCTION_DOC,
    REDUCTIONS,
    Reduction,
    scattered_vjp,
    write,
)
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Shape, Violation
from onnx_explorer.schema.typesets import BF16, EVERY_V1, INDICES

INPUTS = (
    Port("data", "T", "the tensor to copy, of rank 1 or more"),
    Port("indices", "Tind", "positions along `axis`, of the same rank; negative from the end"),
    Port("updates", "T", "what is written, in the shape of `indices`"),
)
OUTPUTS = (Port("output", "T", "the copy with the updates in it"),)
AXIS = Attr(
    "axis",
    "int",
    0,
    doc="the axis that the indices count on; negative values count from the end",
)
TYPES = {"T": EVERY_V1, "Tind": INDICES}
DIFFERENTIABLE = {"data": True, "indices": False, "updates": True, "output": True}

SCATTER = Operator(
    "Scatter",
    doc=__doc__,
    history=(
        Change(9, "first version", inputs=INPUTS, outputs=OUTPUTS, attributes=(AXIS,), types=TYPES),
        Change(
            11,
            "ScatterElements takes its place",
            differentiable=DIFFERENTIABLE,
            deprecated=True,
        ),
    ),
)

SCATTER_ELEMENTS = Operator(
    "ScatterElements",
    doc=__doc__,
    history=(
        Change(
            11,
            "takes the place of Scatter",
            inputs=INPUTS,
            outputs=OUTPUTS,
            attributes=(AXIS,),
            types=TYPES,
        ),
        Change(13, "bfloat16", widen={"T": BF16}, differentiable=DIFFERENTIABLE),
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


@SCATTER.infer(since=9)
@SCATTER_ELEMENTS.infer(since=11)
def infer(
    data: Abstract, indices: Abstract, updates: Abstract, *, axis: int, at: RuleSite
) -> Abstract:
    if indices.shape is not None and updates.shape is not None:
        _check_updates(indices.shape, updates.shape)
        for size, wanted in zip(updates.shape, indices.shape, strict=True):
            at.assume(size, wanted)
    if data.shape is None:
        return data.like(None)
    along = axis_in(axis, len(data.shape))
    check_positions(indices, data.shape[along], along)
    shape = updates.shape if indices.shape is None else indices.shape
    if shape is not None:
        check_fits(data.shape, shape, along)
    return data.like(data.shape)


def _check_updates(indices: Shape, updates: Shape) -> None:
    if len(updates) != len(indices) or any(map(known_different, updates, indices)):
        raise Violation(
            f"shape {list(updates)}",
            f"indices have shape {list(indices)}, and the two must be equal",
            port="updates",
            code="wrong-shape",
        )


@SCATTER.kernel(since=9, sizes=True)
def scatter(data: Array, indices: Array, updates: Array, *, axis: int) -> Array:
    return scatter_elements(data, indices, updates, axis=axis)


@SCATTER_ELEMENTS.kernel(since=11, sizes=True)
def scatter_elements(
    data: Array, indices: Array, updates: Array, *, axis: int, reduction: Reduction = "none"
) -> Array:
    _check_updates(indices.shape, updates.shape)
    along = axis_in(axis, data.ndim)
    check_fits(data.shape, indices.shape, along)
    found, size = whole_numbers(indices), data.shape[along]
    output = data.copy()
    if not found.size:
        return output
    low = int(found.min())
    if low < -size or int(found.max()) >= size:
        raise outside(found, size, along)
    positive = np.where(found < 0, found + size, found) if low < 0 else found
    # Writing to flat positions is what numpy is fast at.
    flat = np.ravel_multi_index(places_along(positive, along), data.shape)
    write(output.reshape(-1), flat.reshape(-1), updates.reshape(-1), reduction)
    return output


@SCATTER_ELEMENTS.vjp(since=11)
def vjp(
    cotangents: tuple[Floats],
    inputs: tuple[Floats, Array, Floats],
    outputs: tuple[Floats],
    *,
    axis: int,
    reduction: Reduction = "none",
) -> tuple[Floats, None, Floats]:
    data, indices, updates = inputs
    places = gather_elements(np.arange(data.size).reshape(data.shape), indices, axis=axis)
    return scattered_vjp(cotangents[0], data, places, updates, outputs[0], reduction)


@SCATTER.vjp(since=9)
def scatter_vjp(
    cotangents: tuple[Floats],
    inputs: tuple[Floats, Array, Floats],
    outputs: tuple[Floats],
    *,
    axis: int,
) -> tuple[Floats, None, Floats]:
    return vjp(cotangents, inputs, outputs, axis=axis)


SCATTER_ELEMENTS.example(([[1, 2], [3, 4]], [[1, 0]], [[7, 8]]), ([[1, 8], [7, 4]],))
SCATTER_ELEMENTS.example(
    ([[1, 2], [3, 4]], [[1, 0]], [[7, 8]]), ([[1, 10], [10, 4]],), reduction="add"
)

SCATTER.example(([[1, 2], [3, 4]], [[1, 0]], [[7, 8]]), ([[1, 8], [7, 4]],))
