"""Conv: a bank of filters slides over the spatial axes; each filter makes one output channel.

`Y[n, m, o] = B[m] + sum over c, k of W[m, c, k] × X[n, c, o × stride + k × dilation - pad]`, where
what lies outside of X counts as 0. This is cross-correlation: filters are not flipped. With
`group` = g, channels and filters fall into g blocks, and filters see only the channels of their
own block; g = C is a depthwise convolution.

The size of each spatial axis becomes `floor((size + pads - dilation × (kernel - 1) - 1) / stride)
+ 1`. `auto_pad` SAME_UPPER and SAME_LOWER choose pads such that it becomes `ceil(size / stride)`,
with the odd element at the end or at the beginning. Sums of 16-bit floats are taken in float32.

Spec: ai.onnx Conv-22
"""

from __future__ import annotations

from functools import lru_cache
from typing import cast

import numpy as np

from onnx_explorer.dims import known_different
from onnx_explorer.ops.again import Again
from onnx_explorer.ops.costs import filter_cost, input_at
from onnx_explorer.ops.cotangents import Values
from onnx_explorer.ops.nn.convolution import (
    AUTO_PAD,
    DILATIONS,
    GROUP,
    KERNEL_SHAPE,
    STRIDES,
    check_bias,
    check_group,
    check_kernel,
    check_ranks,
)
from onnx_explorer.ops.nn.correlate import Way, way
from onnx_explorer.ops.nn.patches import KNOWN, concrete_out
from onnx_explorer.ops.nn.transposed import of_filters, of_input
from onnx_explorer.ops.nn.windows import AutoPad, Window
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Cost,
    Cotangents,
    DerivativeSite,
    Operator,
    Port,
    RuleSite,
    Shape,
    Shapes,
    Side,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOATS

X = Port("X", "T", "input, (N, C, *spatial)")
W = Port("W", "T", "filters, (M, C / group, *kernel_shape)")
B = Port("B", "T", "what is added to each output channel, (M,)", option="optional")
Y = Port("Y", "T", "output, (N, M, *spatial)")
PADS = Attr("pads", "ints", doc="zeros around X: all begins, then all ends; default 0")

CONV = Operator(
    "Conv",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(X, W, B),
            outputs=(Y,),
            attributes=(AUTO_PAD, DILATIONS, GROUP, KERNEL_SHAPE, PADS, STRIDES),
            types={"T": FLOATS},
        ),
        Change(
            11,
            "the defaults of strides and dilations are spelled out",
            differentiable={"X": True, "W": True, "B": True, "Y": True},
        ),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
)


@CONV.infer(since=1)
def infer(
    X: Abstract,
    W: Abstract,
    B: Abstract | None = None,
    *,
    auto_pad: AutoPad,
    dilations: tuple[int, ...] | None,
    group: int,
    kernel_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
    at: RuleSite,
) -> Abstract | tuple[Abstract, ...] | None:
    shape = conv_shape(
        X.shape,
        W.shape,
        auto_pad=auto_pad,
        dilations=dilations,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
        at=at,
    )
    if X.shape is None or W.shape is None:
        return X.like(shape)
    try:
        check_channels(X.shape, W.shape, None if B is None else B.shape, kernel_shape, group)
    except Violation as violation:
        return at.fail(
            violation.found,
            violation.expected,
            port=violation.port,
            partial=X.like(shape),
            code=violation.code,
            sides=violation.sides,
        )
    at.assume(X.shape[1], W.shape[1] * group)
    return X.like(shape)


def conv_shape(
    X: Shape | None,
    W: Shape | None,
    *,
    auto_pad: AutoPad,
    dilations: tuple[int, ...] | None,
    kernel_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
    at: RuleSite,
) -> Shape | None:
    """The shape of a convolution's output, as far as the inputs tell; also of quantized ones.

    Raises:
        Violation: the ranks do not fit, or a window is larger than the padded input.
    """
    rank = check_ranks(X, W, kernel_shape)
    if rank is None:
        return None
    filters = at.fresh("filters") if W is None else W[0]
    kernel = kernel_shape or (None if W is None else W[2:])
    if X is None or kernel is None:
        batch = at.fresh("batch") if X is None else X[0]
        return (batch, filters, *(at.fresh(f"dim{axis}") for axis in range(2, rank)))
    window = Window.of(kernel, auto_pad=auto_pad, dilations=dilations, pads=pads, strides=strides)
    return (X[0], filters, *window.out(X[2:]))


def check_channels(
    X: Shape, W: Shape, B: Shape | None, kernel_shape: tuple[int, ...] | None, group: int
) -> None:
    """Raise `Violation` where filters and bias are known not to fit the channels."""
    check_kernel(W, kernel_shape)
    check_group(W[0], group, "filters")
    if known_different(X[1], W[1] * group):
        raise Violation(
            f"{X[1]} channels",
            f"W expects {W[1]} × group {group} = {W[1] * group}",
            port="X",
            code="channel-mismatch",
            sides=(
                Side(X[1], 0, 1),
                Side(W[1] * group, "W", 1, f"× group {group}" if group != 1 else ""),
            ),
        )
    check_bias(B, W[0])


@CONV.cost(since=1)
def cost(inputs: Shapes, outputs: Shapes) -> Cost:
    return filter_cost(outputs, inputs[1], input_at(inputs, 2))


@CONV.kernel(since=1)
def conv(
    X: Floats,
    W: Floats,
    B: Floats | None = None,
    *,
    auto_pad: AutoPad,
    dilations: tuple[int, ...] | None,
    group: int,
    kernel_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Floats:
    bias = None if B is None else B.shape
    apply, shape = _fitted(
        X.shape, W.shape, bias, kernel_shape, group, auto_pad, dilations, pads, strides, X.itemsize
    )
    seen = widened(X)
    result = np.empty(shape, seen.dtype)
    apply(seen, widened(W), result, None if B is None else widened(B))
    return narrowed(result, X)


@lru_cache(KNOWN)
def _fitted(
    X: tuple[int, ...],
    W: tuple[int, ...],
    B: tuple[int, ...] | None,
    kernel_shape: tuple[int, ...] | None,
    group: int,
    auto_pad: AutoPad,
    dilations: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
    itemsize: int,
) -> tuple[Way, tuple[int, ...]]:
    """How the filters are applied, and the shape of the result, if the shapes go together."""
    check_ranks(X, W, kernel_shape)
    check_channels(X, W, B, kernel_shape, group)
    window = Window.of(W[2:], auto_pad=auto_pad, dilations=dilations, pads=pads, strides=strides)
    out = concrete_out(window, X[2:])
    # Sums of 16-bit floats are taken in float32.
    return way(X, W, window, group, out, max(itemsize, 4)), (X[0], W[0], *out)


@CONV.again(since=1)
def again(
    inputs: tuple[Floats | None, ...],
    outputs: Values,
    *,
    auto_pad: AutoPad,
    dilations: tuple[int, ...] | None,
    group: int,
    kernel_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Again | None:
    X, W, B = cast("tuple[Floats, Floats, Floats | None]", (*inputs, None)[:3])
    if widened(X) is not X:
        return None
    of_x, of_w, of_b, dtype = X.shape, W.shape, None if B is None else B.shape, X.dtype
    apply, shape = _fitted(
        of_x, of_w, of_b, kernel_shape, group, auto_pad, dilations, pads, strides, X.itemsize
    )

    def call(X: Floats, W: Floats, B: Floats | None = None) -> object:
        if X.shape != of_x or W.shape != of_w or (None if B is None else B.shape) != of_b:
            return NotImplemented
        result = np.empty(shape, dtype)
        apply(X, W, result, B)
        return result

    return call


@CONV.vjp(since=1)
def vjp(
    cotangents: tuple[Floats],
    inputs: tuple[Floats, ...],
    outputs: object,
    *,
    auto_pad: AutoPad,
    dilations: tuple[int, ...] | None,
    group: int,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
    at: DerivativeSite,
) -> Cotangents:
    (c,), (X, W) = cotangents, inputs[:2]
    window = Window.of(
        W.shape[2:], auto_pad=auto_pad, dilations=dilations, pads=pads, strides=strides
    )
    return (
        of_input(c, W, window, group, X.shape[2:]) if at.needed[0] else None,
        of_filters(X, c, window, group) if at.needed[1] else None,
        np.add.reduce(c, axis=(0, *range(2, c.ndim))),
    )


CONV.example(([[[1.0, 2.0, 3.0]]], [[[10.0, 1.0]]]), ([[[12.0, 23.0]]],))
CONV.example(
    ([[[[1.0, 2.0], [3.0, 4.0]]]], [[[[1.0, 1.0], [1.0, 1.0]]]], [100.0]),
    ([[[[110.0, 106.0], [107.0, 104.0]]]],),
    pads=[0, 0, 1, 1],
)
# Two groups: each filter sees one of the two channels.
CONV.example(
    ([[[1.0, 2.0], [3.0, 4.0]]], [[[1.0, 1.0]], [[10.0, 10.0]]]), ([[[3.0], [70.0]]],), group=2
)
