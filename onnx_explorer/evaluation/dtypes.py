"""Whether what nodes are given has the dtypes that their operators take: asked again only where a
dtype is not what it was in the run before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from onnx_explorer.evaluation.steps import Plan
from onnx_explorer.inference.node import Outcome, checked_inputs
from onnx_explorer.ir import (
    DType,
    MapType,
    OptionalType,
    RunValue,
    SequenceType,
    SparseTensorType,
    TensorType,
    Type,
)
from onnx_explorer.schema import Abstract, OpSchema


def fixes_dtypes(declared: Type | None) -> bool:
    """Whether all that fits a declaration has the same dtypes."""
    match declared:
        case TensorType(dtype) | SparseTensorType(dtype):
            return dtype is not DType.UNDEFINED
        case SequenceType(inner) | OptionalType(inner) | MapType(_, inner):
            return fixes_dtypes(inner)
        case _:
            return False


def expect(plan: Plan, values: Mapping[str, RunValue]) -> None:
    """Have the dtypes in a graph checked again where it is entered with others than before."""
    dtypes = dtypes_of(map(values.get, (*plan.inputs, *plan.captured)))
    if dtypes != plan.dtypes:
        check_again(plan)
        for form in _forms(plan):
            form.dtypes = None
        plan.dtypes = dtypes


def _forms(plan: Plan) -> list[Plan]:
    """The plans of a graph: they share their nodes."""
    full = plan.full or plan
    lean = full.lean
    forms = (full, lean, None if lean is None else lean.quick)
    return [form for form in forms if form is not None]


def check_again(plan: Plan, start: int = 0) -> None:
    """Take no dtype in a graph for known, from the `start`-th node on."""
    for step in plan.steps[start:]:
        step.checked = step.call = None


def dtypes_of(values: Iterable[RunValue]) -> tuple[object, ...]:
    """What is compared from one run to the next: equal only for tensors of the same dtypes. What a
    sequence or a map holds may be another thing each time.
    """
    return tuple(
        [
            value.dtype if isinstance(value, np.ndarray) else None if value is None else object()
            for value in values
        ]
    )


def check_dtypes(schema: OpSchema, inputs: Sequence[RunValue]) -> None:
    """Refuse dtypes that the schema does not take together, as inference does."""
    seen = [_seen(schema, index, value) for index, value in enumerate(inputs)]
    outcome = Outcome()
    checked_inputs(schema, seen, outcome)
    if outcome.findings:
        raise outcome.findings[0]


def _seen(schema: OpSchema, index: int, value: RunValue) -> Abstract | None:
    """What a value tells of its type: nothing where an array may be what an optional holds."""
    if not isinstance(value, np.ndarray):
        return None
    dtype = DType.from_numpy(value.dtype)
    port = schema.port(index)
    constraint = None if port is None else schema.type_constraints.get(port.type)
    if constraint is not None and f"optional({dtype.notation})" in constraint.allowed:
        return None
    return Abstract(dtype)
