"""One node: its inputs checked against the schema, its rule run, dtypes and contents filled in.

Nothing here knows names or places, so that the result serves every node that looks the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Expr, less
from onnx_explorer.inference.abstraction import content_of, notation_of
from onnx_explorer.inference.diagnostics import Code
from onnx_explorer.inference.site import Site
from onnx_explorer.ir import DType
from onnx_explorer.ops.resolve import Resolved
from onnx_explorer.schema import (
    CONTENT_LIMIT,
    Abstract,
    AbstractValue,
    Content,
    OpSchema,
    PageFunction,
    Port,
    Size,
    Violation,
)
from onnx_explorer.schema.attributes import arguments

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
        if value is None and port is not None and port.option == "single":
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


def with_content(
    outputs: tuple[AbstractValue, ...],
    resolved: Resolved,
    inputs: Inputs,
    attributes: Mapping[str, object],
    site: Site,
) -> tuple[AbstractValue, ...]:
    """The outputs with their content, where the kernel can run on sizes and all inputs are known.

    A kernel that cannot decide something about a symbolic size leaves the content unknown.
    """
    kernel = resolved.operator.kernel_at(resolved.version)
    if kernel is None or kernel.on_sizes is None or not inputs:
        return outputs
    if any(isinstance(o, Abstract) and o.content is not None for o in outputs):
        return outputs
    arrays: list[NDArray[np.object_] | None] = []
    for value in inputs:
        if value is None:
            arrays.append(None)
        elif not isinstance(value, Abstract) or value.content is None:
            return outputs
        else:
            arrays.append(_object_array(value))
    first = outputs[0]
    if isinstance(first, Abstract) and first.shape is not None:
        sizes = [size for size in first.shape if isinstance(size, int)]
        if len(sizes) < len(first.shape) or prod(sizes) > CONTENT_LIMIT:
            return outputs
    try:
        raw = _run_on_sizes(kernel.on_sizes, arrays, inputs, attributes, site)
    except Exception:  # noqa: BLE001  whatever a kernel cannot do with symbols, its rule still holds
        return outputs
    results = cast("Sequence[object]", raw) if isinstance(raw, (tuple, list)) else (raw,)
    return tuple(
        _filled(output, np.asarray(result, dtype=object))
        if isinstance(output, Abstract) and result is not None
        else output
        for output, result in zip(outputs, [*results, *[None] * len(outputs)], strict=False)
    )


def _run_on_sizes(
    kernel: PageFunction,
    arrays: list[NDArray[np.object_] | None],
    inputs: Inputs,
    attributes: Mapping[str, object],
    site: Site,
) -> object:
    keywords = arguments(kernel, attributes)
    if kernel.takes_at:
        keywords["at"] = site
    if kernel.takes_dtype:
        first = inputs[0]
        keywords["dtype"] = first.dtype if isinstance(first, Abstract) else None
    return kernel.function(*arrays, **keywords)


def _object_array(value: Abstract) -> NDArray[np.object_]:
    array = np.empty(len(value.content or ()), dtype=object)
    for i, size in enumerate(value.content or ()):
        array[i] = size
    return array.reshape(cast("tuple[int, ...]", value.shape))


def _filled(output: Abstract, result: NDArray[np.object_]) -> Abstract:
    if result.size > CONTENT_LIMIT:
        return output
    elements = result.reshape(-1).tolist()
    content = _as_content(elements)
    if content is None:
        return output
    family = output.dtype.family if output.dtype else "int"
    if family in {"string", "complex"}:
        return output
    shape = result.shape if output.shape is None else output.shape
    if result.shape != shape:
        return output
    if family in {"int", "uint"} and any(isinstance(c, bool) for c in content):
        content = tuple(int(c) if isinstance(c, bool) else c for c in content)
    return replace(output, shape=shape, content=content)


def _as_content(elements: list[object]) -> Content | None:
    if all(type(e) is int or isinstance(e, Expr) for e in elements):
        return cast("Content", tuple(elements))
    sizes: list[Size] = []
    for element in elements:
        if isinstance(element, (bool, int, float, np.generic)):
            plain = content_of([element.item() if isinstance(element, np.generic) else element])
            if plain is None:
                return None
            sizes.extend(plain)
        else:
            sizes.append(cast("Size", element))
    return tuple(sizes)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _range(schema: OpSchema, low: int, high: int | None) -> str:
    if high is None:
        return f"{schema} needs {low} or more"
    return f"{schema} takes {low}" if low == high else f"{schema} takes {low} to {high}"


def _types_text(allowed: frozenset[str]) -> str:
    names = sorted(allowed)
    return " | ".join(names) if len(names) <= 6 else f"{' | '.join(names[:5])} | ..."
