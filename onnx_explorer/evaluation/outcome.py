"""What kernels give, as values of a run, and what there is to call for a node that has given something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import NoneType
from typing import cast

import numpy as np

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.steps import PlanStep
from onnx_explorer.ir import RunValue

TRIES = 16
"""How often a node is made ready to be run again at less cost, before its kernel is left to do it."""


def make_ready(
    step: PlanStep,
    kernel: Callable[..., object],
    inputs: Sequence[RunValue],
    outputs: Sequence[object],
) -> None:
    """Say what there is to call in further runs, now that the dtypes of a node are known."""
    other = None
    if step.again is not None and step.tries < TRIES:
        step.tries += 1
        other = cast("Callable[..., object] | None", step.again(tuple(inputs), outputs))
    step.call = other or kernel


def unless_kernel(step: PlanStep, call: Callable[..., object]) -> object:
    """What a call gave that has failed: nothing, where the kernel is still to be asked."""
    if step.plain is not None and getattr(call, "func", call) is step.plain.function:
        raise  # noqa: PLE0704  (it is called where the error is handled)
    return NotImplemented


def store(values: dict[str, RunValue], step: PlanStep, result: object) -> tuple[RunValue, ...]:
    """Store what a node gave. All of what has a name."""
    if step.output and type(result) is np.ndarray:
        values[step.output] = result
        return (result,)
    results = listed(result)
    if any(step.outputs[len(results) :]):
        name = next(filter(None, step.outputs[len(results) :]))
        given = f"{step.operator} gives {len(results)}"
        raise EvaluationError(f"output {name!r} is asked for, but {given}")
    stored: dict[str, RunValue] = {}
    for name, value in zip(step.outputs, results, strict=False):
        if name:
            stored[name] = value if type(value) is np.ndarray else as_value(value)
    values.update(stored)
    return tuple(stored.values())


def listed(result: object) -> tuple[object, ...]:
    """What a kernel gives, as one or more results."""
    return cast("tuple[object, ...]", result) if type(result) is tuple else (result,)


def as_value(result: object) -> RunValue:
    """A kernel's result as the machine keeps it: numpy's scalars become arrays of rank 0."""
    if type(result) is np.ndarray or isinstance(result, (np.ndarray, list, dict, NoneType)):
        return cast("RunValue", result)
    return np.asarray(result)
