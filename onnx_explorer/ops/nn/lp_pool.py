"""LpPool: the p-norm of each window that slides over the spatial axes.

`Y[n, c, o] = (sum over k of |X[n, c, o × stride + k × dilation - pad]|^p)^(1/p)`. Padding counts
as 0, so it adds nothing. p = 1 sums absolute values, p = 2 is the Euclidean length.

Spec: ai.onnx LpPool-22
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from onnx_explorer.ops.costs import pool_cost
from onnx_explorer.ops.nn.norms import power, power_slope, root, root_slope
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
from onnx_explorer.ops.nn.windows import AutoPad
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import Attr, Change, Operator
from onnx_explorer.schema.typesets import BF16, FLOATS

LP_POOL = Operator(
    "LpPool",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(X,),
            outputs=(Y,),
            attributes=(
                AUTO_PAD,
                replace(KERNEL_SHAPE, required=False),
                Attr("p", "float", 2.0, doc="exponent of the norm"),
                PADS,
                STRIDES,
            ),
            types={"T": FLOATS},
        ),
        Change(
            2,
            "p is an integer, and the window must be given",
            attributes=(
                KERNEL_SHAPE,
                Attr("p", "int", 2, doc="exponent of the norm"),
            ),
        ),
        Change(11, "the default of strides is spelled out", differentiable={"X": True, "Y": True}),
        Change(
            18,
            "windows with gaps; a last window may hang over the end",
            attributes=(CEIL_MODE, DILATIONS),
        ),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
)

LP_POOL.infer(since=1)(pool_rule)


LP_POOL.cost(since=1)(pool_cost)


@LP_POOL.kernel(since=1)
def lp_pool(
    X: Floats,
    *,
    auto_pad: AutoPad,
    ceil_mode: int = 0,
    dilations: tuple[int, ...] | None = None,
    kernel_shape: tuple[int, ...] | None,
    p: float,
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
    out = concrete_out(window, X.shape[2:])
    sums = reduced(power(widened(X), p), window, out, np.add, 0)
    return narrowed(root(sums, p), X)


@LP_POOL.vjp(since=1)
def vjp(
    cotangents: tuple[Floats],
    inputs: tuple[Floats],
    outputs: tuple[Floats],
    *,
    auto_pad: AutoPad,
    ceil_mode: int = 0,
    dilations: tuple[int, ...] | None = None,
    kernel_shape: tuple[int, ...] | None,
    p: float,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Floats:
    (c,), (X,), (Y,) = cotangents, inputs, outputs
    window = pool_window(
        X.shape,
        kernel_shape,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
        dilations=dilations,
        pads=pads,
        strides=strides,
    )
    return power_slope(X, p) * spread(c * root_slope(Y, p), window, X.shape[2:])


LP_POOL.example(([[[3.0, 4.0, 0.0]]],), ([[[5.0, 4.0]]],), kernel_shape=[2])
LP_POOL.example(([[[3.0, -4.0, 0.0]]],), ([[[7.0, 4.0]]],), kernel_shape=[2], p=1)
