"""Values of a run as people get them: by name, arrays read-only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from onnx_explorer.evaluation.machine import Frame
from onnx_explorer.evaluation.supplied import handed_out
from onnx_explorer.evaluation.walk import Walk
from onnx_explorer.ir import RunValue


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

    def __getitem__(self, name: str) -> RunValue:
        return handed_out(self._walk.value(self._frame, name))

    def __iter__(self) -> Iterator[str]:
        return self._walk.names(self._frame)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<frame {self.path or 'main'!r}: {len(self)} values>"


class VisibleValues(Mapping[str, RunValue]):
    """What the innermost graph can see: its own values over those of the graphs around it. A
    function sees nothing around it.
    """

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._homes: dict[str, Frame] = {}
        for frame in walk.stack:
            if frame.is_closed:
                self._homes.clear()
            self._homes.update(dict.fromkeys(walk.names(frame), frame))

    def __getitem__(self, name: str) -> RunValue:
        return handed_out(self._walk.value(self._homes[name], name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)

    def __repr__(self) -> str:
        return f"<values {', '.join(self._homes)}>"
