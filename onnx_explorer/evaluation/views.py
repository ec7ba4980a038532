"""A run as people see it: its values by name, arrays read-only; what happened, what was changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from onnx_explorer.evaluation.absent import NoSuchName, no_such_value
from onnx_explorer.evaluation.frames import Failure, Frame
from onnx_explorer.evaluation.steps import Plan
from onnx_explorer.evaluation.supplied import handed_out
from onnx_explorer.evaluation.walk import Walk
from onnx_explorer.ir import RunValue
from onnx_explorer.ir.names import ends_so, only_one


class FrameView(Mapping[str, RunValue]):
    """The values of one graph on its way, by name; arrays are read-only."""

    def __init__(self, frame: Frame, walk: Walk) -> None:
        self._frame = frame
        self._walk = walk

    @property
    def path(self) -> str:
        """The place of the graph: `loop_1/body/` for the body of the node `loop_1`, empty for the
        main graph.
        """
        return self._frame.path

    @property
    def iteration(self) -> int:
        """How often this subgraph was entered before during the same run of its node."""
        return self._frame.visit

    def keeps(self, name: str) -> bool:
        """Whether a value is there without computing it again."""
        return name in self._frame.values

    def inside(self, path: str) -> tuple[FrameView, ...]:
        """The runs of a subgraph so far while this graph was on its way."""
        runs: list[Frame] = []
        for move in self._walk.past.passages:
            if move.popped is self._frame:
                return tuple(FrameView(frame, self._walk) for frame in runs)
            if move.popped is not None and move.popped.path == path:
                runs.append(move.popped)
            if move.entered is self._frame:
                runs.clear()
        runs += [frame for frame in self._walk.stack if frame.path == path]
        return tuple(FrameView(frame, self._walk) for frame in runs)

    def __getitem__(self, name: str) -> RunValue:
        if name not in self:
            raise no_such_value(name, self, self._walk)
        return handed_out(self._walk.value(self._frame, name))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._walk.has(self._frame, name)

    def __iter__(self) -> Iterator[str]:
        return self._walk.names(self._frame)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        if not self.path:
            return f"<frame of the model: {len(self)} values>"
        short = "/".join(self.path.split("/")[-3:-1])
        return f"<frame {short!r}, round {self.iteration}: {len(self)} values>"


class VisibleValues(Mapping[str, RunValue]):
    """What the innermost graph can see: its own values over those of the graphs around it. A
    function sees nothing around it. Values of all graphs on their way are there by their full names,
    `loop/body/x`, and by the last parts of them where nothing else ends so.
    """

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._homes: dict[str, Frame] = {}
        for frame in walk.stack:
            if frame.is_closed:
                self._homes.clear()
            self._homes.update(dict.fromkeys(walk.names(frame), frame))

    def home(self, name: str) -> tuple[Frame, str] | None:
        """The graph that has a value, and the value's name in it.

        Raises:
            NoSuchName: it may be one of several.
        """
        found = self._ending_so(name)
        return found[only_one(name, "values", found, NoSuchName)] if found else None

    def _ending_so(self, name: str) -> Mapping[str, tuple[Frame, str]]:
        """The values that a name may stand for, by their full names."""
        if name in self._homes:
            return {name: (self._homes[name], name)}
        if "/" not in name:
            return {}
        inner = [frame for frame in self._walk.stack if frame.path]
        for frame in reversed(inner):
            own = name.removeprefix(frame.path)
            if own != name and self._walk.has(frame, own):
                return {name: (frame, own)}
        seen = [(home.path, own, home) for own, home in self._homes.items() if not home.path]
        seen += [(frame.path, own, frame) for frame in inner for own in self._walk.names(frame)]
        return {path + own: (home, own) for path, own, home in seen if ends_so(path + own, name)}

    def __getitem__(self, name: str) -> RunValue:
        found = self.home(name) if isinstance(cast("object", name), str) else None
        if found is None:
            raise no_such_value(name, self, self._walk)
        frame, own = found
        return handed_out(self._walk.value(frame, own))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self._ending_so(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)

    def __repr__(self) -> str:
        return f"<values {', '.join(self._homes)}>"


class MissingOutput(Failure):
    """An output of the graph that nothing produces, found when every node has run."""

    def __str__(self) -> str:
        return self.message


def missing_output(plan: Plan, walk: Walk) -> Failure | None:
    """The first output of a graph that is through which nothing has made."""
    for name in plan.outputs:
        if not walk.has(walk.stack[0], name):
            return MissingOutput(f"out:{name}", "output", f"nothing produces {name!r}", {})
    return None
