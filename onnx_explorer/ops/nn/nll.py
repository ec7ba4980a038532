"""Negative log likelihood of classes: what the two losses share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import known_different
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import Abstract, Attr, RuleSite, Shape, Violation

IGNORE_INDEX = Attr("ignore_index", "int", doc="a class that counts for nothing; default: none")
REDUCTION = Attr(
    "reduction",
    "string",
    "mean",
    one_of=("none", "sum", "mean"),
    doc="what becomes of the losses: each by itself, their sum, or their weighted mean",
)


def loss_shape(scores: Shape | None, labels: Shape | None, reduction: str) -> Shape | None:
    """The shape of the loss."""
    if reduction != "none":
        return ()
    match scores:
        case (batch, _, *spatial):
            return (batch, *spatial)
        case _:
            return labels


def infer_labels(
    scores: Abstract,
    labels: Abstract,
    weights: Abstract | None,
    ports: tuple[str, str, str],
    at: RuleSite,
) -> None:
    """The checks of `check_labels`, with what they cannot decide recorded as assumptions."""
    if scores.shape is None:
        return
    check_labels(scores.shape, labels.shape, weights and weights.shape, ports)
    if labels.shape is not None:
        for a, b in zip(labels.shape, (scores.shape[0], *scores.shape[2:]), strict=True):
            at.assume(a, b)


def check_labels(
    scores: Shape, labels: Shape | None, weights: Shape | None, ports: tuple[str, str, str]
) -> None:
    """Raise `Violation` where labels or weights are known not to fit the scores. The ports are those
    of scores, labels and weights.
    """
    if len(scores) < 2:
        raise Violation(
            f"rank {len(scores)}",
            "(N, C, *spatial) has rank 2 or more",
            port=ports[0],
            code="wrong-rank",
        )
    wanted = (scores[0], *scores[2:])
    if labels is not None and (
        len(labels) != len(wanted) or any(map(known_different, labels, wanted))
    ):
        raise Violation(
            f"shape {shape_text(labels)}",
            f"{ports[0]} of {shape_text(scores)} needs {shape_text(wanted)}",
            port=ports[1],
            code="wrong-shape",
        )
    if weights is not None and (len(weights) != 1 or known_different(weights[0], scores[1])):
        raise Violation(
            f"shape {shape_text(weights)}",
            f"there are {scores[1]} classes",
            port=ports[2],
            code="wrong-shape",
        )


def nll(
    log_probabilities: Floats,
    labels: NDArray[np.integer],
    weights: Floats | None,
    *,
    ignore_index: int | None,
    reduction: str,
    ports: tuple[str, str, str],
) -> Floats:
    """The loss of log probabilities, (N, C, *spatial)."""
    check_labels(
        log_probabilities.shape, labels.shape, None if weights is None else weights.shape, ports
    )
    classes = log_probabilities.shape[1]
    ignored = np.zeros(labels.shape, np.bool_) if ignore_index is None else labels == ignore_index
    outside = ((labels < 0) | (labels >= classes)) & ~ignored
    if outside.any():
        raise Violation(
            f"class {labels[outside][0]}",
            f"there are {classes} classes, from 0 on"
            + ("" if ignore_index is None else f", and ignore_index = {ignore_index}"),
            port=ports[1],
        )
    if not classes:
        picked = np.zeros(labels.shape, np.int64)
        losses = np.zeros(labels.shape, widened(log_probabilities).dtype)
    else:
        picked = np.where(ignored, 0, labels).astype(np.int64)
        losses = -widened(np.take_along_axis(log_probabilities, picked[:, None], axis=1)[:, 0])
    weight = np.ones(labels.shape, losses.dtype)
    if weights is not None and classes:
        weight = widened(weights)[picked]
    weight = np.where(ignored, losses.dtype.type(0), weight)
    losses = np.where(ignored, losses.dtype.type(0), losses * weight)
    if reduction == "none":
        return narrowed(losses, log_probabilities)
    total = np.asarray(np.add.reduce(losses, axis=None))
    if reduction == "mean":
        total = np.asarray(total / np.add.reduce(weight, axis=None))
    return narrowed(total, log_probabilities)
