"""How many values a stepper keeps: within a budget of memory, the oldest unread ones go first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.frames import Frame, Move
from onnx_explorer.evaluation.memory import memory_bytes
from onnx_explorer.evaluation.past import Past
from onnx_explorer.evaluation.reuse import AHEAD_BYTES, own_bytes, reserve
from onnx_explorer.ir.expected import shown


def default_budget_bytes() -> int:
    """A quarter of this machine's memory."""
    return memory_bytes() // 4


def checked_budget(budget_bytes: int | None) -> int:
    """A budget that a person gave, or the default.

    Raises:
        EvaluationError: it is no number of bytes.
    """
    if budget_bytes is None:
        return default_budget_bytes()
    if not isinstance(cast("object", budget_bytes), int) or budget_bytes < 0:
        given = shown(cast("object", budget_bytes))
        raise EvaluationError(f"budget_bytes = {given}; expected a whole number, 0 or more")
    return budget_bytes


class Keeper:
    """Counts the bytes of computed values and drops old ones beyond a budget. A value that a node
    still to come reads, or that is an output, stays.
    """

    def __init__(self, budget_bytes: int) -> None:
        self._budget = budget_bytes
        self._bytes = 0
        self._counted = 0
        self._looked_through = 0
        self.has_dropped = False

    @property
    def room(self) -> int:
        """How many bytes may come until it is time to `trim`."""
        return min(self._budget - self._bytes, AHEAD_BYTES // 2)

    def uncount(self, move: Move, place: int) -> None:
        """Take note that the move at a place of the past is about to be undone."""
        if place < self._counted:
            self._bytes -= _computed_bytes(move)
            self._counted = place
        self._looked_through = min(self._looked_through, place)

    def trim(self, past: Past, stack: Sequence[Frame]) -> None:
        """Count what has come. Beyond the budget, drop values, oldest first, down to half of it, so
        that it is not done for every node. Within it, have memory made ready for those to come.
        """
        for move in past.since(self._counted):
            if isinstance(move, Move):
                self._bytes += _computed_bytes(move)
        self._counted = len(past)
        if self._bytes > self._budget:
            self._drop(past, stack)
        else:
            reserve()

    def _drop(self, past: Past, stack: Sequence[Frame]) -> None:
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
