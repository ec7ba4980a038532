"""What is told of where a run stands: why it failed, what it went into, where it would stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from onnx_explorer.evaluation import Failure, Stepper
from onnx_explorer.evaluation.breakpoints import Breakpoint, Condition
from onnx_explorer.evaluation.inside import why_none
from onnx_explorer.evaluation.steps import PlanStep
from onnx_explorer.schema import Violation
from onnx_explorer.view import Scene

FOUND: Mapping[Condition, str] = {
    "nan": "a NaN",
    "inf": "an infinity",
    "dtype": "another dtype than inferred",
    "shape": "another shape than inferred",
}


def clash_of(failure: Failure | None) -> dict[str, str] | None:
    """What was found and what was expected, where that is what failed."""
    if failure is None or not isinstance(failure.error, Violation):
        return None
    violation = failure.error
    return {
        "found": violation.found,
        "expected": violation.expected,
        "port": violation.port or "",
    }


def arrival_note(step: PlanStep, stepper: Stepper, *, inside: bool) -> str:
    """What is to be said where somebody wanted to go into a node."""
    if inside:
        stated = stepper.walk.frame.plan.stated
        return f"This is its function {stated}" if stated else ""
    why = why_none(step)
    return f"{why}: stepped over" if why else ""


def stop_note(stepper: Stepper) -> str:
    """What is to be said of the breakpoint that ended the last run, while it stands there."""
    stopped = stepper.stopped_at
    if stopped is None:
        return ""
    if stopped.node is not None and stopped.note and stepper.walk.frame.index == 0:
        return stopped.note
    # Another move may have followed since.
    last = stepper.events[-1] if stepper.events else None
    found = _found_by(stopped)
    return f"'{last.where}' made {found}" if found and last and last.kind == "breakpoint" else ""


def _found_by(stopped: Breakpoint) -> str:
    """What it was about a value that made it stop; "" where any value would have."""
    if stopped.condition is not None:
        return FOUND[stopped.condition]
    if stopped.larger_than is not None:
        return f"a number larger than {stopped.larger_than:g}"
    return "" if stopped.when is None else "what it waited for"


def names_in_scene(scene: Scene, step: PlanStep | None) -> dict[str, str]:
    """What the scene calls the inputs of a node, by their names in its graph."""
    box = next((b for b in scene.boxes if step is not None and b.id == step.id), None)
    if step is None or box is None:
        return {}
    keys = (key for _, key, _ in box.inputs)
    return dict(zip(step.node.inputs, keys, strict=False))


def breakpoint_state(breakpoint: Breakpoint) -> dict[str, object]:  # noqa: A002 - its name
    places = (breakpoint.operator, breakpoint.group, breakpoint.value)
    return {
        "node": breakpoint.node or "",
        "when": breakpoint.condition or "always",
        "place": " ".join(filter(None, places)),
        "hits": breakpoint.hits,
        "note": breakpoint.note,
    }


def ran_before(completed: Sequence[str], have_run: Iterable[PlanStep]) -> set[str]:
    """The nodes in bodies of these that ran at some time, and not when their owner ran last."""
    owners = [step.id for step in have_run if step.bodies or any(step.node.subgraphs)]
    return {node for owner in owners for node in _ran_before(completed, owner)}


def _ran_before(completed: Sequence[str], owner: str) -> set[str]:
    if owner not in completed:
        return set()
    inside = f"{owner}/"
    last = len(completed) - 1 - completed[::-1].index(owner)
    begin = last
    while begin > 0 and completed[begin - 1].startswith(inside):
        begin -= 1
    return {i for i in completed[:begin] if i.startswith(inside)} - set(completed[begin:last])
