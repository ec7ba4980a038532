"""A run written into a page: where it stands after each node, in bodies too, and what can be seen of
each value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import NotRequired, TypedDict

import numpy as np

from onnx_explorer.evaluation.frames import Frame, Move
from onnx_explorer.evaluation.inside import may_have_inside
from onnx_explorer.evaluation.views import FrameView
from onnx_explorer.ir import RunValue
from onnx_explorer.widgets.miniatures import Miniature, miniature
from onnx_explorer.widgets.session import Session
from onnx_explorer.widgets.standing import clash_of
from onnx_explorer.widgets.statistics import Statistics, statistics
from onnx_explorer.widgets.summary import Summary, json_number, summary
from onnx_explorer.widgets.windows import View, Window, window

WHOLE = 4096
"""Tensors of at most so many elements are in the page whole; of larger ones a window of each view."""
MOST_CHARACTERS = 24_000_000
"""What windows and elements may take up in a page; later values then have their statistics alone."""
MOST_INSIDE = 12_000_000
"""What the bodies of nodes may take up of that, steps included; beyond it none is gone into."""
MOST_IN_OPERATORS = 4_000_000
"""What the functions of operators may take up beside that; beyond it none is gone into."""
MOST_ROUNDS = 32
"""Rounds of a loop that are gone into, each time that the loop runs."""


class RecordedValue(TypedDict):
    """What a page knows of a value of one graph on its way, from a step on; `numbers` are all
    elements of a small tensor.
    """

    frame: int
    at: int
    value: Summary
    statistics: Statistics
    miniature: Miniature | None
    views: dict[str, Window]
    numbers: NotRequired[list[float | str]]


class RecordedFrame(TypedDict):
    """A graph on its way: the one around it, how often its node ran it before, and the step at which
    it was entered. The first is the main graph.
    """

    path: str
    around: int
    number: int
    first: int


class RecordedStep(TypedDict):
    """Where the run stands: in which graph, how many nodes of the main graph have run, what comes
    next, what has run since the step before, and what that made.
    """

    frame: int
    position: int
    current: str | None
    ran: list[str]
    values: dict[str, Summary]


class LeftOut(TypedDict):
    """Rounds of a loop that are not in the page, numbered from 0."""

    path: str
    first: int
    last: int


class Record(TypedDict):
    """A run from its inputs to its end or to where it failed."""

    total: int
    message: str
    frames: list[RecordedFrame]
    steps: list[RecordedStep]
    failed: str | None
    failure: str | None
    clash: dict[str, str] | None
    values: dict[str, list[RecordedValue]]
    left_out: int
    rounds_left_out: list[LeftOut]


def recorded(session: Session) -> Record:
    """Run a session from its beginning to its end, and write down what can be seen on the way."""
    whole: set[str] = set()
    while True:
        session.restart()
        recorder = _Recorder(session, whole)
        found = recorder.record()
        failed_inside = recorder.operator
        if session.stepper.failure is None or failed_inside is None:
            return found
        # The operator itself says better why it fails than the nodes of its function.
        whole.add(failed_inside)


class _Recorder:
    def __init__(self, session: Session, whole: AbstractSet[str]) -> None:
        """The operators of the nodes `whole` are not gone into."""
        self._session = session
        self._whole = whole
        self._walk = session.stepper.walk
        self._frames: list[RecordedFrame] = []
        self._places: dict[Frame, int] = {}
        self._steps: list[RecordedStep] = []
        self._values: dict[str, list[RecordedValue]] = {}
        self._left = MOST_CHARACTERS
        self._left_inside = MOST_INSIDE
        self._left_in_operators = MOST_IN_OPERATORS
        # Those of the frames that are in the function of an operator.
        self._in_operators: set[int] = set()
        # The first node whose operator is not gone into for want of room.
        self._stepped_over = ""
        self._n_left_out = 0
        self._rounds: list[LeftOut] = []
        self._seen = 0

    def record(self) -> Record:
        session, stepper = self._session, self._session.stepper
        self._step()
        while stepper.failure is None and not stepper.done:
            if self._goes_inside:
                session.step_into(operators=self._goes_into_operators)
            else:
                for _ in session.step():
                    pass
            while self._is_left_out:
                self._leave_rounds_out()
            if stepper.failure is None:
                self._step()
            else:
                self._note_frames()
        failure = stepper.failure
        return {
            "total": session.total,
            "message": ". ".join(filter(None, (session.message, *self._told()))),
            "frames": self._frames,
            "steps": self._steps,
            "failed": failure.id if failure else None,
            "failure": failure.message if failure else None,
            "clash": clash_of(failure),
            "values": self._values,
            "left_out": self._n_left_out,
            "rounds_left_out": self._rounds,
        }

    @property
    def _goes_inside(self) -> bool:
        return self._left_inside > 0

    @property
    def _goes_into_operators(self) -> bool:
        current = self._session.stepper.current
        if current is None or current.id in self._whole or not may_have_inside(current):
            return False
        if self._left_in_operators <= 0:
            self._stepped_over = self._stepped_over or current.id
        return self._left_in_operators > 0

    @property
    def operator(self) -> str | None:
        """The node in whose operator the run stands, the outermost."""
        stack = self._walk.stack
        for around, frame in pairwise(stack):
            if frame.stands_for_kernel and around.step is not None:
                return around.step.id
        return None

    def _told(self) -> Iterator[str]:
        """What is not in the page."""
        for out in self._rounds:
            owner, _, part = out["path"].rstrip("/").rpartition("/")
            one = out["first"] == out["last"]
            which = f"Round {out['first']}" if one else f"Rounds {out['first']} to {out['last']}"
            yield f"{which} of {part} of {owner} {'is' if one else 'are'} left out"
        if not self._goes_inside:
            most = MOST_INSIDE // 1_000_000
            yield f"Later bodies are stepped over: they would exceed {most} MB"
        if self._stepped_over:
            most = MOST_IN_OPERATORS // 1_000_000
            yield (
                f"From {self._stepped_over!r} on operators are stepped over: what is inside of them "
                f"would exceed {most} MB"
            )
        if self._n_left_out:
            most = MOST_CHARACTERS // 1_000_000
            yield (
                f"The elements of {self._n_left_out} values are left out: they would exceed {most} MB"
            )

    # -- steps -------------------------------------------------------------------------------

    def _step(self) -> None:
        """Write down where the run stands, and what was computed since."""
        at = len(self._steps)
        self._note_frames()
        ran: dict[str, None] = {}
        latest: dict[str, Summary] = {}
        if at == 0:
            latest = self._inputs(0, self._walk.stack[0])
        for move in self._fresh_moves():
            step, frame = move.computed, move.frame
            if step is None or frame is None or step.id in self._session.hidden:
                continue
            ran[step.id] = None
            if frame in self._places:
                latest = self._record(frame, step.outputs, at) or latest
        if not latest and self._steps:
            # A graph was entered that is handed nothing: what came before is the latest still.
            latest = self._steps[-1]["values"]
        self._steps.append(
            {
                "frame": self._places[self._walk.frame],
                "position": self._session.position,
                "current": self._session.current,
                "ran": [*ran],
                "values": latest,
            }
        )
        self._spend(self._steps[-1]["frame"], len(json.dumps(self._steps[-1])))

    def _fresh_moves(self) -> Iterator[Move]:
        past, first = self._walk.past, self._seen
        self._seen = past.n
        return (move for move in past.since(first) if isinstance(move, Move))

    def _note_frames(self) -> None:
        """Know the graphs on their way, with what was handed to them."""
        for depth, frame in enumerate(self._walk.stack):
            if frame in self._places:
                continue
            place = self._places[frame] = len(self._frames)
            around = self._places[self._walk.stack[depth - 1]] if depth else -1
            if frame.stands_for_kernel or around in self._in_operators:
                self._in_operators.add(place)
            at = len(self._steps)
            self._frames.append(
                {"path": frame.path, "around": around, "number": frame.visit, "first": at}
            )
            if place:
                self._inputs(at, frame)

    def _inputs(self, at: int, frame: Frame) -> dict[str, Summary]:
        return self._record(frame, frame.plan.inputs, at)

    @property
    def _is_left_out(self) -> bool:
        """Whether the run stands in a graph that is not to be written down."""
        frame = self._walk.frame
        if frame in self._places or len(self._walk.stack) == 1:
            return False
        failed = self._session.stepper.failure is not None
        return not failed and (frame.visit >= MOST_ROUNDS or not self._goes_inside)

    def _leave_rounds_out(self) -> None:
        """Run on to behind the loop."""
        stepper, walk = self._session.stepper, self._walk
        frame = walk.frame
        depth, path, first, last = len(walk.stack), frame.path, frame.visit, frame.visit
        while len(walk.stack) >= depth and stepper.failure is None:
            last = walk.stack[depth - 1].visit
            stepper.step_into(operators=False)
        self._session.arrive()
        failed = int(stepper.failure is not None)
        if last + 1 - failed > first:
            self._rounds.append({"path": path, "first": first, "last": last - failed})

    # -- values ------------------------------------------------------------------------------

    def _record(self, frame: Frame, names: tuple[str, ...], at: int) -> dict[str, Summary]:
        """Write down values of a graph, from a step on."""
        place, view = self._places[frame], FrameView(frame, self._walk)
        made: dict[str, Summary] = {}
        for name in names:
            if not name or name not in view:
                continue
            key = frame.path + name
            value = self._value(key, view[name], place, at)
            made[key] = value["value"]
            self._values.setdefault(key, []).append(value)
        return made

    def _value(self, key: str, value: RunValue, frame: int, at: int) -> RecordedValue:
        made: RecordedValue = {
            "frame": frame,
            "at": at,
            "value": summary(value),
            "statistics": statistics(value),
            "miniature": miniature(value),
            "views": {},
        }
        if self._left <= 0 or (frame and self._left_inside <= 0):
            self._n_left_out += 1
            return made
        is_small = isinstance(value, np.ndarray) and value.size <= WHOLE
        if is_small or frame not in self._in_operators:
            first = window(value, {}, key)
            # The view that is looked at first stands first.
            views: list[View] = [first["view"], *(v for v in first["views"] if v != first["view"])]
            made["views"] = {view: window(value, {"view": view}, key) for view in views}
        if isinstance(value, np.ndarray) and is_small and value.dtype.kind not in "OUSc":
            numbers = value.reshape(-1).astype(np.float64).tolist()
            made["numbers"] = [json_number(float(f"{number:.6g}")) for number in numbers]
        self._spend(frame, len(json.dumps(made)), values=True)
        return made

    def _spend(self, frame: int, size: int, *, values: bool = False) -> None:
        """Count characters of what was written down in a graph."""
        if values:
            self._left -= size
        if frame in self._in_operators:
            self._left_in_operators -= size
        elif frame:
            self._left_inside -= size
