"""The linear form that linear classifiers and regressors share."""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import Dim, known_different
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import table
from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Attr, RuleSite, Violation

INTERCEPTS = Attr("intercepts", "floats", doc="what is added to each score; default: 0")


def linear_scores(
    X: Array, coefficients: tuple[float, ...], intercepts: tuple[float, ...] | None, n_scores: int
) -> Floats:
    """`(N, E)`: the product of each row with each of E rows of coefficients, and the intercepts."""
    rows = table(X)
    check_coefficients(len(coefficients), n_scores, rows.shape[1])
    weights = np.array(coefficients, rows.dtype).reshape(n_scores, -1)
    scores = np.matmul(rows, weights.T)
    if intercepts:
        check_intercepts(len(intercepts), n_scores)
        scores += np.array(intercepts, rows.dtype)
    return scores


def check_coefficients(
    n_coefficients: int, n_scores: int, n_features: Dim, at: RuleSite | None = None
) -> None:
    """Raises:
    Violation: there are not E × F coefficients.
    """
    if known_different(n_scores * n_features, n_coefficients):
        raise Violation(
            f"{n_coefficients} coefficients",
            f"{n_scores} scores of {n_features} features take {n_scores * n_features}",
            port="X",
        )
    if at is not None:
        at.assume(n_scores * n_features, n_coefficients)


def check_intercepts(n_intercepts: int, n_scores: int) -> None:
    """Raises:
    Violation: there is not one intercept for each score.
    """
    if n_intercepts != n_scores:
        raise Violation(f"{n_intercepts} intercepts", f"there are {n_scores} scores")
