"""Nodes and groups of a scene by the names that people call them."""

from __future__ import annotations

from typing import cast

from onnx_explorer.errors import ExplorerError
from onnx_explorer.ir.expected import near_or_some, shown
from onnx_explorer.ir.names import ends_so, only_one
from onnx_explorer.view.scene import Box, Scene


def box_named(scene: Scene, name: str) -> int:
    """The box with this id; or the input, the output or the maker of the value of this name; or else
    the only one of this name, or whose id or value ends so.

    Raises:
        ExplorerError: there is none, or several; the text names those that are spelled alike, or
            says that the node is a constant.
    """
    if not isinstance(cast("object", name), str):
        raise ExplorerError(f"there is no node {shown(name)}; a name is a text")
    by_id = {box.id: index for index, box in enumerate(scene.boxes)}
    for known in (name, f"in:{name}", f"out:{name}"):
        if known in by_id:
            return by_id[known]
    for index, box in enumerate(scene.boxes):
        if any(value == name for _, value, _ in box.outputs):
            return index
    if name in scene.hidden:
        raise ExplorerError(
            f"node {name!r} is a constant, drawn as part of the nodes that read it; name one of them"
        )
    for ends in (_node_ends_so, _value_ends_so):
        found = {box.id: index for index, box in enumerate(scene.boxes) if name and ends(box, name)}
        if found:
            return found[only_one(name, "nodes", found, ExplorerError)]
    hint = near_or_some(name, (box.id for box in scene.boxes if box.kind == "node"))
    raise ExplorerError(f"there is no node {name!r}{hint}")


def _node_ends_so(box: Box, name: str) -> bool:
    return box.kind == "node" and (box.name == name or ends_so(box.id, name))


def _value_ends_so(box: Box, name: str) -> bool:
    return any(ends_so(value, name) for _, value, _ in box.outputs)


def group_paths(scene: Scene) -> tuple[str, ...]:
    """The path of each group: labels from the outermost inwards, `encoder/layer 1`; a body begins
    with the id of its node, `loop_1/body`; "" is the whole graph.
    """
    paths: list[str] = []
    for group in scene.groups:
        owner = scene.boxes[group.box].id if group.box >= 0 else None
        around = owner if owner is not None else paths[group.parent] if group.parent >= 0 else ""
        label = group.label if group.parent >= 0 else ""
        paths.append(f"{around}/{label}" if around else label)
    return tuple(paths)
