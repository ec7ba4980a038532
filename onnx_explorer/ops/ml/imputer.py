"""Imputer: one value that stands for "missing" is replaced, all others stay.

For floats, elements equal to `replaced_value_float` (often NaN, which here equals NaN) become
`imputed_value_floats`; for integers the attributes ending in int64 hold. There is one new value for
all features, or one for each along the last axis.

Spec: ai.onnx.ml Imputer-1
"""

from __future__ import annotations

import math

import numpy as np

from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN, FEATURES, one_or_each
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, Violation

IMPUTER = Operator(
    "Imputer",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T", "the features, along the last axis"),),
            outputs=(Port("Y", "T", "the features with nothing missing"),),
            attributes=(
                Attr("imputed_value_floats", "floats", doc="what missing floats become"),
                Attr("imputed_value_int64s", "ints", doc="what missing integers become"),
                Attr("replaced_value_float", "float", 0.0, doc="the float that means missing"),
                Attr("replaced_value_int64", "int", 0, doc="the integer that means missing"),
            ),
            types={"T": FEATURES},
        ),
    ),
)


@IMPUTER.infer(since=1)
def infer(X: Abstract) -> Abstract:
    if X.shape is not None and not X.shape:
        raise Violation(
            "a scalar of rank 0", "features lie along a last axis", port="X", code="wrong-rank"
        )
    return X.like(X.shape)


@IMPUTER.kernel(since=1)
def imputer(
    X: Array,
    *,
    imputed_value_floats: tuple[float, ...] | None = None,
    imputed_value_int64s: tuple[int, ...] | None = None,
    replaced_value_float: float,
    replaced_value_int64: int,
) -> Array:
    is_float = X.dtype.kind == "f"
    name = "imputed_value_floats" if is_float else "imputed_value_int64s"
    values = imputed_value_floats if is_float else imputed_value_int64s
    if not values:
        raise Violation(f"no {name}", f"X holds {X.dtype.name}", port="X")
    replaced = replaced_value_float if is_float else replaced_value_int64
    missing = np.isnan(X) if is_float and math.isnan(replaced) else replaced == X
    n_features = X.shape[-1] if X.ndim else 1
    return np.where(missing, one_or_each(np.array(values, X.dtype), n_features, name), X)


IMPUTER.example(
    ([[1.0, float("nan")], [float("nan"), 4.0]],),
    ([[1.0, 8.0], [7.0, 4.0]],),
    imputed_value_floats=[7.0, 8.0],
    replaced_value_float=float("nan"),
)
IMPUTER.example(
    ([[-1, 2], [3, -1]],), ([[0, 2], [3, 0]],), imputed_value_int64s=[0], replaced_value_int64=-1
)
