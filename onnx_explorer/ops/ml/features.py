"""Rows of features: what nearly every operator of this domain takes, `(N, F)`, or `(F,)` for one
row.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim
from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Abstract, RuleSite, Shape, Violation
from onnx_explorer.schema.typesets import FLOAT32, FLOAT64, INDICES

DOMAIN = "ai.onnx.ml"
FEATURES = INDICES | FLOAT32 | FLOAT64
"""The types of most inputs of this domain."""


def rows_and_features(shape: Shape) -> tuple[Dim, Dim]:
    """N and F of a shape `(N, F)` or `(F,)`.

    Raises:
        Violation: it has another rank.
    """
    if len(shape) == 1:
        return 1, shape[0]
    if len(shape) != 2:
        raise Violation(
            f"shape {list(shape)} of rank {len(shape)}",
            "(N, F) has rank 2, or 1: (F)",
            port="X",
            code="wrong-shape",
        )
    return shape[0], shape[1]


def table(X: Array) -> Floats:
    """The features as floats `(N, F)`: float64 and integers as float64, the others as float32."""
    rows_and_features(X.shape)
    exact = X.dtype == np.float64 or X.dtype.kind in "iu"
    rows = X if X.ndim == 2 else X[None]
    return cast("Floats", rows.astype(np.float64 if exact else np.float32, copy=False))


def table_size(X: Abstract, at: RuleSite) -> tuple[Dim, Dim | None]:
    """N, made up where the rank is unknown, and F, None there."""
    return (at.fresh("rows"), None) if X.shape is None else rows_and_features(X.shape)


def one_or_each(values: NDArray[np.generic], n_features: int, name: str) -> NDArray[np.generic]:
    """The values as they are, checked to be one for all features or one for each.

    Raises:
        Violation: there is another number of them.
    """
    if len(values) not in {1, n_features}:
        raise Violation(
            f"{len(values)} values in {name}",
            f"1, or {n_features} as X has features",
            code="wrong-count",
        )
    return values


def float32(shape: Shape | None) -> Abstract:
    """A float32 tensor of this shape."""
    return Abstract(DType.FLOAT32, shape)
