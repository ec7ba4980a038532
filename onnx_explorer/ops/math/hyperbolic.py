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

Example: [0, 1] gives [0, 1.175201].

Spec: ai.onnx Sinh-22
""",
    float_history(9, "numbers", "the hyperbolic sines of `input`", ports=PORTS),
    np.sinh,
)

COSH = unary(
    "Cosh",
    """Cosh: the hyperbolic cosine, `output[i] = (e^x + e^-x) / 2` of every element x.

It is 1 or more, and the same for x and -x. Large elements overflow to infinity: in float32 beyond
±89.4.

Example: [0, 1] gives [1, 1.543081].

Spec: ai.onnx Cosh-22
""",
    float_history(9, "numbers", "the hyperbolic cosines of `input`, 1 or more", ports=PORTS),
    np.cosh,
)

ASINH = unary(
    "Asinh",
    """Asinh: the number whose hyperbolic sine is the element, `ln(x + √(x² + 1))`.

It is defined everywhere, close to x near 0, and grows like a logarithm on both sides.

Example: [0, 1.175201] gives [0, 1].

Spec: ai.onnx Asinh-22
""",
    float_history(9, "numbers", "the numbers whose hyperbolic sine is `input`", ports=PORTS),
    np.arcsinh,
)

ACOSH = unary(
    "Acosh",
    """Acosh: the number from 0 on whose hyperbolic cosine is the element, `ln(x + √(x² - 1))`.

What is less than 1 gives NaN.

Example: [1, 1.543081] gives [0, 1].

Spec: ai.onnx Acosh-22
""",
    float_history(
        9, "numbers of 1 or more", "the numbers whose hyperbolic cosine is `input`", ports=PORTS
    ),
    np.arccosh,
)

ATANH = unary(
    "Atanh",
    """Atanh: the number whose hyperbolic tangent is the element, `ln((1 + x) / (1 - x)) / 2`.

±1 give infinity with the same sign, what lies beyond them gives NaN.

Example: [0, 0.5] gives [0, 0.549306].

Spec: ai.onnx Atanh-22
""",
    float_history(
        9, "between -1 and 1", "the numbers whose hyperbolic tangent is `input`", ports=PORTS
    ),
    np.arctanh,
)
