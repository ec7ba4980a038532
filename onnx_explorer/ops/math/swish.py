"""Swish, HardSwish and SwiGLU: numbers that are multiplied by a gate computed from themselves, or
from a second input.

Spec: ai.onnx Swish-24, HardSwish-22, SwiGLU-28
"""

from __future__ import annotations

from functools import partial
from typing import cast

import numpy as np

from onnx_explorer.dims import Dim, known_different
from onnx_explorer.ops.bounds import at_least, at_most
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.elementwise import Array, by_blocks, float_history, in_float32, unary
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Operator,
    Port,
    RuleSite,
    Shape,
    Violation,
)
from onnx_explorer.schema.typesets import FLOATS_BF16

ALPHA = Attr("alpha", "float", 1.0, doc="the steepness of the gate")


def _swish_into(values: Array, out: Array, *, alpha: float) -> None:
    # exp overflows to infinity far below 0, where 1 / (1 + infinity) is the right 0.
    np.multiply(values, -alpha, out=out)
    np.exp(out, out=out)
    np.add(out, 1, out=out)
    np.divide(values, out, out=out)


@in_float32
def swish(X: Array, *, alpha: float, out: Array | None = None) -> Array:
    return by_blocks(partial(_swish_into, alpha=alpha))(X, out=out)


def _hard_swish_into(values: Array, out: Array) -> None:
    # x / 6 + 1/2 would lose digits next to -3, where x + 3 is exact.
    np.add(values, 3, out=out)
    at_most(at_least(out, 0, out), 6, out)
    np.multiply(out, 1 / 6, out=out)
    np.multiply(out, values, out=out)


_hard_swish = by_blocks(_hard_swish_into)


@in_float32
def hard_swish(X: Array, *, out: Array | None = None) -> Array:
    return _hard_swish(X, out=out)


SWISH = unary(
    "Swish",
    """Swish: `Y[i] = X[i] × sigmoid(alpha × X[i])`, where `sigmoid(x) = 1 / (1 + e^-x)`.

With alpha = 1 it is also called SiLU. It looks like a Relu with a soft bend, and dips to -0.278
(over alpha) below 0. Negative infinity gives NaN.

Spec: ai.onnx Swish-24
""",
    (
        Change(
            24,
            "first version",
            inputs=(Port("X", "T", "numbers", differentiable=True),),
            outputs=(Port("Y", "T", "`X`, each element times its gate", differentiable=True),),
            attributes=(ALPHA,),
            types={"T": FLOATS_BF16},
        ),
    ),
    swish,
)

HARD_SWISH = unary(
    "HardSwish",
    """HardSwish: `Y[i] = X[i] × max(0, min(1, X[i] / 6 + 1 / 2))`, a Swish without exponentials.

From 3 on it is X itself, up to -3 it is 0. Negative infinity gives NaN.

Spec: ai.onnx HardSwish-22
""",
    float_history(14, "numbers", "`X`, each element times its gate"),
    hard_swish,
)

SWI_GLU = Operator(
    "SwiGLU",
    doc="""SwiGLU: a linear unit B behind a gate A, `Y[i] = A[i] × sigmoid(alpha × A[i]) × B[i]`: the
Swish of A, times B.

Language models have it between the two projections of their feed-forward layers. Both inputs have
the same shape; nothing broadcasts.

Spec: ai.onnx SwiGLU-28
""",
    history=(
        Change(
            28,
            "first version",
            inputs=(
                Port("A", "T", "what the gate is computed from", differentiable=True),
                Port("B", "T", "what goes through the gate", differentiable=True),
            ),
            outputs=(Port("Y", "T", "`B` behind the gate", differentiable=True),),
            attributes=(ALPHA,),
            types={"T": FLOATS_BF16},
        ),
    ),
)


def _check(A: Shape, B: Shape) -> None:
    if len(A) != len(B) or any(map(known_different, A, B)):
        raise Violation(
            f"shape {list(B)}",
            f"A has shape {list(A)}, and nothing broadcasts",
            port="B",
            code="wrong-shape",
        )


@SWI_GLU.infer(since=28)
def infer(A: Abstract, B: Abstract, *, at: RuleSite) -> Abstract:
    if A.shape is None or B.shape is None:
        return Abstract(None, B.shape if A.shape is None else A.shape)
    _check(A.shape, B.shape)
    return Abstract(None, tuple(_one(at, a, b) for a, b in zip(A.shape, B.shape, strict=True)))


def _one(at: RuleSite, a: Dim, b: Dim) -> Dim:
    same = at.same(a, b)
    return a if same is None else same


SWI_GLU.cost(since=28)(per_output(6))


@SWI_GLU.kernel(since=28)
def swi_glu(A: Array, B: Array, *, alpha: float) -> Array:
    _check(A.shape, B.shape)
    gate, linear = widened(cast("Floats", A)), widened(cast("Floats", B))
    product = cast("Floats", swish(gate, alpha=alpha))
    np.multiply(product, linear, out=product)
    return narrowed(product, cast("Floats", A))


@SWISH.body(since=24)
def swish_body(f: Body, X: BodyValue, *, alpha: float) -> BodyValue:
    return f.Mul(X, f.Sigmoid(f.Mul(X, f.like(alpha, X))))


@HARD_SWISH.body(since=14)
def hard_swish_body(f: Body, X: BodyValue) -> BodyValue:
    return f.Mul(X, f.HardSigmoid(X, alpha=1 / 6, beta=1 / 2))


@SWI_GLU.body(since=28)
def swi_glu_body(f: Body, A: BodyValue, B: BodyValue, *, alpha: float) -> BodyValue:
    return f.Mul(f.Swish(A, alpha=alpha), B)


SWISH.example(([-1.0, 0.0, 2.0],), ([-0.268941, 0.0, 1.761594],))
HARD_SWISH.example(([-3.0, -1.0, 0.0, 1.0, 3.0],), ([0.0, -1 / 3, 0.0, 2 / 3, 3.0],))
SWI_GLU.example(([0.0, 2.0], [5.0, 10.0]), ([0.0, 17.61594],))
