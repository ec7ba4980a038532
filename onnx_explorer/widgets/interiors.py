"""The functions that operators stand for, drawn inside their nodes where a run has gone into them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from onnx_explorer.evaluation import Stepper
from onnx_explorer.evaluation.frames import Frame
from onnx_explorer.inference import Types, infer
from onnx_explorer.ir import Model, RunValue, Tensor, TensorType, Type, Value
from onnx_explorer.view import Scene
from onnx_explorer.view.drawing import with_function

MOST_CONTENT = 64
"""Elements of an input of numbers from which sizes may come: axes, shapes, repeats."""

SCENES = 2
"""That of the model, and that of a changed one."""


@dataclass(frozen=True, slots=True, eq=False)
class Interior:
    """A function inside a node: the model that was run, and the types of its values."""

    path: str
    function: Model
    types: Types

    @property
    def owner(self) -> str:
        """The id of the node."""
        return self.path.removesuffix("/body/")


class Interiors:
    """What has been gone into during the runs of one model, in that order."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self._known: dict[str, Interior] = {}
        # The latest scenes, with what was drawn inside each and what came of it.
        self._drawn: list[tuple[Scene, tuple[Interior, ...], Scene]] = []

    def note(self, stepper: Stepper) -> bool:
        """Know the functions that a run is inside of; whether one of them is new."""
        stack = stepper.walk.stack
        fresh = False
        for depth, frame in enumerate(stack):
            function = frame.plan.function
            known = self._known.get(frame.path)
            if function is None or (known is not None and known.function is function):
                continue
            # What lies inside of it is of its former nodes.
            self._known = {p: i for p, i in self._known.items() if not p.startswith(frame.path)}
            types = self._types_of(function, frame, stack[:depth])
            self._known[frame.path] = Interior(frame.path, function, types)
            fresh = True
        return fresh

    def inside(self, scene: Scene) -> Scene:
        """A scene of the model with all of them drawn; the same object while they are the same."""
        interiors = tuple(self._known.values())
        if not interiors:
            return scene
        for before, inside, drawn in self._drawn:
            if before is scene and inside == interiors:
                return drawn
        made = _all_inside(scene, interiors)
        self._drawn = [(scene, interiors, made), *self._drawn[: SCENES - 1]]
        return made

    def _types_of(self, function: Model, frame: Frame, around: Sequence[Frame]) -> Types:
        """With the sizes of the inputs as they are known without running, where these agree with
        what was given.
        """
        caller = around[-1].step
        names = caller.node.inputs if caller is not None else ()
        given = [frame.values.get(value.name) for value in function.graph.inputs]
        told = [self._type(name, around) for name in names]
        told += [None] * (len(given) - len(told))
        wider = [_wider(value, type_) for value, type_ in zip(given, told, strict=True)]
        found = infer(_typed(function, given, wider))
        if any(diagnostic.severity == "error" for diagnostic in found.diagnostics):
            found = infer(_typed(function, given, [None] * len(given)))
        return found

    def _type(self, name: str, around: Sequence[Frame]) -> Type | None:
        """What inference says of a value that the innermost of these graphs sees."""
        for frame in reversed(around):
            found = self._scope(frame.path).get(name)
            if found is not None or frame.is_closed:
                return found
        return None

    def _scope(self, path: str) -> Mapping[str, Type]:
        outer = max(filter(path.startswith, self._known), key=len, default="")
        types = self._known[outer].types if outer else self._types
        return types.scopes.get(path.removeprefix(outer), {})


def _all_inside(scene: Scene, interiors: Sequence[Interior]) -> Scene:
    places = {box.id: place for place, box in enumerate(scene.boxes)}
    for one in interiors:
        owner = places.get(one.owner)
        if owner is None:
            continue
        first = len(scene.boxes)
        scene = with_function(scene, owner, one.types, one.function.graph, one.path)
        places.update((box.id, first + i) for i, box in enumerate(scene.boxes[first:]))
    return scene


def _wider(value: RunValue, told: Type | None) -> Type | None:
    """The type that is told of a value, if it is one of as many axes."""
    if not isinstance(value, np.ndarray) or not isinstance(told, TensorType):
        return None
    fits = told.shape is not None and len(told.shape) == value.ndim
    return told if fits else None


def _typed(function: Model, given: Sequence[RunValue], types: Sequence[Type | None]) -> Model:
    """The function with types of its inputs; small whole numbers are there as they are."""
    graph = function.graph
    known = {
        value.name: Tensor.of(array)
        for value, array in zip(graph.inputs, given, strict=True)
        if isinstance(array, np.ndarray)
        and array.dtype == np.int64
        and array.ndim <= 1
        and array.size <= MOST_CONTENT
    }
    inputs = tuple(
        Value(value.name, type_ or value.type)
        for value, type_ in zip(graph.inputs, types, strict=True)
        if value.name not in known
    )
    return replace(function, graph=replace(graph, inputs=inputs, initializers=known))
