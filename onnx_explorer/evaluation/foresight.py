"""What inference says of a run before it is made: types of values, and what operators stand for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from onnx_explorer.evaluation.inside import foreseen_plan, visible
from onnx_explorer.evaluation.steps import Plan, PlanStep
from onnx_explorer.inference import infer
from onnx_explorer.inference.types import Types
from onnx_explorer.ir import Model, RunValue, Type


class Foresight:
    """The types of all values with some feeds, in graphs that a run has gone into and in others."""

    def __init__(self, model: Model, feeds: Mapping[str, RunValue]) -> None:
        self._model = model
        self._feeds = feeds
        self._types: Types | None = None
        self._functions: dict[str, Model] = {}
        self._types_inside: dict[str, tuple[Model, Types]] = {}

    def enter(self, plan: Plan) -> None:
        """Know the function of an operator."""
        if plan.function is not None:
            self._functions[plan.path] = plan.function

    def plan(self, step: PlanStep, path: str) -> Plan | None:
        """The function of the operator of a node in the graph of this path, as far as inference
        knows what it is given; None where the standard gives none.
        """
        return foreseen_plan(step, visible(self._scopes(path), path))

    def inferred(self, path: str, name: str) -> Type | None:
        """The type of a value, by the path of its graph and its name."""
        return self._scopes(path).get(path, {}).get(name)

    def _scopes(self, path: str) -> Mapping[str, Mapping[str, Type]]:
        """The types of the model's graphs, or of those of the operator's function around a path."""
        around = max(filter(path.startswith, self._functions), key=len, default="")
        if around:
            types = self._types_of(around, self._functions[around])
            return {around + inner: scope for inner, scope in types.scopes.items()}
        if self._types is None:
            fed = self._feeds.items()
            shapes = {n: list(value.shape) for n, value in fed if isinstance(value, np.ndarray)}
            self._types = infer(self._model, shapes)
        return self._types.scopes

    def _types_of(self, path: str, function: Model) -> Types:
        known = self._types_inside.get(path)
        if known is None or known[0] is not function:
            known = self._types_inside[path] = function, infer(function)
        return known[1]
