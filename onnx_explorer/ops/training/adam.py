"""Adam: one step of gradient descent with running means of the gradient and of its square.

For each tensor X with its gradient G and the running means V and H:

    G' = G + norm_coefficient · X
    V' = alpha · V + (1 − alpha) · G'
    H' = beta · H + (1 − beta) · G'²
    r  = R · √(1 − betaᵀ) / (1 − alphaᵀ), or R where T is 0
    X' = (1 − norm_coefficient_post) · (X − r · V' / (√H' + epsilon))

r makes up for means that began at 0. The outputs are all X', then all V', then all H'.

Spec: ai.onnx.preview.training Adam-1
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.training.optimizer import NORM_COEFFICIENT, number, optimizer, stepped
from onnx_explorer.schema import Attr

ADAM = optimizer(
    "Adam",
    __doc__,
    memory=("the running means of their gradients", "the running means of the squares of those"),
    attributes=(
        Attr("alpha", "float", 0.9, doc="how much of the mean of gradients is kept"),
        Attr("beta", "float", 0.999, doc="how much of the mean of squares is kept"),
        Attr("epsilon", "float", 1e-06, doc="keeps the divisor away from 0"),
        NORM_COEFFICIENT,
        Attr("norm_coefficient_post", "float", 0.0, doc="the part taken off the tensor afterwards"),
    ),
)


@ADAM.kernel(since=1)
def adam(
    R: Floats,
    T: Floats,
    *inputs: Floats,
    alpha: float,
    beta: float,
    epsilon: float,
    norm_coefficient: float,
    norm_coefficient_post: float,
) -> tuple[Floats, ...]:
    rate, count = number(R, "R"), number(T, "T")
    if count > 0:
        rate *= (1 - beta**count) ** 0.5 / (1 - alpha**count)

    def step(X: Floats, G: Floats, V: Floats, H: Floats) -> tuple[Floats, Floats, Floats]:
        gradient = G + norm_coefficient * X
        mean = alpha * V + (1 - alpha) * gradient
        squares = beta * H + (1 - beta) * (gradient * gradient)
        moved = X - rate * mean / (np.sqrt(squares) + epsilon)
        return (1 - norm_coefficient_post) * moved, mean, squares

    return stepped(inputs, 4, step)


ADAM.example(
    (1.0, 0, [5.0], [4.0], [2.0], [2.0]),
    ([4.0], [3.0], [9.0]),
    alpha=0.5,
    beta=0.5,
    epsilon=0.0,
)
