"""How far a long run is, told where a person sees it."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self, TextIO

QUIET_S = 1.0
"""A run shorter than this tells nothing."""
EVERY_S = 0.1
STRIDE = 16
"""Nodes that run between two looks at the clock, while they are quick."""


class Progress:
    """A line on the terminal or under a notebook's cell: nodes done and the time left."""

    def __init__(self, total: int, shown: bool | None, out: TextIO | None = None) -> None:
        """`shown` forces or forbids the line; by default it appears for a person only."""
        self._out = out or sys.stderr
        self._total = total
        self.active = _is_watched(self._out) if shown is None else shown
        self._began = self._told = self._looked = time.perf_counter()
        self._wrote = False
        self.stride = 1 if self.active else sys.maxsize
        """How many nodes may run before the next word."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._wrote:
            self._out.write("\n")
            self._out.flush()

    def at(self, done: int) -> None:
        """Say that so many nodes have run."""
        if not self.active:
            return
        now = time.perf_counter()
        self.stride = STRIDE if now - self._looked < EVERY_S else 1
        self._looked = now
        if now - self._began < QUIET_S or (now - self._told < EVERY_S and done < self._total):
            return
        self._told = now
        self._wrote = True
        left = (now - self._began) / max(done, 1) * (self._total - done)
        filled = 24 * done // max(self._total, 1)
        bar = "█" * filled + "·" * (24 - filled)
        self._out.write(f"\r{bar} {done} of {self._total} nodes, {left:.0f} s left ")
        self._out.flush()


def _is_watched(out: TextIO) -> bool:
    return out.isatty() or "ipykernel" in sys.modules
