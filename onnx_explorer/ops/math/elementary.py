"""Exp, Log, Sqrt, Reciprocal, Sin and Cos: elementary functions of every element.

Floats of 16 bits are computed in float32 and rounded once. Outside of a function's domain the
result is what IEEE 754 prescribes: `log(0)` is negative infinity, `sqrt(-1)` is NaN, `1 / 0` is
infinity.

Spec: ai.onnx Exp-13, Log-13, Sqrt-13, Reciprocal-13, Sin-22, Cos-22
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.elementwise import float_history, unary, unary_history

EXP = unary(
    "Exp",
    """Exp: e to the power of every element, `output[i] = e^input[i]`.

Large elements overflow to infinity: in float32 above 88.7, in float16 above 11.08.

Spec: ai.onnx Exp-13
""",
    unary_history("exponents", "e to the power of `input`", ports=("input", "output")),
    np.exp,
    slope=lambda x, y: y,
)

LOG = unary(
    "Log",
    """Log: the natural logarithm of every element, `output[i] = ln(input[i])`.

0 gives negative infinity, negative elements give NaN.

Spec: ai.onnx Log-13
""",
    unary_history("positive numbers", "the logarithms of `input`", ports=("input", "output")),
    np.log,
    slope=lambda x, y: 1 / x,
)

SQRT = unary(
    "Sqrt",
    """Sqrt: the square root of every element, `Y[i] = √X[i]`.

Negative elements give NaN, -0 stays -0.

Spec: ai.onnx Sqrt-13
""",
    unary_history("numbers of 0 or more", "the square roots of `X`"),
    np.sqrt,
    slope=lambda x, y: 0.5 / y,
)

RECIPROCAL = unary(
    "Reciprocal",
    """Reciprocal: one divided by every element, `Y[i] = 1 / X[i]`.

0 gives infinity with the sign of the zero.

Spec: ai.onnx Reciprocal-13
""",
    unary_history("divisors", "the reciprocals of `X`"),
    np.reciprocal,
    slope=lambda x, y: -y * y,
)

TURNS = float_history(7, "angles in radians", "between -1 and 1", ports=("input", "output"))

SIN = unary(
    "Sin",
    """Sin: the sine of every element, which is an angle in radians.

Infinity gives NaN.

Spec: ai.onnx Sin-22
""",
    TURNS,
    np.sin,
    slope=lambda x, y: np.cos(x),
)

COS = unary(
    "Cos",
    """Cos: the cosine of every element, which is an angle in radians.

Infinity gives NaN.

Spec: ai.onnx Cos-22
""",
    TURNS,
    np.cos,
    slope=lambda x, y: -np.sin(x),
)

EXP.example(([0.0, 1.0, float("-inf")],), ([1.0, 2.718282, 0.0],))
LOG.example(([1.0, 2.718282, 0.0, -1.0],), ([0.0, 1.0, float("-inf"), float("nan")],))
SQRT.example(([0.0, 4.0, 2.25, -1.0],), ([0.0, 2.0, 1.5, float("nan")],))
RECIPROCAL.example(([1.0, -4.0, 0.0],), ([1.0, -0.25, float("inf")],))
SIN.example(([0.0, 1.5707964, 90.0],), ([0.0, 1.0, 0.893997],))
COS.example(([0.0, 3.1415927, 180.0],), ([1.0, -1.0, -0.598460],))
