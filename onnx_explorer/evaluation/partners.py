"""What a run is compared with: partners give the values of a graph, chunk by chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.alone import reads, run_alone
from onnx_explorer.evaluation.frames import NodeFailed
from onnx_explorer.evaluation.plan import plan_of
from onnx_explorer.evaluation.run import run
from onnx_explorer.evaluation.steps import PlanStep
from onnx_explorer.evaluation.supplied import Kernels
from onnx_explorer.evaluation.walk import inner_plans
from onnx_explorer.ir import DType, Model, RunValue, Value
from onnx_explorer.schema import OpSchema

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
    """The same graph with every float in float64: what it would give without rounding. A node whose
    subgraphs or function have floats of their own is computed in the model's types.
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
        if schema is not None and schema.name in {"Cast", "CastLike"}:
            return {step.outputs[0]: _cast(given[step.inputs[0]], ours[step.outputs[0]])}
        wide = {
            name
            for place, name in enumerate(step.inputs)
            if name and schema is not None and _takes_doubles(schema, place)
        }
        given = {n: v if n in wide else as_type_of(v, ours[n]) for n, v in given.items()}
        try:
            made = run_alone(step, given, self._seed)
        except NodeFailed:
            if not any(True for _ in inner_plans(step)):
                raise
            # Constants and casts inside keep their types, which do not go with doubles.
            given = {name: as_type_of(value, ours[name]) for name, value in given.items()}
            made = run_alone(step, given, self._seed)
        return {name: widest(value) for name, value in made.items()}


def _takes_doubles(schema: OpSchema, place: int) -> bool:
    port = schema.port(place)
    allowed = schema.type_constraints.get(port.type) if port is not None else None
    return allowed is not None and DType.FLOAT64.notation in allowed.allowed


def _cast(value: RunValue, ours: RunValue) -> RunValue:
    """A cast that rounds nothing where it gives floats."""
    if _is_floats(ours) and isinstance(value, np.ndarray) and value.dtype != np.dtype(object):
        return value.astype(np.float64)
    return as_type_of(value, ours)


def widest(value: RunValue) -> RunValue:
    """Floats as float64; anything else as it is."""
    if isinstance(value, list):
        return [widest(item) for item in value]
    if _is_floats(value):
        return cast("NDArray[np.floating]", value).astype(np.float64)
    return value


def as_type_of(value: RunValue, like: RunValue) -> RunValue:
    """A value in the dtype of another."""
    if isinstance(value, list) and isinstance(like, list):
        return [as_type_of(v, w) for v, w in zip(value, like, strict=False)]
    if isinstance(value, np.ndarray) and isinstance(like, np.ndarray):
        return value.astype(like.dtype, copy=False)
    return value


def _is_floats(value: RunValue) -> bool:
    if not isinstance(value, np.ndarray) or value.dtype == np.dtype(object):
        return False
    return DType.from_numpy(value.dtype).family == "float"
