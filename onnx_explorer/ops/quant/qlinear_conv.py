"""QLinearConv: a convolution of quantized numbers, quantized again.

With `real(q) = (q - zero_point) × scale`, y stands for the convolution of what x and w stand for, with
the attributes and output sizes of Conv: `y = saturate(round((sum of (x - x_zero_point) ×
(w - w_zero_point) + B) × x_scale × w_scale / y_scale) + y_zero_point)`. The bias B is already quantized,
with the scale `x_scale × w_scale` and the zero point 0. Scale and zero point of w are scalars, or have
one element for each filter; the others are scalars. Padding counts as x_zero_point. Sums are exact before they
are scaled; rounding takes the even neighbour of a tie.

Spec: ai.onnx QLinearConv-10
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType
from onnx_explorer.ops.costs import filter_cost, input_at
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.nn.convolution import check_bias
from onnx_explorer.ops.nn.windows import AutoPad
from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.quant.conv_integer import (
    ATTRIBUTES,
    per_filter,
    quantized_conv_rule,
    whole_conv,
)
from onnx_explorer.ops.quant.products import check_filters, check_single
from onnx_explorer.ops.quant.quantize_linear import on_grid
from onnx_explorer.schema import Abstract, Change, Cost, Operator, Port, RuleSite, Shape, Shapes
from onnx_explorer.schema.typesets import BYTES, INT32

QLINEAR_CONV = Operator(
    "QLinearConv",
    doc=__doc__,
    history=(
        Change(
            10,
            "first version",
            inputs=(
                Port("x", "T1", "input, (N, C, *spatial)"),
                Port("x_scale", "tensor(float)", "step of x, a scalar"),
                Port("x_zero_point", "T1", "what stands for 0 in x, a scalar"),
                Port("w", "T2", "filters, (M, C / group, *kernel_shape)"),
                Port("w_scale", "tensor(float)", "step of w, or of each filter"),
                Port("w_zero_point", "T2", "what stands for 0 in w, or in each filter"),
                Port("y_scale", "tensor(float)", "step of y, a scalar"),
                Port("y_zero_point", "T3", "what stands for 0 in y, a scalar; its type is y's"),
                Port(
                    "B",
                    "T4",
                    "what is added to each channel before scaling, (M,)",
                    option="optional",
                ),
            ),
            outputs=(Port("y", "T3", "output, (N, M, *spatial)"),),
            attributes=ATTRIBUTES,
            types={"T1": BYTES, "T2": BYTES, "T3": BYTES, "T4": INT32},
        ),
    ),
)


@QLINEAR_CONV.infer(since=10)
def infer(
    x: Abstract,
    x_scale: Abstract,
    x_zero_point: Abstract,
    w: Abstract,
    w_scale: Abstract,
    w_zero_point: Abstract,
    y_scale: Abstract,
    y_zero_point: Abstract,
    B: Abstract | None = None,
    *,
    auto_pad: AutoPad,
    dilations: tuple[int, ...] | None,
    group: int,
    kernel_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
    at: RuleSite,
) -> Abstract:
    result = quantized_conv_rule(
        x,
        w,
        B,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
        at=at,
    )
    at.keep(result)
    _check_singles(x_scale.shape, x_zero_point.shape, y_scale.shape, y_zero_point.shape)
    check_filters(w_scale.shape, w.shape, port="w_scale")
    check_filters(w_zero_point.shape, w.shape, port="w_zero_point")
    return result


def _check_singles(*shapes: Shape | None) -> None:
    for port, shape in zip(
        ("x_scale", "x_zero_point", "y_scale", "y_zero_point"), shapes, strict=True
    ):
        check_single(shape, port=port)


@QLINEAR_CONV.cost(since=10)
def cost(inputs: Shapes, outputs: Shapes) -> Cost:
    return filter_cost(outputs, inputs[3], input_at(inputs, 8))


@QLINEAR_CONV.kernel(since=10)
def qlinear_conv(
    x: Array,
    x_scale: Floats,
    x_zero_point: Array,
    w: Array,
    w_scale: Floats,
    w_zero_point: Array,
    y_scale: Floats,
    y_zero_point: Array,
    B: NDArray[np.int32] | None = None,
    *,
    auto_pad: AutoPad,
    dilations: tuple[int, ...] | None,
    group: int,
    kernel_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Array:
    _check_singles(x_scale.shape, x_zero_point.shape, y_scale.shape, y_zero_point.shape)
    check_filters(w_scale.shape, w.shape, port="w_scale")
    sums = whole_conv(
        x,
        w,
        x_zero_point,
        w_zero_point,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    ).astype(np.float64, copy=False)
    if B is not None:
        check_bias(B.shape, w.shape[0])
        sums += per_filter(B, w.ndim - 1)
    sums *= per_filter(x_scale.reshape(()) * w_scale / y_scale.reshape(()), w.ndim - 1)
    zero = y_zero_point.reshape(()).astype(np.float32)
    return on_grid(sums, zero, DType.from_numpy(y_zero_point.dtype))


# (2 - 1) × 2 and (3 - 1) × 2, halved, above a zero point of 10.
QLINEAR_CONV.example(
    (
        *(np.array([[[2, 3]]], np.uint8), 1.0, np.uint8(1)),
        *(np.array([[[2]]], np.uint8), 1.0, np.uint8(0)),
        *(2.0, np.uint8(10)),
    ),
    (np.array([[[11, 12]]], np.uint8),),
)
