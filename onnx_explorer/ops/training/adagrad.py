"""Adagrad: one step of gradient descent whose rate shrinks where gradients were large.

For each tensor X with its gradient G and H, the sum of the squares of its gradients so far:

    r  = R / (1 + T · decay_factor)
    G' = G + norm_coefficient · X
    H' = H + G'²
    X' = X − r · G' / (√H' + epsilon)

The outputs are all X', then all H'.

Spec: ai.onnx.preview.training Adagrad-1
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.training.optimizer import NORM_COEFFICIENT, number, optimizer, stepped
from onnx_explorer.schema import Attr

ADAGRAD = optimizer(
    "Adagrad",
    __doc__,
    memory=("the sums of their squared gradients",),
    attributes=(
        Attr("decay_factor", "float", 0.0, doc="how fast the learning rate falls with T"),
        Attr("epsilon", "float", 1e-06, doc="keeps the divisor away from 0"),
        NORM_COEFFICIENT,
    ),
)


@ADAGRAD.kernel(since=1)
def adagrad(
    R: Floats,
    T: Floats,
    *inputs: Floats,
    decay_factor: float,
    epsilon: float,
    norm_coefficient: float,
) -> tuple[Floats, ...]:
    rate = number(R, "R") / (1 + number(T, "T") * decay_factor)

    def step(X: Floats, G: Floats, H: Floats) -> tuple[Floats, Floats]:
        gradient = G + norm_coefficient * X
        squares = H + gradient * gradient
        return X - rate * gradient / (np.sqrt(squares) + epsilon), squares

    return stepped(inputs, 3, step)


ADAGRAD.example((1.0, 0, [5.0], [3.0], [16.0]), ([4.4], [25.0]))
