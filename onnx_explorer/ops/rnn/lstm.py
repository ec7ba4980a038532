"""LSTM: long short-term memory, a recurrent layer whose cell decides what to keep and what to forget.

At each step, with x the input, h the output and c the cell state of the step before:
`i = f(x Wi + h Ri + Pi c + bi)` how much to let in, `o = f(x Wo + h Ro + Po c' + bo)` how much to show,
`g = g(x Wc + h Rc + bc)` what is new, `k = f(x Wf + h Rf + Pf c + bf)` how much to keep; then
`c' = k c + i g` and `h' = o × h(c')`. Products with W and R are matrix products with their transposes,
those with peepholes P and gates are elementwise. The functions f, g, h are Sigmoid, Tanh, Tanh by
default. `input_forget` = 1 sets k = 1 - i. `clip` bounds what f and g see, not the cell state that h sees.

The four gates lie one below the other in W, R and B in the order i, o, k, c; B holds the biases for W,
then those for R. D, the first axis of the weights, is 2 for `bidirectional` and else 1. A sequence
shorter than the longest one (`sequence_lens`) has zeros in Y from its end on, Y_h and Y_c are those of
its own last step, and backwards it starts at its own end.

Spec: ai.onnx LSTM-22
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.costs import recurrent_cost
from onnx_explorer.ops.precision import Floats, widened
from onnx_explorer.ops.rnn.activations import HALF, Activation, clipped, clipped_slope, sigmoid
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

DEFAULTS = ("Sigmoid", "Tanh", "Tanh")

LSTM = Operator(
    "LSTM",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(
                X,
                Port("W", "T", "weights of the input, (D, 4 H, input)"),
                Port("R", "T", "weights of the output of the step before, (D, 4 H, H)"),
                Port("B", "T", "biases, (D, 8 H); default 0", option="optional"),
                SEQUENCE_LENS,
                INITIAL_H,
                Port(
                    "initial_c",
                    "T",
                    "cell state before the first step, shaped like initial_h; default 0",
                    option="optional",
                ),
                Port("P", "T", "peepholes of the gates i, o, k, (D, 3 H); default 0", "optional"),
            ),
            outputs=(
                Y,
                Y_H,
                Port("Y_c", "T", "cell state after the last step, shaped like Y_h", "optional"),
            ),
            attributes=(
                ACTIVATION_ALPHA,
                ACTIVATION_BETA,
                Attr("activations", "strings", doc="f, g, h for each direction"),
                CLIP,
                DIRECTION,
                HIDDEN_SIZE,
                Attr("input_forget", "int", 0, doc="1: what is let in is forgotten"),
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
                "initial_c": False,
                "P": True,
                "Y": True,
                "Y_h": True,
                "Y_c": True,
            },
        ),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
)


@LSTM.infer(since=1)
def infer(
    X: Abstract,
    W: Abstract,
    R: Abstract,
    B: Abstract | None = None,
    sequence_lens: Abstract | None = None,
    initial_h: Abstract | None = None,
    initial_c: Abstract | None = None,
    P: Abstract | None = None,
    *,
    direction: Direction,
    hidden_size: int | None,
    layout: int = 0,
    at: RuleSite,
) -> tuple[Abstract, Abstract, Abstract]:
    shapes = shapes_of(
        W=W,
        R=R,
        B=B,
        sequence_lens=sequence_lens,
        initial_h=initial_h,
        initial_c=initial_c,
        P=P,
    )
    outputs, state = recurrent_rule(
        X,
        shapes,
        gates=4,
        direction=direction,
        hidden_size=hidden_size,
        layout=layout,
        at=at,
    )
    return outputs, state, state


LSTM.cost(since=1)(recurrent_cost)


@LSTM.kernel(since=1)
def lstm(
    X: Floats,
    W: Floats,
    R: Floats,
    B: Floats | None = None,
    sequence_lens: NDArray[np.int32] | None = None,
    initial_h: Floats | None = None,
    initial_c: Floats | None = None,
    P: Floats | None = None,
    *,
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    activations: tuple[str, ...] | None,
    clip: float | None,
    direction: Direction,
    hidden_size: int | None,
    input_forget: int,
    layout: int = 0,
) -> tuple[Floats, ...]:
    shapes = shapes_of(
        W=W,
        R=R,
        B=B,
        sequence_lens=sequence_lens,
        initial_h=initial_h,
        initial_c=initial_c,
        P=P,
    )
    sizes = checked_sizes(
        X,
        R,
        shapes,
        gates=4,
        direction=direction,
        hidden_size=hidden_size,
        layout=layout,
    )
    functions = functions_of(
        activations or DEFAULTS * sizes.directions,
        3 * sizes.directions,
        activation_alpha,
        activation_beta,
    )
    weights, peepholes = (
        widened(R),
        None if P is None else widened(P).reshape(sizes.directions, 3, 1, -1),
    )

    def cell(own: slice, functions: Sequence[Activation]) -> Cell:
        seen = None if peepholes is None else peepholes[own]
        return _cell(weights[own], seen, functions, clip, sizes, coupled=bool(input_forget))

    cells = cells_of(cell, functions, sizes.directions)
    bias = whole_bias(B, R)
    return recurrent(
        X, W, bias, sequence_lens, (initial_h, initial_c), cells, sizes, direction=direction
    )


def _cell(
    R: Floats,
    P: Floats | None,
    functions: Sequence[Activation],
    clip: float | None,
    sizes: Sizes,
    *,
    coupled: bool,
) -> Cell:
    weights = by_gate(R, sizes)
    sums = sums_like(weights, sizes)
    let_in, show, keep, new = sums
    of_sigmoid = sums[:3]
    f, g, h = clipped(functions[0], clip), clipped(functions[1], clip), functions[2]
    as_usual = (f, g) == (sigmoid, np.tanh)

    def step(share: Floats, state: State, out: Floats) -> State:
        output, cell = state
        np.matmul(output, weights, sums)
        np.add(sums, share, sums)
        if as_usual:
            # All at once, as a sigmoid is a tanh of the half.
            np.multiply(of_sigmoid, HALF, of_sigmoid)
            np.tanh(sums, sums)
            np.multiply(of_sigmoid, HALF, of_sigmoid)
            np.add(of_sigmoid, HALF, of_sigmoid)
        else:
            of_sigmoid[...], new[...] = f(of_sigmoid), g(new)
        after = np.multiply(1 - let_in if coupled else keep, cell)
        np.multiply(new, let_in, new)
        np.add(after, new, after)
        return np.multiply(show, h(after), out), after

    if P is None:
        return step
    of_i, of_o, of_k = P.swapaxes(0, 1)

    def step_with_peepholes(share: Floats, state: State, out: Floats) -> State:
        output, cell = state
        np.add(np.matmul(output, weights, sums), share, sums)
        entering = f(let_in + of_i * cell)
        kept = 1 - entering if coupled else f(keep + of_k * cell)
        after = kept * cell + entering * g(new)
        return np.multiply(f(show + of_o * after), h(after), out), after

    return step_with_peepholes


@LSTM.vjp(since=1)
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
    input_forget: int,
    layout: int = 0,
) -> Cotangents:
    X, W, R, *rest = inputs
    B, lengths, before_h, before_c, P = (*rest, *(None,) * 5)[:5]
    sizes = Sizes.of(
        X.shape, R.shape, gates=4, direction=direction, hidden_size=hidden_size, layout=layout
    )
    names = activations or DEFAULTS * sizes.directions
    functions = functions_of(names, 3 * sizes.directions, activation_alpha, activation_beta)
    slopes = slopes_of(names, activation_alpha, activation_beta)
    peepholes = np.zeros((len(R), 3 * R.shape[2]), R.dtype) if P is None else P
    of_R, of_P = np.zeros(R.shape, R.dtype), np.zeros(peepholes.shape, R.dtype)
    cells: list[Cell] = []
    backs: list[Back] = []
    for d in range(sizes.directions):
        own = slice(3 * d, 3 * d + 3)
        cells.append(
            _cell(
                R[d : d + 1],
                peepholes[d].reshape(1, 3, 1, -1),
                functions[own],
                clip,
                sizes,
                coupled=bool(input_forget),
            )
        )
        backs.append(
            _back(
                R[d],
                peepholes[d],
                functions[own],
                slopes[own],
                clip,
                of_R[d],
                of_P[d],
                coupled=bool(input_forget),
            )
        )
    of_X, of_W, of_bias = through_time(
        cotangents,
        X,
        W,
        whole_bias(B, R),
        lengths_in(lengths),
        (before_h, before_c),
        cells,
        backs,
        sizes,
        direction=direction,
    )
    of_B = np.concatenate((of_bias, of_bias), axis=1)
    return of_X, of_W, of_R, of_B, None, None, None, of_P


def _back(
    R: Floats,
    P: Floats,
    functions: Sequence[Activation],
    slopes: list[Activation],
    clip: float | None,
    of_R: Floats,
    of_P: Floats,
    *,
    coupled: bool,
) -> Back:
    hidden = R.shape[1]
    f, g, h = clipped(functions[0], clip), clipped(functions[1], clip), functions[2]
    df, dg, dh = clipped_slope(slopes[0], clip), clipped_slope(slopes[1], clip), slopes[2]
    of_i, of_o, of_k = (slice(n * hidden, n * hidden + hidden) for n in range(3))

    def back(share: Floats, state: State, cotangents: State) -> tuple[Floats, State]:
        (output, cell), (c_output, c_cell) = state, cotangents
        sums = share + np.matmul(output, R.T)
        at_i = sums[:, of_i] + P[of_i] * cell
        at_k = sums[:, of_k] + P[of_k] * cell
        let_in, new = f(at_i), g(sums[:, 3 * hidden :])
        keep = 1 - let_in if coupled else f(at_k)
        after = keep * cell + let_in * new
        at_o = sums[:, of_o] + P[of_o] * after
        show = f(at_o)

        c_o = c_output * h(after) * df(at_o)
        c_after = c_cell + c_output * show * dh(after) + c_o * P[of_o]
        c_new = c_after * let_in * dg(sums[:, 3 * hidden :])
        c_i = c_after * (new - cell if coupled else new) * df(at_i)
        c_k = np.zeros_like(c_i) if coupled else c_after * cell * df(at_k)

        c_sums = np.concatenate((c_i, c_o, c_k, c_new), axis=1)
        of_R[...] += np.matmul(c_sums.T, output)
        of_P[...] += np.concatenate((c_i * cell, c_o * after, c_k * cell), axis=1).sum(axis=0)
        before = c_after * keep + c_i * P[of_i] + c_k * P[of_k]
        return c_sums, (np.matmul(c_sums, R), before)

    return back


# Gates of 0 are open by half: the cell keeps 1 of 2 and shows tanh(1) / 2.
LSTM.example(
    (
        *([[[1.0]]], [[[0.0], [0.0], [0.0], [0.0]]], [[[0.0], [0.0], [0.0], [0.0]]]),
        *(None, None, None, [[[2.0]]]),
    ),
    ([[[[0.380797]]]], [[[0.380797]]], [[[1.0]]]),
    hidden_size=1,
)
# A third gate far below 0 forgets all.
LSTM.example(
    (
        *([[[1.0]]], [[[0.0], [0.0], [0.0], [0.0]]], [[[0.0], [0.0], [0.0], [0.0]]]),
        *([[0.0, 0.0, -100.0, 0.0, 0.0, 0.0, 0.0, 0.0]], None, None, [[[2.0]]]),
    ),
    ([[[[0.0]]]], [[[0.0]]], [[[0.0]]]),
    hidden_size=1,
)
