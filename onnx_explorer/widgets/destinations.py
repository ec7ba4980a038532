"""Where a run is to go, by what is drawn: nodes, what bodies are given and give, and values."""

from __future__ import annotations

from onnx_explorer.evaluation import Stepper
from onnx_explorer.evaluation.targets import Goal
from onnx_explorer.view import Scene
from onnx_explorer.view.places import box_named


def box_of(scene: Scene, target: str) -> str:
    """The id of the box that a text names: `value:NAME` for that which a value comes out of.

    Raises:
        ExplorerError: there is none, or several.
    """
    kind, _, name = target.partition(":")
    if kind == "value":
        for box in scene.boxes:
            if any(key == name for _, key, _ in box.outputs):
                return box.id
    else:
        name = target.removeprefix("node:")
    return scene.boxes[box_named(scene, name)].id


def goal_at(stepper: Stepper, scene: Scene, box_id: str) -> Goal:
    """What there is to reach for a box inside a node: into the graph for what that is given, else
    what the box makes or, of an output, shows.

    Raises:
        KeyError: no node of the graph makes it.
    """
    box = scene.boxes[box_named(scene, box_id)]
    if box.kind == "input":
        return stepper.goal(f"group:{box_id.partition('/in:')[0]}")
    ports = box.inputs if box.kind == "output" else box.outputs
    values = [f"value:{key}" for _, key, _ in ports if key]
    return stepper.goal(values[0] if values else f"node:{box_id}")
