"""IsInf: whether an element is infinite, as the results of overflow and of 1 / 0 are.

Either sign can be left out: with `detect_negative` = 0 only positive infinity counts, with
`detect_positive` = 0 only negative infinity. NaN is not infinite. Of the 8-bit floats only
float8_e5m2 has infinities.

Spec: ai.onnx IsInf-20
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.elementwise import Array, unary
from onnx_explorer.schema import Attr, Change, Port
from onnx_explorer.schema.typesets import BF16, BOOL, FLOAT8, FLOAT16, FLOAT32, FLOAT64


def is_inf(X: Array, *, detect_negative: int, detect_positive: int) -> Array:
    found = np.isinf(X)
    if not detect_negative:
        found &= ~np.signbit(X)
    if not detect_positive:
        found &= np.signbit(X)
    return found


IS_INF = unary(
    "IsInf",
    __doc__,
    (
        Change(
            10,
            "first version",
            inputs=(Port("X", "T1", "floats", differentiable=False),),
            outputs=(Port("Y", "T2", "true where `X` is infinite", differentiable=False),),
            attributes=(
                Attr("detect_negative", "int", 1, doc="1: negative infinity counts"),
                Attr("detect_positive", "int", 1, doc="1: positive infinity counts"),
            ),
            types={"T1": FLOAT32 | FLOAT64, "T2": BOOL},
        ),
        Change(20, "floats of 8 and 16 bits", widen={"T1": FLOAT8 | FLOAT16 | BF16}),
    ),
    is_inf,
)

IS_INF.example(([1.0, float("-inf"), float("inf")],), ([False, True, True],))
IS_INF.example(([1.0, float("-inf"), float("inf")],), ([False, False, True],), detect_negative=0)
