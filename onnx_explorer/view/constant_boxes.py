"""Constants as boxes of their own, in place of parts of the nodes that read them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from onnx_explorer.view.scene import Box, Edge, Initializer, Scene


def with_constants(scene: Scene, readers: Collection[int] | None = None) -> Scene:
    """The scene with a box for each constant that one of these boxes reads, behind all others, and
    an edge to every box that reads it; None for all. What nothing reads has no box. The front end
    does the same (`core/constant_boxes.ts`).
    """
    wanted = None if readers is None else frozenset(readers)
    boxes: list[Box] = list(scene.boxes)
    edges: list[Edge] = list(scene.edges)
    for constant in scene.initializers:
        if not constant.boxes or (wanted is not None and wanted.isdisjoint(constant.boxes)):
            continue
        edges += [
            Edge(
                constant.name,
                len(boxes),
                reader,
                constant.type,
                "mismatch" if note else "known",
                note,
            )
            for reader, note in zip(
                constant.boxes, constant.notes or [""] * len(constant.boxes), strict=True
            )
        ]
        boxes.append(_box(constant, _home(scene, constant)))
    return replace(scene, boxes=tuple(boxes), edges=tuple(edges))


def _box(constant: Initializer, group: int) -> Box:
    return Box(
        group,
        "initializer",
        f"const:{constant.name}",
        name=constant.name,
        detail=constant.text or constant.type,
        category="tensor",
        outputs=(("", constant.name, constant.type),),
    )


def _home(scene: Scene, constant: Initializer) -> int:
    """The innermost group of the constant's own graph that holds all who read it, be it in bodies
    of nodes there.
    """
    first, *others = [_around(scene, constant.group, reader) for reader in constant.boxes]
    return next(
        (group for group in first if all(group in other for other in others)), constant.group
    )


def _around(scene: Scene, graph: int, box: int) -> list[int]:
    """The groups of a graph around a box, the innermost first."""
    around: list[int] = []
    group = scene.boxes[box].group
    while group not in {graph, -1}:
        # Of a body only the node that it belongs to stands in the graph.
        around = [] if scene.groups[group].box >= 0 else [*around, group]
        group = scene.groups[group].parent
    return around
