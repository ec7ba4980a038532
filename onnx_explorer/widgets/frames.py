"""Loops, branches and functions of a run as the front end sees them: where it stands in them, and
which of their iterations is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypedDict

from onnx_explorer.evaluation import Stepper
from onnx_explorer.evaluation.views import FrameView
from onnx_explorer.ir import RunValue


class FrameState(TypedDict):
    """`owner` is the node that the graph belongs to. It was entered `count` times so far, during
    the iteration that is shown of the graph around it; what is shown is the run number `shown`.
    """

    path: str
    owner: str
    title: str
    live: bool
    count: int
    shown: int


class Frames:
    """Which iterations of its subgraphs a run shows: the one on its way, or else the last, until
    another is asked for. A move of the run ends the showing of earlier ones.
    """

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = stepper
        self._shown: dict[str, int] = {}

    def moved(self) -> None:
        self._shown.clear()

    @property
    def shown(self) -> dict[str, int]:
        """The iterations that were asked for, by path."""
        return dict(self._shown)

    def show(self, path: str, iteration: int) -> None:
        """Show one iteration of a subgraph, and of those inside it what ran during that one.

        Raises:
            KeyError: it was never entered.
        """
        runs = self._look().runs(path)
        if not runs:
            raise KeyError(f"{path!r} has not been entered yet")
        self._shown = {p: i for p, i in self._shown.items() if not p.startswith(path)}
        self._shown[path] = min(max(iteration, 0), len(runs) - 1)

    def stack(self) -> list[FrameState]:
        """The subgraphs on their way, the outermost first."""
        look = self._look()
        return [self._state(frame.path, look) for frame in self._stepper.frames[1:]]

    def around(self, name: str) -> list[FrameState]:
        """The subgraphs around a node or a value that have been entered."""
        look = self._look()
        found = (self._state(path, look) for path in _paths(name))
        return [state for state in found if state["count"]]

    def find(self, name: str) -> tuple[FrameView, str] | None:
        """The graph that has a value, as far as it is shown, and the value's name there."""
        return self._look().find(name)

    def find_all(self, names: Iterable[str]) -> dict[str, tuple[FrameView, str]]:
        """As `find`, of those of many values that are there."""
        look = self._look()
        found = ((name, look.find(name)) for name in names)
        return {name: home for name, home in found if home is not None}

    def of_iteration(self, name: str, iteration: int) -> RunValue:
        """A value of one iteration of the innermost subgraph that has it.

        Raises:
            KeyError: there is no such iteration, or it has not computed the value.
        """
        look = self._look()
        for path in reversed([*_paths(name)]):
            runs = look.runs(path)
            if 0 <= iteration < len(runs) and name.removeprefix(path) in runs[iteration]:
                return runs[iteration][name.removeprefix(path)]
        raise KeyError(f"iteration {iteration} has not computed {name!r}")

    def made(self, name: str) -> RunValue:
        """A value that the last node made: it may have been the end of the iteration before.

        Raises:
            KeyError: it has made none.
        """
        look = self._look()
        found = look.find(name)
        if found is not None:
            return found[0][found[1]]
        for path in _paths(name):
            runs = look.runs(path)
            if len(runs) > 1 and name.removeprefix(path) in runs[-2]:
                return runs[-2][name.removeprefix(path)]
        raise KeyError(name)

    def _look(self) -> _Look:
        return _Look(self._stepper, self._shown)

    def _state(self, path: str, look: _Look) -> FrameState:
        count = len(look.runs(path))
        owner, _, title = path.rstrip("/").rpartition("/")
        return {
            "path": path,
            "owner": owner,
            "title": title,
            "live": any(frame.path == path for frame in self._stepper.frames),
            "count": count,
            "shown": min(self._shown.get(path, count), count - 1),
        }


class _Look:
    """One look at a run. Each search for the runs of a subgraph goes through the whole way, so it
    is made once.
    """

    def __init__(self, stepper: Stepper, shown: Mapping[str, int]) -> None:
        self._stepper = stepper
        self._shown = shown
        self._runs: dict[str, tuple[FrameView, ...]] = {}

    @cached_property
    def _entered(self) -> frozenset[str]:
        """The paths of all graphs that were entered."""
        walk = self._stepper.walk
        past = {m.popped.path for m in walk.past.passages if m.popped is not None}
        return frozenset(past.union(frame.path for frame in walk.stack))

    def runs(self, path: str) -> tuple[FrameView, ...]:
        """The runs of a subgraph during what is shown of the graph around it."""
        if path not in self._runs:
            around = self._around(path)
            self._runs[path] = around.inside(path) if around is not None else ()
        return self._runs[path]

    def find(self, name: str) -> tuple[FrameView, str] | None:
        for path in (*_paths(name), ""):
            frame = self._frame(path)
            if frame is not None and name.removeprefix(path) in frame:
                return frame, name.removeprefix(path)
        return None

    def _frame(self, path: str) -> FrameView | None:
        """What is shown of a graph."""
        if path == "":
            return self._stepper.frames[0]
        runs = self.runs(path)
        return runs[min(self._shown.get(path, len(runs)), len(runs) - 1)] if runs else None

    def _around(self, path: str) -> FrameView | None:
        """What is shown of the graph that a subgraph lies in."""
        for outer in reversed([*_paths(path.rstrip("/"))]):
            if outer in self._entered:
                return self._frame(outer)
        return self._stepper.frames[0]


def _paths(name: str) -> Iterator[str]:
    """What may be the path of a graph around a node or value, the outermost first."""
    place = name.find("/")
    while place >= 0:
        yield name[: place + 1]
        place = name.find("/", place + 1)
