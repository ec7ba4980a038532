"""One node of a graph run alone, on values that somebody else computed."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

from onnx_explorer.evaluation.machine import Machine
from onnx_explorer.evaluation.quiet import quiet
from onnx_explorer.evaluation.steps import Plan, PlanStep
from onnx_explorer.ir import RunValue, read_names


def reads(step: PlanStep) -> tuple[str, ...]:
    """The values that a node needs, those that its subgraphs capture included."""
    return tuple(dict.fromkeys(read_names(step.node)))


@quiet
def run_alone(step: PlanStep, values: Mapping[str, RunValue], seed: int) -> dict[str, RunValue]:
    """What a node gives for these values, among which is all that it reads.

    Raises:
        NodeFailed: it cannot run on them.
    """
    outputs = tuple(name for name in step.outputs if name)
    plan = Plan("", (), outputs, [_unprepared(step)])
    machine = Machine(plan, {name: values[name] for name in reads(step)}, seed)
    while not machine.done:
        machine.advance()
    return machine.results()


def _unprepared(step: PlanStep) -> PlanStep:
    """The node as it was before any run: these values may have other dtypes than those of one."""
    alone = copy(step)
    alone.checked = alone.call = alone.again = alone.kept = None
    alone.steady, alone.keeps, alone.of_shape = False, 0, False
    return alone
