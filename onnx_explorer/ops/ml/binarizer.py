"""Binarizer: 1 where an element is above a threshold, 0 elsewhere.

An element equal to the threshold gives 0, and so does NaN. The result has the type of `X`.

Spec: ai.onnx.ml Binarizer-1
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.elementwise import Array, unary_rule
from onnx_explorer.ops.ml.features import DOMAIN, FEATURES
from onnx_explorer.schema import Attr, Change, Operator, Port

BINARIZER = Operator(
    "Binarizer",
    domain=DOMAIN,
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("X", "T", "any numbers"),),
            outputs=(Port("Y", "T", "1 and 0, shape of `X`"),),
            attributes=(Attr("threshold", "float", 0.0, doc="what an element must exceed"),),
            types={"T": FEATURES},
        ),
    ),
)

BINARIZER.infer(since=1)(unary_rule)


@BINARIZER.kernel(since=1)
def binarizer(X: Array, *, threshold: float) -> Array:
    return np.greater(X, threshold).astype(X.dtype)


BINARIZER.example(([0.5, 1.0, 1.5],), ([0.0, 0.0, 1.0],), threshold=1.0)
