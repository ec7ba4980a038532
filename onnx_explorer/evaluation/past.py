"""What a run did, as long as it can be taken back: moves, and what a person changed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from onnx_explorer.evaluation.frames import Frame, Move
from onnx_explorer.evaluation.steps import Plan, PlanStep
from onnx_explorer.ir import RunValue


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


@dataclass(slots=True, eq=False)
class Stretch:
    """Nodes that ran one after the other in one graph: from step `first` to before `end`."""

    frame: Frame
    steps: list[PlanStep]
    first: int
    end: int


class Past:
    """Moves and changes in order. Nodes that need no more than their kernels are kept as
    stretches, and become moves when somebody looks at them: most are never looked at.
    """

    def __init__(self) -> None:
        self.n = 0
        self._parts: list[Stretch | Move | Edit] = []
        self._starts: list[int] = []
        self._open: Stretch | None = None
        """The latest part, where that is a stretch."""

    def append(self, part: Move | Edit) -> None:
        """Add a move or a change."""
        self._add(part)
        self.n += 1

    def ran(self, frame: Frame, first: int) -> None:
        """Add what a graph has run from step `first` on."""
        end, latest = frame.index, self._open
        if (
            latest is not None
            and latest.frame is frame
            and latest.end == first
            and latest.steps is frame.plan.steps
        ):
            latest.end = end
        elif end > first:
            self._add(Stretch(frame, frame.plan.steps, first, end))
        self.n += end - first

    def pop(self) -> Move | Edit:
        """Take the latest away."""
        last = self[-1]
        if self._open is not None:
            self._open.end -= 1
        if self._open is None or self._open.end == self._open.first:
            self._parts.pop()
            self._starts.pop()
            latest = self._parts[-1] if self._parts else None
            self._open = latest if isinstance(latest, Stretch) else None
        self.n -= 1
        return last

    def since(self, position: int) -> Iterator[Move | Edit]:
        """All from a position on."""
        for place in range(position, self.n):
            yield self[place]

    def computed(self, position: int) -> list[tuple[PlanStep, Frame]]:
        """The nodes that have run since a position, and the graphs that they belong to."""
        latest = self._open
        if latest is not None and position == self.n - 1:
            return [(latest.steps[latest.end - 1], latest.frame)]
        moves = [move for move in self.since(position) if isinstance(move, Move)]
        return [(m.computed, m.frame) for m in moves if m.computed and m.frame]

    def __getitem__(self, position: int) -> Move | Edit:
        if not -self.n <= position < self.n:
            raise IndexError(position)
        position %= self.n
        place = bisect_right(self._starts, position) - 1
        part = self._parts[place]
        if isinstance(part, Stretch):
            return Move(part.steps[part.first + position - self._starts[place]], part.frame)
        return part

    def __iter__(self) -> Iterator[Move | Edit]:
        for part in self._parts:
            if isinstance(part, Stretch):
                for index in range(part.first, part.end):
                    yield Move(part.steps[index], part.frame)
            else:
                yield part

    def __reversed__(self) -> Iterator[Move | Edit]:
        for position in reversed(range(self.n)):
            yield self[position]

    def __len__(self) -> int:
        return self.n

    def _add(self, part: Stretch | Move | Edit) -> None:
        self._parts.append(part)
        self._starts.append(self.n)
        self._open = part if isinstance(part, Stretch) else None
