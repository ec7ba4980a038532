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

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.costs import recurrent_cost
from onnx_explorer.ops.precision import Floats, widened
from onnx_explorer.ops.rnn.activations import Activation, clipped, clipped_slope
from onnx_explorer.ops.rnn.activations import activations as functions_of
from onnx_explorer.ops.rnn.activations import slopes as slopes_of
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
    Sizes,
    State,
    X,
    Y,
    by_gate,
    cells_of,
    checked_sizes,
    recurrent,
    recurrent_rule,
    shapes_of,
    sums_like,
)
from onnx_explorer.ops.rnn.through_time import Back, Inputs, lengths_in, through_time
from onnx_explorer.schema import Abstract, Attr, Change, Cotangents, Operator, Port, RuleSite
from onnx_explorer.schema.typesets import BF16, FLOATS, INT32

DEFAULTS = ("Sigmoid", "Tanh")

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


GRU.cost(since=1)(recurrent_cost)


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
        activations or DEFAULTS * sizes.directions,
        2 * sizes.directions,
        activation_alpha,
        activation_beta,
    )
    functions = tuple(clipped(function, clip) for function in plain)
    weights, (outside, inside) = widened(R), _biases(B, R, linear_before_reset)

    def cell(own: slice, functions: Sequence[Activation]) -> Cell:
        of_candidate = None if inside is None else inside[own, None]
        return _cell(weights[own], of_candidate, functions, sizes)

    cells = cells_of(cell, functions, sizes.directions)
    return recurrent(X, W, outside, sequence_lens, (initial_h,), cells, sizes, direction=direction)


def _cell(R: Floats, inside: Floats | None, functions: Sequence[Activation], sizes: Sizes) -> Cell:
    weights = by_gate(R, sizes)
    sums = sums_like(weights, sizes)
    of_gates, seen = sums[:2], sums[2]
    f, g = functions

    def step(share: Floats, state: State, out: Floats) -> State:
        (output,) = state
        np.matmul(output, weights[:2], of_gates)
        keep, reset = f(np.add(of_gates, share[:2], of_gates))
        np.matmul(reset * output, weights[2], seen)
        return _mixed(output, keep, g(np.add(seen, share[2], seen)), out)

    if inside is None:
        return step

    def step_with_late_reset(share: Floats, state: State, out: Floats) -> State:
        (output,) = state
        np.matmul(output, weights, sums)
        keep, reset = f(np.add(of_gates, share[:2], of_gates))
        np.add(seen, inside, seen)
        np.multiply(seen, reset, seen)
        return _mixed(output, keep, g(np.add(seen, share[2], seen)), out)

    return step_with_late_reset


def _mixed(before: Floats, keep: Floats, candidate: Floats, out: Floats) -> State:
    """Fill in (1 - keep) × candidate + keep × before."""
    np.subtract(before, candidate, out)
    np.multiply(out, keep, out)
    return (np.add(out, candidate, out),)


def _biases(B: Floats | None, R: Floats, linear_before_reset: int) -> tuple[Floats, Floats | None]:
    """What is added to the input's share, (D, 3 H), and to the candidate's share of the old output
    within the reset gate, (D, H).
    """
    hidden = R.shape[2]
    biases = np.zeros((len(R), 2, 3 * hidden), np.float32)
    if B is not None:
        biases = widened(B).reshape(len(B), 2, -1)
    # The candidate's own bias for R is inside of the reset gate, or it may as well join the others.
    inside = biases[:, 1, 2 * hidden :] if linear_before_reset else None
    outside = biases[:, 0] + biases[:, 1]
    if inside is not None:
        outside[:, 2 * hidden :] -= inside
    return outside, inside


@GRU.vjp(since=1)
def vjp(
    cotangents: Cotangents,
    inputs: Inputs,
    outputs: object,
    *,
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    activations: tuple[str, ...] | None,
    clip: float | None,
    direction: Direction,
    hidden_size: int | None,
    layout: int = 0,
    linear_before_reset: int = 0,
) -> Cotangents:
    X, W, R, *rest = inputs
    B, lengths, before = (*rest, None, None, None)[:3]
    sizes = Sizes.of(
        X.shape, R.shape, gates=3, direction=direction, hidden_size=hidden_size, layout=layout
    )
    names = activations or DEFAULTS * sizes.directions
    plain = functions_of(names, 2 * sizes.directions, activation_alpha, activation_beta)
    functions = [clipped(function, clip) for function in plain]
    slopes = [
        clipped_slope(slope, clip) for slope in slopes_of(names, activation_alpha, activation_beta)
    ]
    outside, inside = _biases(B, R, linear_before_reset)
    of_R, of_inside = np.zeros(R.shape, R.dtype), np.zeros((len(R), R.shape[2]), R.dtype)
    cells: list[Cell] = []
    backs: list[Back] = []
    for d in range(sizes.directions):
        own, b = slice(2 * d, 2 * d + 2), None if inside is None else inside[d]
        cells.append(_cell(R[d : d + 1], b, functions[own], sizes))
        backs.append(_back(R[d], b, functions[own], slopes[own], of_R[d], of_inside[d]))
    of_X, of_W, of_outside = through_time(
        cotangents,
        X,
        W,
        outside,
        lengths_in(lengths),
        (before,),
        cells,
        backs,
        sizes,
        direction=direction,
    )
    of_B = np.concatenate((of_outside, of_outside), axis=1)
    if inside is not None:
        of_B[:, 5 * R.shape[2] :] = of_inside
    return of_X, of_W, of_R, of_B


def _back(
    R: Floats,
    inside: Floats | None,
    functions: Sequence[Activation],
    slopes: list[Activation],
    of_R: Floats,
    of_inside: Floats,
) -> Back:
    hidden = R.shape[1]
    gate_rows, own_rows = slice(2 * hidden), slice(2 * hidden, None)
    f, g = functions
    df, dg = slopes

    def back(share: Floats, state: State, cotangents: State) -> tuple[Floats, State]:
        (output,), (c,) = state, cotangents
        at_gates = share[:, gate_rows] + np.matmul(output, R[gate_rows].T)
        gates = f(at_gates)
        keep, reset = gates[:, :hidden], gates[:, hidden:]
        # What the candidate's R is multiplied with, and what the reset gate is.
        if inside is None:
            seen, gated = reset * output, output
            at_new = share[:, own_rows] + np.matmul(seen, R[own_rows].T)
        else:
            seen, gated = output, np.matmul(output, R[own_rows].T) + inside
            at_new = share[:, own_rows] + reset * gated
        c_new = c * (1 - keep) * dg(at_new)
        if inside is None:
            c_product = c_new
            c_seen = np.matmul(c_product, R[own_rows])
            c_reset, c_output = c_seen * gated, c_seen * reset
        else:
            c_product = c_new * reset
            of_inside[...] += c_product.sum(axis=0)
            c_reset, c_output = c_new * gated, np.matmul(c_product, R[own_rows])
        c_gates = np.concatenate((c * (output - g(at_new)), c_reset), axis=1) * df(at_gates)
        of_R[gate_rows] += np.matmul(c_gates.T, output)
        of_R[own_rows] += np.matmul(c_product.T, seen)
        before = c * keep + c_output + np.matmul(c_gates, R[gate_rows])
        return np.concatenate((c_gates, c_new), axis=1), (before,)

    return back


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
