"""RoiAlign: cuts each region of interest into a fixed number of bins and samples each between the pixels,
without rounding the region to whole ones.

A region is `[x1, y1, x2, y2]` on the image that `batch_indices` names. Its corners are multiplied with
`spatial_scale`; with "half_pixel" 0.5 is subtracted, so that pixel i covers [i, i + 1) in the
coordinates of the regions. "output_half_pixel", the only way before version 16, subtracts nothing, and makes
regions at least 1 wide and high. The region is cut into `output_height` × `output_width` bins, and each
bin is sampled on a grid of `sampling_ratio`² points, evenly spaced (0: as many as the bin has pixels, rounded
up). A sample mixes its four pixels linearly; more than one pixel outside of the image it is 0.

`mode` "avg" takes the mean of a bin's samples. "max" takes the largest product of a pixel with its
weight, not the largest sample: so it is defined.

Spec: ai.onnx RoiAlign-22
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import known_different
from onnx_explorer.ops.image.regions import check_images, check_regions
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Shape, Violation
from onnx_explorer.schema.typesets import BF16, FLOATS, INT64

ROI_ALIGN = Operator(
    "RoiAlign",
    doc=__doc__,
    history=(
        Change(
            10,
            "first version",
            inputs=(
                Port("X", "T1", "images, (N, C, H, W)"),
                Port("rois", "T1", "regions [x1, y1, x2, y2], (regions, 4)"),
                Port("batch_indices", "T2", "the image of each region, (regions,)"),
            ),
            outputs=(Port("Y", "T1", "(regions, C, output_height, output_width)"),),
            attributes=(
                Attr(
                    "mode",
                    "string",
                    "avg",
                    one_of=("avg", "max"),
                    doc="what becomes of the samples of a bin",
                ),
                Attr("output_height", "int", 1, doc="bins per column"),
                Attr("output_width", "int", 1, doc="bins per row"),
                Attr(
                    "sampling_ratio",
                    "int",
                    0,
                    doc="samples per bin and axis; 0: as many as pixels",
                ),
                Attr(
                    "spatial_scale",
                    "float",
                    1.0,
                    doc="size of X relative to the image that the regions were drawn in",
                ),
            ),
            types={"T1": FLOATS, "T2": INT64},
        ),
        Change(
            16,
            "pixels have their centers at halves",
            attributes=(
                Attr(
                    "coordinate_transformation_mode",
                    "string",
                    "half_pixel",
                    one_of=("half_pixel", "output_half_pixel"),
                    doc="whether 0.5 is subtracted from the regions' corners",
                ),
            ),
        ),
        Change(22, "bfloat16", widen={"T1": BF16}),
    ),
)


@ROI_ALIGN.infer(since=10)
def infer(
    X: Abstract,
    rois: Abstract,
    batch_indices: Abstract,
    *,
    output_height: int,
    output_width: int,
    spatial_scale: float,
    at: RuleSite,
) -> Abstract:
    channels = X.shape[1] if X.shape and len(X.shape) == 4 else at.fresh("channels")
    known = rois.shape or batch_indices.shape
    regions = known[0] if known else at.fresh("regions")
    result = X.like((regions, channels, output_height, output_width))
    at.keep(result)
    _check(X.shape, rois.shape, batch_indices.shape, (output_height, output_width))
    _check_scale(spatial_scale)
    if rois.shape and batch_indices.shape:
        at.assume(rois.shape[0], batch_indices.shape[0])
    return result


def _check(
    X: Shape | None, rois: Shape | None, batch_indices: Shape | None, bins: tuple[int, int]
) -> None:
    if min(bins) < 1:
        raise Violation(f"output_height, output_width = {bins}", "1 or more")
    check_regions(X, rois, 4)
    if batch_indices is None:
        return
    if len(batch_indices) != 1:
        raise Violation(
            f"rank {len(batch_indices)}", "(regions,)", port="batch_indices", code="wrong-rank"
        )
    if rois is not None and known_different(rois[0], batch_indices[0]):
        raise Violation(
            f"{batch_indices[0]} elements",
            f"there are {rois[0]} regions",
            port="batch_indices",
            code="wrong-count",
        )


def _check_scale(spatial_scale: float) -> None:
    if not np.isfinite(spatial_scale):
        raise Violation(f"spatial_scale = {spatial_scale}", "a number", code="attribute-value")


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Samples along one axis: two pixels and their weights for each, `per_bin` of them to a bin."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    low_weight: Floats
    high_weight: Floats
    per_bin: int

    @classmethod
    def of(cls, start: Floats, length: Floats, bins: int, per_bin: int, size: int) -> Samples:
        """Samples of a region that begins at `start`, on an axis of this size."""
        width = length / bins
        n = per_bin if per_bin > 0 else max(int(np.ceil(width)), 0)
        steps = np.arange(bins, dtype=start.dtype)[:, None]
        inside = (np.arange(n, dtype=start.dtype) + start.dtype.type(0.5)) * width / max(n, 1)
        at = (start + steps * width + inside).reshape(-1)
        counts = (at >= -1) & (at <= size)
        at = np.clip(at, 0, size - 1)
        low = np.floor(at).astype(np.int64)
        fraction = (at - low).astype(start.dtype)
        none = start.dtype.type(0)
        return cls(
            low,
            np.minimum(low + 1, size - 1),
            np.where(counts, 1 - fraction, none),
            np.where(counts, fraction, none),
            n,
        )

    def means(self, size: int) -> Floats:
        """The matrix (bins, size) that takes the mean of each bin's samples."""
        matrix = np.zeros((len(self.low), size), self.low_weight.dtype)
        rows = np.arange(len(self.low))
        np.add.at(matrix, (rows, self.low), self.low_weight)
        np.add.at(matrix, (rows, self.high), self.high_weight)
        each = matrix.reshape(-1, self.per_bin, size)
        return np.add.reduce(each, axis=1) / matrix.dtype.type(self.per_bin)


@ROI_ALIGN.kernel(since=10)
def roi_align(
    X: Floats,
    rois: Floats,
    batch_indices: NDArray[np.int64],
    *,
    coordinate_transformation_mode: Literal[
        "half_pixel", "output_half_pixel"
    ] = "output_half_pixel",
    mode: Literal["avg", "max"],
    output_height: int,
    output_width: int,
    sampling_ratio: int,
    spatial_scale: float,
) -> Floats:
    _check(X.shape, rois.shape, batch_indices.shape, (output_height, output_width))
    check_images(batch_indices, len(X), port="batch_indices")
    _check_scale(spatial_scale)
    half_pixel = coordinate_transformation_mode == "half_pixel"
    wide = widened(rois)
    corners = wide * wide.dtype.type(spatial_scale) - wide.dtype.type(0.5 if half_pixel else 0)
    if not np.isfinite(corners).all():
        raise Violation("corners that are infinite or NaN", "numbers", port="rois")
    lengths = corners[:, 2:] - corners[:, :2]
    if not half_pixel:
        lengths = np.maximum(lengths, 1)
    images = widened(X)
    height, width = X.shape[2:]
    result = np.zeros((len(rois), X.shape[1], output_height, output_width), images.dtype)
    for region, image in enumerate(batch_indices.tolist()):
        (x, y), (w, h) = corners[region, :2], lengths[region]
        rows = Samples.of(y, h, output_height, sampling_ratio, height)
        columns = Samples.of(x, w, output_width, sampling_ratio, width)
        if not images.size or not rows.per_bin or not columns.per_bin:
            continue
        if mode == "avg":
            by_rows = np.matmul(rows.means(height), images[image])
            result[region] = np.matmul(by_rows, columns.means(width).T)
        else:
            result[region] = _largest(images[image], rows, columns)
    return narrowed(result, X)


def _largest(image: Floats, rows: Samples, columns: Samples) -> Floats:
    """The largest weighted pixel of each bin, (C, bins, bins)."""
    best: Floats | None = None
    for row, row_weight in ((rows.low, rows.low_weight), (rows.high, rows.high_weight)):
        band = image[:, row] * row_weight[:, None]
        for column, weight in (
            (columns.low, columns.low_weight),
            (columns.high, columns.high_weight),
        ):
            products = band[:, :, column] * weight
            best = products if best is None else np.maximum(best, products)
    bins = np.reshape(best, (len(image), -1, rows.per_bin, len(columns.low)))  # pyright: ignore[reportArgumentType, reportCallIssue]
    tallest = np.maximum.reduce(bins, axis=2).reshape(*bins.shape[:2], -1, columns.per_bin)
    return np.maximum.reduce(tallest, axis=3)


# The one sample lies in the middle of all four.
ROI_ALIGN.example(
    ([[[[1.0, 2.0], [3.0, 4.0]]]], [[0.0, 0.0, 2.0, 2.0]], [0]), ([[[[2.5]]]],), sampling_ratio=1
)
# Without the half pixel it lies on the last one.
ROI_ALIGN.example(
    ([[[[1.0, 2.0], [3.0, 4.0]]]], [[0.0, 0.0, 2.0, 2.0]], [0]),
    ([[[[4.0]]]],),
    sampling_ratio=1,
    coordinate_transformation_mode="output_half_pixel",
)
