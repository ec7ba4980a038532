"""How far a long run is, told where a person sees it."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self, TextIO

QUIET_S = 1.0
"""A run shorter than this tells nothing."""
EVERY_S = 0.1


class Progress:
    """A line on the terminal or under a notebook's cell: nodes done and the time left."""

    def __init__(self, total: int, shown: bool | None, out: TextIO | None = None) -> None:
        """`shown` forces or forbids the line; by default it appears for a person only."""
        self._out = out or sys.stderr
        self._total = total
        self.active = _is_watched(self._out) if shown is None else shown
        self._began = self._told = time.perf_counter()
        self._wrote = False

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
