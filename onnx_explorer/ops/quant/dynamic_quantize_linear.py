"""DynamicQuantizeLinear: quantizes to uint8 on the grid that suits the data best, and returns the grid.

The range of x is widened to include 0: `low = min(0, min(x))`, `high = max(0, max(x))`. It is cut into
255 steps: `y_scale = (high - low) / 255`. 0 becomes `y_zero_point = round(saturate(-low / y_scale))`, so
that it is represented exactly, and `y = saturate(round(x / y_scale) + y_zero_point)`. Rounding takes the
even neighbour of a tie. If all of x is 0, or x is empty, the formula gives the scale 0; here it is 1 then.

Spec: ai.onnx DynamicQuantizeLinear-11
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.quant.quantize_linear import quantize_linear
from onnx_explorer.schema import Abstract, Body, BodyValue, Change, Operator, Port, scalar
from onnx_explorer.schema.typesets import FLOAT32, UINT8

DYNAMIC_QUANTIZE_LINEAR = Operator(
    "DynamicQuantizeLinear",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(Port("x", "T1", "the numbers to quantize"),),
            outputs=(
                Port("y", "T2", "x on the grid, same shape"),
                Port("y_scale", "tensor(float)", "distance of the grid's points, a scalar"),
                Port("y_zero_point", "T2", "what stands for 0, a scalar"),
            ),
            types={"T1": FLOAT32, "T2": UINT8},
        ),
    ),
)


@DYNAMIC_QUANTIZE_LINEAR.infer(since=11)
def infer(x: Abstract) -> tuple[Abstract, ...]:
    return Abstract(DType.UINT8, x.shape), scalar(DType.FLOAT32), scalar(DType.UINT8)


DYNAMIC_QUANTIZE_LINEAR.cost(since=11)(per_output(6))


@DYNAMIC_QUANTIZE_LINEAR.kernel(since=11)
def dynamic_quantize_linear(x: NDArray[np.float32]) -> tuple[Array, Array, Array]:
    low, high = np.float32(x.min(initial=0)), np.float32(x.max(initial=0))
    scale = (high - low) / np.float32(255) if high > low else np.float32(1)
    zero_point = np.clip(np.rint(-low / scale), 0, 255).astype(np.uint8)
    scales, zero_points = np.asarray(scale, np.float32), np.asarray(zero_point)
    return quantize_linear(x, scales, zero_points), scales, zero_points


@DYNAMIC_QUANTIZE_LINEAR.body(since=11)
def body(f: Body, x: BodyValue) -> tuple[BodyValue, BodyValue, BodyValue]:
    with_zero = f.Concat(f.Reshape(x, f.constant([-1])), f.constant([0.0]), axis=0)
    low, high = f.ReduceMin(with_zero, keepdims=0), f.ReduceMax(with_zero, keepdims=0)
    span, zero, most = f.Sub(high, low), f.constant(0.0), f.constant(255.0)
    scale = f.Where(f.Equal(span, zero), f.constant(1.0), f.Div(span, most))
    zero_point = f.Round(f.Clip(f.Neg(f.Div(low, scale)), zero, most))
    zero_point = f.Cast(zero_point, to=DType.UINT8)
    return f.QuantizeLinear(x, scale, zero_point), scale, zero_point


DYNAMIC_QUANTIZE_LINEAR.example(
    ([0.0, 2.0, -3.0, 252.0],), (np.array([3, 5, 0, 255], np.uint8), 1.0, np.uint8(3))
)
# 0 is always in the range: 102 to 255 is quantized as 0 to 255.
DYNAMIC_QUANTIZE_LINEAR.example(
    ([102.0, 255.0],), (np.array([102, 255], np.uint8), 1.0, np.uint8(0))
)
