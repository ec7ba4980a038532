"""LinearClassifier: a weighted sum of the features for each class; the largest wins.

With X `(N, F)` and E rows of F coefficients, one after the other in `coefficients`, the scores are
`Z = X · coefficientsᵀ + intercepts`, `(N, E)`, and `Y` has the label of the largest in each row.
`post_transform` then works on the scores. Where there are two labels but only one row of
coefficients, its score s belongs to the second class, which wins where s is above 0. The scores
are then [1 − s, s] without a transform, and with one that of [−s, s]. A single label is given where s
is above 0, and 0 or an empty string elsewhere. `multi_class` says how the model was trained and
changes nothing here.

Spec: ai.onnx.ml LinearClassifier-1
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import Dim, floordiv
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN, FEATURES, float32, rows_and_features, table_size
from onnx_explorer.ops.ml.labels import Labels, chosen, label_attributes, label_dtype, labelled
from onnx_explorer.ops.ml.linear import (
    INTERCEPTS,
    check_coefficients,
    check_intercepts,
    linear_scores,
)
from onnx_explorer.ops.ml.scores import POST_TRANSFORM, Transform, transformed, two_columns
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import INT64, STRING

LINEAR_CLASSIFIER = Operator(
    "LinearClassifier",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T1", "rows of features, (N, F) or (F)"),),
            outputs=(
                Port("Y", "T2", "the label of the class that wins, (N)"),
                Port("Z", "tensor(float)", "the scores, (N, E)"),
            ),
            attributes=(
                *label_attributes("classlabels_ints"),
                Attr("coefficients", "floats", required=True, doc="E rows of F weights, flattened"),
                INTERCEPTS,
                Attr("multi_class", "int", 0, doc="how the model was trained; without effect"),
                POST_TRANSFORM,
            ),
            types={"T1": FEATURES, "T2": STRING | INT64},
        ),
    ),
)


def _n_scores(
    features: Dim | None, n_coefficients: int, n_intercepts: int, n_labels: int
) -> Dim | None:
    """How many rows of coefficients there are."""
    if isinstance(features, int) and features:
        return n_coefficients // features
    if n_intercepts:
        return n_intercepts
    if n_labels > 2:
        return n_labels
    return None if features is None else floordiv(n_coefficients, features)


def _check_labels(n_labels: int, n_scores: int) -> None:
    if n_labels and n_labels != n_scores and (n_labels, n_scores) != (2, 1):
        raise Violation(f"{n_labels} class labels", f"the coefficients give {n_scores} scores")


@LINEAR_CLASSIFIER.infer(since=1)
def infer(
    X: Abstract,
    *,
    classlabels_ints: tuple[int, ...] | None = None,
    classlabels_strings: tuple[str, ...] | None = None,
    coefficients: tuple[float, ...],
    intercepts: tuple[float, ...] | None = None,
    at: RuleSite,
) -> tuple[Abstract, Abstract]:
    labels = chosen(classlabels_ints, classlabels_strings)
    rows, features = table_size(X, at)
    n_scores = _n_scores(features, len(coefficients), len(intercepts or ()), len(labels))
    width: Dim | None = 2 if len(labels) == 2 else n_scores
    width = at.fresh("scores") if width is None else width
    outputs = Abstract(label_dtype(labels), (rows,)), float32((rows, width))
    at.keep(outputs)
    if isinstance(n_scores, int):
        if features is not None:
            check_coefficients(len(coefficients), n_scores, features, at)
        if intercepts:
            check_intercepts(len(intercepts), n_scores)
        _check_labels(len(labels), n_scores)
    return outputs


@LINEAR_CLASSIFIER.kernel(since=1)
def linear_classifier(
    X: Array,
    *,
    classlabels_ints: tuple[int, ...] | None = None,
    classlabels_strings: tuple[str, ...] | None = None,
    coefficients: tuple[float, ...],
    intercepts: tuple[float, ...] | None = None,
    post_transform: Transform,
) -> tuple[Array, Array]:
    labels: Labels = chosen(classlabels_ints, classlabels_strings)
    rows_and_features(X.shape)
    n_features = X.shape[-1]
    n_scores = len(coefficients) // max(n_features, 1)
    _check_labels(len(labels), n_scores)
    scores = linear_scores(X, coefficients, intercepts, n_scores)
    classes = (scores[:, 0] > 0).astype(np.intp) if n_scores == 1 else np.argmax(scores, axis=1)
    if n_scores == 1 and len(labels) == 2:
        scores = two_columns(scores[:, 0], post_transform, probability=True)
    else:
        scores = transformed(scores, post_transform)
    return labelled(classes, labels), scores.astype(np.float32)


LINEAR_CLASSIFIER.example(
    ([[1.0, 2.0], [3.0, 0.0]],),
    (["right", "left"], [[1.0, 2.5], [3.0, 0.5]]),
    classlabels_strings=["left", "right"],
    coefficients=[1.0, 0.0, 0.0, 1.0],
    intercepts=[0.0, 0.5],
)
LINEAR_CLASSIFIER.example(
    ([[2.0], [-2.0]],),
    ([7, 5], [[0.1192, 0.8808], [0.8808, 0.1192]]),
    classlabels_ints=[5, 7],
    coefficients=[1.0],
    post_transform="LOGISTIC",
)
