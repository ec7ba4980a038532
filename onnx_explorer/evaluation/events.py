"""What happened to a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from onnx_explorer.evaluation.frames import Move
from onnx_explorer.evaluation.past import Past

EventKind = Literal["ran", "entered", "back", "breakpoint", "failed", "restart", "retry", "set"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a run: what, and at which node (its full id) or value."""

    kind: EventKind
    where: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.where}".rstrip()


class Log:
    """What happened, in order. Moves are taken from the past when somebody asks, or before
    something else happens.
    """

    def __init__(self) -> None:
        self._entries: list[Event] = []
        self._told = 0

    def add(self, kind: EventKind, where: str, past: Past) -> None:
        """Note that something happened after this past."""
        self.follow(past)
        self._entries.append(Event(kind, where))

    def follow(self, past: Past) -> None:
        """Note what the past has more than before."""
        for move in past.since(self._told):
            if isinstance(move, Move):
                if move.computed is not None:
                    self._entries.append(Event("ran", move.computed.id))
                if move.entered is not None:
                    self._entries.append(Event("entered", move.entered.path))
        self._told = past.n

    def forget(self, past: Past) -> None:
        """Take note that the past is shorter now: what was told of it stays."""
        self._told = past.n

    def __iter__(self) -> Iterator[Event]:
        return iter(self._entries)
