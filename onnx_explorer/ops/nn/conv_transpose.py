"""ConvTranspose: each element of the input stamps a scaled copy of a filter onto the output.

`Y[n, m, i × stride + k × dilation - begin] += X[n, c, i] × W[c, m, k]`, summed over all channels c,
positions i and filter elements k, then `B[m]` is added. It is the transpose (the gradient) of a Conv
with the same attributes, and makes an output larger than its input. With `group` = g, channels fall
into g blocks that do not see each other.

The size of each spatial axis becomes `stride × (size - 1) + output_padding + dilation × (kernel - 1)
+ 1 - pads`. `output_padding` picks among the sizes that a Conv would map to the same input size;
what it adds at the end is not touched by any filter unless a pad was cut there. `output_shape`
states the size instead, and the pads follow: half of the surplus at each side, an odd
element at the end with SAME_UPPER, else at the beginning. `auto_pad` SAME_UPPER and SAME_LOWER make
each size `size × stride`. The wording of version 1 had the two sides swapped; its attribute's text
and all implementations agree with the rule above.

Spec: ai.onnx ConvTranspose-22
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from onnx_explorer.dims import Dim, floordiv, known_different, less, maximum, product
from onnx_explorer.ops.costs import elements, input_at
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
from onnx_explorer.ops.nn.correlate import correlate
from onnx_explorer.ops.nn.transposed import folded, of_filters
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
W = Port("W", "T", "filters, (C, M / group, *kernel_shape)")
B = Port("B", "T", "what is added to each output channel, (M,)", option="optional")
Y = Port("Y", "T", "output, (N, M, *spatial)")

CONV_TRANSPOSE = Operator(
    "ConvTranspose",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(X, W, B),
            outputs=(Y,),
            attributes=(
                AUTO_PAD,
                DILATIONS,
                GROUP,
                KERNEL_SHAPE,
                Attr("output_padding", "ints", doc="elements more at each end; default 0"),
                Attr("output_shape", "ints", doc="spatial sizes of Y, from which pads follow"),
                Attr("pads", "ints", doc="elements cut off Y: all begins, then all ends"),
                STRIDES,
            ),
            types={"T": FLOATS},
        ),
        Change(
            11,
            "the two sides of odd paddings are put right; defaults are spelled out",
            differentiable={"X": True, "W": True, "B": True, "Y": True},
        ),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
)


def transposed_out(
    window: Window,
    spatial: Sequence[Dim],
    output_padding: tuple[int, ...] | None,
    output_shape: tuple[int, ...] | None,
) -> tuple[tuple[Dim, Dim], ...]:
    """For each spatial axis, the elements cut off at the beginning and the size that remains.

    Raises:
        Violation: an attribute has the wrong length, or more is cut off than there is.
    """
    n = len(spatial)
    extra = output_padding or (0,) * n
    if len(extra) != n:
        raise Violation(
            f"output_padding = {list(extra)}", f"{n} values are needed", code="attribute-value"
        )
    if output_shape and len(output_shape) not in {n, n + 2}:
        raise Violation(
            f"output_shape = {list(output_shape)}", f"{n} values are needed", code="attribute-value"
        )
    # Some exporters list batch and channels too.
    asked = output_shape[-n:] if output_shape else None
    found: list[tuple[Dim, Dim]] = []
    for axis, size in enumerate(spatial):
        stride, reach = window.strides[axis], window.reach[axis]
        full = (size - 1) * stride + extra[axis] + reach
        if asked is None and window.auto_pad not in {"SAME_UPPER", "SAME_LOWER"}:
            begin: Dim = window.begins[axis]
            rest = full - begin - window.ends[axis]
            if less(rest, 0) is True:
                raise Violation(
                    f"pads of {begin} and {window.ends[axis]} on spatial axis {axis}",
                    f"there are {full} elements to cut from",
                )
            found.append((begin, rest))
            continue
        rest = size * stride if asked is None else asked[axis]
        surplus = maximum(full - rest, 0)
        half = floordiv(surplus, 2)
        found.append((half if window.auto_pad == "SAME_UPPER" else surplus - half, rest))
    return tuple(found)


def _check(
    X: Shape, W: Shape | None, B: Shape | None, kernel_shape: tuple[int, ...] | None, group: int
) -> None:
    if W is None:
        return
    check_kernel(W, kernel_shape)
    check_group(W[0], group, "channels")
    if known_different(X[1], W[0]):
        raise Violation(
            f"{X[1]} channels",
            f"W expects {W[0]}",
            port="X",
            code="channel-mismatch",
            sides=(Side(X[1], "X", 1), Side(W[0], "W", 0)),
        )
    check_bias(B, W[1] * group)


@CONV_TRANSPOSE.infer(since=1)
def infer(
    X: Abstract,
    W: Abstract,
    B: Abstract | None = None,
    *,
    auto_pad: AutoPad,
    dilations: tuple[int, ...] | None,
    group: int,
    kernel_shape: tuple[int, ...] | None,
    output_padding: tuple[int, ...] | None,
    output_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
    at: RuleSite,
) -> Abstract | tuple[Abstract, ...] | None:
    rank = check_ranks(X.shape, W.shape, kernel_shape)
    if rank is None:
        return X.like(None)
    filters = at.fresh("filters") if W.shape is None else W.shape[1] * group
    kernel = kernel_shape or (None if W.shape is None else W.shape[2:])
    if X.shape is None or kernel is None:
        batch = at.fresh("batch") if X.shape is None else X.shape[0]
        asked = output_shape[2 - rank :] if output_shape else None
        sizes = asked or tuple(at.fresh(f"dim{axis}") for axis in range(2, rank))
        return X.like((batch, filters, *sizes))
    window = Window.of(kernel, auto_pad=auto_pad, dilations=dilations, pads=pads, strides=strides)
    kept = transposed_out(window, X.shape[2:], output_padding, output_shape)
    result = X.like((X.shape[0], filters, *(size for _, size in kept)))
    try:
        _check(X.shape, W.shape, None if B is None else B.shape, kernel_shape, group)
    except Violation as violation:
        return at.fail(
            violation.found,
            violation.expected,
            port=violation.port,
            partial=result,
            code=violation.code,
            sides=violation.sides,
        )
    if W.shape is not None:
        at.assume(X.shape[1], W.shape[0])
    return result


def _stamping(
    window: Window,
    spatial: tuple[int, ...],
    output_padding: tuple[int, ...] | None,
    output_shape: tuple[int, ...] | None,
) -> tuple[Window, tuple[int, ...]]:
    """The window of the Conv that this is the transpose of, padded by what is cut off here, and
    the sizes of the output.
    """
    kept = transposed_out(window, spatial, output_padding, output_shape)
    begins = tuple(int(begin) for begin, _ in kept)
    return replace(window, begins=begins, auto_pad="NOTSET"), tuple(int(size) for _, size in kept)


@CONV_TRANSPOSE.cost(since=1)
def cost(inputs: Shapes, outputs: Shapes) -> Cost:
    """Each element of X is spread over a filter."""
    X, W = inputs[0], inputs[1] or ()
    bias = elements(outputs[0]) if input_at(inputs, 2) else 0
    return Cost(elements(X) * product(W[1:]), bias)


@CONV_TRANSPOSE.kernel(since=1)
def conv_transpose(
    X: Floats,
    W: Floats,
    B: Floats | None = None,
    *,
    auto_pad: AutoPad,
    dilations: tuple[int, ...] | None,
    group: int,
    kernel_shape: tuple[int, ...] | None,
    output_padding: tuple[int, ...] | None,
    output_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Floats:
    check_ranks(X.shape, W.shape, kernel_shape)
    _check(X.shape, W.shape, None if B is None else B.shape, kernel_shape, group)
    window = Window.of(
        W.shape[2:], auto_pad=auto_pad, dilations=dilations, pads=pads, strides=strides
    )
    spatial = X.shape[2:]
    window, sizes = _stamping(window, spatial, output_padding, output_shape)
    seen, bank = widened(X), widened(W)
    n, per_group = X.shape[0], W.shape[1]
    if X.size:
        stamps = np.matmul(
            bank.reshape(group, X.shape[1] // group, -1).swapaxes(1, 2),
            seen.reshape(n, group, X.shape[1] // group, -1),
        ).reshape(n, group * per_group, *W.shape[2:], *spatial)
        result = folded(stamps, window, sizes)
    else:
        result = np.zeros((n, group * per_group, *sizes), seen.dtype)
    if B is not None:
        result += B.reshape(-1, *(1,) * len(spatial)).astype(result.dtype)
    return narrowed(result, X)


@CONV_TRANSPOSE.vjp(since=1)
def vjp(
    cotangents: tuple[Floats],
    inputs: tuple[Floats, ...],
    outputs: object,
    *,
    auto_pad: AutoPad,
    dilations: tuple[int, ...] | None,
    group: int,
    output_padding: tuple[int, ...] | None,
    output_shape: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
    at: DerivativeSite,
) -> Cotangents:
    (c,), (X, W) = cotangents, inputs[:2]
    window = Window.of(
        W.shape[2:], auto_pad=auto_pad, dilations=dilations, pads=pads, strides=strides
    )
    window, _ = _stamping(window, X.shape[2:], output_padding, output_shape)
    of_X = np.empty(X.shape, X.dtype)
    if at.needed[0]:
        correlate(c, W, window, group, of_X)
    return (
        of_X,
        of_filters(c, X, window, group) if at.needed[1] else None,
        np.add.reduce(c, axis=(0, *range(2, c.ndim))),
    )


CONV_TRANSPOSE.example(([[[1.0, 2.0]]], [[[1.0, 10.0]]]), ([[[1.0, 12.0, 20.0]]],))
CONV_TRANSPOSE.example(
    ([[[1.0, 2.0]]], [[[1.0, 10.0]]]), ([[[1.0, 10.0, 2.0, 20.0]]],), strides=[2]
)
# Pads take elements away from the result.
CONV_TRANSPOSE.example(([[[1.0, 2.0]]], [[[1.0, 10.0]]]), ([[[12.0]]],), pads=[1, 1])
