"""Neg, Abs and Sign: operators on the sign of every element.

Spec: ai.onnx Neg-13, Abs-13, Sign-13
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import less
from onnx_explorer.ops.cotangents import constant_vjp
from onnx_explorer.ops.elementwise import Array, unary, unary_history
from onnx_explorer.ops.sizes import decide, larger
from onnx_explorer.schema import Change, Port
from onnx_explorer.schema.typesets import BF16, INTEGERS, NUMBERS, SIGNED


def absolute_sizes(X: Array) -> Array:
    """|X| of sizes, the larger of X and -X."""
    return larger(X, np.negative(X))


_is_less = decide(less)


def sign_sizes(X: Array) -> Array:
    """The signs of sizes, where they do not depend on what the symbols stand for."""
    return np.subtract(_is_less(0, X), _is_less(X, 0))


NEG = unary(
    "Neg",
    """Neg: every element with its sign turned, `Y[i] = -X[i]`.

The smallest integer of a type has no counterpart and stays what it is: -128 in int8.

Spec: ai.onnx Neg-13
""",
    unary_history("numbers", "the numbers of `X` with their signs turned", in_6=SIGNED),
    np.negative,
    sizes=True,
    slope=lambda x, y: np.full((), -1, x.dtype),
)

ABS = unary(
    "Abs",
    """Abs: every element without its sign, `Y[i] = |X[i]|`.

The smallest integer of a signed type has no counterpart and stays what it is: -128 in int8.

Spec: ai.onnx Abs-13
""",
    unary_history("numbers", "the magnitudes of `X`", in_6=INTEGERS),
    np.absolute,
    sizes=absolute_sizes,
    slope=lambda x, y: np.sign(x),
)

SIGN = unary(
    "Sign",
    """Sign: 1 for what is positive, -1 for what is negative, and 0 for 0, in the type of the input.

-0 gives 0, and NaN stays NaN.

Spec: ai.onnx Sign-13
""",
    (
        Change(
            9,
            "first version",
            inputs=(Port("input", "T", "numbers"),),
            outputs=(Port("output", "T", "-1, 0 or 1"),),
            types={"T": NUMBERS},
        ),
        Change(13, "bfloat16", widen={"T": BF16}, differentiable={"input": False, "output": False}),
    ),
    np.sign,
    sizes=sign_sizes,
)

NEG.example(([-4, 0, 2],), ([4, 0, -2],))
NEG.example((np.array([-128], np.int8),), (np.array([-128], np.int8),))
ABS.example(([-4.0, 0.0, 2.5],), ([4.0, 0.0, 2.5],))
ABS.example((np.array([-128], np.int8),), (np.array([-128], np.int8),))
SIGN.vjp(since=SIGN.versions[0])(constant_vjp)
SIGN.example(([-4.0, 0.0, 2.5, float("nan")],), ([-1.0, 0.0, 1.0, float("nan")],))
