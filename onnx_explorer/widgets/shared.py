"""What the traits that the drawing follows may hold, looked at before it is sent there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from numbers import Integral
from typing import cast

from onnx_explorer.errors import ExplorerError
from onnx_explorer.ir.expected import expect_dict, near, near_or_some, shown
from onnx_explorer.view import Scene
from onnx_explorer.view.overlay import Combining, Overlay
from onnx_explorer.view.places import box_named, group_paths

SELECTED = "'node:ID', 'value:NAME', 'group:PATH' or ''"
HIGHLIGHTED = "{'ids': ['conv1'], 'colour': 'crimson'}"
FOCUSED = "{'id': 'conv1', 'count': 1}"
OVERLAYS = "{'latency': {'values': {'conv1': 2.5}, 'unit': 'ms', 'combine': 'sum'}}"
_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]+")
_RUN = re.compile(r"(^|/)nodes \d+ to \d+")
"""Groups that the front end makes of its own, where a graph is flat."""


def checked_selected(scene: Scene, text: str) -> str:
    """One thing of the scene, as `selected` spells it.

    Raises:
        ExplorerError: it is spelled otherwise, or there is no such thing.
    """
    kind, colon, name = text.partition(":")
    if not text:
        return text
    if not colon or kind not in {"node", "value", "group"}:
        ids = {box.id for box in scene.boxes}
        hint = f"; did you mean {'node:' + text!r}?" if text in ids else ""
        raise ExplorerError(f"{shown(text)}; expected {SELECTED}{hint}")
    if kind == "node":
        return f"node:{scene.boxes[box_named(scene, name)].id}"
    if kind == "group":
        checked_group(name, group_paths(scene))
        return text
    values = {edge.value for edge in scene.edges} | {each.name for each in scene.initializers}
    if name not in values:
        values.update(value for box in scene.boxes for _, value, _ in box.outputs)
    if name not in values:
        raise ExplorerError(f"there is no value {name!r}{near_or_some(name, sorted(values))}")
    return text


def checked_group(path: object, known: Collection[str]) -> str:
    """The path of a group.

    Raises:
        ExplorerError: there is none.
    """
    if not isinstance(path, str) or not path or (path not in known and not _RUN.search(path)):
        raise ExplorerError(f"there is no group {shown(path)}{near(path, known)}")
    return path


def checked_ids(scene: Scene, names: object) -> list[str]:
    """The ids of nodes that are named, by themselves or by values that they make.

    Raises:
        ExplorerError: there is no such node, or these are no names.
    """
    if not isinstance(names, Iterable):
        raise ExplorerError(f"the nodes are given as {shown(names)}; expected ids, as in ['conv1']")
    given = (names,) if isinstance(names, str) else cast("Iterable[str]", names)
    return [scene.boxes[box_named(scene, name)].id for name in given]


def checked_colour(colour: object) -> str:
    """A colour as pages name them, or "".

    Raises:
        ExplorerError: it is none.
    """
    if not isinstance(colour, str) or (colour and not _COLOUR.fullmatch(colour)):
        raise ExplorerError(
            f"colour {shown(colour)}; expected a name or a number such as '#d55e00'"
        )
    return colour


def checked_highlighted(scene: Scene, table: Mapping[object, object]) -> dict[str, object]:
    """Nodes that are marked, and the colour.

    Raises:
        ExplorerError: something else.
    """
    _expect_keys(table, ("ids", "colour"), HIGHLIGHTED)
    if not table:
        return {}
    ids = checked_ids(scene, table.get("ids", ()))
    return {"ids": ids, "colour": checked_colour(table.get("colour", ""))}


def checked_focused(scene: Scene, table: Mapping[object, object]) -> dict[str, object]:
    """A node to bring into view, and which wish it is.

    Raises:
        ExplorerError: something else.
    """
    _expect_keys(table, ("id", "count"), FOCUSED)
    if not table:
        return {}
    count = table.get("count", 0)
    if isinstance(count, bool) or not isinstance(count, Integral):
        raise ExplorerError(f"count = {shown(count)}; expected a whole number, as in {FOCUSED}")
    if "id" not in table:
        raise ExplorerError(f"no 'id' in {shown(table)}; expected one, as in {FOCUSED}")
    box = box_named(scene, cast("str", table["id"]))
    return {"id": scene.boxes[box].id, "count": int(count)}


def checked_overlays(
    scene: Scene, table: Mapping[object, object], before: Mapping[str, object]
) -> dict[str, object]:
    """Overlays by name. Those that were there before stay: the scene may have had more nodes then.

    Raises:
        ExplorerError: something else, or nodes that are not there.
    """
    checked: dict[str, object] = {}
    for name, state in table.items():
        if not isinstance(name, str) or not name:
            raise ExplorerError(f"an overlay is called {shown(name)}; expected a name, a text")
        if name in before and before[name] == state:
            checked[name] = state
            continue
        if not isinstance(state, Mapping):
            raise ExplorerError(
                f"overlay {name!r}: found {shown(state)}; expected as in {OVERLAYS}"
            )
        fields = cast("Mapping[object, object]", state)
        _expect_keys(fields, ("values", "unit", "combine"), OVERLAYS, f"overlay {name!r}: ")
        overlay = Overlay(
            name,
            cast("Mapping[str, float | str]", fields.get("values", {})),
            cast("str", fields.get("unit", "")),
            cast("Combining", fields.get("combine", "sum")),
        )
        checked[name] = overlay.checked(scene).state()
    return checked


def checked_sizes(
    sizes: Mapping[str, object], known: Collection[str] | None = None
) -> dict[str, int]:
    """Sizes of open dims by name; of those that are known, where these are given.

    Raises:
        ExplorerError: something else.
    """
    expect_dict("the sizes", sizes, "{'batch': 4}", ExplorerError)
    checked: dict[str, int] = {}
    for name, size in sizes.items():
        if known is not None and name not in known:
            hint = near(name, known) or f"; there are {', '.join(sorted(known)) or 'none'}"
            raise ExplorerError(f"no size is called {name!r}{hint}")
        if not isinstance(cast("object", name), str):
            raise ExplorerError(f"a size is called {shown(cast('object', name))}; a name is a text")
        if isinstance(size, bool) or not isinstance(size, Integral) or size < 0:
            given = f"size {shown(size)} for {name!r}"
            raise ExplorerError(f"{given}; a size is a whole number, 0 or more")
        checked[name] = int(size)
    return checked


def _expect_keys(
    table: Mapping[object, object], known: tuple[str, ...], example: str, where: str = ""
) -> None:
    for key in table:
        if key not in known:
            hint = near(key, known) if isinstance(key, str) else ""
            raise ExplorerError(f"{where}found {shown(key)}{hint}; expected as in {example}")
