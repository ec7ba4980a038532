"""Plans of the functions that the standard gives for operators: to look inside one, and to
differentiate it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from onnx_explorer.evaluation.plan import Planner, needed
from onnx_explorer.evaluation.steps import Plan, PlanStep
from onnx_explorer.ir import DType, Function, Graph, Model, RunValue, TensorType, Type, Value
from onnx_explorer.schema import OpSchema

NEWEST = 1 << 30
"""An opset above all: bodies written for it give the same function as any other."""


def body_plan(step: PlanStep, inputs: Sequence[RunValue], opset: int = NEWEST) -> Plan | None:
    """The plan of the function that the standard gives for a node, written in an opset; None where
    it gives none. It depends on the types of the inputs alone, so each is made once.
    """
    if step.schema is None or not step.schema.has_body:
        return None
    return stated_plan(step, step.schema, [type_of(value) for value in inputs], opset)


def stated_plan(
    step: PlanStep, schema: OpSchema, given: Sequence[Type | None], opset: int
) -> Plan | None:
    """The same for inputs of these types, as a version of the operator states it."""
    named = zip(step.node.inputs, given, strict=True)
    types = {name: type_ for name, type_ in named if type_ is not None}
    key = (schema.since_version, opset, tuple(types.items()))
    if key not in step.bodies:
        body = schema.function_body(step.node, types, opset)
        path = f"{step.id}/body/"
        step.bodies[key] = None if body is None else _plan_of_function(body, given, path)
    return step.bodies[key]


def type_of(value: RunValue) -> Type | None:
    """The type of a tensor; None of anything else."""
    if not isinstance(value, np.ndarray):
        return None
    return TensorType(DType.from_numpy(value.dtype), value.shape)


def _plan_of_function(function: Function, given: Sequence[Type | None], path: str) -> Plan:
    """What computes the outputs that the node has: others of the function are left out."""
    graph = Graph(
        function.name,
        needed(function.nodes, function.outputs),
        inputs=tuple(map(Value, function.inputs, given)),
        outputs=tuple(map(Value, function.outputs)),
    )
    model = Model(graph, function.opset_imports, ir_version=10)
    plan = Planner(model).graph(None, path)
    plan.function = model
    return plan
