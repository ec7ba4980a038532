"""Folding: what of a scene is visible when a set of groups is expanded."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from onnx_explorer.view.scene import Mark

_BADNESS: dict[Mark, int] = {"known": 0, "unknown": 1, "mismatch": 2}


class FoldableGroup(Protocol):
    @property
    def parent(self) -> int: ...
    @property
    def box(self) -> int: ...


class FoldableBox(Protocol):
    @property
    def group(self) -> int: ...


class FoldableEdge(Protocol):
    @property
    def source(self) -> int: ...
    @property
    def target(self) -> int: ...
    @property
    def label(self) -> str: ...
    @property
    def mark(self) -> Mark: ...


@dataclass(frozen=True, slots=True)
class FoldedEdge:
    """Edges drawn as one between two visible things, `b3` a box and `g2` a collapsed group.
    `label` is what all of them share, else ""; `mark` is the worst of theirs.
    """

    source: str
    target: str
    edges: tuple[int, ...]
    label: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class Folding:
    """Visible boxes, collapsed groups that stand as boxes, and the edges between them, sorted."""

    boxes: tuple[int, ...]
    groups: tuple[int, ...]
    edges: tuple[FoldedEdge, ...]


def fold(
    groups: Sequence[FoldableGroup],
    boxes: Sequence[FoldableBox],
    edges: Sequence[FoldableEdge],
    expanded: Collection[int],
) -> Folding:
    """What is visible. Group 0 is always expanded; a collapsed group that a box owns is drawn as
    that box.
    """
    hiding = [_hiding(groups, expanded, group) for group in range(len(groups))]
    stand_in = stand_ins(groups, boxes, expanded)
    joined: dict[tuple[str, str], list[int]] = {}
    for place, edge in enumerate(edges):
        ends = (stand_in[edge.source], stand_in[edge.target])
        if ends[0] != ends[1]:
            joined.setdefault(ends, []).append(place)
    return Folding(
        tuple(i for i, box in enumerate(boxes) if hiding[box.group] == -1),
        tuple(i for i, group in enumerate(groups) if hiding[i] == i and group.box == -1),
        tuple(_joined(*ends, joined[ends], edges) for ends in sorted(joined)),
    )


def stand_ins(
    groups: Sequence[FoldableGroup], boxes: Sequence[FoldableBox], expanded: Collection[int]
) -> list[str]:
    """For each box what stands for it: itself, the group that hides it, or that group's owner."""
    hiding = [_hiding(groups, expanded, group) for group in range(len(groups))]
    return [_stand_in(groups, boxes, hiding, box) for box in range(len(boxes))]


def _hiding(groups: Sequence[FoldableGroup], expanded: Collection[int], group: int) -> int:
    """The outermost collapsed group that a group is or lies in; -1 when it stands open."""
    found = -1
    while group > 0:
        if group not in expanded:
            found = group
        group = groups[group].parent
    return found


def _stand_in(
    groups: Sequence[FoldableGroup], boxes: Sequence[FoldableBox], hiding: Sequence[int], box: int
) -> str:
    while (hider := hiding[boxes[box].group]) != -1:
        if groups[hider].box == -1:
            return f"g{hider}"
        box = groups[hider].box
    return f"b{box}"


def _joined(
    source: str, target: str, places: Sequence[int], edges: Sequence[FoldableEdge]
) -> FoldedEdge:
    labels = {edges[place].label for place in places}
    mark: Mark = max((edges[place].mark for place in places), key=lambda m: _BADNESS[m])
    label = labels.pop() if len(labels) == 1 else ""
    return FoldedEdge(source, target, tuple(places), label, mark)
