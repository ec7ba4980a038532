"""A run written into a page: where it stands after each node, and what can be seen of each value."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import NotRequired, TypedDict, cast

import numpy as np

from onnx_explorer.ir import RunValue
from onnx_explorer.widgets.miniatures import Miniature, miniature
from onnx_explorer.widgets.session import Session
from onnx_explorer.widgets.statistics import Statistics, statistics
from onnx_explorer.widgets.summary import Summary, json_number, summary
from onnx_explorer.widgets.windows import View, Window, window

WHOLE = 4096
"""Tensors of at most so many elements are in the page whole; of larger ones a window of each view."""
MOST_CHARACTERS = 24_000_000
"""What windows and elements may take up in a page; later values then have their statistics alone."""


class RecordedValue(TypedDict):
    """What a page knows of a value; `numbers` are all elements of a small tensor."""

    at: int
    value: Summary
    statistics: Statistics
    miniature: Miniature | None
    views: dict[str, Window]
    numbers: NotRequired[list[float | str]]


class RecordedStep(TypedDict):
    """Where the run stands: what comes next, what has run since the step before, what it made."""

    current: str | None
    ran: list[str]
    values: dict[str, Summary]


class Record(TypedDict):
    """A run from its inputs to its end or to where it failed."""

    total: int
    message: str
    steps: list[RecordedStep]
    failed: str | None
    failure: str | None
    clash: dict[str, str] | None
    values: dict[str, RecordedValue]
    left_out: int


def recorded(session: Session) -> Record:
    """Run a session from its beginning to its end, and write down what can be seen on the way."""
    session.restart()
    state = session.state()
    values: dict[str, RecordedValue] = {}
    room = _Room()
    steps = [_step(state, set())]
    room.record(session, cast("dict[str, Summary]", state["values"]), 0, values)
    seen = {str(i) for i in cast("list[str]", state["done"])}
    while state["failed"] is None and not session.stepper.done:
        for _ in session.step():
            pass
        state = session.state()
        if state["failed"] is not None:
            break
        steps.append(_step(state, seen))
        fresh = [i for i in cast("list[str]", state["done"]) if i not in seen]
        seen.update(fresh)
        names = [name for node in fresh for name in session.made_by(node)]
        room.record(session, names, len(steps) - 1, values)
    message = str(state["message"])
    if room.left_out:
        more = f"The elements of {room.left_out} values are left out: they would exceed 24 MB"
        message = f"{message}. {more}" if message else more
    return {
        "total": cast("int", state["total"]),
        "message": message,
        "steps": steps,
        "failed": cast("str | None", state["failed"]),
        "failure": cast("str | None", state["failure"]),
        "clash": cast("dict[str, str] | None", state["clash"]),
        "values": values,
        "left_out": room.left_out,
    }


def _step(state: dict[str, object], seen: set[str]) -> RecordedStep:
    done = cast("list[str]", state["done"])
    return {
        "current": cast("str | None", state["current"]),
        "ran": [i for i in done if i not in seen],
        "values": cast("dict[str, Summary]", state["values"]),
    }


class _Room:
    """How much may still be written."""

    def __init__(self) -> None:
        self._left = MOST_CHARACTERS
        self.left_out = 0

    def record(
        self,
        session: Session,
        names: object,
        at: int,
        values: dict[str, RecordedValue],
    ) -> None:
        """Write down values that are there at a position."""
        for name in cast("list[str]", names):
            with suppress(KeyError):
                values.setdefault(name, self._value(name, session.value(name), at))

    def _value(self, name: str, value: RunValue, at: int) -> RecordedValue:
        made: RecordedValue = {
            "at": at,
            "value": summary(value),
            "statistics": statistics(value),
            "miniature": miniature(value),
            "views": {},
        }
        if self._left <= 0:
            self.left_out += 1
            return made
        first = window(value, {}, name)
        # The view that is looked at first stands first.
        views: list[View] = [first["view"], *(v for v in first["views"] if v != first["view"])]
        made["views"] = {view: window(value, {"view": view}, name) for view in views}
        if isinstance(value, np.ndarray) and value.size <= WHOLE and value.dtype.kind not in "OUSc":
            numbers = value.reshape(-1).astype(np.float64).tolist()
            made["numbers"] = [json_number(float(f"{number:.6g}")) for number in numbers]
        self._left -= len(json.dumps(made))
        return made
