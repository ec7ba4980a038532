"""Det: the determinant of a square matrix, for each position of the axes before the last two.

It is the volume by which the matrix scales space, negative where it mirrors, and 0 where the matrix
has no inverse. That of a matrix of no rows is 1.

Spec: ai.onnx Det-22
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import floordiv, known_different
from onnx_explorer.ops.costs import elements, sizes_at
from onnx_explorer.ops.cotangents import Floats, Values
from onnx_explorer.ops.elementwise import in_float32
from onnx_explorer.ops.reduce.slopes import products_of_others
from onnx_explorer.schema import (
    Abstract,
    Change,
    Cost,
    Operator,
    Port,
    RuleSite,
    Shape,
    Shapes,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOATS

DET = Operator(
    "Det",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(Port("X", "T", "square matrices, (..., M, M)", differentiable=True),),
            outputs=(Port("Y", "T", "their determinants, (...)", differentiable=True),),
            types={"T": FLOATS},
        ),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
)


def _check(X: Shape) -> None:
    if len(X) < 2:
        raise Violation(
            f"rank {len(X)}", "(..., M, M) has rank 2 or more", port="X", code="wrong-rank"
        )
    if known_different(X[-2], X[-1]):
        raise Violation(
            f"{X[-2]} rows and {X[-1]} columns", "a square matrix has as many of both", port="X"
        )


@DET.infer(since=11)
def infer(X: Abstract, *, at: RuleSite) -> Abstract:
    if X.shape is None:
        return Abstract()
    _check(X.shape)
    at.assume(X.shape[-2], X.shape[-1])
    return Abstract(None, X.shape[:-2])


@DET.cost(since=11)
def cost(inputs: Shapes, outputs: Shapes) -> Cost:
    """Elimination: below each pivot every row is divided by it once, and its remaining square is
    updated; then the pivots are multiplied.
    """
    size = sizes_at(inputs, 0)[-1]
    updates = floordiv((size - 1) * size * (2 * size - 1), 6)
    divisions = floordiv(size * (size - 1), 2)
    matrices = elements(outputs[0])
    return Cost(matrices * updates, matrices * (divisions + size))


@DET.kernel(since=11)
@in_float32
def det(X: NDArray[np.floating]) -> NDArray[np.floating]:
    _check(X.shape)
    return np.asarray(np.linalg.det(X))


@DET.vjp(since=11)
def vjp(cotangents: Values, inputs: Values, outputs: Values) -> Floats:
    # The cofactors, which a matrix without inverse has as well.
    left, values, right = np.linalg.svd(inputs[0])
    sign = np.linalg.det(left) * np.linalg.det(right)
    cofactors = np.matmul(left * products_of_others(values)[..., None, :], right)
    return (cotangents[0] * sign)[..., None, None] * cofactors


DET.example(([[1.0, 2.0], [3.0, 4.0]],), (-2.0,))
DET.example(([[[1.0, 2.0], [3.0, 4.0]], [[2.0, 0.0], [0.0, 5.0]]],), ([-2.0, 10.0],))
