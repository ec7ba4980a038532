"""The two ways between Python and the drawing: what both see and both may change."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any, Literal, cast

import anywidget
import traitlets

from onnx_explorer.errors import ExplorerError
from onnx_explorer.ir.expected import near, path_to_write, shown
from onnx_explorer.view import Scene
from onnx_explorer.view.constant_boxes import with_constants
from onnx_explorer.view.draw import FORMATS, draw_scene, groups_down_to
from onnx_explorer.view.overlay import BUILT_IN, RANGE, Combining, Overlay
from onnx_explorer.view.paint import built_in, open_symbols, painting
from onnx_explorer.view.places import box_named, group_paths
from onnx_explorer.widgets.shared import (
    SELECTED,
    checked_colour,
    checked_focused,
    checked_group,
    checked_highlighted,
    checked_ids,
    checked_overlays,
    checked_selected,
    checked_sizes,
)
from onnx_explorer.widgets.traits import FlagOrItems, Items, Table, Text, TraitFault, faults_of

Depth = int | Literal["shown"] | None
"""How far groups stand open in a picture: as in the drawing, so many deep, or None for all."""
FARTHEST = 1e12
"""No drawing reaches so far, and a browser's arithmetic has holes there."""
FOUR = "x, y, width and height: four numbers within 1e12, the last two above 0"


class Ways(anywidget.AnyWidget):
    """The part of an explorer that says what is looked at, and how.

    The traits follow the drawing, and setting one changes it: `selection` (ids of nodes),
    `selected` (`node:ID`, `value:NAME` or `group:PATH`), `expanded` (paths of open groups,
    `encoder/layer 1`; "" where all are closed), `view_box` (x, y, width and height of what is
    shown), `overlay_name`, `constants` (True for a box of its own for each constant, or ids of the
    nodes whose constants have one). They take part in `observe` and in `jslink`.
    """

    selected = Text("").tag(sync=True, expected=SELECTED)
    selection = Items().tag(sync=True, expected="ids of nodes, as in ('conv1',)")
    expanded = Items().tag(sync=True, expected="paths of groups, as in ('encoder/layer 1',)")
    view_box = Items().tag(sync=True, expected=FOUR)
    highlighted = Table().tag(sync=True)
    focused = Table().tag(sync=True)
    constants = FlagOrItems([traitlets.Bool(), traitlets.Tuple()], default_value=False).tag(
        sync=True, expected="True, False, or ids of nodes, as in ('conv1',)"
    )
    overlay_name = Text("").tag(sync=True, expected="the name of an overlay, or ''")
    overlays = Table().tag(sync=True)
    overlay_sizes = Table().tag(sync=True)

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
        if overlay is not None and not isinstance(cast("object", overlay), str | Overlay):
            known = f"None, or the name of an overlay: {', '.join(map(repr, BUILT_IN))}"
            raise ExplorerError(f"overlay {shown(cast('object', overlay))}; expected {known}")
        if sizes is not None:
            known = open_symbols(self._scene) | self._open_sizes().keys()
            self.overlay_sizes = {**self._sizes_shown, **checked_sizes(sizes, known)}
        if isinstance(overlay, str) and values is not None:
            overlay = Overlay(overlay, values, unit, combine)
        if isinstance(overlay, Overlay):
            given = overlay.checked(self._scene)
            self.overlays = {**self._given, given.name: given.state()}
            overlay = given.name
        self.overlay_name = overlay or ""

    # -- nodes -------------------------------------------------------------------------------

    def select(self, *names: str) -> None:
        """Select nodes, by their ids or by names of values that they make, and bring the last one
        into view; of two, all paths between them are lit. Without names nothing is selected.

        Raises:
            ExplorerError: there is no such node; the text names those spelled alike.
        """
        self.selection = tuple(self._ids(names))

    def focus(self, name: str = "") -> None:
        """Bring a node into view, opening the groups around it. It is not selected. Without a name
        the widget takes the keys, as any other.

        Raises:
            ExplorerError: as `select`.
        """
        if isinstance(cast("object", name), str) and not name:
            super().focus()
            return
        (found,) = self._ids((name,))
        count = cast("dict[str, int]", self.focused).get("count", 0)
        self.focused = {"id": found, "count": count + 1}

    def highlight(self, names: Iterable[str] = (), colour: str = "") -> None:
        """Mark nodes by a thick border, in a colour of your own (`#d55e00`, `crimson`). Those
        marked before are no longer; without names none is.

        Raises:
            ExplorerError: as `select`, or the colour is none.
        """
        checked = checked_colour(colour)
        self.highlighted = {"ids": checked_ids(self._scene, names), "colour": checked}

    def on_select(self, callback: Callable[[tuple[str, ...]], object]) -> Callable[[], None]:
        """Call `callback` with the ids of the nodes each time that others are selected; the
        function that comes back ends that.

        Raises:
            ExplorerError: the callback is no function.
        """
        if not callable(cast("object", callback)):
            given = shown(cast("object", callback))
            raise ExplorerError(f"on_select takes a function of a tuple of ids; {given} came")

        def changed(change: Mapping[str, object]) -> None:
            callback(cast("tuple[str, ...]", change["new"]))

        self.observe(changed, "selection")

        def stop() -> None:
            self.unobserve(changed, "selection")

        return stop

    def _ids(self, names: Iterable[str]) -> list[str]:
        return checked_ids(self._scene, names)

    @traitlets.validate("selected")
    def _known_thing(self, proposal: Mapping[str, object]) -> str:
        with faults_of("selected"):
            return checked_selected(self._scene, cast("str", proposal["value"]))

    @traitlets.validate("highlighted")
    def _known_marks(self, proposal: Mapping[str, object]) -> dict[str, object]:
        with faults_of("highlighted"):
            return checked_highlighted(self._scene, _table(proposal))

    @traitlets.validate("focused")
    def _known_aim(self, proposal: Mapping[str, object]) -> dict[str, object]:
        with faults_of("focused"):
            return checked_focused(self._scene, _table(proposal))

    @traitlets.validate("overlays")
    def _known_overlays(self, proposal: Mapping[str, object]) -> dict[str, object]:
        with faults_of("overlays"):
            return checked_overlays(self._scene, _table(proposal), self._given)

    @traitlets.validate("overlay_sizes")
    def _whole_sizes(self, proposal: Mapping[str, object]) -> dict[str, int]:
        with faults_of("overlay_sizes"):
            return checked_sizes(cast("Mapping[str, object]", proposal["value"]))

    @traitlets.validate("selection")
    def _known_nodes(self, proposal: Mapping[str, object]) -> tuple[str, ...]:
        with faults_of("selection"):
            return tuple(self._ids(cast("tuple[str, ...]", proposal["value"])))

    @traitlets.validate("constants")
    def _known_readers(self, proposal: Mapping[str, object]) -> bool | tuple[str, ...]:
        wanted = cast("bool | tuple[str, ...]", proposal["value"])
        with faults_of("constants"):
            return wanted if isinstance(wanted, bool) else tuple(self._ids(wanted))

    @traitlets.validate("expanded")
    def _known_groups(self, proposal: Mapping[str, object]) -> tuple[str, ...]:
        known = group_paths(self._scene)
        with faults_of("expanded"):
            paths = cast("tuple[object, ...]", proposal["value"])
            return tuple("" if path == "" else checked_group(path, known) for path in paths)

    @traitlets.validate("view_box")
    def _four_numbers(self, proposal: Mapping[str, object]) -> tuple[float, ...]:
        box = cast("tuple[object, ...]", proposal["value"])
        real = [cast("float", n) for n in box if isinstance(n, Real)]
        numbers = tuple(float(n) for n in real if abs(n) <= FARTHEST)
        if box and (len(numbers) != 4 or len(box) != 4 or min(numbers[2:]) <= 0):
            raise TraitFault(f"view_box = {shown(box)}; expected {FOUR}")
        return numbers

    @traitlets.observe("selection")
    def _selection_changed(self, change: Mapping[str, object]) -> None:
        ids = cast("tuple[str, ...]", change["new"])
        if ids:
            self.selected = f"node:{ids[-1]}"
        elif self.selected.startswith("node:"):
            self.selected = ""

    @traitlets.observe("selected")
    def _selected_changed(self, change: Mapping[str, object]) -> None:
        kind, _, name = str(change["new"]).partition(":")
        ids = (name,) if kind == "node" else ()
        if self.selection[-1:] != ids:
            self.selection = ids

    # -- overlays ----------------------------------------------------------------------------

    def shared_state(self) -> dict[str, object]:
        """What the front end is to begin with: all of it but the part that is shown, which depends
        on the size of a window.
        """
        names = ("selected", "selection", "expanded", "overlay_name", "overlays", "overlay_sizes")
        state = {name: getattr(self, name) for name in (*names, "constants", "highlighted")}
        return {name: value for name, value in state.items() if value}

    # -- pictures ----------------------------------------------------------------------------

    def _draw(
        self, path: str | os.PathLike[str], kind: Literal["svg", "png", "pdf"], depth: Depth
    ) -> Path:
        """The overlay that is shown, on the groups down to a depth, or those that stand open."""
        if isinstance(depth, str) and depth != "shown":
            raise ExplorerError(f"depth = {depth!r}; expected 'shown', a whole number, or None")
        scene = self._with_constants(self._scene_shown)
        if depth == "shown":
            paths = cast("tuple[str, ...]", self.expanded)
            known = group_paths(scene)
            expanded = {i for i, known_path in enumerate(known) if known_path in paths or i == 0}
            shown = expanded if paths else groups_down_to(scene, 1)
        else:
            shown = groups_down_to(scene, depth)
        overlay = self._overlay_shown()
        given = path_to_write(path, "the name of a picture to write", ExplorerError)
        file = _picture_path(given, kind)
        return draw_scene(scene, file, shown, painting(scene, overlay, shown) if overlay else None)

    def _with_constants(self, scene: Scene) -> Scene:
        wanted = cast("bool | tuple[str, ...]", self.constants)
        if isinstance(wanted, bool):
            return with_constants(scene) if wanted else scene
        return with_constants(scene, [box_named(scene, name) for name in wanted])

    def _overlay_shown(self) -> Overlay | None:
        state = self._given.get(self.overlay_name)
        if isinstance(state, dict):
            return Overlay(self.overlay_name, **cast("dict[str, Any]", state))
        if self.overlay_name == RANGE:
            return Overlay(RANGE, self._magnitudes(), combine="max")
        sizes = self._open_sizes() | self._sizes_shown
        return built_in(self._scene_shown, self.overlay_name, sizes)

    def _magnitudes(self) -> dict[str, float | str]:
        """The largest magnitude that each node has made in the run on its way."""
        return {}

    def _open_sizes(self) -> dict[str, int]:
        """The sizes of open dims that a run would have."""
        return {}

    @property
    def _scene_shown(self) -> Scene:
        """What the drawing shows: other types while a change is tried out."""
        return self._scene

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
            raise TraitFault(f"overlay_name: there is no overlay {name!r}{hint}")
        return name


def _table(proposal: Mapping[str, object]) -> Mapping[object, object]:
    return cast("Mapping[object, object]", proposal["value"])


def _picture_path(path: Path, kind: str) -> Path:
    """The path with the ending of the picture; only that of another picture makes way for it."""
    if not path.name:
        raise ExplorerError(f"{str(path)!r} names no file; expected a path such as 'model.{kind}'")
    if path.suffix.lower().removeprefix(".") in FORMATS:
        return path.with_suffix(f".{kind}")
    return path.with_name(f"{path.name}.{kind}")
