"""The versions of an operator, folded from the changes that its page tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NoReturn

from onnx_explorer.errors import SchemaError
from onnx_explorer.schema.operator import Change, Operator, OpSchema, Port, TypeConstraint


def _refuse(name: str, since: int, why: str) -> NoReturn:
    msg = f"{name}, change {since}: {why}"
    raise SchemaError(msg)


def folded(operator: Operator) -> dict[int, OpSchema]:
    """The schema of each version."""
    schemas: dict[int, OpSchema] = {}
    current = OpSchema(operator.name, operator.domain, 0, operator.doc, "", operator=operator)
    for change in operator.history:
        current = _after(current, change)
        schemas[change.since] = replace(current, doc=_cited(current))
    return schemas


def _cited(schema: OpSchema) -> str:
    """The doc, which a page writes once, with the place in the standard of this version."""
    doc, cites, _ = schema.doc.partition("\nSpec: ")
    around = schema.domain or "ai.onnx"
    place = f"\nSpec: {around} {schema.name}-{schema.since_version}\n"
    return doc + place if cites else doc


def _after(before: OpSchema, change: Change) -> OpSchema:
    """The schema after one change; strict, so that a delta that does nothing is an error."""
    name, since = before.name, change.since
    if since <= before.since_version:
        _refuse(name, since, f"comes after version {before.since_version}; versions go up")
    inputs, outputs = (
        _differentiated(ports, change.differentiable)
        for ports in (
            before.inputs if change.inputs is None else change.inputs,
            before.outputs if change.outputs is None else change.outputs,
        )
    )
    for port in change.differentiable:
        if all(p.name != port for p in (*inputs, *outputs)):
            _refuse(name, since, f"differentiable names {port!r}, which is no port")
    types = {n: c.allowed for n, c in before.type_constraints.items()}
    for variable in change.drop_types:
        if types.pop(variable, None) is None:
            _refuse(name, since, f"drops type variable {variable!r}, which is not there")
    types.update(change.types)
    for variable, more in change.widen.items():
        if variable not in types or more <= types[variable]:
            _refuse(name, since, f"widens {variable!r} by nothing")
        types[variable] |= more
    for variable, fewer in change.narrow.items():
        if variable not in types or not fewer & types[variable]:
            _refuse(name, since, f"narrows {variable!r} by nothing")
        types[variable] -= fewer
    attributes = dict(before.attributes)
    for attribute in change.drop:
        if attributes.pop(attribute, None) is None:
            _refuse(name, since, f"drops attribute {attribute!r}, which is not there")
    attributes.update({a.name: a for a in change.attributes})
    return replace(
        before,
        since_version=since,
        reason=change.reason,
        doc=before.doc if change.doc is None else change.doc,
        inputs=inputs,
        outputs=outputs,
        attributes=MappingProxyType(attributes),
        type_constraints=MappingProxyType(
            {
                variable: TypeConstraint(variable, allowed, _used_by(variable, inputs, outputs))
                for variable, allowed in types.items()
            }
        ),
        deprecated=change.deprecated,
    )


def _differentiated(
    ports: tuple[Port, ...], differentiable: Mapping[str, bool | None]
) -> tuple[Port, ...]:
    return tuple(
        replace(p, differentiable=differentiable[p.name]) if p.name in differentiable else p
        for p in ports
    )


def _used_by(variable: str, inputs: tuple[Port, ...], outputs: tuple[Port, ...]) -> str:
    users = [f"`{p.name}`" for p in (*inputs, *outputs) if variable == p.type]
    return f"type of {', '.join(dict.fromkeys(users))}" if users else ""
