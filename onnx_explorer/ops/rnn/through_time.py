"""Back through time: the derivatives of LSTM, GRU and RNN, whose cells run forward once more and
then step by step back.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.rnn.recurrence import (
    Cell,
    Direction,
    Sizes,
    State,
    along,
    backwards,
    going_on,
    shares_of,
    states_before,
)
from onnx_explorer.schema import Cotangents

Inputs = tuple[Floats, Floats, Floats, *tuple[Floats | None, ...]]
"""X, W, R, then what may be left out."""
Back = Callable[[Floats, State, State], tuple[Floats, State]]
"""One step back: from what the cell got, the input's share, (batch, gates × hidden), and the state
before, and from the cotangents of the state after, to those of the two. Those of the cell's weights
it keeps adding up.
"""


def through_time(
    cotangents: Cotangents,
    X: Floats,
    W: Floats,
    bias: Floats,
    lengths: NDArray[np.integer] | None,
    initial: tuple[Floats | None, ...],
    cells: list[Cell],
    backs: list[Back],
    sizes: Sizes,
    *,
    direction: Direction,
) -> tuple[Floats, Floats, Floats]:
    """The cotangents of X, W and the bias, by those of Y and of the last states. The rest is what
    `recurrent` takes.
    """
    steps = X.swapaxes(0, 1) if sizes.layout else X
    of_Y, of_last = _steps_first(cotangents, steps, lengths, len(initial), sizes)
    of_X, of_W, of_bias = (np.zeros(a.shape, X.dtype) for a in (steps, W, bias))
    flat = steps.reshape(steps.shape[0] * steps.shape[1], steps.shape[2])
    all_shares = shares_of(steps, W, bias, sizes, direction)
    all_going = going_on(len(steps), lengths, sizes, direction)
    states = states_before(initial, sizes, X.dtype)
    for d, (cell, back) in enumerate(zip(cells, backs, strict=True)):
        own = slice(d, d + 1)
        going = None if all_going is None else all_going[:, own]
        state = tuple(value[own] for value in states)
        outputs = np.empty((len(steps), *states[0][own].shape), X.dtype)
        walk = list(along(cell, all_shares[:, :, own], state, going, outputs))
        # What goes back has gates side by side, like the rows of W.
        shares = all_shares[:, :, d].swapaxes(1, 2).reshape(*steps.shape[:2], W.shape[1])
        of_shares = np.zeros(shares.shape, X.dtype)
        carried = tuple(last[d] for last in of_last)
        for i, (state, _) in reversed(list(enumerate(walk))):
            t = len(walk) - 1 - i if backwards(d, direction) else i
            before = tuple(value[0] for value in state)
            after = (carried[0] + of_Y[t, d], *carried[1:])
            if going is None:
                of_shares[t], carried = back(shares[i], before, after)
                continue
            active = going[i, 0]
            moving = tuple(np.where(active, c, 0) for c in after)
            of_shares[t], moved = back(shares[i], before, moving)
            carried = tuple(np.where(active, c, kept) for c, kept in zip(moved, after, strict=True))
        rows = of_shares.reshape(len(flat), W.shape[1])
        of_W[d] = np.matmul(rows.T, flat)
        of_bias[d] = rows.sum(axis=0)
        of_X += np.matmul(rows, W[d]).reshape(of_X.shape)
    return of_X.swapaxes(0, 1) if sizes.layout else of_X, of_W, of_bias


def lengths_in(lengths: NDArray[np.generic] | None) -> NDArray[np.int64] | None:
    """The lengths of sequences among inputs of one type."""
    return None if lengths is None else lengths.astype(np.int64)


def _steps_first(
    cotangents: Cotangents,
    steps: Floats,
    lengths: NDArray[np.integer] | None,
    n_states: int,
    sizes: Sizes,
) -> tuple[Floats, list[Floats]]:
    """Those of Y, (steps, D, batch, H), 0 where a sequence is over, and of each last state,
    (D, batch, H).
    """
    batch, hidden = int(sizes.batch), int(sizes.hidden)
    of_Y = np.zeros((len(steps), sizes.directions, batch, hidden), steps.dtype)
    of_last = [np.zeros(of_Y.shape[1:], steps.dtype) for _ in range(n_states)]
    for whole, given in zip((of_Y, *of_last), cotangents, strict=False):
        if given is not None:
            whole[...] = np.moveaxis(given, 0, -2) if sizes.layout else given
    if lengths is not None:
        over = np.arange(len(steps))[:, None] >= lengths
        of_Y.swapaxes(1, 2)[over] = 0
    return of_Y, of_last
