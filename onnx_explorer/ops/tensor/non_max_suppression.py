"""NonMaxSuppression: of boxes that overlap, only the ones with the best scores.

For each batch and class by itself: take the boxes in descending order of their score, and keep a
box unless its overlap with one kept before is larger than `iou_threshold`. The overlap is
intersection over union, `IoU = area(A ∩ B) / area(A ∪ B)`, 0 for boxes without area. Boxes whose
score is not above `score_threshold` are left out, and at most `max_output_boxes_per_class` are
kept; where that input is left out none is. A box is [y1, x1, y2, x2], two opposite corners in any
order, or with `center_point_box` = 1 [x, y, width, height] around its centre. The result has a row
[batch, class, box] for each box kept; how many is known only when the model runs.

Spec: ai.onnx NonMaxSuppression-11
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import known_different
from onnx_explorer.ops.contents import ints_in, ints_of
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Operator,
    Port,
    RuleSite,
    Shape,
    Violation,
)

Floats = NDArray[np.float32]

NON_MAX_SUPPRESSION = Operator(
    "NonMaxSuppression",
    doc=__doc__,
    history=(
        Change(
            10,
            "first version",
            inputs=(
                Port("boxes", "tensor(float)", "(batch, box, 4)"),
                Port("scores", "tensor(float)", "(batch, class, box)"),
                Port(
                    "max_output_boxes_per_class",
                    "tensor(int64)",
                    "one number: how many boxes to keep at most; default: 0",
                    option="optional",
                ),
                Port(
                    "iou_threshold",
                    "tensor(float)",
                    "one number: the overlap that is tolerated; default: 0",
                    option="optional",
                ),
                Port(
                    "score_threshold",
                    "tensor(float)",
                    "one number: the score that a box must exceed; default: no limit",
                    option="optional",
                ),
            ),
            outputs=(
                Port("selected_indices", "tensor(int64)", "(kept, 3): rows of batch, class, box"),
            ),
            attributes=(
                Attr(
                    "center_point_box",
                    "int",
                    0,
                    one_of=(0, 1),
                    doc="0: boxes are two corners; 1: boxes are a centre and their sizes",
                ),
            ),
        ),
        Change(11, "only the words changed"),
    ),
)


@NON_MAX_SUPPRESSION.infer(since=10)
def infer(
    boxes: Abstract,
    scores: Abstract,
    max_output_boxes_per_class: Abstract | None = None,
    iou_threshold: Abstract | None = None,
    score_threshold: Abstract | None = None,
    *,
    at: RuleSite,
) -> Abstract:
    _check(boxes.shape, scores.shape)
    limit = max_output_boxes_per_class
    known = (0,) if limit is None else ints_in(limit)
    most = None if known is None else _only(known, "max_output_boxes_per_class")
    if most is not None and most <= 0:
        return Abstract(None, (0, 3))
    shape = scores.shape or ()
    numbers = [size for size in shape if isinstance(size, int)]
    high = None
    if len(numbers) == 3:
        n_batches, n_classes, n_boxes = numbers
        high = n_batches * n_classes * (n_boxes if most is None else min(n_boxes, most))
    return Abstract(None, (at.fresh("kept", high=high), 3))


def _check(boxes: Shape | None, scores: Shape | None) -> None:
    if boxes is not None and (len(boxes) != 3 or known_different(boxes[2], 4)):
        raise Violation(f"shape {list(boxes)}", "(batch, box, 4)", port="boxes", code="wrong-shape")
    if scores is not None and len(scores) != 3:
        raise Violation(
            f"shape {list(scores)}", "(batch, class, box)", port="scores", code="wrong-shape"
        )
    if boxes is None or scores is None:
        return
    for what, size, wanted in (
        ("batches", scores[0], boxes[0]),
        ("boxes", scores[2], boxes[1]),
    ):
        if known_different(size, wanted):
            raise Violation(f"{size} {what}", f"boxes has {wanted}", port="scores")


@NON_MAX_SUPPRESSION.kernel(since=10)
def non_max_suppression(
    boxes: Floats,
    scores: Floats,
    max_output_boxes_per_class: NDArray[np.int64] | None = None,
    iou_threshold: Floats | None = None,
    score_threshold: Floats | None = None,
    *,
    center_point_box: int,
) -> NDArray[np.int64]:
    _check(boxes.shape, scores.shape)
    most = max_output_boxes_per_class
    limit = 0 if most is None else _only(ints_of(most), "max_output_boxes_per_class")
    overlap = 0.0 if iou_threshold is None else _float(iou_threshold, "iou_threshold")
    least = None if score_threshold is None else _float(score_threshold, "score_threshold")
    rows: list[tuple[int, int, int]] = []
    for batch in range(scores.shape[0] if limit > 0 else 0):
        corners = _corners(boxes[batch], center_point_box)
        for of_class in range(scores.shape[1]):
            kept = _kept(corners, scores[batch, of_class], limit, overlap, least)
            rows.extend((batch, of_class, box) for box in kept)
    return np.array(rows, np.int64).reshape(-1, 3)


def _only(values: tuple[int, ...], port: str) -> int:
    if len(values) != 1:
        raise Violation(f"{len(values)} elements", "one number", port=port, code="wrong-count")
    return values[0]


def _float(value: Floats, port: str) -> float:
    if value.size != 1:
        raise Violation(f"{value.size} elements", "one number", port=port, code="wrong-count")
    return value.item()


def _corners(boxes: Floats, center_point_box: int) -> Floats:
    """The lower corner of each box, then the upper one: (4, box)."""
    first, second = boxes[:, :2], boxes[:, 2:]
    if center_point_box:
        half = second * np.float32(0.5)
        low, high = np.subtract(first, half), np.add(first, half)
    else:
        low, high = np.minimum(first, second), np.maximum(first, second)
    return np.concatenate((low, high), 1).T


def _kept(
    corners: Floats, scores: Floats, limit: int, overlap: float, least: float | None
) -> list[int]:
    """The boxes that stay, best score first, the lower index first among equal ones."""
    left = np.argsort(-scores, kind="stable")
    if least is not None:
        left = left[np.greater(scores[left], least)]
    kept: list[int] = []
    while left.size and len(kept) < limit:
        best = int(left[0])
        kept.append(best)
        left = left[1:]
        left = left[~np.greater(_iou(corners[:, best], corners[:, left]), overlap)]
    return kept


def _iou(box: Floats, others: Floats) -> Floats:
    height = np.minimum(box[2], others[2]) - np.maximum(box[0], others[0])
    width = np.minimum(box[3], others[3]) - np.maximum(box[1], others[1])
    common = np.maximum(height, 0) * np.maximum(width, 0)
    areas = (others[2] - others[0]) * (others[3] - others[1])
    area = (box[2] - box[0]) * (box[3] - box[1])
    union = area + areas - common
    overlaps = (common > 0) & (areas > 0) & (area > 0) & (union > 0)
    result = np.zeros_like(common)
    np.divide(common, union, out=result, where=overlaps)
    return result


# The second box overlaps the first by 2 / 4.
NON_MAX_SUPPRESSION.example(
    (
        [[[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.0], [5.0, 5.0, 6.0, 6.0]]],
        [[[0.9, 0.8, 0.7]]],
        3,
        0.4,
    ),
    ([[0, 0, 0], [0, 0, 2]],),
)
