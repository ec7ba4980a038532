"""`run`: a model from feeds to outputs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.feeds import checked_feeds
from onnx_explorer.evaluation.machine import Machine
from onnx_explorer.evaluation.plan import check_outputs, plan_of
from onnx_explorer.evaluation.steps import Plan
from onnx_explorer.evaluation.supplied import Kernels, handed_out
from onnx_explorer.ir import RunValue
from onnx_explorer.ir.expected import model_of

if TYPE_CHECKING:
    from onnx_explorer.ir.expected import Source


def run(
    model: Source,
    feeds: Mapping[str, object],
    outputs: Iterable[str] | None = None,
    *,
    seed: int | None = None,
    kernels: Kernels | None = None,
) -> dict[str, RunValue]:
    """The values that a model computes, by name: its outputs, or the `outputs` asked for, which
    may be any values of the main graph. Only what they need is computed, and has to be fed. Arrays
    are read-only.

    `seed` makes random operators repeatable. `kernels` are functions for operators that are unknown
    here, or that should be computed in another way: `{("com.acme", "Foo"): foo}`, where `foo` takes
    arrays and the attributes by keyword. They may name operators that this model does not have; one
    spelled nearly as one that it has is refused.

    Raises:
        EvaluationError: a feed is missing, unknown or not as declared; an output is unknown or
            made by nothing; an operator is unknown or has no kernel; a node fails.
        ModelError: the nodes form a cycle, or what was given is no model.
    """
    model = model_of(model)
    of_graph = tuple(value.name for value in model.graph.outputs)
    plan = plan_of(model, of_graph if outputs is None else check_outputs(model, outputs), kernels)
    if not plan.sound:
        check_outputs(model, plan.outputs)
        refuse_problems(plan)
        plan.sound = True
    read = None if outputs is None else plan.reads
    given = {name: handed_out(value) for name, value in checked_feeds(model, feeds, read).items()}
    drawn = new_seed(seed)
    with plan.turns:
        machine = Machine(plan, given, drawn, free=True)
        machine.finish()
    fed = [value for value in given.values() if isinstance(value, np.ndarray)]
    return {name: handed_out(_apart(value, fed)) for name, value in machine.results().items()}


def _apart(value: RunValue, fed: list[NDArray[np.generic]]) -> RunValue:
    """A result that shares no memory with a feed: what was fed may change afterwards."""
    if isinstance(value, list):
        return [_apart(item, fed) for item in value]
    # What is fed is handed on as a view: an array that holds its own elements was made by a node.
    if not isinstance(value, np.ndarray) or value.base is None:
        return value
    return value.copy() if any(np.may_share_memory(value, each) for each in fed) else value


def new_seed(seed: int | None) -> int:
    """The seed itself, or one drawn for this run."""
    if seed is None:
        return int.from_bytes(os.urandom(4))
    if isinstance(seed, bool) or not isinstance(cast("object", seed), (int, np.integer)):
        msg = f"seed {seed!r}; expected an integer, 0 or more"
        raise EvaluationError(msg)
    if seed < 0:
        msg = f"seed {seed}; expected 0 or more"
        raise EvaluationError(msg)
    return int(seed)


def refuse_problems(plan: Plan) -> None:
    """Raise for a node of the main graph that is known not to run, before hours of work."""
    for step in plan.steps:
        if step.problem:
            msg = f"node {step.id!r} ({step.operator}): {step.problem}"
            raise EvaluationError(msg)
