"""Neg and Abs: operators on the sign of every element.

Spec: ai.onnx Neg-13, Abs-13
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.elementwise import Array, unary, unary_history
from onnx_explorer.ops.sizes import larger
from onnx_explorer.schema.typesets import INTEGERS, SIGNED


def absolute_sizes(X: Array) -> Array:
    """|X| of sizes, the larger of X and -X."""
    return larger(X, np.negative(X))


NEG = unary(
    "Neg",
    """Neg: every element with its sign turned, `Y[i] = -X[i]`.

The smallest integer of a type has no counterpart and stays what it is: -128 in int8.

Example: [-4, 0, 2] gives [4, 0, -2].

Spec: ai.onnx Neg-13
""",
    unary_history("numbers", "the numbers of `X` with their signs turned", in_6=SIGNED),
    np.negative,
    sizes=True,
)

ABS = unary(
    "Abs",
    """Abs: every element without its sign, `Y[i] = |X[i]|`.

The smallest integer of a signed type has no counterpart and stays what it is: -128 in int8.

Example: [-4, 0, 2.5] gives [4, 0, 2.5].

Spec: ai.onnx Abs-13
""",
    unary_history("numbers", "the magnitudes of `X`", in_6=INTEGERS),
    np.absolute,
    sizes=absolute_sizes,
)
