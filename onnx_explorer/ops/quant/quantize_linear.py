"""QuantizeLinear: numbers as small integers (or small floats) on an evenly spaced grid.

`y = saturate(round(x / y_scale) + y_zero_point)`. Rounding takes the nearest integer, the even one of
two that are as near; saturating moves what lies outside of y's type to its nearest end. `y_zero_point`
is the integer that stands for 0. Its type is y's type; without it, `output_dtype` tells, else it is
uint8. For float8, float6 and float4 nothing is rounded before the cast.

One scale may hold for the whole tensor (a scalar), or one for each slice along `axis` (1-D), or one for
each `block_size` neighbours along `axis` (then the scales have x's shape but for that axis, which has
ceil(size / block_size)). Zero points are shaped like the scales.

The quotient is computed in the type of `y_scale` unless `precision` names another. A scale in
float8_e8m0fnu, which holds powers of two alone, counts as float32.

Spec: ai.onnx QuantizeLinear-28
"""

from __future__ import annotations

from typing import cast

import numpy as np

from onnx_explorer.ir import DType
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.elementwise import BLOCK, Array
from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.quant.granularity import check_scale, check_zero_point, spread
from onnx_explorer.ops.tensor.cast import convert
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import (
    BF16,
    BYTES,
    FLOAT4,
    FLOAT6,
    FLOAT8,
    FLOAT8_E8M0,
    FLOAT16,
    FLOAT32,
    INT2,
    INT4,
    INT16,
    INT32,
    SMALL_INTEGERS,
    UINT16,
)


def type_or_none(number: object) -> DType | None:
    """The type with this number in the file format; 0 means that none is given."""
    return DType(cast("int", number)) if number else None


def _ports(scale: str, quantized: str) -> tuple[Port, ...]:
    return (
        Port("x", "T1", "the numbers to quantize"),
        Port("y_scale", scale, "distance of the grid's points: scalar, per axis or per block"),
        Port(
            "y_zero_point",
            quantized,
            "what stands for 0, shaped like y_scale; left out: 0 of type uint8 (or `output_dtype`)",
            option="optional",
        ),
    )


QUANTIZE_LINEAR = Operator(
    "QuantizeLinear",
    doc=__doc__,
    history=(
        Change(
            10,
            "one scale for the whole tensor",
            inputs=_ports("tensor(float)", "T2"),
            outputs=(Port("y", "T2", "x on the grid, same shape"),),
            types={"T1": FLOAT32 | INT32, "T2": BYTES},
        ),
        Change(
            13,
            "a scale for each slice along an axis",
            attributes=(Attr("axis", "int", 1, doc="the axis that has a scale for each slice"),),
        ),
        Change(
            19,
            "8-bit floats; 16-bit floats as input",
            inputs=_ports("T1", "T2"),
            attributes=(
                Attr(
                    "saturate",
                    "int",
                    1,
                    one_of=(0, 1),
                    doc="what 8-bit floats make of numbers that do not fit: "
                    "1, the largest they have; 0, infinity or NaN",
                ),
            ),
            widen={"T1": FLOAT16 | BF16, "T2": FLOAT8},
        ),
        Change(
            21,
            "a scale for each block; 4 and 16-bit integers; the type may be an attribute",
            attributes=(
                Attr("block_size", "int", 0, doc="neighbours that share a scale; 0: no blocks"),
                Attr(
                    "output_dtype",
                    "int",
                    0,
                    as_=type_or_none,
                    doc="number of y's type; 0: as y_zero_point says",
                ),
            ),
            widen={"T2": INT4 | INT16 | UINT16},
        ),
        Change(
            23,
            "scales of another type than x; 4-bit floats; the quotient's type may be named",
            inputs=_ports("T2", "T3"),
            outputs=(Port("y", "T3", "x on the grid, same shape"),),
            attributes=(
                Attr(
                    "precision",
                    "int",
                    0,
                    as_=type_or_none,
                    doc="number of the type that the quotient is computed in; 0: y_scale's",
                ),
            ),
            types={
                "T2": FLOAT32 | FLOAT16 | BF16 | INT32,
                "T3": SMALL_INTEGERS | FLOAT8 | INT4 | FLOAT4,
            },
        ),
        Change(24, "scales in float8_e8m0fnu", widen={"T2": FLOAT8_E8M0}),
        Change(25, "2-bit integers", widen={"T3": INT2}),
        Change(28, "6-bit floats", widen={"T3": FLOAT6}),
    ),
)


@QUANTIZE_LINEAR.infer(since=10)
def infer(
    x: Abstract,
    y_scale: Abstract,
    y_zero_point: Abstract | None = None,
    *,
    axis: int | None = None,
    block_size: int = 0,
    output_dtype: DType | None = None,
    at: RuleSite,
) -> Abstract:
    zero = None if y_zero_point is None else y_zero_point.dtype
    result = Abstract(
        _target(None, output_dtype) if y_zero_point is None else zero or output_dtype, x.shape
    )
    at.keep(result)
    _target(zero, output_dtype)
    if y_zero_point and y_zero_point.shape is not None and y_scale.shape is not None:
        check_zero_point(y_scale.shape, y_zero_point.shape, port="y_zero_point")
    if x.shape is not None and y_scale.shape is not None:
        for a, b in check_scale(
            x.shape, y_scale.shape, axis=axis, block_size=block_size, port="y_scale"
        ):
            at.assume(a, b)
    return result


def _target(zero_point: DType | None, output_dtype: DType | None) -> DType:
    if zero_point and output_dtype and zero_point is not output_dtype:
        raise Violation(
            f"output_dtype = {output_dtype.value} ({output_dtype.label})",
            f"y_zero_point is of type {zero_point.label}, and y has one type",
            code="attribute-value",
        )
    return zero_point or output_dtype or DType.UINT8


QUANTIZE_LINEAR.cost(since=10)(per_output(4))


@QUANTIZE_LINEAR.kernel(since=10)
def quantize_linear(
    x: Floats,
    y_scale: Floats,
    y_zero_point: Array | None = None,
    *,
    axis: int | None = None,
    block_size: int = 0,
    output_dtype: DType | None = None,
    precision: DType | None = None,
    saturate: int = 1,
) -> Array:
    check_scale(x.shape, y_scale.shape, axis=axis, block_size=block_size, port="y_scale")
    zero = None
    to = _target(None, output_dtype)
    if y_zero_point is not None:
        check_zero_point(y_scale.shape, y_zero_point.shape, port="y_zero_point")
        zero = spread(y_zero_point, x.shape, axis, block_size).astype(np.float32)
        to = _target(DType.from_numpy(y_zero_point.dtype), output_dtype)
    divided_in = (precision or _precision(y_scale)).numpy
    scale = spread(y_scale, x.shape, axis, block_size).astype(divided_in)
    if scale.ndim:
        return on_grid(x.astype(divided_in, copy=False) / scale, zero, to, saturate=saturate)
    # One scale for all: by blocks, so that the steps in between stay in the cache.
    flat = np.ascontiguousarray(x).reshape(-1)
    y = np.empty(flat.size, to.numpy)
    for start in range(0, flat.size, BLOCK):
        block = flat[start : start + BLOCK].astype(divided_in, copy=False)
        y[start : start + BLOCK] = on_grid(block / scale, zero, to, saturate=saturate)
    return y.reshape(x.shape)


def _precision(scale: Array) -> DType:
    found = DType.from_numpy(scale.dtype)
    if found.family == "int":
        return DType.FLOAT64  # the quotient of integers is no integer
    return DType.FLOAT32 if found.bits < 16 else found


def on_grid(quotient: Floats, zero_point: Floats | None, to: DType, *, saturate: int = 1) -> Array:
    """The last steps of quantizing: `saturate(round(quotient) + zero_point)` in type `to`. May
    write into `quotient`.
    """
    # 16-bit floats do not hold every sum of an integer and a zero point.
    wide = quotient.astype(np.float32) if quotient.dtype.itemsize < 4 else quotient
    if to.family == "float":
        shifted = wide if zero_point is None else wide + zero_point
        return convert(shifted, to=to, saturate=saturate)
    np.rint(wide, out=wide)
    if zero_point is not None:
        wide += zero_point
    low = -(1 << (to.bits - 1)) if to.family == "int" else 0
    # The method is twice as fast as the functions maximum and minimum.
    wide.clip(low, low + (1 << to.bits) - 1, out=wide)
    # The 2 and 4-bit integers of ml_dtypes are made from bytes.
    return wide.astype(to.numpy) if to.bits >= 8 else wide.astype(np.int8).astype(to.numpy)


QUANTIZE_LINEAR.example(
    ([-1.0, 0.0, 1.0, 2.5, 300.0], 1.0, np.uint8(128)),
    (np.array([127, 128, 129, 130, 255], np.uint8),),
)
# One scale for each column.
QUANTIZE_LINEAR.example(
    ([[10.0, 10.0], [-20.0, 30.0]], [1.0, 10.0]),
    (np.array([[10, 1], [-20, 3]], np.int8),),
    output_dtype=DType.INT8,
)
