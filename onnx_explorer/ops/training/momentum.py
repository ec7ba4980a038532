"""Momentum: one step of gradient descent that keeps some of its earlier direction.

For each tensor X with its gradient G and its momentum V:

    G' = G + norm_coefficient · X
    V' = alpha · V + b · G', where b is beta, but 1 in the first step, T = 0
    X' = X − R · V' in the mode "standard"
    X' = X − R · (G' + alpha · V') in the mode "nesterov"

The outputs are all X', then all V'.

Spec: ai.onnx.preview.training Momentum-1
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.training.optimizer import NORM_COEFFICIENT, number, optimizer, stepped
from onnx_explorer.schema import Attr

MOMENTUM = optimizer(
    "Momentum",
    __doc__,
    memory=("their momenta",),
    attributes=(
        Attr("alpha", "float", required=True, doc="how much of the momentum is kept"),
        Attr("beta", "float", required=True, doc="how much of the gradient is added to it"),
        Attr(
            "mode",
            "string",
            required=True,
            one_of=("standard", "nesterov"),
            doc="whether the tensor follows its momentum or looks one step ahead of it",
        ),
        replace(NORM_COEFFICIENT, default=None, required=True),
    ),
)


@MOMENTUM.kernel(since=1)
def momentum(
    R: Floats,
    T: Floats,
    *inputs: Floats,
    alpha: float,
    beta: float,
    mode: Literal["standard", "nesterov"],
    norm_coefficient: float,
) -> tuple[Floats, ...]:
    rate = number(R, "R")
    share = beta if number(T, "T") > 0 else 1.0

    def step(X: Floats, G: Floats, V: Floats) -> tuple[Floats, Floats]:
        gradient = G + norm_coefficient * X
        velocity = alpha * V + share * gradient
        direction = velocity if mode == "standard" else gradient + alpha * velocity
        return X - rate * direction, velocity

    return stepped(inputs, 3, step)


MOMENTUM.example(
    (0.5, 1, [5.0], [2.0], [4.0]),
    ([3.0], [4.0]),
    alpha=0.5,
    beta=1.0,
    mode="standard",
    norm_coefficient=0.0,
)
MOMENTUM.example(
    (0.5, 1, [5.0], [2.0], [8.0]),
    ([2.5], [6.0]),
    alpha=0.5,
    beta=1.0,
    mode="nesterov",
    norm_coefficient=0.0,
)
