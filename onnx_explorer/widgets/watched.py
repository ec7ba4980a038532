"""Watched expressions over the time of a run: what each comes to, and what it came to before."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation import Stepper
from onnx_explorer.evaluation.frames import Frame, Move
from onnx_explorer.evaluation.targets import values_of
from onnx_explorer.evaluation.watch import Expression, expression
from onnx_explorer.ir import RunValue
from onnx_explorer.ir.names import ends_so
from onnx_explorer.widgets.summary import element_text, json_number, observed_type

POINTS = 64
"""Points of a curve that travel; of more, evenly spaced ones do, the last among them."""
KEPT = 4096
SHORT = 6
"""Elements of a small tensor that are shown."""


class WatchRow(TypedDict):
    """A watched expression: what it comes to, or why it comes to nothing, and its curve."""

    text: str
    shown: str
    problem: str
    points: list[float | str]


@dataclass(slots=True)
class _Curve:
    """The numbers that an expression came to, each with how long the run was by then; `seen` is how
    far the run has been looked at.
    """

    parsed: Expression
    full: Mapping[str, str]
    """What its values are called in full, where it has only the end of that."""
    at: list[int] = field(default_factory=list[int])
    numbers: list[float] = field(default_factory=list[float])
    seen: int = 0
    inside: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    def names_in(self, path: str) -> dict[str, str]:
        """What the values that it speaks of are called in the graph of this path."""
        if path not in self.inside:
            names = {name: self.full.get(name, name) for name in self.parsed.names}
            self.inside[path] = {name: full.removeprefix(path) for name, full in names.items()}
        return self.inside[path]

    def forget_after(self, now: int) -> None:
        self.seen = min(self.seen, now)
        while self.at and self.at[-1] > now:
            self.at.pop()
            self.numbers.pop()

    def add(self, now: int, value: object) -> None:
        number = _number(value)
        if number is None:
            return
        self.at.append(now)
        self.numbers.append(number)
        if len(self.at) > KEPT:
            del self.at[::2], self.numbers[::2]


class Watched:
    """The watched expressions of one run."""

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = stepper
        self._curves: dict[str, _Curve] = {}

    def add(self, text: str) -> None:
        """Watch an expression. Its curve begins with what the run has computed so far.

        Raises:
            EvaluationError: it is no expression, or speaks of something that is no value.
        """
        text = text.strip()
        if not text:
            raise EvaluationError("an expression is expected, such as mean(abs(x))")
        self._stepper.watch(text)
        self._curves[text] = self._curve(text)

    def _curve(self, text: str) -> _Curve:
        parsed = expression(text)
        known = values_of(self._stepper.walk, self._stepper.feeds)
        short = {name: _in_full(name, known) for name in parsed.names if "/" in name}
        return _Curve(parsed, {name: full for name, full in short.items() if full is not None})

    def remove(self, text: str) -> None:
        """Watch it no longer."""
        self._stepper.unwatch(text)
        self._curves.pop(text, None)

    def note(self) -> None:
        """Add to the curves what the run has computed since the last look. A value that memory had
        no room for has no point.
        """
        past = self._stepper.walk.past
        around: Mapping[str, RunValue] = self._stepper.values if self._curves else {}
        for curve in self._curves.values():
            curve.forget_after(past.n)
            for i in range(curve.seen, past.n):
                move = past[i]
                if not isinstance(move, Move):
                    continue
                if move.computed is not None and move.frame is not None:
                    self._note(curve, i + 1, move.frame, move.computed.outputs, around)
                if move.entered is not None:
                    self._note(curve, i + 1, move.entered, move.entered.plan.inputs, around)
            curve.seen = past.n

    @staticmethod
    def _note(
        curve: _Curve,
        now: int,
        frame: Frame,
        fresh: Sequence[str],
        around: Mapping[str, RunValue],
    ) -> None:
        """Add a point where one of these values, which a graph has got, is spoken of."""
        own = curve.names_in(frame.path)
        if not any(value in own.values() for value in fresh):
            return
        here = {name: frame.values[inner] for name, inner in own.items() if inner in frame.values}
        values = ChainMap[str, RunValue](here, cast("dict[str, RunValue]", around))
        if all(name in values for name in own):
            with suppress(EvaluationError):
                curve.add(now, curve.parsed.value(values))

    def rows(self) -> list[WatchRow]:
        """Every expression as the front end shows it."""
        found = self._stepper.watched
        for text in found.keys() - self._curves.keys():
            self._curves[text] = self._curve(text)
        self.note()
        return [self._row(text, value) for text, value in found.items()]

    def _row(self, text: str, value: object) -> WatchRow:
        points = _points(self._curves[text])
        if isinstance(value, EvaluationError):
            return {"text": text, "shown": "", "problem": str(value), "points": points}
        shown = "" if value is None else _shown(value)
        return {"text": text, "shown": shown, "problem": "", "points": points}


def _in_full(name: str, known: Collection[str]) -> str | None:
    """The only value that ends so, in full; None where the name is one, or might be several."""
    if name in known:
        return None
    ending = [full for full in known if ends_so(full, name)]
    # A value of an inner graph is known by its own name as well.
    whole = [full for full in ending if not any(ends_so(other, full) for other in ending)]
    return whole[0] if len(whole) == 1 else None


def _points(curve: _Curve) -> list[float | str]:
    count = len(curve.numbers)
    step = max(1.0, (count - 1) / (POINTS - 1))
    chosen = (curve.numbers[round(i * step)] for i in range(min(count, POINTS)))
    return [json_number(float(f"{number:.6g}")) for number in chosen]


def _number(value: object) -> float | None:
    """A number to draw; None for what is no single real number."""
    if not isinstance(value, (np.ndarray, np.generic, bool, int, float)):
        return None
    array = np.asarray(cast("object", value))
    if array.size != 1 or array.dtype.kind in "OUSTc":
        return None
    return float(array.reshape(-1)[0])


def _shown(value: object) -> str:
    if isinstance(value, np.generic):
        return element_text(cast("np.generic", value).item())
    if isinstance(value, (bool, int, float, tuple)):
        return str(cast("object", value))
    if not isinstance(value, np.ndarray):
        return observed_type(cast("RunValue", value))
    array = cast("NDArray[np.generic]", value)
    texts = [element_text(element) for element in array.reshape(-1)[:SHORT].tolist()]
    if array.ndim == 0:
        return texts[0]
    more = " …" if array.size > SHORT else ""
    return f"{observed_type(array)}: {'  '.join(texts)}{more}"
