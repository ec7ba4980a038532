"""AveragePool: the mean of each window that slides over the spatial axes.

`Y[n, c, o] = mean over k of X[n, c, o × stride + k × dilation - pad]`. Padding counts only if
`count_include_pad` is 1: then it enters the sum as 0 and the divisor as an element. By default
a window at the border divides by the number of elements of X that it covers.

With `ceil_mode` = 1 a last window may reach past the padded input; what lies there never counts,
and a window that would begin in the padding behind X is left out.

Spec: ai.onnx AveragePool-22
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.costs import pool_cost
from onnx_explorer.ops.nn.global_pool import global_average_pool
from onnx_explorer.ops.nn.patches import concrete_out, reduced
from onnx_explorer.ops.nn.pooling import (
    AUTO_PAD,
    CEIL_MODE,
    DILATIONS,
    KERNEL_SHAPE,
    PADS,
    STRIDES,
    X,
    Y,
    pool_rule,
    pool_window,
)
from onnx_explorer.ops.nn.transposed import spread
from onnx_explorer.ops.nn.windows import AutoPad, Window
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import Attr, Change, Operator
from onnx_explorer.schema.typesets import BF16, FLOATS

AVERAGE_POOL = Operator(
    "AveragePool",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version; padding never counts",
            inputs=(X,),
            outputs=(Y,),
            attributes=(AUTO_PAD, KERNEL_SHAPE, PADS, STRIDES),
            types={"T": FLOATS},
        ),
        Change(
            7,
            "padding may count",
            attributes=(
                Attr(
                    "count_include_pad",
                    "int",
                    0,
                    one_of=(0, 1),
                    doc="1: padding counts as elements of value 0; 0: it does not count",
                ),
            ),
        ),
        Change(10, "a last window may hang over the end", attributes=(CEIL_MODE,)),
        Change(11, "the default of strides is spelled out", differentiable={"X": True, "Y": True}),
        Change(19, "windows with gaps", attributes=(DILATIONS,)),
        Change(22, "bfloat16; windows that begin behind X are ruled out", widen={"T": BF16}),
    ),
)

AVERAGE_POOL.infer(since=1)(pool_rule)


AVERAGE_POOL.cost(since=1)(pool_cost)


@AVERAGE_POOL.kernel(since=1)
def average_pool(
    X: Floats,
    *,
    auto_pad: AutoPad,
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: tuple[int, ...] | None = None,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Floats:
    window = pool_window(
        X.shape,
        kernel_shape,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
        dilations=dilations,
        pads=pads,
        strides=strides,
    )
    spatial = X.shape[2:]
    out = concrete_out(window, spatial)
    seen = widened(X)
    counts = _counts(window, spatial, out, count_include_pad)
    if counts.size == 1 and counts.item() == prod(spatial) and not count_include_pad:
        return global_average_pool(X)
    counts = np.maximum(counts, 1).astype(seen.dtype)
    return narrowed(reduced(seen, window, out, np.add, 0, counts), X)


@AVERAGE_POOL.vjp(since=1)
def vjp(
    cotangents: tuple[Floats],
    inputs: tuple[Floats],
    outputs: object,
    *,
    auto_pad: AutoPad,
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: tuple[int, ...] | None = None,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Floats:
    (c,), (X,) = cotangents, inputs
    window = pool_window(
        X.shape,
        kernel_shape,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
        dilations=dilations,
        pads=pads,
        strides=strides,
    )
    spatial = X.shape[2:]
    counts = np.maximum(_counts(window, spatial, c.shape[2:], count_include_pad), 1)
    return spread(c / counts.astype(c.dtype), window, spatial)


@lru_cache(64)
def _counts(
    window: Window, spatial: tuple[int, ...], out: tuple[int, ...], with_pads: int
) -> NDArray[np.intp]:
    """How many elements each window counts."""
    counts = np.ones((), np.intp)
    for axis, (begin, end) in enumerate(window.pads(spatial)):
        first, last = (-int(begin), spatial[axis] + int(end)) if with_pads else (0, spatial[axis])
        starts = np.arange(out[axis]) * window.strides[axis] - int(begin)
        taps = np.arange(int(window.kernel[axis])) * window.dilations[axis]
        seen = starts[:, None] + taps
        along = np.count_nonzero((seen >= first) & (seen < last), axis=1)
        counts = np.multiply.outer(counts, along)
    return counts


AVERAGE_POOL.example(([[[1.0, 2.0, 3.0, 4.0]]],), ([[[1.5, 3.5]]],), kernel_shape=[2], strides=[2])
AVERAGE_POOL.example(
    ([[[1.0, 2.0, 3.0, 4.0]]],),
    ([[[1.0, 2.5, 4.0]]],),
    kernel_shape=[2],
    strides=[2],
    pads=[1, 1],
)
AVERAGE_POOL.example(
    ([[[1.0, 2.0, 3.0, 4.0]]],),
    ([[[0.5, 2.5, 2.0]]],),
    kernel_shape=[2],
    strides=[2],
    pads=[1, 1],
    count_include_pad=1,
)
AVERAGE_POOL.example(([[[[1.0, 2.0], [3.0, 6.0]]]],), ([[[[3.0]]]],), kernel_shape=[2, 2])
