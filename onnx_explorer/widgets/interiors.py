"""The functions that operators stand for, drawn inside their nodes where a run has gone into them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.errors import ExplorerError
from onnx_explorer.evaluation import Stepper
from onnx_explorer.evaluation.course import plan_ahead
from onnx_explorer.evaluation.frames import Frame
from onnx_explorer.evaluation.inside import foreseen_plan, visible, why_none
from onnx_explorer.evaluation.plan import plan_of
from onnx_explorer.evaluation.steps import Plan, PlanStep
from onnx_explorer.evaluation.views import VisibleValues
from onnx_explorer.evaluation.walk import inner_plans
from onnx_explorer.inference import Types, infer
from onnx_explorer.ir import Model, RunValue, Tensor, TensorType, Type, Value
from onnx_explorer.view import Scene
from onnx_explorer.view.drawing import function_scene
from onnx_explorer.view.inside import with_functions

MOST_CONTENT = 64
"""Elements of an input of numbers from which sizes may come: axes, shapes, repeats."""

SCENES = 2
"""That of the model, and that of a changed one."""


@dataclass(frozen=True, eq=False)
class Interior:
    """A function inside a node: its plan, and the types of its values."""

    plan: Plan
    types: Types
    numbers: tuple[bytes | None, ...]
    """What inference was told of its inputs besides their types."""

    @property
    def path(self) -> str:
        return self.plan.path

    @property
    def function(self) -> Model:
        return cast("Model", self.plan.function)

    @property
    def owner(self) -> str:
        """The id of the node."""
        return self.path.removesuffix("/body/")

    @cached_property
    def scene(self) -> Scene:
        """The function by itself."""
        return function_scene(self.types, self.function.graph, self.path)

    @cached_property
    def line(self) -> str:
        """What travels of it: the node, and the columns of its scene."""
        row = [self.owner, self.scene.columns()]
        return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


class Interiors:
    """What has been gone into during the runs of one model, in that order."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self._known: dict[str, Interior] = {}
        self._foreseen: Interior | None = None
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
            caller = stack[depth - 1]
            given = [frame.values.get(value.name) for value in function.graph.inputs]
            self._know(self._entered(caller, frame.plan, given))
            fresh = True
        return fresh

    def foresee(self, stepper: Stepper) -> Interior | None:
        """What there will be to see where the next move goes into an operator; None where it leads
        into none, or into one that is known already.
        """
        plan = plan_ahead(stepper.walk)
        if plan is None or plan.path in self._known:
            return None
        caller, values = stepper.walk.frame, VisibleValues(stepper.walk)
        names = caller.step.node.inputs if caller.step is not None else ()
        given = [values[name] if name else None for name in names]
        self._foreseen = self._entered(caller, plan, given)
        return self._foreseen

    def _entered(self, caller: Frame, plan: Plan, given: Sequence[RunValue]) -> Interior:
        """The function that stands for the next node of a frame, given these values."""
        known = self._foreseen
        if known is not None and known.plan is plan and known.numbers == _numbers(given):
            return known
        seen = self._seen(caller.path)
        names = caller.step.node.inputs if caller.step is not None else ()
        return _interior(plan, given, [seen.get(name) for name in names])

    def in_model(self, types: Types) -> Interiors:
        """The same nodes looked into in a changed model, as far as they can be."""
        made = Interiors(types)
        if self._known:
            plan = plan_of(types.model)
            for interior in self._known.values():
                with suppress(ExplorerError):
                    made.look_into(plan, interior.owner)
        return made

    def look_into(self, plan: Plan, node: str) -> None:
        """Know the function of a node of a model's plan, or of a function that is known already, as
        far as inference foresees what it is given.

        Raises:
            ExplorerError: there is no such node, or no function for it.
        """
        plans = [plan, *(interior.plan for interior in self._known.values())]
        while plans:
            around = plans.pop()
            for step in around.steps:
                if step.id == node:
                    self._foresee(around, step)
                    return
                plans += inner_plans(step)
        raise ExplorerError(f"there is no node {node!r}")

    def _foresee(self, around: Plan, step: PlanStep) -> None:
        seen = self._seen(around.path)
        plan = foreseen_plan(step, seen)
        if plan is None:
            raise ExplorerError(why_none(step) or f"{step.id!r} has graphs of its own inside")
        if plan.path not in self._known:
            constants = [around.constants.get(name) for name in step.node.inputs]
            self._know(_interior(plan, constants, [seen.get(name) for name in step.node.inputs]))

    def _know(self, made: Interior) -> None:
        # What lies inside of it is of its former nodes.
        self._known = {p: i for p, i in self._known.items() if not p.startswith(made.path)}
        self._known[made.path] = made

    def inside(self, scene: Scene) -> Scene:
        """A scene of the model with all of them drawn; the same object while they are the same."""
        interiors = tuple(self._known.values())
        if not interiors:
            return scene
        base, fresh = scene, interiors
        for before, inside, drawn in self._drawn:
            if before is scene and interiors[: len(inside)] == inside:
                base, fresh = drawn, interiors[len(inside) :]
                break
        if not fresh:
            return base
        made = with_functions(base, {one.owner: one.scene for one in fresh})
        kept = [known for known in self._drawn if known[0] is not scene]
        self._drawn = [(scene, interiors, made), *kept[: SCENES - 1]]
        return made

    def to_bytes(self) -> bytes:
        """All of them as they travel: a line of JSON for each, zipped. Those that came later stand
        behind, so that a page reads what it does not know.
        """
        if not self._known:
            return b""
        text = "\n".join(one.line for one in self._known.values())
        return gzip.compress(text.encode("utf-8", errors="replace"), compresslevel=1, mtime=0)

    def _seen(self, path: str) -> Mapping[str, Type]:
        """What inference says of the values that a graph sees."""
        outer = max(filter(path.startswith, self._known), key=len, default="")
        types = self._known[outer].types if outer else self._types
        return visible(types.scopes, path.removeprefix(outer))


def _interior(plan: Plan, given: Sequence[RunValue], told: Sequence[Type | None]) -> Interior:
    types = _types_of(cast("Model", plan.function), given, told)
    return Interior(plan, types, _numbers(given))


def _types_of(function: Model, given: Sequence[RunValue], told: Sequence[Type | None]) -> Types:
    """With the sizes of the inputs as they are known without running, where these agree with what
    was given.
    """
    told = [*told, *[None] * (len(given) - len(told))]
    wider = [_wider(value, type_) for value, type_ in zip(given, told, strict=True)]
    found = infer(_typed(function, given, wider))
    if any(diagnostic.severity == "error" for diagnostic in found.diagnostics):
        found = infer(_typed(function, given, [None] * len(given)))
    return found


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
        if _has_numbers(array)
    }
    inputs = tuple(
        Value(value.name, type_ or value.type)
        for value, type_ in zip(graph.inputs, types, strict=True)
        if value.name not in known
    )
    return replace(function, graph=replace(graph, inputs=inputs, initializers=known))


def _has_numbers(value: RunValue) -> TypeGuard[NDArray[np.int64]]:
    """Whether sizes may come from what is in a value."""
    if not isinstance(value, np.ndarray) or value.dtype != np.int64:
        return False
    return value.ndim <= 1 and value.size <= MOST_CONTENT


def _numbers(given: Sequence[RunValue]) -> tuple[bytes | None, ...]:
    return tuple(value.tobytes() if _has_numbers(value) else None for value in given)
