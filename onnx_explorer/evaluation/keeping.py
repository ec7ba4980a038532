"""How many values a stepper keeps: within a budget of memory, the oldest unread ones go first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import cast

import numpy as np

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.machine import Frame, Move
from onnx_explorer.ir import RunValue


def default_budget_bytes() -> int:
    """A quarter of this machine's memory."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    except (AttributeError, ValueError, OSError):
        return 2 << 30


def checked_budget(budget_bytes: int | None) -> int:
    """A budget that a person gave, or the default.

    Raises:
        EvaluationError: it is no number of bytes.
    """
    if budget_bytes is None:
        return default_budget_bytes()
    if not isinstance(cast("object", budget_bytes), int) or budget_bytes < 0:
        raise EvaluationError(f"a budget of {budget_bytes!r} bytes; expected 0 or more")
    return budget_bytes


def own_bytes(value: RunValue) -> int:
    """The memory that a value holds for itself; a view holds none."""
    if isinstance(value, np.ndarray):
        return value.nbytes if value.base is None or type(value.base) is not np.ndarray else 0
    if isinstance(value, list):
        return sum(map(own_bytes, value))
    return 0


class Keeper:
    """Counts the bytes of computed values and drops old ones beyond a budget. A value that a node
    still to come reads, or that is an output, stays.
    """

    def __init__(self, budget_bytes: int) -> None:
        self._budget = budget_bytes
        self._bytes = 0
        self._looked_through = 0
        self.has_dropped = False

    def count(self, move: Move) -> bool:
        """Take note of what a move computed. Whether it is time to `trim`."""
        self._bytes += _computed_bytes(move)
        return self._bytes > self._budget

    def uncount(self, move: Move, place: int) -> None:
        """Take note that the move at a place of the past is about to be undone."""
        self._bytes -= _computed_bytes(move)
        self._looked_through = min(self._looked_through, place)

    def trim(self, past: Sequence[object], stack: Sequence[Frame]) -> None:
        """Drop values, oldest first, down to half of the budget, so that
        it is not done for every node.
        """
        unread = {id(frame): _unread(frame) for frame in stack}
        # Not what the latest node gave: a person is looking at it.
        while self._bytes > self._budget // 2 and self._looked_through < len(past) - 1:
            move = past[self._looked_through]
            self._looked_through += 1
            if not isinstance(move, Move) or move.computed is None or move.frame is None:
                continue
            frame = move.frame
            may_go = unread.get(id(frame))
            for name in move.computed.node.outputs:
                if name in frame.values and (may_go is None or name in may_go):
                    self._bytes -= own_bytes(frame.values.pop(name))
                    frame.dropped.add(name)
                    self.has_dropped = True


def _computed_bytes(move: Move) -> int:
    if move.computed is None or move.frame is None:
        return 0
    values, outputs = move.frame.values, move.computed.outputs
    if len(outputs) == 1:
        return own_bytes(values.get(outputs[0]))
    return sum(own_bytes(values.get(name)) for name in outputs)


def _unread(frame: Frame) -> set[str]:
    """The values of a frame on its way that no step to come reads."""
    return {name for step in frame.plan.steps[: frame.index] for name in step.dead}
