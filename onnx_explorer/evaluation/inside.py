"""What there is to see inside an operator: which function is shown for it, and why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from onnx_explorer.errors import ExplorerError
from onnx_explorer.evaluation.bodies import NEWEST, stated_plan
from onnx_explorer.evaluation.steps import Plan, PlanStep
from onnx_explorer.evaluation.walk import inner_plans
from onnx_explorer.ir import Type
from onnx_explorer.schema import OpSchema
from onnx_explorer.schema.expand import versions_like

OLDEST_STATED = 18
"""The opset in which the standard states the functions of operators that are older than that."""


def shown_plan(step: PlanStep, given: Sequence[Type | None]) -> Plan | None:
    """The plan to look inside a node with inputs of these types: of the function in the opset of
    the model. Where the standard states none there, of one that it states elsewhere and that means
    the same; the plan then says so (`stated`).
    """
    for schema, opset in _statements(step):
        plan = stated_plan(step, schema, given, opset)
        if plan is not None and plan.steps:
            if schema is not step.schema or opset != step.opset:
                plan.stated = f"as the standard states it for {schema.label} in opset {opset}"
            return plan
    return None


def foreseen_plan(step: PlanStep, types: Mapping[str, Type]) -> Plan | None:
    """As `shown_plan`, of a node to which no run has come yet: `types` are those of the values that
    its graph sees, as far as inference knows them.
    """
    try:
        return shown_plan(step, [types.get(name) for name in step.node.inputs])
    except ExplorerError:
        return None


def visible(scopes: Mapping[str, Mapping[str, Type]], path: str) -> dict[str, Type]:
    """The types of all values that a graph sees, by the types of each graph's own."""
    seen: dict[str, Type] = {}
    for outer in sorted(filter(path.startswith, scopes), key=len):
        if outer.endswith("/function/"):
            seen.clear()
        seen.update(scopes[outer])
    return seen


def may_have_inside(step: PlanStep) -> bool:
    """Whether the standard may give a function for a node, which has no graphs of its own."""
    return next(_statements(step), None) is not None


def why_none(step: PlanStep) -> str:
    """Why there is nothing to go into: a sentence, "" where there is."""
    if step.kernel is None or any(True for _ in inner_plans(step)):
        return ""
    if step.schema is None:
        return f"{step.operator} runs with a kernel of your own: there is nothing to go into"
    found = step.schema.operator
    if may_have_inside(step):
        return f"The standard gives no function for {step.operator} with inputs like these"
    others = [v for v in found.versions if found.body_at(v)] if found is not None else []
    if not others:
        return f"{step.operator} is not a function of other operators"
    return (
        f"The standard gives no function for {step.operator}; that for {step.schema.name}-"
        f"{min(others)} means something else"
    )


def _statements(step: PlanStep) -> Iterator[tuple[OpSchema, int]]:
    """The versions and opsets in which the standard may state a node's function, its own first."""
    if step.schema is None or step.schema.operator is None or step.kernel is None:
        return
    # Where there are graphs inside a node, these are what it is made of.
    if any(True for _ in inner_plans(step)):
        return
    found, opset = step.schema.operator, step.opset or NEWEST
    if step.schema.has_body:
        yield step.schema, opset
    for version in versions_like(found, step.version):
        schema = step.schema if version == step.version else found.schema(version)
        if schema.has_body:
            yield from ((schema, o) for o in dict.fromkeys((version, OLDEST_STATED)) if o > opset)
