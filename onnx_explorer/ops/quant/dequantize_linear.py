"""DequantizeLinear: the numbers that quantized ones stand for.

`y = (x - x_zero_point) × x_scale`, the way back from QuantizeLinear but for what rounding lost. Scales
and zero points are one for the whole tensor, one for each slice along `axis`, or one for each block of
`block_size` neighbours along `axis`; QuantizeLinear says how they are shaped. x in int32 holds sums of
products and has no zero point.

y has the type of `x_scale` unless `output_dtype` names another. Here the product is taken in float32
and rounded once.

Spec: ai.onnx DequantizeLinear-28
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ir import DType
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.elementwise import BLOCK, Array
from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.quant.granularity import check_scale, check_zero_point, spread
from onnx_explorer.ops.quant.quantize_linear import type_or_none
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
    UINT16,
)


def _ports(quantized: str, scale: str) -> tuple[Port, ...]:
    return (
        Port("x", quantized, "quantized numbers"),
        Port("x_scale", scale, "distance of the grid's points: scalar, per axis or per block"),
        Port(
            "x_zero_point",
            quantized,
            "what stands for 0, shaped like x_scale; left out: 0",
            option="optional",
        ),
    )


DEQUANTIZE_LINEAR = Operator(
    "DequantizeLinear",
    doc=__doc__,
    history=(
        Change(
            10,
            "one scale for the whole tensor",
            inputs=_ports("T", "tensor(float)"),
            outputs=(Port("y", "tensor(float)", "what x stands for, same shape"),),
            types={"T": BYTES | INT32},
        ),
        Change(
            13,
            "a scale for each slice along an axis",
            attributes=(Attr("axis", "int", 1, doc="the axis that has a scale for each slice"),),
        ),
        Change(
            19,
            "8-bit floats; results in 16-bit floats",
            inputs=_ports("T1", "T2"),
            outputs=(Port("y", "T2", "what x stands for, same shape"),),
            types={"T1": FLOAT8 | BYTES | INT32, "T2": FLOAT32 | FLOAT16 | BF16},
            drop_types=("T",),
        ),
        Change(
            21,
            "a scale for each block; 4 and 16-bit integers",
            attributes=(
                Attr("block_size", "int", 0, doc="neighbours that share a scale; 0: no blocks"),
            ),
            widen={"T1": INT4 | INT16 | UINT16},
        ),
        Change(
            23,
            "4-bit floats; the type of the result may be named",
            outputs=(Port("y", "T3", "what x stands for, same shape"),),
            attributes=(
                Attr(
                    "output_dtype",
                    "int",
                    0,
                    as_=type_or_none,
                    doc="number of y's type; 0: that of x_scale",
                ),
            ),
            types={"T3": FLOAT32 | FLOAT16 | BF16},
            widen={"T1": FLOAT4},
        ),
        Change(24, "scales in float8_e8m0fnu", widen={"T2": FLOAT8_E8M0}),
        Change(25, "2-bit integers", widen={"T1": INT2}),
        Change(28, "6-bit floats", widen={"T1": FLOAT6}),
    ),
)


@DEQUANTIZE_LINEAR.infer(since=10)
def infer(
    x: Abstract,
    x_scale: Abstract,
    x_zero_point: Abstract | None = None,
    *,
    axis: int | None = None,
    block_size: int = 0,
    output_dtype: DType | None = None,
    at: RuleSite,
) -> Abstract:
    result = Abstract(output_dtype, x.shape)
    at.keep(result)
    result = Abstract(_result_type(x_scale.dtype, output_dtype), x.shape)
    if x_zero_point and x_zero_point.shape is not None and x_scale.shape is not None:
        check_zero_point(x_scale.shape, x_zero_point.shape, port="x_zero_point")
    if x.shape is not None and x_scale.shape is not None:
        for a, b in check_scale(
            x.shape, x_scale.shape, axis=axis, block_size=block_size, port="x_scale"
        ):
            at.assume(a, b)
    return result


def _result_type(scale: DType | None, output_dtype: DType | None) -> DType | None:
    if scale is DType.FLOAT8_E8M0FNU and output_dtype is None:
        raise Violation(
            "scales in float8_e8m0fnu and no output_dtype",
            "output_dtype = 1, 10 or 16 names y's type, since y cannot have that of such scales",
            port="x_scale",
        )
    return output_dtype or scale


DEQUANTIZE_LINEAR.cost(since=10)(per_output(2))


@DEQUANTIZE_LINEAR.kernel(since=10)
def dequantize_linear(
    x: Array,
    x_scale: Floats,
    x_zero_point: Array | None = None,
    *,
    axis: int | None = None,
    block_size: int = 0,
    output_dtype: DType | None = None,
) -> Array:
    check_scale(x.shape, x_scale.shape, axis=axis, block_size=block_size, port="x_scale")
    to = _result_type(DType.from_numpy(x_scale.dtype), output_dtype) or DType.FLOAT32
    scale = spread(x_scale, x.shape, axis, block_size).astype(np.float32)
    zero = None
    if x_zero_point is not None:
        check_zero_point(x_scale.shape, x_zero_point.shape, port="x_zero_point")
        zero = spread(x_zero_point, x.shape, axis, block_size)
    if scale.ndim or x.size <= BLOCK:
        return _scaled(x, scale, zero).astype(to.numpy, copy=False)
    # One scale for all: by blocks, so that the steps in between stay in the cache.
    flat = np.ascontiguousarray(x).reshape(-1)
    y = np.empty(flat.size, to.numpy)
    for start in range(0, flat.size, BLOCK):
        y[start : start + BLOCK] = _scaled(flat[start : start + BLOCK], scale, zero)
    return y.reshape(x.shape)


def _scaled(x: Array, scale: Floats, zero_point: Array | None) -> Floats:
    # float32 does not hold every int32, so their differences are taken in float64.
    wide = np.float64 if x.dtype == np.int32 and zero_point is not None else np.float32
    y = x.astype(wide)
    if zero_point is not None:
        y -= zero_point.astype(wide)
    y *= scale
    return y


DEQUANTIZE_LINEAR.example(
    (np.array([0, 3, 128, 255], np.uint8), 2.0, np.uint8(128)), ([-256.0, -250.0, 0.0, 254.0],)
)
DEQUANTIZE_LINEAR.example(
    (np.array([[1, 2], [3, 4]], np.int8), [1.0, 10.0]), ([[1.0, 20.0], [3.0, 40.0]],)
)
DEQUANTIZE_LINEAR.example(
    (np.array([[1, 2], [3, 4]], np.int8), [1.0, 10.0]), ([[1.0, 2.0], [30.0, 40.0]],), axis=0
)
