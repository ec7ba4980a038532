"""MaxRoiPool: cuts each region of interest into a fixed number of bins and takes the largest element of each.

A region is `[image, x1, y1, x2, y2]`. Its corners are multiplied with `spatial_scale` and rounded to whole
pixels (halves away from 0); both corners belong to it, so that it spans `x2 - x1 + 1` columns, at least 1.
Bin i of n reaches from `floor(i × span / n)` to `ceil((i + 1) × span / n)`: bins may overlap. What lies outside of
the image is left out; a bin of which nothing is left gives 0.

Spec: ai.onnx MaxRoiPool-22
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.image.regions import check_images, check_regions
from onnx_explorer.ops.precision import Floats, widened
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import BF16, FLOATS

MAX_ROI_POOL = Operator(
    "MaxRoiPool",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(
                Port("X", "T", "images, (N, C, H, W)", differentiable=True),
                Port(
                    "rois",
                    "T",
                    "regions [image, x1, y1, x2, y2], (regions, 5)",
                    differentiable=False,
                ),
            ),
            outputs=(Port("Y", "T", "(regions, C, *pooled_shape)", differentiable=True),),
            attributes=(
                Attr("pooled_shape", "ints", required=True, doc="bins per column and per row"),
                Attr(
                    "spatial_scale",
                    "float",
                    1.0,
                    doc="size of X relative to the image that the regions were drawn in",
                ),
            ),
            types={"T": FLOATS},
        ),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
)


@MAX_ROI_POOL.infer(since=1)
def infer(X: Abstract, rois: Abstract, *, pooled_shape: tuple[int, ...], at: RuleSite) -> Abstract:
    channels = X.shape[1] if X.shape and len(X.shape) == 4 else at.fresh("channels")
    regions = rois.shape[0] if rois.shape else at.fresh("regions")
    result = X.like((regions, channels, *pooled_shape))
    at.keep(result)
    _check_bins(pooled_shape)
    check_regions(X.shape, rois.shape, 5)
    return result


def _check_bins(pooled_shape: tuple[int, ...]) -> None:
    if len(pooled_shape) != 2 or min(pooled_shape) < 1:
        raise Violation(
            f"pooled_shape = {list(pooled_shape)}", "two numbers, 1 or more", code="attribute-value"
        )


@MAX_ROI_POOL.kernel(since=1)
def max_roi_pool(
    X: Floats, rois: Floats, *, pooled_shape: tuple[int, ...], spatial_scale: float
) -> Floats:
    _check_bins(pooled_shape)
    check_regions(X.shape, rois.shape, 5)
    result = np.zeros((len(rois), X.shape[1], *pooled_shape), X.dtype)
    for region, (image, (x1, y1, x2, y2)) in enumerate(_pixels(X, rois, spatial_scale)):
        columns = _bins(x1, x2, pooled_shape[1], X.shape[3])
        for i, rows in enumerate(_bins(y1, y2, pooled_shape[0], X.shape[2])):
            band = X[image][:, rows]
            if not band.size:
                continue
            tallest = np.maximum.reduce(band, axis=1)
            for j, some in enumerate(columns):
                if some.start < some.stop:
                    result[region, :, i, j] = np.maximum.reduce(tallest[:, some], axis=1)
    return result


def _pixels(
    X: Floats, rois: Floats, spatial_scale: float
) -> list[tuple[int, tuple[int, int, int, int]]]:
    """The image of each region, and its corners x1, y1, x2, y2."""
    images = rois[:, 0].astype(np.int64)
    check_images(images, len(X), port="rois")
    wide = widened(rois)
    corners = wide[:, 1:] * wide.dtype.type(spatial_scale)
    corners = (np.sign(corners) * np.floor(np.absolute(corners) + 0.5)).astype(np.int64)
    return list(zip(images.tolist(), corners.tolist(), strict=True))


def _bins(first: int, last: int, count: int, size: int) -> list[slice]:
    """Where the bins of a range that includes `last` lie on an axis of this size."""
    span = max(last - first + 1, 1)
    return [
        slice(
            min(max(first + i * span // count, 0), size),
            min(max(first - (-(i + 1) * span // count), 0), size),
        )
        for i in range(count)
    ]


@MAX_ROI_POOL.vjp(since=1)
def vjp(
    cotangents: tuple[Floats],
    inputs: tuple[Floats, Floats],
    outputs: object,
    *,
    pooled_shape: tuple[int, ...],
    spatial_scale: float,
) -> Floats:
    (c,), (X, rois) = cotangents, inputs
    total = np.zeros(X.shape, X.dtype)
    channels = np.arange(X.shape[1], dtype=np.int64)
    for region, (image, (x1, y1, x2, y2)) in enumerate(_pixels(X, rois, spatial_scale)):
        columns = _bins(x1, x2, pooled_shape[1], X.shape[3])
        for i, rows in enumerate(_bins(y1, y2, pooled_shape[0], X.shape[2])):
            for j, some in enumerate(columns):
                seen = X[image][:, rows, some]
                if seen.size:
                    # Of equal elements the first one counts, as in MaxPool.
                    best = np.argmax(seen.reshape(X.shape[1], -1), axis=1)
                    y, x = np.divmod(best, seen.shape[2])
                    total[image, channels, rows.start + y, some.start + x] += c[region, :, i, j]
    return total


# A region is [batch index, x1, y1, x2, y2], its end included.
MAX_ROI_POOL.example(
    ([[[[1.0, 2.0], [3.0, 4.0]]]], [[0.0, 0.0, 0.0, 1.0, 1.0]]),
    ([[[[3.0, 4.0]]]],),
    pooled_shape=[1, 2],
)
