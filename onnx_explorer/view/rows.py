"""A node's attributes and ports as rows of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from onnx_explorer.ir import Function, Node, Tensor, Type
from onnx_explorer.ops.resolve import Meaning, Resolved
from onnx_explorer.schema import Attr, OpSchema
from onnx_explorer.view.details import NodeFacts, detail
from onnx_explorer.view.labels import attribute_text, default_text


def node_detail(
    node: Node,
    schema: OpSchema | None,
    types: Sequence[Type | None],
    constants: Sequence[Tensor | None],
) -> str:
    """The tell-tale text of a node of the standard's operators; "" for others."""
    if schema is None or schema.domain:
        return ""
    attributes = {name: attr.default for name, attr in schema.attributes.items()}
    attributes |= {name: attribute.value for name, attribute in node.attributes.items()}
    return detail(NodeFacts(node.op_type, attributes, types, constants))


def attribute_rows(node: Node, schema: OpSchema | None) -> tuple[tuple[str, str, int], ...]:
    """Name, text, and 1 for a default that the node leaves as it is."""
    known: Mapping[str, Attr] = schema.attributes if schema else {}
    given = [
        (name, attribute_text(attribute, known.get(name)), 0)
        for name, attribute in node.attributes.items()
    ]
    defaults = [
        (name, text, 1)
        for name, attr in known.items()
        if name not in node.attributes and (text := default_text(attr))
    ]
    return (*given, *defaults)


def port_label(meaning: Meaning, index: int, *, output: bool) -> str:
    """The name of the port at a position; "" where nothing names it."""
    match meaning:
        case Resolved():
            port = meaning.schema.port(index, output=output)
            if port is None:
                return ""
            first = len(meaning.schema.outputs if output else meaning.schema.inputs) - 1
            return f"{port.name}[{index - first}]" if port.option == "variadic" else port.name
        case Function():
            names = meaning.outputs if output else meaning.inputs
            return names[index] if index < len(names) else ""
        case _:
            return ""
