"""Scopes of nodes: which of them belong together, read off names and exporter metadata."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from onnx_explorer.errors import ExplorerError
from onnx_explorer.ir import Node

# Torch puts nodes that no module made under this name.
_NO_SCOPE = "_empty_nn_module_stack_from_metadata_hook"


Grouping = Callable[[Node], str | None] | Mapping[str, str]
"""A person's own groups: the path of a node's group (`encoder/layer 1`), by a function or by the
node's name. None leaves the node to the usual way, "" puts it into no group."""


@dataclass(slots=True)
class Scope:
    """A group of nodes; `nodes` are the places of its own, in order."""

    label: str
    nodes: list[int] = field(default_factory=list[int])
    children: list[Scope] = field(default_factory=list["Scope"])


def scope_path(node: Node, grouping: Grouping | None = None) -> tuple[str, ...]:
    """The scopes around a node, outermost first: as a person wants them, else from the slashes in
    its name, else from what its exporter wrote down.
    """
    wanted = _wanted(node, grouping)
    if wanted is not None:
        return _segments(wanted)
    return _segments(node.name)[:-1] or tuple(_exported_path(node.metadata))


def _wanted(node: Node, grouping: Grouping | None) -> str | None:
    if grouping is None:
        return None
    if not callable(grouping) and not isinstance(cast("object", grouping), Mapping):
        raise ExplorerError(
            f"group = {grouping!r}; expected a function of a node, or paths by the names of nodes"
        )
    try:
        found = grouping(node) if callable(grouping) else grouping.get(node.name)
    except Exception as error:
        text = f"group raised {type(error).__name__} for node {node.name!r}: {error}"
        raise ExplorerError(text) from error
    if found is not None and not isinstance(cast("object", found), str):
        raise ExplorerError(
            f"group gives {found!r} for node {node.name!r}; expected a path such as "
            "'encoder/layer 1', or None"
        )
    return found


def _segments(path: str) -> tuple[str, ...]:
    return tuple(segment for segment in path.split("/") if segment)


def scopes(nodes: Sequence[Node], grouping: Grouping | None = None) -> Scope:
    """The scopes of the nodes of one graph, as a tree under a nameless root.

    A scope of one node is none, a scope that holds nothing but another is joined with it, and
    one that holds everything is left out.
    """
    root = _Branch("")
    for place, node in enumerate(nodes):
        branch = root
        for segment in scope_path(node, grouping):
            branch = branch.child(segment)
        branch.nodes.append(place)
    while not root.nodes and len(root.children) == 1:
        (root,) = root.children.values()
    return root.scope("")


def _exported_path(metadata: Mapping[str, str]) -> Iterator[str]:
    paths, classes = _torch_scopes(metadata)
    outer = ""
    # The last entry is the operation itself.
    for path, class_name in zip(paths[:-1], classes, strict=False):
        if path and path != _NO_SCOPE:
            label = path.removeprefix(f"{outer}.") if outer else path
            outer = path
            class_name = class_name.rpartition(".")[2]
            yield f"{label} · {class_name}" if class_name else label


def _torch_scopes(metadata: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Module paths and their classes, outermost first, the operation last."""
    paths = _strings(metadata.get("pkg.torch.onnx.name_scopes", ""))
    if paths:
        classes = _strings(metadata.get("pkg.torch.onnx.class_hierarchy", ""))
        return paths, classes or [""] * len(paths)
    entries = [e.partition(": ") for e in metadata.get("namespace", "").split("/") if e]
    return [path for path, _, _ in entries], [class_name for _, _, class_name in entries]


def _strings(text: str) -> list[str]:
    """A list of strings written as Python does; [] for any other text."""
    try:
        value: object = ast.literal_eval(text) if text.startswith("[") else []
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    items: list[object] = value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]
    return [item for item in items if isinstance(item, str)]


class _Branch:
    """A scope before single nodes and chains are taken out."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.nodes: list[int] = []
        self.children: dict[str, _Branch] = {}

    def child(self, label: str) -> _Branch:
        return self.children.setdefault(label, _Branch(label))

    def scope(self, label: str) -> Scope:
        made = Scope(label, self.nodes)
        for child in self.children.values():
            inner = child.scope(child.label)
            if len(inner.nodes) + len(inner.children) == 1:
                # One node, or one scope, whose label then says both names.
                made.nodes.extend(inner.nodes)
                for only in inner.children:
                    only.label = f"{inner.label}/{only.label}"
                    made.children.append(only)
            else:
                made.children.append(inner)
        made.nodes.sort()
        return made
