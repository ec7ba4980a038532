"""Nodes with graphs inside as they are without rounding: every float in there is a float64."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.outcome import listed
from onnx_explorer.evaluation.steps import Body, Plan, PlanStep
from onnx_explorer.evaluation.walk import inner_plans
from onnx_explorer.ir import DType, RunValue, SequenceType, TensorType, Type
from onnx_explorer.schema import OpSchema, PageFunction

CASTS = frozenset({"Cast", "CastLike"})
LESS_THAN_DOUBLE = (DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16)
"""What an operator that takes no doubles is given, the first of these that it takes."""

SAID = ("stash_type", "softmax_precision")
"""Attributes that say which floats a node computes in, whatever it is given."""
DOUBLES = (None, DType.FLOAT64, DType.FLOAT64.value)

Narrowed = Callable[[str], None]
"""Told of each node that is computed in narrower floats."""


def widened(step: PlanStep, narrowed: Narrowed) -> PlanStep:
    """A node that computes in doubles, whatever its graphs say, in a run that keeps its values.

    Raises:
        EvaluationError: it differentiates, which goes by the graph as it is.
    """
    if step.part is not None:
        raise EvaluationError(f"{step.operator} has no other types than the model's")
    keywords = {name: _wide_keyword(value, narrowed) for name, value in step.keywords.items()}
    kernel = step.kernel
    if kernel is not None and not any(True for _ in inner_plans(step)):
        kernel = replace(kernel, function=_wide_kernel(step, kernel, narrowed))
    return PlanStep(
        step.node,
        step.id,
        kernel,
        keywords,
        function=None if step.function is None else _wide_plan(step.function, narrowed),
        problem=step.problem,
        operator=step.operator,
        version=step.version,
        plain=None if kernel is None or kernel.is_generator else kernel,
    )


def _wide_plan(plan: Plan, narrowed: Narrowed) -> Plan:
    return Plan(
        plan.path,
        plan.inputs,
        plan.outputs,
        [widened(step, narrowed) for step in plan.steps],
        cast("dict[str, NDArray[np.generic]]", {n: widest(v) for n, v in plan.constants.items()}),
        plan.captured,
    )


def _wide_keyword(value: object, narrowed: Narrowed) -> object:
    if not isinstance(value, Body):
        return value
    inferred = value.inferred

    def wide_types() -> Mapping[str, Type]:
        return {name: _wide_type(type_) for name, type_ in inferred().items()}

    declared = tuple(type_ and _wide_type(type_) for type_ in value.declared)
    return Body(value.name, _wide_plan(value.plan, narrowed), declared, wide_types)


def _wide_type(type_: Type) -> Type:
    match type_:
        case TensorType(dtype=dtype) if dtype.family == "float":
            return replace(type_, dtype=DType.FLOAT64)
        case SequenceType(element=element) if element is not None:
            return replace(type_, element=_wide_type(element))
        case _:
            return type_


def _wide_kernel(step: PlanStep, kernel: PageFunction, narrowed: Narrowed) -> Callable[..., object]:
    """A kernel that takes doubles where its operator does, and gives doubles."""
    limits = [_limit(step.schema, place) for place in range(len(step.inputs))]
    is_double = computes_doubles(step)
    rounds = step.schema is None or step.schema.name not in CASTS

    def wide(*inputs: RunValue, **keywords: object) -> object:
        given = [_narrow(v, dtype) for v, dtype in zip(inputs, limits, strict=False)]
        same = all(old is new for old, new in zip(inputs, given, strict=True))
        if rounds and not (same and is_double):
            narrowed(step.id)
        made = listed(kernel.function(*given, **keywords))
        if not rounds:
            return cast_doubles(inputs[0], cast("RunValue", made[0]))
        return tuple(widest(cast("RunValue", value)) for value in made)

    return wide


def _limit(schema: OpSchema | None, place: int) -> DType | None:
    """The floats that an input takes in place of doubles; None where it takes these."""
    if schema is None:
        return DType.FLOAT32
    if takes_doubles(schema, place):
        return None
    port = schema.port(place)
    allowed = schema.type_constraints.get(port.type) if port is not None else None
    names = allowed.allowed if allowed is not None else ([port.type] if port is not None else [])
    return next((dtype for dtype in LESS_THAN_DOUBLE if dtype.notation in names), None)


def _narrow(value: RunValue, dtype: DType | None) -> RunValue:
    if dtype is None or not is_floats(value):
        return value
    return cast("NDArray[np.generic]", value).astype(dtype.numpy)


def computes_doubles(step: PlanStep) -> bool:
    """Whether no attribute of a node says that it computes in narrower floats."""
    return all(step.attributes.get(name) in DOUBLES for name in SAID)


def takes_doubles(schema: OpSchema, place: int) -> bool:
    """Whether an input of an operator may be of float64."""
    port = schema.port(place)
    allowed = schema.type_constraints.get(port.type) if port is not None else None
    return allowed is not None and DType.FLOAT64.notation in allowed.allowed


def cast_doubles(value: RunValue, ours: RunValue) -> RunValue:
    """What a cast gives that rounds nothing where it gives floats; else what it gives."""
    if is_floats(ours) and isinstance(value, np.ndarray) and value.dtype != np.dtype(object):
        return value.astype(np.float64)
    return ours


def widest(value: RunValue) -> RunValue:
    """Floats as float64; anything else as it is."""
    if isinstance(value, list):
        return [widest(item) for item in value]
    if is_floats(value):
        return cast("NDArray[np.floating]", value).astype(np.float64)
    return value


def is_floats(value: RunValue) -> bool:
    """Whether it is a tensor of floats of any width."""
    if not isinstance(value, np.ndarray) or value.dtype == np.dtype(object):
        return False
    return DType.from_numpy(value.dtype).family == "float"
