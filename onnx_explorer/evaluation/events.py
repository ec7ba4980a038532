"""What happened to a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EventKind = Literal["ran", "entered", "back", "breakpoint", "failed", "restart", "retry", "set"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a run: what, and at which node (its full id) or value."""

    kind: EventKind
    where: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.where}".rstrip()
