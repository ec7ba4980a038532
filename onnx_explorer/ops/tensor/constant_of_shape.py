"""ConstantOfShape: a tensor of a given shape, filled with one value.

The shape is a 1-D input; an empty one makes a scalar. `value` is a tensor of one element that gives
both the fill and the type of the output; without it the output is filled with 0.0 in float32.

Spec: ai.onnx ConstantOfShape-25
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import less
from onnx_explorer.ir import DType, Tensor
from onnx_explorer.ops.contents import dims_in, ints_of
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.tensor.room import check_room
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Shape, Violation
from onnx_explorer.schema.typesets import (
    BF16,
    BOOL,
    FLOAT4,
    FLOAT8,
    FLOAT8_E8M0,
    INT2,
    INT4,
    INT64,
    NUMBERS,
)

CONSTANT_OF_SHAPE = Operator(
    "ConstantOfShape",
    doc=__doc__,
    history=(
        Change(
            9,
            "first version",
            inputs=(Port("input", "T1", "1-D: the shape of the output"),),
            outputs=(Port("output", "T2", "the value everywhere"),),
            attributes=(
                Attr("value", "tensor", doc="one element: the fill; default: 0.0 in float32"),
            ),
            types={"T1": INT64, "T2": NUMBERS | BOOL},
        ),
        Change(20, "bfloat16 and 8-bit floats", widen={"T2": FLOAT8 | BF16}),
        Change(21, "4-bit integers", widen={"T2": INT4}),
        Change(23, "4-bit floats", widen={"T2": FLOAT4}),
        Change(24, "float8_e8m0fnu", widen={"T2": FLOAT8_E8M0}),
        Change(25, "2-bit integers", widen={"T2": INT2}),
    ),
)


@CONSTANT_OF_SHAPE.infer(since=9)
def infer(
    input: Abstract, *, value: Tensor | None = None, at: RuleSite
) -> Abstract | tuple[Abstract, ...] | None:
    dtype = DType.FLOAT32 if value is None else value.dtype
    if value is not None and value.size != 1:
        at.fail(f"value has {value.size} elements", "1 is expected")
    if input.shape is not None and len(input.shape) != 1:
        at.keep(Abstract(dtype))
        raise _not_flat(input.shape)
    sizes = dims_in(input)
    if sizes is not None:
        if any(less(size, 0) is True for size in sizes):
            return at.fail(
                f"sizes {list(sizes)}",
                "a size is 0 or more",
                port="input",
                partial=Abstract(dtype),
                code="negative-size",
            )
        return Abstract(dtype, sizes)
    return Abstract(dtype, _unknown_sizes(input.shape, at))


def _unknown_sizes(shape: Shape | None, at: RuleSite) -> Shape | None:
    rank = shape[0] if shape else None
    return tuple(at.fresh(f"dim{i}") for i in range(rank)) if isinstance(rank, int) else None


def _not_flat(shape: Shape) -> Violation:
    return Violation(
        f"shape {list(shape)}", "a shape is a tensor of rank 1", port="input", code="wrong-shape"
    )


@CONSTANT_OF_SHAPE.kernel(since=9, sizes=True)
def constant_of_shape(input: Array, *, value: Tensor | None = None) -> Array:
    if input.ndim != 1:
        raise _not_flat(input.shape)
    sizes = ints_of(input)
    if any(size < 0 for size in sizes):
        raise Violation(
            f"sizes {list(sizes)}", "a size is 0 or more", port="input", code="negative-size"
        )
    check_room(sizes, np.dtype(np.float32) if value is None else value.dtype.numpy, port="input")
    if value is None:
        return np.zeros(sizes, np.float32)
    fill = value.numpy().reshape(-1)
    if fill.size != 1:
        raise Violation(f"value has {fill.size} elements", "1 is expected")
    return np.full(sizes, fill[0], fill.dtype)


CONSTANT_OF_SHAPE.example(([2, 3],), ([[7, 7, 7], [7, 7, 7]],), value=np.array([7]))
CONSTANT_OF_SHAPE.example(([2],), ([0.0, 0.0],))
