"""Where: elements of X where a condition holds, of Y elsewhere.

`output[i] = X[i] if condition[i] else Y[i]`, after all three were broadcast to a common shape.

Spec: ai.onnx Where-16
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.again import Again
from onnx_explorer.ops.broadcast import broadcast_rule, broadcasting
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import Floats, Values, summed_to
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.schema import Abstract, Change, Cotangents, Operator, Port, RuleSite
from onnx_explorer.schema.typesets import BF16, BOOL, EVERY_V1

WHERE = Operator(
    "Where",
    doc=__doc__,
    history=(
        Change(
            9,
            "first version",
            inputs=(
                Port("condition", "B", "which of the two to take", differentiable=False),
                Port("X", "T", "what to take where it is true", differentiable=True),
                Port("Y", "T", "what to take where it is false", differentiable=True),
            ),
            outputs=(
                Port(
                    "output", "T", "elements of X and Y, in their common shape", differentiable=True
                ),
            ),
            types={"B": BOOL, "T": EVERY_V1},
        ),
        Change(16, "bfloat16", widen={"T": BF16}),
    ),
)


@WHERE.infer(since=9)
def infer(condition: Abstract, X: Abstract, Y: Abstract, *, at: RuleSite) -> Abstract:
    return broadcast_rule(condition, X, Y, at=at)


WHERE.cost(since=9)(per_output())


@WHERE.kernel(since=9, sizes=True)
@broadcasting
def where(condition: Array, X: Array, Y: Array) -> Array:
    return np.where(condition.astype(bool, copy=False), X, Y)


@WHERE.again(since=9)
def again(inputs: Values, outputs: Values) -> Again | None:
    return np.where if inputs[0].dtype == np.bool_ else None


@WHERE.vjp(since=9)
def vjp(
    cotangents: Values, inputs: tuple[NDArray[np.bool_], Floats, Floats], outputs: Values
) -> Cotangents:
    (c,), (condition, X, Y) = cotangents, inputs
    by_x, by_y = np.where(condition, c, 0), np.where(condition, 0, c)
    return None, summed_to(by_x, X.shape), summed_to(by_y, Y.shape)


WHERE.example(([True, False], [1, 2], [9]), ([1, 9],))
WHERE.example(([[True], [False]], [1, 2], 9), ([[1, 2], [9, 9]],))
