"""ArrayFeatureExtractor: columns picked by their numbers.

`Z[..., k] = X[..., Y[k]]`: the last axis of `X` is replaced by the features that `Y` lists, in that
order, repeated where `Y` repeats them. `Y` may have any shape; it is read row by row. Unlike
Gather, an `X` of one axis gives a row, `(1, K)`, and negative numbers are not allowed.

Spec: ai.onnx.ml ArrayFeatureExtractor-1
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, product
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN, FEATURES
from onnx_explorer.schema import Abstract, Change, Operator, Port, RuleSite, Shape, Violation
from onnx_explorer.schema.typesets import STRING

ARRAY_FEATURE_EXTRACTOR = Operator(
    "ArrayFeatureExtractor",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(
                Port("X", "T", "the features, along the last axis"),
                Port("Y", "tensor(int64)", "the numbers of the features to pick, from 0"),
            ),
            outputs=(Port("Z", "T", "the features picked"),),
            types={"T": FEATURES | STRING},
        ),
    ),
)


def picked_shape(data: Shape, count: Dim) -> Shape:
    if not data:
        raise Violation(
            "a scalar of rank 0", "features lie along a last axis", port="X", code="wrong-rank"
        )
    return (1, count) if len(data) == 1 else (*data[:-1], count)


@ARRAY_FEATURE_EXTRACTOR.infer(since=1)
def infer(X: Abstract, Y: Abstract, *, at: RuleSite) -> Abstract:
    if X.shape is None:
        return X.like(None)
    count = at.fresh("picked") if Y.shape is None else product(Y.shape)
    result = X.like(picked_shape(X.shape, count))
    at.keep(result)
    if Y.content is not None and isinstance(X.shape[-1], int):
        _check([i for i in Y.content if isinstance(i, int)], X.shape[-1])
    return result


def _check(indices: list[int], size: int) -> None:
    for index in indices:
        if not 0 <= index < size:
            raise Violation(
                f"index {index}",
                f"X has the features 0 to {size - 1}",
                port="Y",
                code="index-out-of-range",
            )


@ARRAY_FEATURE_EXTRACTOR.kernel(since=1, sizes=True)
def array_feature_extractor(X: Array, Y: NDArray[np.generic]) -> Array:
    picked_shape(X.shape, Y.size)
    indices = [int(i) for i in Y.reshape(-1).tolist()]
    _check(indices, X.shape[-1])
    rows = X[None] if X.ndim == 1 else X
    return rows[..., indices]


ARRAY_FEATURE_EXTRACTOR.example(([[1, 2, 3], [4, 5, 6]], [2, 0]), ([[3, 1], [6, 4]],))
ARRAY_FEATURE_EXTRACTOR.example(([7, 8, 9], [1]), ([[8]],))
