"""LinearRegressor: weighted sums of the features.

With X `(N, F)` and `targets` rows of F coefficients, one after the other in `coefficients`,
`Y = X · coefficientsᵀ + intercepts`, `(N, targets)`, after which `post_transform` works on each
row.

Spec: ai.onnx.ml LinearRegressor-1
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN, FEATURES, float32, table_size
from onnx_explorer.ops.ml.linear import (
    INTERCEPTS,
    check_coefficients,
    check_intercepts,
    linear_scores,
)
from onnx_explorer.ops.ml.scores import POST_TRANSFORM, Transform, transformed
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite

LINEAR_REGRESSOR = Operator(
    "LinearRegressor",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T", "rows of features, (N, F) or (F)"),),
            outputs=(Port("Y", "tensor(float)", "the sums, (N, targets)"),),
            attributes=(
                Attr("coefficients", "floats", doc="a row of F weights for each target, flattened"),
                INTERCEPTS,
                POST_TRANSFORM,
                Attr("targets", "int", 1, doc="how many numbers a row of features gives"),
            ),
            types={"T": FEATURES},
        ),
    ),
)


@LINEAR_REGRESSOR.infer(since=1)
def infer(
    X: Abstract,
    *,
    coefficients: tuple[float, ...] | None = None,
    intercepts: tuple[float, ...] | None = None,
    targets: int,
    at: RuleSite,
) -> Abstract:
    rows, features = table_size(X, at)
    result = float32((rows, targets))
    at.keep(result)
    if features is not None:
        check_coefficients(len(coefficients or ()), targets, features, at)
    if intercepts:
        check_intercepts(len(intercepts), targets)
    return result


@LINEAR_REGRESSOR.kernel(since=1)
def linear_regressor(
    X: Array,
    *,
    coefficients: tuple[float, ...] | None = None,
    intercepts: tuple[float, ...] | None = None,
    post_transform: Transform,
    targets: int,
) -> Array:
    scores = linear_scores(X, coefficients or (), intercepts, targets)
    return transformed(scores, post_transform).astype(np.float32)


LINEAR_REGRESSOR.example(
    ([[1.0, 2.0], [3.0, 4.0]],), ([[21.5], [43.5]],), coefficients=[1.0, 10.0], intercepts=[0.5]
)
