"""Scaler: the features shifted, then stretched.

`Y = (X − offset) · scale`, with one offset and scale for all features, or one for each along the
last axis. The mean as offset and 1 / the standard deviation as scale make the features standard.
The result is float32.

Spec: ai.onnx.ml Scaler-1
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.ml.features import DOMAIN, FEATURES, float32, one_or_each
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, Violation

SCALER = Operator(
    "Scaler",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T", "the features, along the last axis"),),
            outputs=(Port("Y", "tensor(float)", "the features, scaled"),),
            attributes=(
                Attr("offset", "floats", doc="what is taken away first; default: 0"),
                Attr("scale", "floats", doc="what is multiplied by then; default: 1"),
            ),
            types={"T": FEATURES},
        ),
    ),
)


@SCALER.infer(since=1)
def infer(
    X: Abstract,
    *,
    offset: tuple[float, ...] | None = None,
    scale: tuple[float, ...] | None = None,
) -> Abstract:
    if X.shape is not None and not X.shape:
        raise Violation(
            "a scalar of rank 0", "features lie along a last axis", port="X", code="wrong-rank"
        )
    if X.shape is not None and isinstance(X.shape[-1], int):
        one_or_each(np.array(offset or (0,)), X.shape[-1], "offset")
        one_or_each(np.array(scale or (1,)), X.shape[-1], "scale")
    return float32(X.shape)


@SCALER.kernel(since=1)
def scaler(
    X: Array, *, offset: tuple[float, ...] | None = None, scale: tuple[float, ...] | None = None
) -> NDArray[np.float32]:
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    n_features = X.shape[-1] if X.ndim else 1
    shift = one_or_each(np.array(offset or (0,), dtype), n_features, "offset")
    factor = one_or_each(np.array(scale or (1,), dtype), n_features, "scale")
    return np.multiply(np.subtract(X, shift), factor).astype(np.float32)


SCALER.example(
    ([[1.0, 20.0], [3.0, 40.0]],),
    ([[-1.0, -1.0], [1.0, 1.0]],),
    offset=[2.0, 30.0],
    scale=[1.0, 0.1],
)
