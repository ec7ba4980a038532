"""Scores: what `post_transform` makes of them, row by row."""

from __future__ import annotations

from typing import Literal

import numpy as np

from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Attr

Transform = Literal["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]
TRANSFORMS: tuple[Transform, ...] = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
"""In the order of their numbers, where they are numbers."""

POST_TRANSFORM = Attr(
    "post_transform",
    "string",
    "NONE",
    one_of=TRANSFORMS,
    doc="what is done to the scores of a row: nothing, softmax, the logistic function, softmax "
    "over those that are not 0, or the inverse of the normal distribution function",
)


def transformed(scores: Floats, transform: Transform) -> Floats:
    """The scores `(N, E)` after the transform, in their own type."""
    match transform:
        case "NONE":
            return scores
        case "SOFTMAX":
            return _softmax(scores, np.full(scores.shape, True))
        case "SOFTMAX_ZERO":
            return _softmax(scores, np.abs(scores) > 1e-7)
        case "LOGISTIC":
            return np.exp(-np.logaddexp(0, -scores)).astype(scores.dtype)
        case "PROBIT":
            from scipy import special  # pyright: ignore[reportMissingTypeStubs]

            return np.asarray(special.ndtri(scores), scores.dtype)


def _softmax(scores: Floats, counted: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Floats:
    """Softmax over the scores that count; the others become 0."""
    if not scores.size:
        return scores
    top = np.max(scores, axis=1, keepdims=True)
    parts = np.exp(scores - top) * counted
    total = parts.sum(axis=1, keepdims=True)
    return (parts / np.where(total == 0, 1, total)).astype(scores.dtype)


def two_columns(score: Floats, transform: Transform, *, probability: bool) -> Floats:
    """The columns of two classes that share one score s `(N,)`, that of the second: [−s, s]
    transformed; where nothing is done to a probability, or PROBIT, it is 1 − s that stands for −s.
    """
    first = 1 - score if probability and transform in {"NONE", "PROBIT"} else -score
    return transformed(np.stack([first, score], axis=1), transform)
