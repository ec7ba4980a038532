"""One node: its inputs checked against the schema, its rule run, dtypes and contents filled in.

Nothing here knows names or places, so that the result serves every node that looks the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from onnx_explorer.dims import less
from onnx_explorer.inference.abstraction import notation_of
from onnx_explorer.inference.claims import Claim
from onnx_explorer.inference.signature import Signature
from onnx_explorer.ir import DType
from onnx_explorer.schema import UNKNOWN, Abstract, AbstractValue, OpSchema, Shape, Violation

Inputs = Sequence[AbstractValue | None]


class Outcome:
    """What one call of a rule gave for these inputs: outputs, findings and assumptions, without
    names. `is_silent` where there is nothing to tell.
    """

    __slots__ = ("assumptions", "claims", "findings", "inputs", "is_silent", "outputs")

    def __init__(self, inputs: Inputs = (), findings: Iterable[Violation] = ()) -> None:
        self.inputs = inputs
        self.outputs: tuple[AbstractValue, ...] = ()
        self.findings = list(findings)
        self.assumptions: list[str] = []
        self.claims: list[Claim | None] = []
        self.is_silent = False


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
                Violation(
                    str(value),
                    f"{schema.label} takes {_types_text(allowed)}",
                    port=port.name,
                    code="type-not-allowed",
                )
            )
            continue
        if constraint is None or (port.option == "variadic" and not port.homogeneous):
            continue
        first = bound.setdefault(port.type, notation)
        bound_by.setdefault(port.type, port.name)
        if first != notation:
            outcome.findings.append(
                Violation(
                    str(value),
                    f"{bound_by[port.type]} is {_label(first)}, and the two must have one type",
                    port=port.name,
                    code="type-mismatch",
                )
            )
    return bound


def arity_violation(schema: OpSchema, inputs: Inputs, n_outputs: int) -> Violation | None:
    """What is wrong with the number of inputs or outputs, or with one left out."""
    low, high = schema.min_inputs, schema.max_inputs
    if len(inputs) < low or (high is not None and len(inputs) > high):
        count = _count(len(inputs), "input")
        return Violation(count, _range(schema, low, high), code="input-count")
    for index, value in enumerate(inputs):
        port = schema.port(index)
        if value is None and port is not None and port.option != "optional":
            text = f"{schema.label} requires it"
            return Violation("left out", text, port=port.name, code="missing-input")
    most = schema.max_outputs
    if n_outputs < schema.min_outputs or (most is not None and n_outputs > most):
        count = _count(n_outputs, "output")
        return Violation(count, _range(schema, schema.min_outputs, most), code="output-count")
    return None


def finished(
    raw: object, signature: Signature, n_outputs: int, bound: Mapping[str, str], outcome: Outcome
) -> tuple[AbstractValue, ...]:
    """The outputs of a rule, one per output of the node, with the dtypes that the schema binds.
    Negative sizes are reported and taken out.
    """
    given = cast("Sequence[object]", raw) if isinstance(raw, (tuple, list)) else (raw,)
    outputs: list[AbstractValue] = []
    for index in range(n_outputs):
        value = given[index] if index < len(given) else None
        result = cast("AbstractValue", UNKNOWN if value is None else value)
        port = signature.output(index)
        if port is not None and isinstance(result, Abstract):
            dtype = port.dtype_for(bound, result.dtype)
            if dtype is not result.dtype:
                result = Abstract(dtype, result.shape, result.content)
            if result.shape is not None:
                result = _without_negative_sizes(result, result.shape, port.name, outcome)
        outputs.append(result)
    return tuple(outputs)


def _without_negative_sizes(value: Abstract, shape: Shape, port: str, outcome: Outcome) -> Abstract:
    for axis, size in enumerate(shape):
        low = size if isinstance(size, int) else size.bounds[0]
        if (low is None or low < 0) and less(size, 0) is True:
            text = f"size {size} on axis {axis} of output {port}"
            outcome.findings.append(Violation(text, "a size is 0 or more", code="negative-size"))
            return Abstract(value.dtype)
    return value


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _range(schema: OpSchema, low: int, high: int | None) -> str:
    if high is None:
        return f"{schema.label} needs {low} or more"
    return f"{schema.label} takes {low}" if low == high else f"{schema.label} takes {low} to {high}"


def _types_text(allowed: frozenset[str]) -> str:
    names = sorted(map(_label, allowed))
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:5])}, ..."


def _label(notation: str) -> str:
    """A type in the words of messages: `float32` for `tensor(float)`."""
    if not notation.startswith("tensor("):
        return notation
    return DType.from_label(notation[7:-1]).label
