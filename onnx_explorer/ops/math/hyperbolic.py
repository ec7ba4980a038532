"""Sinh, Cosh, Asinh, Acosh and Atanh: hyperbolic functions and their inverses.

Tanh stands with the activations.

Spec: ai.onnx Sinh-22, Cosh-22, Asinh-22, Acosh-22, Atanh-22
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.elementwise import float_history, unary

PORTS = ("input", "output")

SINH = unary(
    "Sinh",
    """Sinh: the hyperbolic sine, `output[i] = (e^x - e^-x) / 2` of every element x.

Large elements overflow to infinity with their sign: in float32 beyond ±89.4.

Spec: ai.onnx Sinh-22
""",
    float_history(9, "numbers", "the hyperbolic sines of `input`", ports=PORTS),
    np.sinh,
    slope=lambda x, y: np.cosh(x),
)

COSH = unary(
    "Cosh",
    """Cosh: the hyperbolic cosine, `output[i] = (e^x + e^-x) / 2` of every element x.

It is 1 or more, and the same for x and -x. Large elements overflow to infinity: in float32 beyond
±89.4.

Spec: ai.onnx Cosh-22
""",
    float_history(9, "numbers", "the hyperbolic cosines of `input`, 1 or more", ports=PORTS),
    np.cosh,
    slope=lambda x, y: np.sinh(x),
)

ASINH = unary(
    "Asinh",
    """Asinh: the number whose hyperbolic sine is the element, `ln(x + √(x² + 1))`.

It is defined everywhere, close to x near 0, and grows like a logarithm on both sides.

Spec: ai.onnx Asinh-22
""",
    float_history(9, "numbers", "the numbers whose hyperbolic sine is `input`", ports=PORTS),
    np.arcsinh,
    slope=lambda x, y: 1 / np.hypot(x, 1),
)

ACOSH = unary(
    "Acosh",
    """Acosh: the number from 0 on whose hyperbolic cosine is the element, `ln(x + √(x² - 1))`.

What is less than 1 gives NaN.

Spec: ai.onnx Acosh-22
""",
    float_history(
        9, "numbers of 1 or more", "the numbers whose hyperbolic cosine is `input`", ports=PORTS
    ),
    np.arccosh,
    slope=lambda x, y: 1 / np.sqrt((x - 1) * (x + 1)),
)

ATANH = unary(
    "Atanh",
    """Atanh: the number whose hyperbolic tangent is the element, `ln((1 + x) / (1 - x)) / 2`.

±1 give infinity with the same sign, what lies beyond them gives NaN.

Spec: ai.onnx Atanh-22
""",
    float_history(
        9, "between -1 and 1", "the numbers whose hyperbolic tangent is `input`", ports=PORTS
    ),
    np.arctanh,
    slope=lambda x, y: 1 / ((1 - x) * (1 + x)),
)

SINH.example(([0.0, 1.0],), ([0.0, 1.175201],))
COSH.example(([0.0, 1.0, -1.0],), ([1.0, 1.543081, 1.543081],))
ASINH.example(([0.0, 1.175201],), ([0.0, 1.0],))
ACOSH.example(([1.0, 1.543081, 0.5],), ([0.0, 1.0, float("nan")],))
ATANH.example(([0.0, 0.5, 1.0, 2.0],), ([0.0, 0.549306, float("inf"), float("nan")],))
