"""An operator version as a page to read: what notebooks show for a schema."""

from __future__ import annotations

from collections.abc import Iterable

from onnx_explorer.ir.model import Node
from onnx_explorer.schema.operator import Attr, Example, OpSchema, Port


def markdown(schema: OpSchema) -> str:
    """Title, doc, ports, attributes, examples and history of an operator version."""
    parts = [f"## {schema.label}", schema.doc.strip()]
    parts += _section("Inputs", [_port(port, schema) for port in schema.inputs])
    parts += _section("Outputs", [_port(port, schema) for port in schema.outputs])
    parts += _section("Attributes", map(_attribute, schema.attributes.values()))
    parts += _section("Examples", [_example(example, schema) for example in schema.examples])
    parts += _section("History", _history(schema))
    return "\n\n".join(parts)


def _section(title: str, lines: Iterable[str]) -> list[str]:
    found = [f"- {line}" for line in lines]
    return [f"### {title}", "\n".join(found)] if found else []


def _port(port: Port, schema: OpSchema) -> str:
    constraint = schema.type_constraints.get(port.type)
    types = ", ".join(sorted(constraint.allowed)) if constraint else port.type
    option = "" if port.option == "single" else f", {port.option}"
    return f"**{port.name}** ({_shortened(types)}{option}): {port.doc}"


def _shortened(types: str) -> str:
    names = types.split(", ")
    return types if len(names) <= 6 else f"{', '.join(names[:5])} and {len(names) - 5} more types"


def _attribute(attribute: Attr) -> str:
    if attribute.required:
        rest = "required"
    elif attribute.default is None:
        rest = "optional"
    else:
        rest = f"default {attribute.default!r}"
    return f"**{attribute.name}** ({attribute.type}, {rest}): {attribute.doc}"


def _example(example: Example, schema: OpSchema) -> str:
    given = [
        f"{_name(schema, i)} = {_value(value)}"
        for i, value in enumerate(example.inputs)
        if value is not None
    ]
    given += [f"{name} = {_value(value)}" for name, value in example.attributes.items()]
    made = [
        f"{_name(schema, i, output=True)} = {_value(value)}"
        for i, value in enumerate(example.outputs)
        if value is not None
    ]
    around = f" beside `{', '.join(map(_call, example.around))}`" if example.around else ""
    return f"`{', '.join(given)}`{around} gives `{', '.join(made)}`"


def _call(node: Node) -> str:
    return f"{', '.join(node.outputs)} = {node.op_type}({', '.join(node.inputs)})"


def _name(schema: OpSchema, index: int, *, output: bool = False) -> str:
    port = schema.port(index, output=output)
    if port is None:
        return str(index)
    return f"{port.name}[{index}]" if port.option == "variadic" else port.name


def _value(value: object) -> str:
    return " ".join(str(value).split())


def _history(schema: OpSchema) -> list[str]:
    if schema.operator is None:
        return []
    return [
        f"{'**' if change.since == schema.since_version else ''}{change.since}"
        f"{'**' if change.since == schema.since_version else ''}: {change.reason}"
        for change in schema.operator.history
    ]
