"""Loops, branches and functions of a run as the front end sees them: where it stands in them, and
which of their iterations is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypedDict

from onnx_explorer.evaluation import Stepper
from onnx_explorer.evaluation.views import FrameView
from onnx_explorer.ir import RunValue


class FrameState(TypedDict):
    """`owner` is the node that the graph belongs to. It was entered `count` times so far; what is
    shown of it is the run number `shown`.
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
        """Show one iteration of a subgraph.

        Raises:
            KeyError: it was never entered.
        """
        runs = self._stepper.iterations(path)
        if not runs:
            raise KeyError(f"{path!r} has not been entered yet")
        self._shown[path] = min(max(iteration, 0), len(runs) - 1)

    def stack(self) -> list[FrameState]:
        """The subgraphs on their way, the outermost first."""
        return [self._state(frame.path) for frame in self._stepper.frames[1:]]

    def around(self, name: str) -> list[FrameState]:
        """The subgraphs around a node or a value that have been entered."""
        found = (self._state(path) for path in _paths(name))
        return [state for state in found if state["count"]]

    def find(self, name: str) -> tuple[FrameView, str] | None:
        """The graph that has a value, as far as it is shown, and the value's name there."""
        return self._find(name, {})

    def find_all(self, names: Iterable[str]) -> dict[str, tuple[FrameView, str]]:
        """As `find`, of those of many values that are there."""
        runs: dict[str, tuple[FrameView, ...]] = {}
        found = ((name, self._find(name, runs)) for name in names)
        return {name: home for name, home in found if home is not None}

    def _find(
        self, name: str, known: dict[str, tuple[FrameView, ...]]
    ) -> tuple[FrameView, str] | None:
        """`known` has the runs of subgraphs that were looked up: each looks through the whole way."""
        live = {frame.path: frame for frame in self._stepper.frames}
        for path in (*_paths(name), ""):
            inner = name.removeprefix(path)
            frame = live.get(path)
            if path and (path in self._shown or frame is None):
                if path not in known:
                    known[path] = self._stepper.iterations(path)
                runs = known[path]
                frame = runs[self._shown.get(path, -1)] if runs else None
            if frame is not None and inner in frame:
                return frame, inner
        return None

    def made(self, name: str) -> RunValue:
        """A value that the last node made: it may have been the end of the iteration before.

        Raises:
            KeyError: it has made none.
        """
        found = self.find(name)
        if found is not None:
            return found[0][found[1]]
        for path in _paths(name):
            runs = self._stepper.iterations(path)
            if len(runs) > 1 and name.removeprefix(path) in runs[-2]:
                return runs[-2][name.removeprefix(path)]
        raise KeyError(name)

    def _state(self, path: str) -> FrameState:
        runs = self._stepper.iterations(path)
        owner, _, title = path.rstrip("/").rpartition("/")
        return {
            "path": path,
            "owner": owner,
            "title": title,
            "live": any(frame.path == path for frame in self._stepper.frames),
            "count": len(runs),
            "shown": self._shown.get(path, len(runs) - 1),
        }


def _paths(name: str) -> Iterator[str]:
    """What may be the path of a graph around a node or value, the outermost first."""
    place = name.find("/")
    while place >= 0:
        yield name[: place + 1]
        place = name.find("/", place + 1)
