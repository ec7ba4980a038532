"""Attributes of a node, decoded and checked against the schema of its operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from onnx_explorer.ir.dtypes import DType
from onnx_explorer.ir.model import Attribute, Graph
from onnx_explorer.schema.contract import Violation
from onnx_explorer.schema.operator import Attr, OpSchema, PageFunction


def decoded(
    attributes: Mapping[str, Attribute],
    schema: OpSchema,
    subgraph: Callable[[str, Graph], object],
    report: Callable[[Violation], None],
) -> dict[str, object]:
    """Every attribute that the schema knows, by name: the node's value, else the default, else
    None. Strings come as `str`, lists as tuples, graphs as what `subgraph` makes of them.

    Each fault goes to `report`: an attribute that the schema does not have, one of another type,
    a value that is not allowed, a required one that is missing. The rest is decoded all the same.
    """
    values: dict[str, object] = {}
    for name in attributes:
        if name not in schema.attributes:
            report(Violation(f"attribute {name!r}", _known_text(schema), code="unknown-attribute"))
    for name, attr in schema.attributes.items():
        given = attributes.get(name)
        if given is None or given.kind == "undefined":
            if attr.required:
                text = f"{schema.label} requires it ({attr.type})"
                report(Violation(f"no attribute {name!r}", text, code="missing-attribute"))
            values[name] = _converted(attr, attr.default)
            continue
        if given.kind != attr.type:
            report(
                Violation(
                    f"attribute {name!r} of type {given.kind}",
                    f"{schema.label} takes {attr.type}",
                    code="attribute-type",
                )
            )
            values[name] = _converted(attr, attr.default)
            continue
        try:
            value = _plain(given, subgraph)
            if attr.one_of and value not in attr.one_of:
                allowed = ", ".join(map(repr, attr.one_of))
                text = f"expected one of {allowed}"
                report(Violation(f"{name} = {value!r}", text, code="attribute-value"))
                values[name] = _converted(attr, attr.default)
            else:
                values[name] = _converted(attr, value)
        except (ValueError, TypeError) as error:
            text = f"{name} = {given.value!r}"
            report(Violation(text, str(error), code="attribute-value"))
            values[name] = _converted(attr, attr.default)
    return values


def arguments(function: PageFunction, values: Mapping[str, object]) -> dict[str, object]:
    """The attributes that a rule or kernel asks for. One that this version does not have is left
    to the default in the signature.
    """
    return {name: values[name] for name in function.attributes if name in values}


def _plain(attribute: Attribute, subgraph: Callable[[str, Graph], object]) -> object:
    value = attribute.value
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="surrogateescape")
    if isinstance(value, Graph):
        return subgraph(attribute.name, value)
    if isinstance(value, tuple):
        return tuple(
            item.decode("utf-8", errors="surrogateescape")
            if isinstance(item, bytes)
            else subgraph(f"{attribute.name}[{i}]", item)
            if isinstance(item, Graph)
            else item
            for i, item in enumerate(value)
        )
    return value


def _converted(attr: Attr, value: object) -> object:
    if attr.as_ is None or value is None:
        return value
    converted = attr.as_(value)
    if converted is DType.UNDEFINED:
        raise ValueError("a type is needed, and 0 stands for none")
    return converted


def _known_text(schema: OpSchema) -> str:
    if not schema.attributes:
        return f"{schema.label} takes none"
    return f"{schema.label} takes {', '.join(schema.attributes)}"
