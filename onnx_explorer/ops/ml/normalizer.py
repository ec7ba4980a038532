"""Normalizer: each row divided by its norm.

`norm` "MAX" divides by the largest element, which may be negative and then turns all signs; "L1" by
the sum of the absolute values; "L2" by the root of the sum of the squares. A row whose norm is 0
stays as it is. The result is float32.

Spec: ai.onnx.ml Normalizer-1
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN, FEATURES, float32, rows_and_features, table
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port

NORMALIZER = Operator(
    "Normalizer",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T", "rows of features, (N, F) or (F)"),),
            outputs=(Port("Y", "tensor(float)", "the rows divided, shape of `X`"),),
            attributes=(
                Attr(
                    "norm",
                    "string",
                    "MAX",
                    one_of=("MAX", "L1", "L2"),
                    doc="what a row is divided by",
                ),
            ),
            types={"T": FEATURES},
        ),
    ),
)


@NORMALIZER.infer(since=1)
def infer(X: Abstract) -> Abstract:
    if X.shape is not None:
        rows_and_features(X.shape)
    return float32(X.shape)


@NORMALIZER.kernel(since=1)
def normalizer(X: Array, *, norm: Literal["MAX", "L1", "L2"]) -> NDArray[np.float32]:
    rows = table(X)
    if not rows.size:
        return X.astype(np.float32)
    match norm:
        case "MAX":
            size = rows.max(axis=1, keepdims=True)
        case "L1":
            size = np.abs(rows).sum(axis=1, keepdims=True)
        case "L2":
            size = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    return (rows / np.where(size == 0, 1, size)).astype(np.float32).reshape(X.shape)


NORMALIZER.example(([[1.0, 3.0], [-2.0, -4.0]],), ([[0.25, 0.75], [-1 / 3, -2 / 3]],), norm="L1")
NORMALIZER.example(([[3.0, 4.0], [0.0, 0.0]],), ([[0.6, 0.8], [0.0, 0.0]],), norm="L2")
NORMALIZER.example(([[-2.0, -4.0]],), ([[1.0, 2.0]],), norm="MAX")
