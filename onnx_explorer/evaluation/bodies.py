"""Plans of the functions that the standard gives for operators: to look inside one, and to
differentiate it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from onnx_explorer.evaluation.plan import Planner
from onnx_explorer.evaluation.steps import Plan, PlanStep
from onnx_explorer.ir import DType, Function, Graph, Model, RunValue, TensorType, Value

NEWEST = 1 << 30
"""An opset above all: bodies written for it give the same function as any other."""


def body_plan(step: PlanStep, inputs: Sequence[RunValue]) -> Plan | None:
    """The plan of the function that the standard gives for a node; None where it gives none. It
    depends on the types of the inputs alone, so each is made once.
    """
    if step.schema is None or not step.schema.has_body:
        return None
    types = {
        name: TensorType(DType.from_numpy(value.dtype), value.shape)
        for name, value in zip(step.node.inputs, inputs, strict=True)
        if isinstance(value, np.ndarray)
    }
    key = tuple(types.items())
    if key not in step.bodies:
        body = step.schema.function_body(step.node, types, NEWEST)
        step.bodies[key] = None if body is None else _plan_of_function(body, f"{step.id}/body/")
    return step.bodies[key]


def _plan_of_function(function: Function, path: str) -> Plan:
    graph = Graph(
        function.name,
        function.nodes,
        inputs=tuple(map(Value, function.inputs)),
        outputs=tuple(map(Value, function.outputs)),
    )
    return Planner(Model(graph, function.opset_imports, ir_version=10)).graph(None, path)
