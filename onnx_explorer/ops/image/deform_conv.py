"""DeformConv: a convolution whose windows look where offsets tell them to.

As in Conv, `Y[n, m, o] = B[m] + sum over c, k of W[m, c, k] × X at (o × stride - pad + k × dilation)`; here each
position is moved by an offset of its own, and each element is multiplied with a mask of its own:
`... × X at (... + offset[n, k, o]) × mask[n, k, o]`. Positions between elements are interpolated
linearly; outside of X lie zeros.

`offset` is (N, offset_group × taps × axes, *out): for each tap of the window one number for each
spatial axis, in the order of the axes. `mask` is (N, offset_group × taps, *out), by default ones. With
`offset_group` > 1 the channels fall into that many blocks with offsets and masks of their own.

Spec: ai.onnx DeformConv-22
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import Dim, known_different, product
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.costs import filter_cost, input_at
from onnx_explorer.ops.image.sampling import Sampler
from onnx_explorer.ops.nn.conv import check_channels, conv_shape
from onnx_explorer.ops.nn.convolution import DILATIONS, GROUP, KERNEL_SHAPE, STRIDES, check_ranks
from onnx_explorer.ops.nn.patches import concrete_out
from onnx_explorer.ops.nn.windows import Window
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Cost,
    Operator,
    Port,
    RuleSite,
    Shape,
    Shapes,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOATS

DEFORM_CONV = Operator(
    "DeformConv",
    doc=__doc__,
    history=(
        Change(
            19,
            "first version",
            inputs=(
                Port("X", "T", "input, (N, C, *spatial)"),
                Port("W", "T", "filters, (M, C / group, *kernel_shape)"),
                Port(
                    "offset",
                    "T",
                    "how far each tap is moved, (N, offset_group × taps × axes, *out)",
                ),
                Port("B", "T", "what is added to each output channel, (M,)", option="optional"),
                Port(
                    "mask",
                    "T",
                    "factor of each tap, (N, offset_group × taps, *out); default 1",
                    option="optional",
                ),
            ),
            outputs=(Port("Y", "T", "output, (N, M, *out)"),),
            attributes=(
                DILATIONS,
                GROUP,
                KERNEL_SHAPE,
                Attr("offset_group", "int", 1, doc="number of blocks with offsets of their own"),
                Attr("pads", "ints", doc="zeros around X: all begins, then all ends; default 0"),
                STRIDES,
            ),
            types={"T": FLOATS},
        ),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
)


@DEFORM_CONV.infer(since=19)
def infer(
    X: Abstract,
    W: Abstract,
    offset: Abstract,
    B: Abstract | None = None,
    mask: Abstract | None = None,
    *,
    dilations: tuple[int, ...] | None,
    group: int,
    kernel_shape: tuple[int, ...] | None,
    offset_group: int,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
    at: RuleSite,
) -> Abstract:
    shape = conv_shape(
        X.shape,
        W.shape,
        auto_pad="NOTSET",
        dilations=dilations,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
        at=at,
    )
    result = X.like(shape)
    at.keep(result)
    if X.shape is None or W.shape is None or shape is None:
        return result
    check_channels(X.shape, W.shape, B and B.shape, kernel_shape, group)
    at.assume(X.shape[1], W.shape[1] * group)
    kernel = kernel_shape or W.shape[2:]
    _check_offset_group(X.shape[1], offset_group)
    _check_taps(shape, offset.shape, offset_group * product(kernel) * len(kernel), "offset")
    _check_taps(shape, mask and mask.shape, offset_group * product(kernel), "mask")
    return result


def _check_offset_group(channels: Dim, offset_group: int) -> None:
    if offset_group < 1 or (isinstance(channels, int) and channels % offset_group):
        raise Violation(
            f"offset_group = {offset_group}",
            f"X has {channels} channels",
            port="X",
            code="input-value",
        )


def _check_taps(Y: Shape, given: Shape | None, count: Dim, port: str) -> None:
    if given is None:
        return
    wanted = (Y[0], count, *Y[2:])
    if len(given) != len(wanted) or any(map(known_different, given, wanted)):
        raise Violation(
            f"shape {shape_text(given)}",
            f"an output of {shape_text(Y)} needs {shape_text(wanted)}",
            port=port,
            code="wrong-shape",
        )


@DEFORM_CONV.cost(since=19)
def cost(inputs: Shapes, outputs: Shapes) -> Cost:
    return filter_cost(outputs, inputs[1], input_at(inputs, 3))


@DEFORM_CONV.kernel(since=19)
def deform_conv(
    X: Floats,
    W: Floats,
    offset: Floats,
    B: Floats | None = None,
    mask: Floats | None = None,
    *,
    dilations: tuple[int, ...] | None,
    group: int,
    kernel_shape: tuple[int, ...] | None,
    offset_group: int,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Floats:
    check_ranks(X.shape, W.shape, kernel_shape)
    check_channels(X.shape, W.shape, None if B is None else B.shape, kernel_shape, group)
    _check_offset_group(X.shape[1], offset_group)
    kernel = W.shape[2:]
    window = Window.of(kernel, dilations=dilations, pads=pads, strides=strides)
    out = concrete_out(window, X.shape[2:])
    batch, filters, axes, taps = len(X), W.shape[0], len(kernel), int(np.prod(kernel))
    shape = (batch, filters, *out)
    _check_taps(shape, offset.shape, offset_group * taps * axes, "offset")
    if mask is not None:
        _check_taps(shape, mask.shape, offset_group * taps, "mask")
    if 0 in shape:
        return np.empty(shape, X.dtype)
    moved = widened(offset).reshape(batch, offset_group, taps, axes, *out)
    blocks = widened(X).reshape(batch, offset_group, -1, *X.shape[2:])
    n_windows = int(np.prod(out))
    columns = np.empty((batch, *blocks.shape[1:3], taps, n_windows), blocks.dtype)
    base = _positions(window, out, blocks.dtype)
    for block in range(offset_group):
        positions = [
            (base[axis] + moved[:, block, :, axis]).reshape(batch, -1) for axis in range(axes)
        ]
        seen = Sampler()(blocks[:, block], positions)
        columns[:, block] = seen.reshape(batch, -1, taps, n_windows)
    if mask is not None:
        columns *= widened(mask).reshape(batch, offset_group, 1, taps, n_windows)
    bank = widened(W).reshape(group, filters // group, -1)
    result = np.matmul(bank, columns.reshape(batch, group, bank.shape[2], n_windows))
    result = result.reshape(shape)
    if B is not None:
        result += B.reshape(-1, *(1,) * axes)
    return narrowed(result, X)


def _positions(window: Window, out: tuple[int, ...], dtype: np.dtype[np.floating]) -> list[Floats]:
    """For each axis, where the taps of each window lie without offsets: (taps, *out)."""
    axes = len(out)
    kernel = tuple(int(size) for size in window.kernel)
    found: list[Floats] = []
    for axis in range(axes):
        taps = np.arange(kernel[axis]) * window.dilations[axis] - window.begins[axis]
        starts = np.arange(out[axis]) * window.strides[axis]
        along = taps.reshape(-1, *(1,) * (2 * axes - 1 - axis)) + starts.reshape(
            -1, *(1,) * (axes - 1 - axis)
        )
        full = np.broadcast_to(along, (*kernel, *out))
        found.append(full.reshape(-1, *out).astype(dtype))
    return found


# Vertical offsets come before horizontal ones; the first window looks half a pixel to the right.
DEFORM_CONV.example(
    ([[[[1.0, 2.0, 3.0]]]], [[[[1.0]]]], [[[[0.0, 0.0, 0.0]], [[0.5, 0.0, 0.0]]]]),
    ([[[[1.5, 2.0, 3.0]]]],),
)
