"""What a run did, as long as it can be taken back: moves, and what a person changed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter

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

    def move(self, place: int) -> Move:
        """What ran at a place of the stretch."""
        return Move(self.steps[self.first + place], self.frame)


class Past:
    """Moves and changes in order. Nodes that need no more than their kernels are kept as
    stretches, and become moves when somebody looks at them: most are never looked at. The latest
    stretch is open: it goes as far as its graph, which may be interrupted anywhere.
    """

    def __init__(self) -> None:
        # Each with its place: a pair is added whole, however the run is interrupted.
        self._parts: list[tuple[int, Stretch | Move | Edit]] = []
        self._n_closed = 0
        self._open: Stretch | None = None

    @property
    def n(self) -> int:
        """How many there are."""
        latest = self._open
        if latest is None:
            return self._n_closed
        return self._parts[-1][0] + latest.frame.index - latest.first

    def follow(self, frame: Frame) -> None:
        """What this graph runs from now on belongs to the past, up to `rest`."""
        latest = self._open
        if latest is None or latest.frame is not frame:
            self.rest()
            latest = Stretch(frame, frame.plan.steps, frame.index, frame.index)
            self._parts.append((self._n_closed, latest))
            self._open = latest

    def rest(self) -> None:
        """Something else comes next."""
        latest = self._open
        if latest is not None:
            latest.end = latest.frame.index
            self._n_closed = self._parts[-1][0] + latest.end - latest.first
            self._open = None

    def append(self, part: Move | Edit) -> None:
        """Add a move or a change, at `rest`."""
        self._parts.append((self._n_closed, part))
        self._n_closed += 1

    def pop(self) -> Move | Edit:
        """Take the latest away."""
        last = self[-1]
        self.rest()
        while self._parts[-1][0] == self._n_closed:
            self._parts.pop()  # a stretch of no nodes
        latest = self._parts[-1][1]
        if isinstance(latest, Stretch):
            latest.end -= 1
        else:
            self._parts.pop()
        self._n_closed -= 1
        return last

    def since(self, position: int) -> Iterator[Move | Edit]:
        """All from a position on."""
        for place in range(position, self.n):
            yield self[place]

    @property
    def passages(self) -> Iterator[Move]:
        """The moves into graphs and out of them, among others; there are few."""
        return (part for _, part in self._parts if isinstance(part, Move))

    def computed(self, position: int) -> list[tuple[PlanStep, Frame]]:
        """The nodes that have run since a position, and the graphs that they belong to."""
        latest = self._open
        if latest is not None and position == self.n - 1:
            return [(latest.steps[latest.frame.index - 1], latest.frame)]
        moves = [move for move in self.since(position) if isinstance(move, Move)]
        return [(m.computed, m.frame) for m in moves if m.computed and m.frame]

    def __getitem__(self, position: int) -> Move | Edit:
        n = self.n
        if not -n <= position < n:
            raise IndexError(position)
        position %= n
        start, part = self._parts[bisect_right(self._parts, position, key=itemgetter(0)) - 1]
        return part.move(position - start) if isinstance(part, Stretch) else part

    def __iter__(self) -> Iterator[Move | Edit]:
        for start, part in self._parts:
            if isinstance(part, Stretch):
                end = self.n - start if part is self._open else part.end - part.first
                for place in range(end):
                    yield part.move(place)
            else:
                yield part

    def __reversed__(self) -> Iterator[Move | Edit]:
        for position in reversed(range(self.n)):
            yield self[position]

    def __len__(self) -> int:
        return self.n
