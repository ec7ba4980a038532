"""ConvInteger: a convolution of 8-bit integers, summed in int32.

The same as Conv on `x - x_zero_point` and `w - w_zero_point`, with the same attributes and output sizes.
Padding counts as x_zero_point, so that it adds nothing. `x_zero_point` is a scalar; `w_zero_point` is
one too, or has one element for each filter. No product can overflow; sums that leave int32 wrap around.

Spec: ai.onnx ConvInteger-10
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.costs import filter_cost
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.nn.conv import check_channels, conv, conv_shape
from onnx_explorer.ops.nn.convolution import AUTO_PAD, DILATIONS, GROUP, KERNEL_SHAPE, STRIDES
from onnx_explorer.ops.nn.windows import AutoPad
from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.quant.products import (
    as_int32,
    check_filters,
    check_single,
    exactly,
    shifted,
)
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Cost,
    Operator,
    Port,
    RuleSite,
    Shapes,
    Violation,
)
from onnx_explorer.schema.typesets import BYTES, INT32

Scalar = TypeVar("Scalar", bound=np.generic)

ATTRIBUTES = (
    AUTO_PAD,
    DILATIONS,
    GROUP,
    KERNEL_SHAPE,
    Attr("pads", "ints", doc="elements that stand for 0 around x: all begins, then all ends"),
    STRIDES,
)

CONV_INTEGER = Operator(
    "ConvInteger",
    doc=__doc__,
    history=(
        Change(
            10,
            "first version",
            inputs=(
                Port("x", "T1", "input, (N, C, *spatial)"),
                Port("w", "T2", "filters, (M, C / group, *kernel_shape)"),
                Port(
                    "x_zero_point",
                    "T1",
                    "what stands for 0 in x, a scalar; left out: 0",
                    option="optional",
                ),
                Port(
                    "w_zero_point",
                    "T2",
                    "what stands for 0 in w, or in each filter; left out: 0",
                    option="optional",
                ),
            ),
            outputs=(Port("y", "T3", "output, (N, M, *spatial)"),),
            attributes=ATTRIBUTES,
            types={"T1": BYTES, "T2": BYTES, "T3": INT32},
        ),
    ),
)


@CONV_INTEGER.infer(since=10)
def infer(
    x: Abstract,
    w: Abstract,
    x_zero_point: Abstract | None = None,
    w_zero_point: Abstract | None = None,
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
        None,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
        at=at,
    )
    at.keep(result)
    check_single(x_zero_point and x_zero_point.shape, port="x_zero_point")
    check_filters(w_zero_point and w_zero_point.shape, w.shape, port="w_zero_point")
    return result


def quantized_conv_rule(
    x: Abstract,
    w: Abstract,
    B: Abstract | None,
    *,
    auto_pad: AutoPad,
    dilations: tuple[int, ...] | None,
    group: int,
    kernel_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
    at: RuleSite,
) -> Abstract:
    """Conv's rule under the port names of the quantized ones; the dtype is the schema's part."""
    try:
        shape = conv_shape(
            x.shape,
            w.shape,
            auto_pad=auto_pad,
            dilations=dilations,
            kernel_shape=kernel_shape,
            pads=pads,
            strides=strides,
            at=at,
        )
    except Violation as violation:
        raise _renamed(violation) from violation
    result = Abstract(None, shape)
    at.keep(result)
    if x.shape is None or w.shape is None:
        return result
    try:
        check_channels(x.shape, w.shape, B and B.shape, kernel_shape, group)
    except Violation as violation:
        raise _renamed(violation) from violation
    at.assume(x.shape[1], w.shape[1] * group)
    return result


def _renamed(violation: Violation) -> Violation:
    """The violation with the ports X and W named as the quantized operators do."""
    port = violation.port
    return Violation(
        violation.found, violation.expected, port=port.lower() if port in {"X", "W"} else port
    )


@CONV_INTEGER.cost(since=10)
def cost(inputs: Shapes, outputs: Shapes) -> Cost:
    return filter_cost(outputs, inputs[1])


@CONV_INTEGER.kernel(since=10)
def conv_integer(
    x: Array,
    w: Array,
    x_zero_point: Array | None = None,
    w_zero_point: Array | None = None,
    *,
    auto_pad: AutoPad,
    dilations: tuple[int, ...] | None,
    group: int,
    kernel_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> NDArray[np.int32]:
    return as_int32(
        whole_conv(
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
        )
    )


def whole_conv(
    x: Array,
    w: Array,
    x_zero_point: Array | None,
    w_zero_point: Array | None,
    *,
    auto_pad: AutoPad,
    dilations: tuple[int, ...] | None,
    group: int,
    kernel_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Floats:
    """The exact convolution of whole numbers."""
    if x_zero_point is not None:
        check_single(x_zero_point.shape, port="x_zero_point")
        x_zero_point = x_zero_point.reshape(())
    if w_zero_point is not None:
        check_filters(w_zero_point.shape, w.shape, port="w_zero_point")
        w_zero_point = per_filter(w_zero_point, w.ndim)

    def product(x: Floats, w: Floats) -> Floats:
        return conv(
            x,
            w,
            auto_pad=auto_pad,
            dilations=dilations,
            group=group,
            kernel_shape=kernel_shape,
            pads=pads,
            strides=strides,
        )

    over = tuple(range(1, w.ndim))
    try:
        return exactly(product, shifted(x, x_zero_point), shifted(w, w_zero_point), over)
    except Violation as violation:
        raise _renamed(violation) from violation


def per_filter(parameter: NDArray[Scalar], rank: int) -> NDArray[Scalar]:
    """A parameter of filters, so that it broadcasts against the filters, of this rank."""
    return parameter.reshape(-1, *(1,) * (rank - 1)) if parameter.ndim else parameter


CONV_INTEGER.example(
    (np.array([[[2, 3, 4]]], np.uint8), np.array([[[1, 1]]], np.uint8), np.uint8(1)),
    (np.array([[[3, 5]]], np.int32),),
)
# Padding stands for 0: it holds the zero point.
CONV_INTEGER.example(
    (np.array([[[2, 3]]], np.uint8), np.array([[[1, 1]]], np.uint8), np.uint8(1)),
    (np.array([[[1, 3]]], np.int32),),
    pads=[1, 0],
)
