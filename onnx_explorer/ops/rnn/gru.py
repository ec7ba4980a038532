"""GRU: gated recurrent unit, a recurrent layer that mixes its old output with a new candidate.

At each step, with x the input and h the output of the step before: `z = f(x Wz + h Rz + bz)` how much
of the old to keep, `r = f(x Wr + h Rr + br)` how much of the old the candidate sees, the candidate
`n = g(x Wh + (r h) Rh + bh)`, and `h' = (1 - z) n + z h`. Products with W and R are matrix products with
their transposes, the others are elementwise. With `linear_before_reset` = 1 the candidate is
`g(x Wh + wh + r (h Rh + rh))` instead, the two biases kept apart, as cuDNN computes it. The functions f
and g are Sigmoid and Tanh by default.

The three gates lie one below the other in W, R and B in the order z, r, h; B holds the biases for W,
then those for R. D, the first axis of the weights, is 2 for `bidirectional` and else 1. A sequence
shorter than the longest one (`sequence_lens`) has zeros in Y from its end on, Y_h is that of its own
last step, and backwards it starts at its own end.

Spec: ai.onnx GRU-22
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.precision import Floats, widened
from onnx_explorer.ops.rnn.activations import Activation, clipped
from onnx_explorer.ops.rnn.activations import activations as functions_of
from onnx_explorer.ops.rnn.recurrence import (
    ACTIVATION_ALPHA,
    ACTIVATION_BETA,
    CLIP,
    DIRECTION,
    DIRECTIONS,
    HIDDEN_SIZE,
    INITIAL_H,
    LAYOUT,
    OUTPUT_SEQUENCE,
    SEQUENCE_LENS,
    Y_H,
    Cell,
    Direction,
    State,
    X,
    Y,
    checked_sizes,
    recurrent,
    recurrent_rule,
    shapes_of,
)
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite
from onnx_explorer.schema.typesets import BF16, FLOATS, INT32

GRU = Operator(
    "GRU",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(
                X,
                Port("W", "T", "weights of the input, (D, 3 H, input)"),
                Port("R", "T", "weights of the output of the step before, (D, 3 H, H)"),
                Port("B", "T", "biases, (D, 6 H); default 0", option="optional"),
                SEQUENCE_LENS,
                INITIAL_H,
            ),
            outputs=(Y, replace(Y_H, option="single")),
            attributes=(
                ACTIVATION_ALPHA,
                ACTIVATION_BETA,
                Attr("activations", "strings", doc="f and g for each direction"),
                CLIP,
                # The standard's own spelling, in this version only.
                replace(DIRECTION, default="foward", one_of=("foward", *DIRECTIONS)),
                HIDDEN_SIZE,
                OUTPUT_SEQUENCE,
            ),
            types={"T": FLOATS, "T1": INT32},
        ),
        Change(
            3,
            "the reset gate may come after the product; all outputs are optional",
            outputs=(Y, Y_H),
            attributes=(
                DIRECTION,
                Attr(
                    "linear_before_reset",
                    "int",
                    0,
                    doc="0: reset the old output, then multiply; else multiply first",
                ),
            ),
        ),
        Change(7, "Y is there if the node names it", drop=("output_sequence",)),
        Change(
            14,
            "the batch may come first",
            attributes=(LAYOUT,),
            differentiable={
                "X": True,
                "W": True,
                "R": True,
                "B": True,
                "sequence_lens": False,
                "initial_h": False,
                "Y": True,
                "Y_h": True,
            },
        ),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
)


@GRU.infer(since=1)
def infer(
    X: Abstract,
    W: Abstract,
    R: Abstract,
    B: Abstract | None = None,
    sequence_lens: Abstract | None = None,
    initial_h: Abstract | None = None,
    *,
    direction: Direction,
    hidden_size: int | None,
    layout: int = 0,
    at: RuleSite,
) -> tuple[Abstract, Abstract]:
    shapes = shapes_of(W=W, R=R, B=B, sequence_lens=sequence_lens, initial_h=initial_h)
    return recurrent_rule(
        X,
        shapes,
        gates=3,
        direction=direction,
        hidden_size=hidden_size,
        layout=layout,
        at=at,
    )


@GRU.kernel(since=1)
def gru(
    X: Floats,
    W: Floats,
    R: Floats,
    B: Floats | None = None,
    sequence_lens: NDArray[np.int32] | None = None,
    initial_h: Floats | None = None,
    *,
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    activations: tuple[str, ...] | None,
    clip: float | None,
    direction: Direction,
    hidden_size: int | None,
    layout: int = 0,
    linear_before_reset: int = 0,
) -> tuple[Floats, ...]:
    sizes = checked_sizes(
        X,
        R,
        shapes_of(W=W, R=R, B=B, sequence_lens=sequence_lens, initial_h=initial_h),
        gates=3,
        direction=direction,
        hidden_size=hidden_size,
        layout=layout,
    )
    plain = functions_of(
        activations or ("Sigmoid", "Tanh") * sizes.directions,
        2 * sizes.directions,
        activation_alpha,
        activation_beta,
    )
    functions = [clipped(function, clip) for function in plain]
    hidden = R.shape[2]
    biases = np.zeros((len(R), 2, 3 * hidden), np.float32)
    if B is not None:
        biases = widened(B).reshape(len(B), 2, -1)
    # The candidate's own bias for R is inside of the reset gate, or it may as well join the others.
    inside = biases[:, 1, 2 * hidden :] if linear_before_reset else None
    outside = biases.sum(axis=1)
    if inside is not None:
        outside[:, 2 * hidden :] -= inside
    cells = [
        _cell(widened(R[d]), None if inside is None else inside[d], functions[2 * d : 2 * d + 2])
        for d in range(sizes.directions)
    ]
    return recurrent(X, W, outside, sequence_lens, (initial_h,), cells, sizes, direction=direction)


def _cell(R: Floats, inside: Floats | None, functions: list[Activation]) -> Cell:
    hidden = R.shape[1]
    transposed = np.ascontiguousarray(R.T)
    of_gates = np.ascontiguousarray(transposed[:, : 2 * hidden])
    of_candidate = np.ascontiguousarray(transposed[:, 2 * hidden :])
    f, g = functions

    def step(share: Floats, state: State) -> State:
        (output,) = state
        if inside is None:
            gates = f(share[:, : 2 * hidden] + np.matmul(output, of_gates))
            seen = np.matmul(gates[:, hidden:] * output, of_candidate)
        else:
            sums = np.matmul(output, transposed)
            gates = f(share[:, : 2 * hidden] + sums[:, : 2 * hidden])
            seen = gates[:, hidden:] * (sums[:, 2 * hidden :] + inside)
        candidate = g(share[:, 2 * hidden :] + seen)
        keep = gates[:, :hidden]
        return (candidate + keep * (output - candidate),)

    return step


# Gates of 0 are open by half, and the candidate is 0.
GRU.example(
    ([[[1.0]]], [[[0.0], [0.0], [0.0]]], [[[0.0], [0.0], [0.0]]], None, None, [[[2.0]]]),
    ([[[[1.0]]]], [[[1.0]]]),
    hidden_size=1,
)
# A large z, the first of the gates, keeps what was.
GRU.example(
    (
        *([[[1.0]]], [[[0.0], [0.0], [0.0]]], [[[0.0], [0.0], [0.0]]]),
        *([[100.0, 0.0, 0.0, 0.0, 0.0, 0.0]], None, [[[2.0]]]),
    ),
    ([[[[2.0]]]], [[[2.0]]]),
    hidden_size=1,
)
