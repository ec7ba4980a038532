"""Tan, Asin, Acos and Atan: the tangent, and the angles that belong to a sine, cosine or tangent.

Sin and Cos stand with the elementary functions.

Spec: ai.onnx Tan-22, Asin-22, Acos-22, Atan-22
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.elementwise import float_history, unary

PORTS = ("input", "output")

TAN = unary(
    "Tan",
    """Tan: the tangent of every element, which is an angle in radians: its sine over its cosine.

It grows without bound toward π / 2 and repeats every π. Infinity gives NaN.

Spec: ai.onnx Tan-22
""",
    float_history(7, "angles in radians", "the tangents of `input`", ports=PORTS),
    np.tan,
    slope=lambda x, y: 1 + y * y,
)

ASIN = unary(
    "Asin",
    """Asin: the angle between -π / 2 and π / 2 whose sine is the element (the arcsine).

What lies outside of -1 to 1 gives NaN.

Spec: ai.onnx Asin-22
""",
    float_history(7, "between -1 and 1", "angles in radians", ports=PORTS),
    np.arcsin,
    slope=lambda x, y: 1 / np.sqrt((1 - x) * (1 + x)),
)

ACOS = unary(
    "Acos",
    """Acos: the angle between 0 and π whose cosine is the element (the arccosine).

What lies outside of -1 to 1 gives NaN.

Spec: ai.onnx Acos-22
""",
    float_history(7, "between -1 and 1", "angles in radians", ports=PORTS),
    np.arccos,
    slope=lambda x, y: -1 / np.sqrt((1 - x) * (1 + x)),
)

ATAN = unary(
    "Atan",
    """Atan: the angle between -π / 2 and π / 2 whose tangent is the element (the arctangent).

Infinity gives ±π / 2. The quadrant of a point cannot be told from one quotient: Atan of y / x is
right only where x is positive.

Spec: ai.onnx Atan-22
""",
    float_history(7, "numbers", "angles in radians", ports=PORTS),
    np.arctan,
    slope=lambda x, y: 1 / (1 + x * x),
)

TAN.example(([0.0, 0.7853982],), ([0.0, 1.0],))
ASIN.example(([0.0, 0.5, 1.0, 2.0],), ([0.0, 0.523599, 1.570796, float("nan")],))
ACOS.example(([1.0, 0.5, -1.0, 2.0],), ([0.0, 1.047198, 3.141593, float("nan")],))
ATAN.example(([0.0, 1.0, float("inf")],), ([0.0, 0.785398, 1.570796],))
