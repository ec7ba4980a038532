"""What a run is compared with: partners give the values of a graph, chunk by chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Protocol, cast

import numpy as np

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.alone import reads, run_alone
from onnx_explorer.evaluation.plan import plan_of
from onnx_explorer.evaluation.run import run
from onnx_explorer.evaluation.steps import PlanStep
from onnx_explorer.evaluation.supplied import Kernels
from onnx_explorer.evaluation.walk import inner_plans
from onnx_explorer.evaluation.widened import (
    CASTS,
    cast_doubles,
    computes_doubles,
    is_floats,
    takes_doubles,
    widened,
    widest,
)
from onnx_explorer.ir import Model, RunValue, Value

Values = Mapping[str, RunValue]


class Partner(Protocol):
    """Another computation of the same graph."""

    @property
    def name(self) -> str:
        """What to call it in words."""
        ...

    def values(self, names: Sequence[str], ours: Values) -> Values:
        """Those of the values that it has. `ours` has every value of ours that the nodes that make
        them read; chunks come in the order of the graph.
        """
        ...


class Recorded:
    """Values that somebody wrote down."""

    name = "recorded values"

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    def values(self, names: Sequence[str], ours: Values) -> Values:
        found: dict[str, RunValue] = {}
        for name in names:
            if name in self._values:
                value = self._values[name]
                is_tensor = isinstance(ours.get(name), np.ndarray)
                found[name] = _array(name, value) if is_tensor else cast("RunValue", value)
        return found


def _array(name: str, value: object) -> np.ndarray:
    try:
        return np.asarray(value)
    except ValueError as error:
        raise EvaluationError(f"the recorded value of {name!r} is no array: {error}") from error


class OtherModel:
    """Another model, whose values go by other names where `aligned` says so."""

    def __init__(
        self,
        model: Model,
        feeds: Mapping[str, object],
        aligned: Mapping[str, str],
        seed: int,
        kernels: Kernels,
    ) -> None:
        self.name = f"model {model.graph.name!r}"
        self._model = model
        self._feeds = feeds
        self._aligned = aligned
        self._seed = seed
        self._kernels = kernels

    def values(self, names: Sequence[str], ours: Values) -> Values:  # noqa: ARG002 - as Partner
        wanted = {name: self._aligned[name] for name in names if name in self._aligned}
        names_there = dict.fromkeys(wanted.values())
        found = run(self._model, self._feeds, names_there, seed=self._seed, kernels=self._kernels)
        return {name: found[other] for name, other in wanted.items()}


class OnnxRuntime:
    """onnxruntime, without its graph optimizations: they would do away with values."""

    name = "onnxruntime"

    def __init__(self, model: Model, feeds: Mapping[str, RunValue]) -> None:
        """Raises EvaluationError where it is not installed."""
        try:
            self._runtime = import_module("onnxruntime")
        except ImportError as error:
            raise EvaluationError(
                "onnxruntime is not installed; `pip install onnxruntime`, or compare with another "
                "model, recorded values or 'float64'"
            ) from error
        self._model = model
        self._feeds = feeds

    def values(self, names: Sequence[str], ours: Values) -> Values:  # noqa: ARG002 - as Partner
        given = {v.name for v in self._model.graph.inputs} | set(self._model.graph.initializers)
        wanted = [name for name in names if name not in given]
        if not wanted:
            return {}
        declared = {v.name: v for v in self._model.graph.outputs}
        graph = replace(
            self._model.graph, outputs=tuple(declared.get(name, Value(name)) for name in wanted)
        )
        options = self._runtime.SessionOptions()
        options.log_severity_level = 4
        options.graph_optimization_level = self._runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            session = self._runtime.InferenceSession(
                replace(self._model, graph=graph).to_bytes(whole=True),
                options,
                ["CPUExecutionProvider"],
            )
            known = {value.name for value in session.get_inputs()}
            fed = {name: value for name, value in self._feeds.items() if name in known}
            found = session.run(wanted, fed)
        except Exception as error:
            # Its errors have no common class, and some are not even exported.
            reason = str(error).strip().splitlines()[0]
            raise EvaluationError(f"onnxruntime cannot run this model: {reason}") from error
        return dict(zip(wanted, cast("list[RunValue]", found), strict=True))


class Float64:
    """The same graph with every float in float64, inside nodes too: what it would give without
    rounding.
    """

    name = "float64"

    def __init__(
        self, model: Model, feeds: Mapping[str, RunValue], seed: int, kernels: Kernels
    ) -> None:
        plan = plan_of(model, kernels=kernels)
        self._makers = {name: step for step in plan.steps for name in step.outputs if name}
        self._seed = seed
        self._values: dict[str, RunValue] = {
            name: widest(value) for name, value in {**plan.constants, **feeds}.items()
        }
        self._narrow: dict[str, None] = {}

    @property
    def in_model_types(self) -> tuple[str, ...]:
        """The nodes so far that take no doubles, and were computed in the model's types."""
        return tuple(self._narrow)

    def values(self, names: Sequence[str], ours: Values) -> Values:
        found: dict[str, RunValue] = {}
        for step in dict.fromkeys(self._makers[name] for name in names if name in self._makers):
            self._values.update(self._computed(step, ours))
        for name in names:
            if name in self._values:
                found[name] = self._values[name]
        return found

    def _computed(self, step: PlanStep, ours: Values) -> dict[str, RunValue]:
        given = {name: self._values[name] for name in reads(step)}
        schema = step.schema
        if schema is not None and schema.name in CASTS:
            value, output = given[step.inputs[0]], step.outputs[0]
            return {output: cast_doubles(value, as_type_of(value, ours[output]))}
        if any(True for _ in inner_plans(step)):
            try:
                return run_alone(widened(step, self._note), given, self._seed)
            except EvaluationError:
                wide = set[str]()
        else:
            wide = {
                name
                for place, name in enumerate(step.inputs)
                if name and schema is not None and takes_doubles(schema, place)
            }
        typed = {n: v if n in wide else as_type_of(v, ours[n]) for n, v in given.items()}
        narrowed = any(is_floats(v) and v is not given[n] for n, v in typed.items())
        if narrowed or not computes_doubles(step):
            self._note(step.id)
        made = run_alone(step, typed, self._seed)
        return {name: widest(value) for name, value in made.items()}

    def _note(self, node: str) -> None:
        self._narrow[node] = None


def as_type_of(value: RunValue, like: RunValue) -> RunValue:
    """A value in the dtype of another."""
    if isinstance(value, list) and isinstance(like, list):
        return [as_type_of(v, w) for v, w in zip(value, like, strict=False)]
    if isinstance(value, np.ndarray) and isinstance(like, np.ndarray):
        return value.astype(like.dtype, copy=False)
    return value
