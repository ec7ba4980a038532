"""AffineGrid: a grid of positions moved by an affine map, for GridSample to look at.

For each sample, `grid[n, i, j] = theta[n] · (x, y, 1)`, with x and y the coordinates of pixel (i, j) in an
image of `size`, from -1 to 1: with `align_corners` = 1 from the center of the first pixel to the center
of the last, else from outer edge to outer edge. x runs along the last axis. Volumes have (x, y, z, 1).

Spec: ai.onnx AffineGrid-20
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, known_different
from onnx_explorer.ir import DType, Tensor, shape_text
from onnx_explorer.ops.contents import dims_in, ints_of, length_of
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Operator,
    Port,
    RuleSite,
    Shape,
    Violation,
)
from onnx_explorer.schema.typesets import FLOATS_BF16, INT64

AFFINE_GRID = Operator(
    "AffineGrid",
    doc=__doc__,
    history=(
        Change(
            20,
            "first version",
            inputs=(
                Port(
                    "theta",
                    "T1",
                    "affine maps, (N, 2, 3); of volumes (N, 3, 4)",
                    differentiable=False,
                ),
                Port("size", "T2", "[N, C, H, W] or [N, C, D, H, W]", differentiable=False),
            ),
            outputs=(
                Port(
                    "grid", "T1", "positions, (N, H, W, 2) or (N, D, H, W, 3)", differentiable=True
                ),
            ),
            attributes=(
                Attr(
                    "align_corners",
                    "int",
                    0,
                    one_of=(0, 1),
                    doc="whether -1 and 1 are the centers of the outermost pixels",
                ),
            ),
            types={"T1": FLOATS_BF16, "T2": INT64},
        ),
    ),
)


@AFFINE_GRID.infer(since=20)
def infer(theta: Abstract, size: Abstract, *, at: RuleSite) -> Abstract:
    sizes = dims_in(size)
    axes = _axes(theta.shape, length_of(size))
    if axes is None:
        return theta.like(None)
    out = sizes[2:] if sizes else tuple(at.fresh(name) for name in "DHW"[3 - axes :])
    batch = theta.shape[0] if theta.shape else sizes[0] if sizes else at.fresh("batch")
    at.keep(theta.like((batch, *out, axes)))
    if theta.shape and sizes:
        _check_batch(theta.shape[0], sizes[0])
        same = at.same(theta.shape[0], sizes[0])
        batch = batch if same is None else same
    return theta.like((batch, *out, axes))


def _axes(theta: Shape | None, n_sizes: int | None) -> int | None:
    """The number of spatial axes; None where nothing tells it.

    Raises:
        Violation: it is neither 2 nor 3, or theta and size do not agree.
    """
    if n_sizes is not None and n_sizes not in {4, 5}:
        raise Violation(
            f"{n_sizes} sizes", "[N, C, H, W] or [N, C, D, H, W]", port="size", code="wrong-count"
        )
    axes = None if n_sizes is None else n_sizes - 2
    if theta is None:
        return axes
    if len(theta) != 3:
        raise Violation(
            f"rank {len(theta)}", "(N, 2, 3) or (N, 3, 4)", port="theta", code="wrong-rank"
        )
    for rows in (2, 3) if axes is None else (axes,):
        if not known_different(theta[1], rows) and not known_different(theta[2], rows + 1):
            break
    else:
        raise Violation(
            f"shape {shape_text(theta)}",
            "(N, 2, 3) or (N, 3, 4)"
            if axes is None
            else f"{n_sizes} sizes need (N, {axes}, {axes + 1})",
            port="theta",
            code="wrong-shape",
        )
    if axes is not None:
        return axes
    rows, columns = theta[1], theta[2]
    if isinstance(rows, int):
        return rows
    return columns - 1 if isinstance(columns, int) else None


def _check_batch(theta: Dim, size: Dim) -> None:
    if known_different(theta, size):
        raise Violation(f"batch size {size}", f"theta holds {theta} maps", port="size")


@AFFINE_GRID.kernel(since=20)
def affine_grid(theta: Floats, size: NDArray[np.int64], *, align_corners: int) -> Floats:
    sizes = ints_of(size)
    axes = _axes(theta.shape, len(sizes)) or 2
    batch, _, *spatial = sizes
    _check_batch(theta.shape[0], batch)
    maps = widened(theta)
    # The last axis of the image is the first coordinate.
    along = [_coordinates(n, bool(align_corners), maps.dtype) for n in reversed(spatial)]
    mesh = np.meshgrid(*reversed(along), indexing="ij")
    points = np.stack([*reversed(mesh), np.ones(tuple(spatial), maps.dtype)], axis=-1)
    moved = np.matmul(points.reshape(-1, axes + 1), maps.swapaxes(1, 2))
    return narrowed(moved, theta).reshape(batch, *spatial, axes)


def _coordinates(size: int, at_centers: bool, dtype: np.dtype[np.floating]) -> Floats:
    steps = np.arange(size, dtype=np.float64)
    if at_centers:
        # A single pixel has its center in the middle.
        return (steps * 2 / (size - 1) - 1 if size > 1 else steps).astype(dtype)
    return ((2 * steps + 1) / max(size, 1) - 1).astype(dtype)


@AFFINE_GRID.body(since=20)
def body(f: Body, theta: BodyValue, size: BodyValue, *, align_corners: int) -> BodyValue:
    def number(value: float) -> BodyValue:
        return f.constant(value, DType.FLOAT64)

    first, last = f.constant([0]), f.constant([-1])
    end, columns = f.constant([2**63 - 1]), f.constant([2])
    spatial = f.Slice(size, f.constant([2]), end)
    # Where an array of ones is not 0: everywhere, row by row. One row of numbers for each axis.
    pixels = f.NonZero(f.ConstantOfShape(spatial, value=Tensor.of([1])))
    pixels = f.Cast(pixels, to=DType.FLOAT64)
    sizes = f.Cast(f.Unsqueeze(spatial, f.constant([1])), to=DType.FLOAT64)
    if align_corners:
        steps = f.Sub(sizes, number(1.0))
        at = f.Sub(f.Div(f.Mul(pixels, number(2.0)), steps), number(1.0))
        # A single pixel has its center in the middle.
        at = f.Where(f.Equal(steps, number(0.0)), number(0.0), at)
    else:
        at = f.Div(f.Add(f.Mul(pixels, number(2.0)), number(1.0)), sizes)
        at = f.Sub(at, number(1.0))
    # The last axis of the image is the first coordinate.
    points = f.Slice(at, last, f.constant([-(2**63)]), first, last)
    maps = f.Cast(theta, to=DType.FLOAT64)
    turn, shift = f.Slice(maps, first, last, columns), f.Slice(maps, last, end, columns)
    moved = f.Transpose(f.Add(f.MatMul(turn, points), shift), perm=[0, 2, 1])
    batch, axes = f.Shape(theta, start=0, end=1), f.Shape(theta, start=1, end=2)
    grid = f.Reshape(moved, f.Concat(batch, spatial, axes, axis=0), allowzero=1)
    return f.CastLike(grid, theta)


# Nothing moves: these are the places of two pixels side by side, x before y.
AFFINE_GRID.example(
    ([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], [1, 1, 1, 2]), ([[[[-0.5, 0.0], [0.5, 0.0]]]],)
)
AFFINE_GRID.example(
    ([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], [1, 1, 2, 2]),
    ([[[[-1.0, -1.0], [1.0, -1.0]], [[-1.0, 1.0], [1.0, 1.0]]]],),
    align_corners=1,
)
