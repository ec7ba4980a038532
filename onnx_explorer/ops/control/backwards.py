"""Subgraphs that run in rounds, gone back through: what Loop and Scan share of their derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from onnx_explorer.ir import RunValue
from onnx_explorer.ops.cotangents import Floats
from onnx_explorer.schema import Cotangents, DerivativeSite, Steps, Subgraph


def arguments_of(steps: Steps[object], at: DerivativeSite) -> list[tuple[RunValue, ...]]:
    """What the kernel of a node passes to its subgraph in each round: the kernel runs again."""
    rounds: list[tuple[RunValue, ...]] = []
    try:
        call = next(steps)
        while True:
            arguments = cast("tuple[RunValue, ...]", call.arguments)
            results = at.call(call.subgraph, arguments, visit=len(rounds))
            rounds.append(arguments)
            call = steps.send(results)
    except StopIteration:
        return rounds


def back_through(
    body: Subgraph,
    rounds: Sequence[tuple[RunValue, ...]],
    carried: Cotangents,
    entries: Sequence[Floats | None],
    before: tuple[int, int],
    at: DerivativeSite,
) -> tuple[Cotangents, list[Cotangents]]:
    """The cotangents of the carried values before the first round, and of all arguments in each
    round. `carried` are those after the last; `entries` are those of the scan outputs, a round
    along their first axis. `before` counts the arguments and the outputs ahead of the carried ones.
    """
    n = len(carried)
    ahead, ahead_outputs = before
    of_arguments: list[Cotangents] = []
    for t in reversed(range(len(rounds))):
        outputs = (
            *(None,) * ahead_outputs,
            *carried,
            *(None if entry is None else entry[t, ...] for entry in entries),
        )
        found = at.pull(body, rounds[t], outputs, visit=t)
        carried = found[ahead : ahead + n]
        of_arguments.append(found)
    return carried, of_arguments[::-1]


def stacked_cotangents(rounds: Sequence[Floats | None]) -> Floats | None:
    """Those of the entries of one scan input, along a first axis."""
    like = next((c for c in rounds if c is not None), None)
    if like is None:
        return None
    return np.stack([np.zeros_like(like) if c is None else c for c in rounds])
