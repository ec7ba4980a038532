"""IsNaN: whether an element is NaN, "not a number", which stands for a result that has no value,
such as 0 / 0.

Infinity is not NaN. Since NaN equals nothing, not even itself, Equal cannot find it.

Spec: ai.onnx IsNaN-20
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.elementwise import unary_rule
from onnx_explorer.schema import Change, Operator, Port
from onnx_explorer.schema.typesets import BF16, BOOL, FLOAT8, FLOATS

IS_NAN = Operator(
    "IsNaN",
    doc=__doc__,
    history=(
        Change(
            9,
            "first version",
            inputs=(Port("X", "T1", "floats"),),
            outputs=(Port("Y", "T2", "true where `X` is NaN"),),
            types={"T1": FLOATS, "T2": BOOL},
        ),
        Change(13, "bfloat16", widen={"T1": BF16}, differentiable={"X": False, "Y": False}),
        Change(20, "8-bit floats", widen={"T1": FLOAT8}),
    ),
)

IS_NAN.infer(since=9)(unary_rule)
IS_NAN.cost(since=9)(per_output())


IS_NAN.kernel(since=9)(np.isnan)

IS_NAN.example(([1.0, float("nan"), float("inf")],), ([False, True, False],))
