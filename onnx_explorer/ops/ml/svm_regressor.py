"""SVMRegressor: a weighted sum of how near a row of features is to support vectors.

`Y[n] = Σ coefficients[i] · k(X[n], v[i]) + rho[0]`, `(N, 1)`, over `n_supports` vectors v of F
features, one after the other in `support_vectors`; `kernel_type` says what k is. Without support
vectors it is linear: `X · coefficients + rho[0]`. With `one_class` the result is 1 where the sum is
above 0, else -1: whether a row is like those that the model was trained on.

Spec: ai.onnx.ml SVMRegressor-1
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN, FEATURES, float32, table, table_size
from onnx_explorer.ops.ml.scores import POST_TRANSFORM, Transform, transformed
from onnx_explorer.ops.ml.support_vectors import KERNEL_ATTRIBUTES, Kernel, nearness, vectors_of
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation

SVM_REGRESSOR = Operator(
    "SVMRegressor",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T", "rows of features, (N, F) or (F)"),),
            outputs=(Port("Y", "tensor(float)", "the sums, (N, 1)"),),
            attributes=(
                Attr("coefficients", "floats", doc="the weight of each support vector"),
                *KERNEL_ATTRIBUTES,
                Attr("n_supports", "int", 0, doc="the number of support vectors; 0: linear"),
                Attr("one_class", "int", 0, doc="1: the result is the sign of the sum"),
                POST_TRANSFORM,
                Attr("rho", "floats", doc="one number, added to the sum"),
                Attr("support_vectors", "floats", doc="rows of F features, flattened"),
            ),
            types={"T": FEATURES},
        ),
    ),
)


@SVM_REGRESSOR.infer(since=1)
def infer(X: Abstract, *, at: RuleSite) -> Abstract:
    return float32((table_size(X, at)[0], 1))


@SVM_REGRESSOR.kernel(since=1)
def svm_regressor(
    X: Array,
    *,
    coefficients: tuple[float, ...] | None = None,
    kernel_params: tuple[float, ...] | None = None,
    kernel_type: Kernel,
    n_supports: int,
    one_class: int,
    post_transform: Transform,
    rho: tuple[float, ...] | None = None,
    support_vectors: tuple[float, ...] | None = None,
) -> NDArray[np.float32]:
    rows = table(X)
    weights = np.array(coefficients or (), rows.dtype)
    if n_supports:
        vectors = vectors_of(support_vectors, n_supports, rows)
        near = nearness(rows, vectors, kernel_type, kernel_params)
    else:
        near = rows
    if len(weights) != near.shape[1]:
        kind = "support vectors" if n_supports else "features"
        raise Violation(f"{len(weights)} coefficients", f"there are {near.shape[1]} {kind}")
    sums = np.matmul(near, weights[:, None]) + (rho or (0.0,))[0]
    if one_class:
        sums = np.where(sums > 0, 1, -1)
    return np.asarray(transformed(sums.astype(rows.dtype), post_transform), np.float32)


SVM_REGRESSOR.example(
    ([[1.0, 2.0], [0.0, 1.0]],),
    ([[3.5], [1.5]],),
    coefficients=[1.0, 1.0],
    n_supports=2,
    rho=[0.5],
    support_vectors=[1.0, 0.0, 0.0, 1.0],
)
SVM_REGRESSOR.example(
    ([[2.0], [-2.0]],), ([[1.0], [-1.0]],), coefficients=[3.0], one_class=1, rho=[1.0]
)
