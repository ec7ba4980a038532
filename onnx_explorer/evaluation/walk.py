"""A machine with its past: every move can be taken back, and old values that memory has no room
for are computed again when somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from onnx_explorer.evaluation.keeping import Keeper
from onnx_explorer.evaluation.machine import Frame, Machine, Move
from onnx_explorer.evaluation.steps import Body, Plan, PlanStep
from onnx_explorer.ir import RunValue, read_names


@dataclass(frozen=True, slots=True, eq=False)
class NewValue:
    """A value of the graph at some depth of the stack that a person replaced."""

    depth: int
    name: str
    new: RunValue
    old: RunValue


@dataclass(frozen=True, slots=True, eq=False)
class NewPlan:
    """A plan of the graph at some depth of the stack in which a person changed the attributes of
    the node that came next.
    """

    depth: int
    new: Plan
    old: Plan
    attributes: Mapping[str, object]


Edit = NewValue | NewPlan


class Walk:
    """One run, from the feeds on."""

    def __init__(
        self, plan: Plan, feeds: Mapping[str, RunValue], seed: int, budget_bytes: int
    ) -> None:
        self._begin = (plan, feeds, seed, budget_bytes)
        self.machine = Machine(plan, feeds, seed)
        self.keeper = Keeper(budget_bytes)
        self.past: list[Move | Edit] = []
        self.n_completed = 0

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
        move = self.machine.advance()
        self.past.append(move)
        if move.computed is not None:
            self.n_completed += 1
            if self.keeper.count(move):
                self.keeper.trim(self.past, self.stack)
        return move

    def enter(self, plan: Plan) -> None:
        """Go into a function that stands for the kernel of the next node.

        Raises:
            NodeFailed: an input of the node is missing; nothing has changed.
        """
        if self.keeper.has_dropped:
            self._recall_inputs()
        self.past.append(self.machine.enter(plan))

    def edit(self, edit: Edit) -> None:
        """Change a value or a node."""
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
                self.n_completed -= latest.computed is not None
            case NewValue(depth, name, old=old):
                self.stack[depth].values[name] = old
            case NewPlan(depth, old=old):
                self.stack[depth].plan = old

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
        match edit:
            case NewValue(name=name, new=new):
                frame.values[name] = new
                frame.dropped.discard(name)
                # Its dtype may be another one: whoever reads it has to be checked anew.
                for step in all_steps(frame.plan.steps):
                    step.checked, step.bare = None, False
            case NewPlan(new=new):
                frame.plan = new

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

    def _replayed(self, n: int) -> Walk:
        """Another run, which did the same so far: the first `n` moves and changes."""
        again = Walk(*self._begin)
        for move in self.past[:n]:
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
