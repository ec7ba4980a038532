"""RNN: the simple recurrent layer, whose output is fed back at the next step.

`h' = f(x W + h R + b)` at each step, with x the input and h the output of the step before. The products
are matrix products with the transposes of W and R; f is Tanh by default. B holds the bias for W, then
that for R; their sum is b. D, the first axis of the weights, is 2 for `bidirectional` and else 1. A
sequence shorter than the longest one (`sequence_lens`) has zeros in Y from its end on, Y_h is that of
its own last step, and backwards it starts at its own end.

Spec: ai.onnx RNN-22
"""

from __future__ import annotations

from collections.abc import Sequence

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
    whole_bias,
)
from onnx_explorer.ops.rnn.through_time import Back, Inputs, lengths_in, through_time
from onnx_explorer.schema import Abstract, Attr, Change, Cotangents, Operator, Port, RuleSite
from onnx_explorer.schema.typesets import BF16, FLOATS, INT32

RNN = Operator(
    "RNN",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(
                X,
                Port("W", "T", "weights of the input, (D, H, input)"),
                Port("R", "T", "weights of the output of the step before, (D, H, H)"),
                Port("B", "T", "biases, (D, 2 H); default 0", option="optional"),
                SEQUENCE_LENS,
                INITIAL_H,
            ),
            outputs=(Y, Y_H),
            attributes=(
                ACTIVATION_ALPHA,
                ACTIVATION_BETA,
                Attr("activations", "strings", ("Tanh", "Tanh"), doc="f for each direction"),
                CLIP,
                DIRECTION,
                HIDDEN_SIZE,
                OUTPUT_SEQUENCE,
            ),
            types={"T": FLOATS, "T1": INT32},
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


@RNN.infer(since=1)
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
        gates=1,
        direction=direction,
        hidden_size=hidden_size,
        layout=layout,
        at=at,
    )


RNN.cost(since=1)(recurrent_cost)


@RNN.kernel(since=1)
def rnn(
    X: Floats,
    W: Floats,
    R: Floats,
    B: Floats | None = None,
    sequence_lens: NDArray[np.int32] | None = None,
    initial_h: Floats | None = None,
    *,
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    activations: tuple[str, ...],
    clip: float | None,
    direction: Direction,
    hidden_size: int | None,
    layout: int = 0,
) -> tuple[Floats, ...]:
    sizes = checked_sizes(
        X,
        R,
        shapes_of(W=W, R=R, B=B, sequence_lens=sequence_lens, initial_h=initial_h),
        gates=1,
        direction=direction,
        hidden_size=hidden_size,
        layout=layout,
    )
    # The default lists two, whatever the direction.
    names = activations[: sizes.directions]
    plain = functions_of(names, sizes.directions, activation_alpha, activation_beta)
    functions = tuple(clipped(function, clip) for function in plain)
    weights = widened(R)

    def cell(own: slice, functions: Sequence[Activation]) -> Cell:
        return _cell(weights[own], functions[0], sizes)

    cells = cells_of(cell, functions, sizes.directions)
    bias = whole_bias(B, R)
    return recurrent(X, W, bias, sequence_lens, (initial_h,), cells, sizes, direction=direction)


def _cell(R: Floats, f: Activation, sizes: Sizes) -> Cell:
    weights = by_gate(R, sizes)
    sums = sums_like(weights, sizes)

    def step(share: Floats, state: State, out: Floats) -> State:
        np.matmul(state[0], weights, sums)
        np.add(sums, share, sums)
        np.copyto(out, f(sums[0]))
        return (out,)

    return step


@RNN.vjp(since=1)
def vjp(
    cotangents: Cotangents,
    inputs: Inputs,
    outputs: object,
    *,
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    activations: tuple[str, ...],
    clip: float | None,
    direction: Direction,
    hidden_size: int | None,
    layout: int = 0,
) -> Cotangents:
    X, W, R, *rest = inputs
    B, lengths, before = (*rest, None, None, None)[:3]
    sizes = Sizes.of(
        X.shape, R.shape, gates=1, direction=direction, hidden_size=hidden_size, layout=layout
    )
    names = activations[: sizes.directions]
    plain = functions_of(names, sizes.directions, activation_alpha, activation_beta)
    slopes = slopes_of(names, activation_alpha, activation_beta)
    of_R = np.zeros(R.shape, R.dtype)
    of_X, of_W, of_bias = through_time(
        cotangents,
        X,
        W,
        whole_bias(B, R),
        lengths_in(lengths),
        (before,),
        [_cell(R[d : d + 1], clipped(f, clip), sizes) for d, f in enumerate(plain)],
        [_back(R[d], clipped_slope(f, clip), of_R[d]) for d, f in enumerate(slopes)],
        sizes,
        direction=direction,
    )
    return of_X, of_W, of_R, np.concatenate((of_bias, of_bias), axis=1)


def _back(R: Floats, slope: Activation, of_R: Floats) -> Back:
    def back(share: Floats, state: State, cotangents: State) -> tuple[Floats, State]:
        (output,), (c,) = state, cotangents
        of_sums = c * slope(share + np.matmul(output, R.T))
        of_R[...] += np.matmul(of_sums.T, output)
        return of_sums, (np.matmul(of_sums, R),)

    return back


# The first output is 1 × 1, the second 1 × 0 + 2 × 1.
RNN.example(
    ([[[1.0]], [[0.0]]], [[[1.0]]], [[[2.0]]]),
    ([[[[1.0]]], [[[2.0]]]], [[[2.0]]]),
    hidden_size=1,
    activations=["Relu"],
)
