"""GridSample: an image at the positions that a grid names, with interpolation between its pixels.

`Y[n, c, i, j] = X[n, c] at grid[n, i, j]`. A grid's last axis holds coordinates (x, y), or (x, y, z): the
last axis of X comes first. They run from -1 to 1 over each axis: with `align_corners` = 1 from the center of
the first pixel to the center of the last, else from outer edge to outer edge.

`mode` "nearest" takes the nearest pixel (of two that are as near, the even one), "linear" mixes the 2
neighbours along each axis, "cubic" 4 (with the parameter -0.75). Outside of X lie zeros, or with
`padding_mode` "border" the pixel at the border, or with "reflection" X mirrored at its borders as often as
needed: at the centers of the outermost pixels with `align_corners` = 1, else at their outer edges.

Integers are interpolated as floats, then cut off. Since version 20 X may have any number of spatial
axes, and "bilinear" and "bicubic" are called "linear" and "cubic".

Spec: ai.onnx GridSample-22
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import known_different
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.image.sampling import Mode, Padding, Sampler, as_floats
from onnx_explorer.ops.precision import Floats, widened
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Operator,
    Port,
    RuleSite,
    RunSite,
    Shape,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, EVERY_V1, FLOATS

TODAY = {"bilinear": "linear", "bicubic": "cubic"}
MODE = Attr(
    "mode",
    "string",
    "bilinear",
    one_of=("bilinear", "nearest", "bicubic"),
    as_=lambda name: TODAY.get(str(name), name),
    doc="how pixels are mixed",
)

GRID_SAMPLE = Operator(
    "GridSample",
    doc=__doc__,
    history=(
        Change(
            16,
            "first version, for images",
            inputs=(
                Port("X", "T1", "(N, C, *spatial)", differentiable=True),
                Port("grid", "T2", "positions, (N, *out, axes)", differentiable=False),
            ),
            outputs=(Port("Y", "T1", "(N, C, *out)", differentiable=True),),
            attributes=(
                Attr(
                    "align_corners",
                    "int",
                    0,
                    one_of=(0, 1),
                    doc="whether -1 and 1 are the centers of the outermost pixels",
                ),
                MODE,
                Attr(
                    "padding_mode",
                    "string",
                    "zeros",
                    one_of=("zeros", "border", "reflection"),
                    doc="what lies outside of X",
                ),
            ),
            types={"T1": EVERY_V1, "T2": FLOATS},
        ),
        Change(
            20,
            "any number of spatial axes; new names of the modes",
            attributes=(replace(MODE, default="linear", one_of=("linear", "nearest", "cubic")),),
        ),
        Change(22, "bfloat16", widen={"T1": BF16, "T2": BF16}),
    ),
)


@GRID_SAMPLE.infer(since=16)
def infer(X: Abstract, grid: Abstract, *, at: RuleSite) -> Abstract:
    known = grid.shape if X.shape is None else X.shape
    if known is None:
        return X.like(None)
    batch, channels = known[:1], (at.fresh("channels"),) if X.shape is None else known[1:2]
    if grid.shape is None:
        out = tuple(at.fresh(f"dim{axis}") for axis in range(2, len(known)))
    else:
        out = grid.shape[1:-1]
    result = X.like((*batch, *channels, *out))
    at.keep(result)
    _check(X.shape, grid.shape, at.version)
    if X.shape is not None and grid.shape is not None:
        at.assume(X.shape[0], grid.shape[0])
    return result


def _check(X: Shape | None, grid: Shape | None, version: int) -> None:
    for port, shape in (("X", X), ("grid", grid)):
        if shape is None:
            continue
        if len(shape) < 3 or (version < 20 and len(shape) != 4):
            expected = "3 or more" if version >= 20 else "4 before version 20"
            raise Violation(f"rank {len(shape)}", expected, port=port, code="wrong-rank")
    if grid is None:
        return
    rank = len(grid)
    if X is not None and (len(X) != rank or known_different(X[0], grid[0])):
        raise Violation(
            f"shape {shape_text(grid)}",
            f"X of {shape_text(X)} needs a grid of rank {len(X)} and batch size {X[0]}",
            port="grid",
            code="wrong-shape",
        )
    if known_different(grid[rank - 1], rank - 2):
        raise Violation(
            f"{grid[rank - 1]} coordinates",
            f"there are {rank - 2} spatial axes",
            port="grid",
            code="wrong-count",
        )


@GRID_SAMPLE.kernel(since=16)
def grid_sample(
    X: NDArray[np.generic],
    grid: Floats,
    *,
    align_corners: int,
    mode: Mode,
    padding_mode: Padding,
    at: RunSite,
) -> NDArray[np.generic]:
    _check(X.shape, grid.shape, at.version)
    batch, channels, *spatial = X.shape
    out = grid.shape[1:-1]
    if not X.size:
        return np.zeros((batch, channels, *out), X.dtype)
    if X.dtype == object and mode != "nearest":
        raise Violation(f"strings and mode = {mode!r}", "strings are not mixed: mode = 'nearest'")
    positions = _positions(grid, spatial, bool(align_corners))
    sampler = Sampler(mode, padding_mode, at_centers=bool(align_corners))
    seen = X if mode == "nearest" else as_floats(X)
    return sampler(seen, positions).astype(X.dtype, copy=False).reshape(batch, channels, *out)


@GRID_SAMPLE.vjp(since=16)
def vjp(
    cotangents: tuple[Floats],
    inputs: tuple[Floats, Floats],
    outputs: object,
    *,
    align_corners: int,
    mode: Mode,
    padding_mode: Padding,
) -> Floats:
    (c,), (X, grid) = cotangents, inputs
    spatial = X.shape[2:]
    if not X.size:
        return X
    positions = _positions(grid, spatial, bool(align_corners))
    sampler = Sampler(mode, padding_mode, at_centers=bool(align_corners))
    return sampler.transposed(c.reshape(*X.shape[:2], -1), positions, spatial)


def _positions(grid: Floats, spatial: Sequence[int], at_centers: bool) -> list[Floats]:
    """The positions along each spatial axis, in elements; a grid begins with the last axis."""
    return [
        _denormalized(widened(grid[..., -1 - axis]).reshape(len(grid), -1), size, at_centers)
        for axis, size in enumerate(spatial)
    ]


def _denormalized(x: Floats, size: int, at_centers: bool) -> Floats:
    """Positions in elements of coordinates from -1 to 1."""
    if at_centers:
        return (x + 1) / 2 * (size - 1)
    return ((x + 1) * size - 1) / 2


GRID_SAMPLE.example(([[[[1.0, 2.0], [3.0, 4.0]]]], [[[[0.0, 0.0]]]]), ([[[[2.5]]]],))
# x comes before y: left and below is the 3.
GRID_SAMPLE.example(([[[[1.0, 2.0], [3.0, 4.0]]]], [[[[-0.5, 0.5]]]]), ([[[[3.0]]]],))
# At the edge half of what is mixed lies outside.
GRID_SAMPLE.example(([[[[1.0, 2.0], [3.0, 4.0]]]], [[[[-1.0, 0.5]]]]), ([[[[1.5]]]],))
GRID_SAMPLE.example(
    ([[[[1.0, 2.0], [3.0, 4.0]]]], [[[[-1.0, 0.5]]]]), ([[[[3.0]]]],), padding_mode="border"
)
