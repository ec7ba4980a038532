"""Places of a run by name: where `run_to` leads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from onnx_explorer.evaluation.absent import no_such_place
from onnx_explorer.evaluation.steps import Plan, PlanStep
from onnx_explorer.evaluation.walk import Walk, all_steps, inner_plans
from onnx_explorer.ir.expected import near_or_some

KINDS = ("value", "node", "group")


def within_reach(walk: Walk) -> Iterator[PlanStep]:
    """The nodes that a run can come to from where it stands: those of the model, and of the
    operator's function that it is inside.
    """
    for frame in walk.stack:
        yield from all_steps(frame.plan.steps)


def known_places(walk: Walk) -> Iterator[PlanStep]:
    """Those, and the nodes of all operators' functions that were looked into before."""
    for step in within_reach(walk):
        yield step
        for plan in _bodies(step) if step.bodies else ():
            yield from _inside(plan.steps)


def _inside(steps: Iterable[PlanStep]) -> Iterator[PlanStep]:
    for step in all_steps([*steps]):
        yield step
        for plan in _bodies(step):
            yield from _inside(plan.steps)


def found(target: str, walk: Walk) -> tuple[str, str]:
    """What a text names, `value`, `node` or `group`, and its name without that prefix.

    Raises:
        NoSuchName: there is nothing of this name.
    """
    kind, colon, name = target.partition(":")
    if colon and kind in KINDS and _known(kind, name, walk):
        return kind, name
    for kind in KINDS:
        if _known(kind, target, walk):
            return kind, target
    steps = [*within_reach(walk)]
    names = [*(step.id for step in steps), *(name for step in steps for name in step.outputs)]
    raise no_such_place(target, dict.fromkeys(names))


def _known(kind: str, name: str, walk: Walk) -> bool:
    if kind == "value" and walk.has(walk.stack[0], name):
        return True
    return name != "" and any(is_called(step, kind, name) for step in within_reach(walk))


def is_called(step: PlanStep, kind: str, name: str) -> bool:
    """Whether a node is what a text names: by what it is called, what it makes, or its group."""
    match kind:
        case "value":
            return name in step.node.outputs
        case "node":
            return name in {step.id, step.node.name}
        case _:
            return step.id.startswith(f"{name.rstrip('/')}/")


def scopes_of(walk: Walk) -> set[str]:
    """The paths of all graphs that a run may be in."""
    steps = known_places(walk)
    inner = {plan.path for step in steps for plan in (*inner_plans(step), *_bodies(step))}
    return inner.union(frame.path for frame in walk.stack)


def instead(what: str, name: str, walk: Walk) -> str:
    """What a person may have meant by the name of a `node`, `operator`, `group` or `value` that
    there is not, as the end of a sentence.
    """
    steps = [*known_places(walk)]
    outputs = {output: step.id for step in steps for output in step.outputs if output}
    match what:
        case "node":
            if name in outputs:
                return f"; node {outputs[name]!r} makes a value of this name: value={name!r}"
            owner, inside, rest = name.partition("/body/")
            for step in steps:
                if inside and step.node.name == owner != step.id:
                    return (
                        f"; the whole name of {owner!r} is {step.id!r}: {step.id + inside + rest!r}"
                    )
            names = dict.fromkeys(text for step in steps for text in (step.id, step.node.name))
            return near_or_some(name, names)
        case "value":
            plans = [frame.plan for frame in walk.stack]
            plans += [plan for step in steps for plan in inner_plans(step)]
            if any(name in plan.inputs or name in plan.constants for plan in plans):
                return "; no node makes it: it is given to the graph"
            return near_or_some(name, outputs)
        case "operator":
            return near_or_some(name, dict.fromkeys(_written(step) for step in steps))
        case _:
            parts = [step.id.split("/")[:-1] for step in steps]
            groups = ("/".join(part[:count]) for part in parts for count in range(1, len(part) + 1))
            return near_or_some(name, dict.fromkeys(groups))


def _written(step: PlanStep) -> str:
    """A node's operator as breakpoints name it."""
    domain = step.node.domain
    return f"{domain}::{step.node.op_type}" if domain else step.node.op_type


def _bodies(step: PlanStep) -> Iterator[Plan]:
    return (plan for plan in step.bodies.values() if plan is not None)


def names_of(walk: Walk, fed: Iterable[str]) -> set[str]:
    """Every value of a run, those of its subgraphs and functions included."""
    plans = [frame.plan for frame in walk.stack]
    names = set(fed)
    for step in within_reach(walk):
        names.update(step.outputs)
        plans.extend(inner_plans(step))
    for plan in plans:
        names.update((*plan.inputs, *plan.constants))
    return names
