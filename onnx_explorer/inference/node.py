"""One node: its inputs checked against the schema, its rule run, dtypes and contents filled in.

Nothing here knows names or places, so that the result serves every node that looks the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from onnx_explorer.dims import less
from onnx_explorer.inference.abstraction import notation_of
from onnx_explorer.inference.diagnostics import Code
from onnx_explorer.ir import DType
from onnx_explorer.ops.resolve import Resolved
from onnx_explorer.schema import (
    Abstract,
    AbstractValue,
    OpSchema,
    Port,
    Violation,
)

Inputs = Sequence[AbstractValue | None]


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation with its code; the engine makes a diagnostic of it when it knows the node."""

    code: Code
    violation: Violation


@dataclass(slots=True)
class Outcome:
    """What one call of a rule gave: outputs, findings and assumptions, without names."""

    outputs: tuple[AbstractValue, ...] = ()
    findings: list[Finding] = field(default_factory=list[Finding])
    assumptions: list[str] = field(default_factory=list[str])


def checked_inputs(schema: OpSchema, inputs: Inputs, outcome: Outcome) -> dict[str, str]:
    """The type variables that the inputs bind, in ONNX's notation. Faults go to `outcome`."""
    bound: dict[str, str] = {}
    bound_by: dict[str, str] = {}
    for index, value in enumerate(inputs):
        port = schema.port(index)
        if port is None or value is None:
            continue
        notation = notation_of(value)
        if notation is None:
            continue
        constraint = schema.type_constraints.get(port.type)
        allowed = constraint.allowed if constraint else frozenset((port.type,))
        if notation not in allowed:
            outcome.findings.append(
                Finding(
                    "type-constraint",
                    Violation(str(value), f"{schema} takes {_types_text(allowed)}", port=port.name),
                )
            )
            continue
        if constraint is None or (port.option == "variadic" and not port.homogeneous):
            continue
        first = bound.setdefault(port.type, notation)
        bound_by.setdefault(port.type, port.name)
        if first != notation:
            outcome.findings.append(
                Finding(
                    "type-constraint",
                    Violation(
                        str(value),
                        f"{bound_by[port.type]} is {first}, and the two must have one type",
                        port=port.name,
                    ),
                )
            )
    return bound


def arity_finding(schema: OpSchema, inputs: Inputs, n_outputs: int) -> Finding | None:
    """What is wrong with the number of inputs or outputs, or with one left out."""
    low, high = schema.min_inputs, schema.max_inputs
    if len(inputs) < low or (high is not None and len(inputs) > high):
        return Finding("arity", Violation(_count(len(inputs), "input"), _range(schema, low, high)))
    for index, value in enumerate(inputs):
        port = schema.port(index)
        if value is None and port is not None and port.option != "optional":
            return Finding("arity", Violation("left out", f"{schema} requires it", port=port.name))
    most = schema.max_outputs
    if n_outputs < schema.min_outputs or (most is not None and n_outputs > most):
        return Finding(
            "arity",
            Violation(_count(n_outputs, "output"), _range(schema, schema.min_outputs, most)),
        )
    return None


def finished(
    raw: object,
    resolved: Resolved,
    n_outputs: int,
    bound: Mapping[str, str],
    outcome: Outcome,
) -> tuple[AbstractValue, ...]:
    """The outputs of a rule, one per output of the node, with the dtypes that the schema binds.
    Negative sizes are reported and taken out.
    """
    given = cast("Sequence[object]", raw) if isinstance(raw, (tuple, list)) else (raw,)
    outputs: list[AbstractValue] = []
    for index in range(n_outputs):
        value = given[index] if index < len(given) else None
        result = cast("AbstractValue", Abstract() if value is None else value)
        port = resolved.schema.port(index, output=True)
        if isinstance(result, Abstract) and port is not None:
            result = _with_dtype(result, port, resolved.schema, bound)
            result = _without_negative_sizes(result, port, outcome)
        outputs.append(result)
    return tuple(outputs)


def _with_dtype(
    value: Abstract, port: Port, schema: OpSchema, bound: Mapping[str, str]
) -> Abstract:
    notation = bound.get(port.type)
    if notation is None:
        constraint = schema.type_constraints.get(port.type)
        if constraint is None:
            notation = port.type
        elif value.dtype is None and len(constraint.allowed) == 1:
            notation = next(iter(constraint.allowed))
    if notation is None or not notation.startswith("tensor("):
        return value
    return replace(value, dtype=DType.from_label(notation[7:-1]))


def _without_negative_sizes(value: Abstract, port: Port, outcome: Outcome) -> Abstract:
    if value.shape is None or all(type(size) is int and size >= 0 for size in value.shape):
        return value
    for axis, size in enumerate(value.shape):
        if less(size, 0) is True:
            text = f"size {size} on axis {axis} of output {port.name}"
            outcome.findings.append(
                Finding("negative-size", Violation(text, "a size is 0 or more"))
            )
            return Abstract(value.dtype)
    return value


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _range(schema: OpSchema, low: int, high: int | None) -> str:
    if high is None:
        return f"{schema} needs {low} or more"
    return f"{schema} takes {low}" if low == high else f"{schema} takes {low} to {high}"


def _types_text(allowed: frozenset[str]) -> str:
    names = sorted(allowed)
    return " | ".join(names) if len(names) <= 6 else f"{' | '.join(names[:5])} | ..."
