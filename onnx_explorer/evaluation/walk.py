"""A machine with its past: every move can be taken back, and old values that memory has no room
for are computed again when somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import cast

from onnx_explorer.evaluation.frames import Frame, Move
from onnx_explorer.evaluation.keeping import Keeper
from onnx_explorer.evaluation.machine import Look, Machine
from onnx_explorer.evaluation.past import Edit, NewPlan, NewValue, Past
from onnx_explorer.evaluation.quiet import quiet
from onnx_explorer.evaluation.steps import Body, Plan, PlanStep
from onnx_explorer.ir import RunValue, read_names


class Walk:
    """One run, from the feeds on."""

    def __init__(
        self, plan: Plan, feeds: Mapping[str, RunValue], seed: int, budget_bytes: int
    ) -> None:
        self._begin = (plan, feeds, seed, budget_bytes)
        self.machine = Machine(plan, feeds, seed)
        self.keeper = Keeper(budget_bytes)
        self.machine.room = self.keeper.room
        self.past = Past()

    @property
    def completed(self) -> Iterator[PlanStep]:
        """The nodes that have run, in order."""
        for move in self.past:
            if isinstance(move, Move) and move.computed is not None:
                yield move.computed

    @property
    def latest(self) -> PlanStep | None:
        """The node that has run last."""
        for move in reversed(self.past):
            if isinstance(move, Move) and move.computed is not None:
                return move.computed
        return None

    @property
    def stack(self) -> list[Frame]:
        """The frames, the main graph's first."""
        return self.machine.stack

    @property
    def frame(self) -> Frame:
        """The innermost frame."""
        return self.machine.stack[-1]

    @property
    def done(self) -> bool:
        return self.machine.done

    def advance(self) -> Move:
        """One move of the machine.

        Raises:
            NodeFailed: the next node cannot run; nothing has changed.
        """
        if self.keeper.has_dropped:
            self._recall_inputs()
        machine = self.machine
        step = machine.frame.step
        if step is not None and step.plain is not None:
            self.run_plain(machine.frame.index + 1)
            return cast("Move", self.past[-1])
        self.past.rest()
        move = machine.advance()
        self.past.append(move)
        if machine.room < 0:
            self._trim()
        return move

    def run_plain(self, end: int, look: Look | None = None) -> None:
        """Run nodes of the innermost graph up to the `end`-th, or to one that needs more than its
        kernel, or to where somebody who may `look` after each has it rest.

        Raises:
            NodeFailed: a node cannot run; those before it have.
        """
        machine = self.machine
        while not self.keeper.has_dropped:
            frame = machine.stack[-1]
            first = frame.index
            self.past.follow(frame)
            rests = machine.run_plain(frame, end, look)
            if machine.room >= 0:
                return
            self._trim()
            if rests or frame.index == first:
                return
        self._run_with_room(end, look)

    def _run_with_room(self, end: int, look: Look | None) -> None:
        """Run nodes one by one: each may read what was dropped."""
        while True:
            self._recall_inputs()
            frame = self.machine.stack[-1]
            first = frame.index
            if first >= end:
                return
            self.past.follow(frame)
            rests = self.machine.run_plain(frame, first + 1, look)
            if self.machine.room < 0:
                self._trim()
            if rests or frame.index == first:
                return

    def _trim(self) -> None:
        self.keeper.trim(self.past, self.stack)
        self.machine.room = self.keeper.room

    def enter(self, plan: Plan) -> None:
        """Go into a function that stands for the kernel of the next node.

        Raises:
            NodeFailed: an input of the node is missing; nothing has changed.
        """
        if self.keeper.has_dropped:
            self._recall_inputs()
        self.past.rest()
        self.past.append(self.machine.enter(plan))

    def edit(self, edit: Edit) -> None:
        """Change a value or a node."""
        self.past.rest()
        self._apply(edit)
        self.past.append(edit)

    def undo(self) -> None:
        """Take back the latest move or change."""
        latest = self.past.pop()
        match latest:
            case Move():
                for name in latest.computed.node.outputs if latest.computed else ():
                    cast("Frame", latest.frame).dropped.discard(name)
                self.keeper.uncount(latest, len(self.past))
                self.machine.undo(latest)
            case NewValue(depth, name, old=old):
                self.stack[depth].values[name] = old
                self.stack[depth].part()
            case NewPlan(depth, old=old):
                self.stack[depth].plan = old
                self.stack[depth].part()

    def names(self, frame: Frame) -> Iterator[str]:
        """The values of a frame that were computed, kept or not."""
        yield from frame.values
        yield from frame.dropped

    def has(self, frame: Frame, name: str) -> bool:
        """Whether a value was computed."""
        return name in frame.values or name in frame.dropped

    def value(self, frame: Frame, name: str) -> RunValue:
        """A value of a frame, computed again where it was not kept.

        Raises:
            KeyError: it has not been computed.
        """
        if name not in frame.dropped:
            return frame.values[name]
        for place, move in enumerate(self.past):
            if not isinstance(move, Move) or move.computed is None or move.frame is not frame:
                continue
            if name in move.computed.node.outputs:
                again = cast("Move", self._replayed(place + 1).past[place])
                return cast("Frame", again.frame).values[name]
        raise KeyError(name)

    def _apply(self, edit: Edit) -> None:
        frame = self.stack[edit.depth]
        frame.part()
        match edit:
            case NewValue(name=name, new=new):
                frame.values[name] = new
                frame.dropped.discard(name)
            case NewPlan(new=new):
                frame.plan = new
        # There may be another dtype now: whoever reads it has to be checked anew.
        for step in all_steps(frame.plan.steps):
            step.checked = step.call = None

    def _recall_inputs(self) -> None:
        """Make the whole way again where the next node reads a value that was not kept."""
        step = self.frame.step
        if step is None:
            return
        for name in read_names(step.node):
            holder = next((f for f in reversed(self.stack) if self.has(f, name)), None)
            if holder is not None and name not in holder.values:
                again = self._replayed(len(self.past))
                self.machine, self.keeper = again.machine, again.keeper
                self.past = again.past
                return

    @quiet
    def _replayed(self, n: int) -> Walk:
        """Another run, which did the same so far: the first `n` moves and changes."""
        again = Walk(*self._begin)
        for move in islice(self.past, n):
            match move:
                case Move(entered=Frame(stands_for_kernel=True) as frame):
                    again.enter(frame.plan)
                case Move():
                    again.advance()
                case NewValue() | NewPlan():
                    again.edit(move)
        return again


def all_steps(steps: list[PlanStep]) -> Iterator[PlanStep]:
    """The steps and those of every subgraph and function inside them."""
    for step in steps:
        yield step
        for plan in inner_plans(step):
            yield from all_steps(plan.steps)


def inner_plans(step: PlanStep) -> Iterator[Plan]:
    """The plans of the subgraphs and the function of a node."""
    if step.function is not None:
        yield step.function
    for value in step.keywords.values():
        if isinstance(value, Body):
            yield value.plan
