"""MaxPool: the largest element of each window that slides over the spatial axes.

`Y[n, c, o] = max over k of X[n, c, o × stride + k × dilation - pad]`. Padding never wins: it counts
as less than every element. NaN wins over all numbers.

`Indices` tells where in X each maximum was found: the position in X flattened, batch and channels
included, padding not. `storage_order` = 1 flattens the spatial axes column by column instead (the
first one runs fastest); batch and channels stay as they are. Among equal elements the first one
is named.

With `ceil_mode` = 1 a last window may reach past the padded input, but one that would begin in
the padding behind X is left out.

Spec: ai.onnx MaxPool-22
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType
from onnx_explorer.ops.costs import pool_cost
from onnx_explorer.ops.nn.patches import concrete_out, padded, reduced, taps
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
from onnx_explorer.ops.nn.windows import AutoPad, Window
from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, RunSite
from onnx_explorer.schema.typesets import BF16, BYTES, FLOATS, INT64

INDICES = Port(
    "Indices", "I", "where in X, flattened, each maximum stands; same shape as Y", option="optional"
)

MAX_POOL = Operator(
    "MaxPool",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(X,),
            outputs=(Y,),
            attributes=(AUTO_PAD, KERNEL_SHAPE, PADS, STRIDES),
            types={"T": FLOATS},
        ),
        Change(
            8,
            "tells where the maxima were",
            outputs=(Y, INDICES),
            attributes=(
                Attr(
                    "storage_order",
                    "int",
                    0,
                    one_of=(0, 1),
                    doc="how `Indices` count the spatial axes: 0 row by row, 1 column by column",
                ),
            ),
            types={"I": INT64},
        ),
        Change(
            10,
            "windows with gaps; a last window may hang over the end",
            attributes=(CEIL_MODE, DILATIONS),
        ),
        Change(11, "the defaults of strides and dilations are spelled out"),
        Change(
            12,
            "8-bit integers",
            widen={"T": BYTES},
            differentiable={"X": True, "Y": True, "Indices": False},
        ),
        Change(22, "bfloat16; windows that begin behind X are ruled out", widen={"T": BF16}),
    ),
)

MAX_POOL.infer(since=1)(pool_rule)


@MAX_POOL.infer(since=8)
def infer(
    X: Abstract,
    *,
    auto_pad: AutoPad,
    ceil_mode: int = 0,
    dilations: tuple[int, ...] | None = None,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
    at: RuleSite,
) -> tuple[Abstract, Abstract]:
    pooled = pool_rule(
        X,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
        dilations=dilations,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
        at=at,
    )
    return pooled, pooled.cast(DType.INT64)


MAX_POOL.cost(since=1)(pool_cost)


@MAX_POOL.kernel(since=1)
def max_pool(
    X: Floats,
    *,
    auto_pad: AutoPad,
    ceil_mode: int = 0,
    dilations: tuple[int, ...] | None = None,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None = None,
    storage_order: int = 0,
    strides: tuple[int, ...] | None = None,
    at: RunSite,
) -> Floats | tuple[Floats, NDArray[np.int64]]:
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
    if at.wanted[1:] != (True,):
        return reduced(X, window, out, np.maximum, _least(X))
    return _with_indices(X, window, out, storage_order)


def _least(X: Floats) -> float:
    return {"int8": -128, "uint8": 0}.get(X.dtype.name, -np.inf)


def _with_indices(
    X: Floats, window: Window, out: tuple[int, ...], storage_order: int
) -> tuple[Floats, NDArray[np.int64]]:
    spatial = X.shape[2:]
    field = padded(X, window, out, _least(X))
    inside = padded(np.ones((1, 1, *spatial), np.bool_), window, out)
    positions = np.arange(np.prod(spatial, dtype=np.int64), dtype=np.int64).reshape(
        spatial, order="F" if storage_order else "C"
    )
    where = padded(positions[None, None], window, out)
    best = np.full((*X.shape[:2], *out), _least(X), X.dtype)
    index = np.full(best.shape, -1, np.int64)
    steps = (taps(window, axis, n) for axis, n in enumerate(out))
    for tap in itertools.product(*steps):
        at_tap = (slice(None), slice(None), *tap)
        seen = field[at_tap]
        better = (seen > best) | (seen != seen) | (index < 0)  # noqa: PLR0124  (NaN differs from itself)
        better &= inside[at_tap]
        np.copyto(best, seen, where=better)
        np.copyto(index, where[at_tap], where=better)
    planes = np.arange(X.shape[0] * X.shape[1], dtype=np.int64) * positions.size
    index += planes.reshape(*X.shape[:2], *(1,) * len(spatial))
    return best, index


@MAX_POOL.vjp(since=1)
def vjp(
    cotangents: tuple[Floats, ...],
    inputs: tuple[Floats],
    outputs: tuple[Floats, ...],
    *,
    auto_pad: AutoPad,
    ceil_mode: int = 0,
    dilations: tuple[int, ...] | None = None,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Floats:
    c, Y, (X,) = cotangents[0], outputs[0], inputs
    window = pool_window(
        X.shape,
        kernel_shape,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
        dilations=dilations,
        pads=pads,
        strides=strides,
    )
    _, index = _with_indices(X, window, Y.shape[2:], 0)
    total = np.zeros(X.shape, X.dtype)
    # A window of padding alone has no place.
    found = np.not_equal(Y, -np.inf)
    np.add.at(total.reshape(-1), index[found], c[found])
    return total


MAX_POOL.example(
    ([[[3.0, 1.0, 4.0, 1.0]]],), ([[[3.0, 4.0]]], [[[0, 2]]]), kernel_shape=[2], strides=[2]
)
# Indices count through all channels.
MAX_POOL.example(([[[3.0, 1.0], [1.0, 4.0]]],), ([[[3.0], [4.0]]], [[[0], [3]]]), kernel_shape=[2])
MAX_POOL.example(([[[-1.0, -2.0]]],), ([[[-1.0, -1.0, -2.0]]],), kernel_shape=[2], pads=[1, 1])
