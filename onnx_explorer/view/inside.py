"""Functions that operators stand for, drawn inside their nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from onnx_explorer.view.scene import Scene


def with_functions(scene: Scene, functions: Mapping[str, Scene]) -> Scene:
    """The scene with functions inside nodes, by the ids of these. They come behind all else: what
    is known by its place stays where it is. A node may be in a function that comes before.

    What no node of the scene stands for is left out. `core/interiors.ts` does the same.
    """
    groups, boxes, edges = [*scene.groups], [*scene.boxes], [*scene.edges]
    initializers, constants, hidden = [*scene.initializers], {**scene.constants}, scene.hidden
    places = {box.id: place for place, box in enumerate(boxes)}
    for owner_id, inner in functions.items():
        owner = places.get(owner_id)
        if owner is None:
            continue
        group, box = len(groups), len(boxes)
        first, *others = inner.groups
        groups.append(replace(first, parent=boxes[owner].group, box=owner))
        groups += [
            replace(g, parent=g.parent + group, box=g.box + box if g.box >= 0 else -1)
            for g in others
        ]
        places.update((each.id, place) for place, each in enumerate(inner.boxes, box))
        boxes += [replace(each, group=each.group + group) for each in inner.boxes]
        edges += [
            replace(edge, source=edge.source + box, target=edge.target + box)
            for edge in inner.edges
        ]
        initializers += [
            replace(each, boxes=tuple(b + box for b in each.boxes), group=each.group + group)
            for each in inner.initializers
        ]
        constants |= inner.constants
        hidden |= inner.hidden
    return replace(
        scene,
        groups=tuple(groups),
        boxes=tuple(boxes),
        edges=tuple(edges),
        initializers=tuple(initializers),
        hidden=hidden,
        constants=constants,
    )
