"""The two ways between Python and the drawing: what both see and both may change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import anywidget
import traitlets

from onnx_explorer.errors import ExplorerError
from onnx_explorer.view import Scene
from onnx_explorer.view.overlay import BUILT_IN, Combining, Overlay
from onnx_explorer.view.places import near


class Ways(anywidget.AnyWidget):
    """The part of an explorer that says what is looked at, and how."""

    overlay_name = traitlets.Unicode("").tag(sync=True)
    overlays = traitlets.Dict().tag(sync=True)
    overlay_sizes = traitlets.Dict().tag(sync=True)

    _scene: Scene

    def overlay(
        self,
        overlay: str | Overlay | None,
        values: Mapping[str, float | str] | None = None,
        *,
        unit: str = "",
        combine: Combining = "sum",
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        """Colour boxes by numbers or words: of your own, `overlay("latency", {node: ms}, unit="ms")`,
        or by "parameters", "output bytes", "macs", "flops", "dtype" or, of what has run,
        "activation range". None takes the colours away.

        A closed group shows what `combine` makes of its nodes. `sizes` are those of open dims;
        others are taken for what the explorer would feed.

        Raises:
            ExplorerError: there is no such overlay or node; the text names those spelled alike.
        """
        if sizes is not None:
            self.overlay_sizes = {**self._sizes_shown, **_checked_sizes(sizes)}
        if isinstance(overlay, str) and values is not None:
            overlay = Overlay(overlay, values, unit, combine)
        if isinstance(overlay, Overlay):
            given = overlay.checked(self._scene)
            self.overlays = {**self._given, given.name: given.state()}
            overlay = given.name
        self.overlay_name = overlay or ""

    @property
    def _given(self) -> dict[str, object]:
        return cast("dict[str, object]", self.overlays)

    @property
    def _sizes_shown(self) -> dict[str, int]:
        return cast("dict[str, int]", self.overlay_sizes)

    @traitlets.validate("overlay_name")
    def _known_overlay(self, proposal: Mapping[str, object]) -> str:
        name = str(proposal["value"])
        known = (*BUILT_IN, *self._given)
        if name and name not in known:
            hint = near(name, known) or f"; there are {', '.join(map(repr, known))}"
            raise ExplorerError(f"there is no overlay {name!r}{hint}")
        return name


def _checked_sizes(sizes: Mapping[str, object]) -> dict[str, int]:
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < 0:
            raise ExplorerError(f"size {size!r} for {name!r}; a size is a whole number, 0 or more")
    return cast("dict[str, int]", dict(sizes))
