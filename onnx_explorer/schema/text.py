"""An operator version as text: what a terminal shows for a schema."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap
from typing import cast

from onnx_explorer.ir.dtypes import DType
from onnx_explorer.schema.operator import Attr, OpSchema, Port

WIDTH = 100
MOST_TYPES = 16
_PLACES = {dtype.notation: place for place, dtype in enumerate(DType)}
_LABELS = {dtype.notation: dtype.label for dtype in DType}


def text(schema: OpSchema) -> str:
    """Name and versions, signature, the first paragraph of the doc, ports, attributes and types;
    each in a line that a terminal has room for.
    """
    lines = [_head(schema), "", *_signature(schema), "", *_first_paragraph(schema)]
    lines += _table("Inputs", map(_port, schema.inputs))
    lines += _table("Outputs", map(_port, schema.outputs))
    lines += _table("Attributes", map(_attribute, schema.attributes.values()))
    lines += _types(schema)
    return "\n".join(lines)


def _head(schema: OpSchema) -> str:
    versions = schema.operator.versions if schema.operator else ()
    known = f"; versions {', '.join(map(str, versions))}" if len(versions) > 1 else ""
    old = ", deprecated" if schema.deprecated else ""
    since = f"since opset {schema.since_version}"
    return f"{schema.label} ({schema.domain or 'ai.onnx'}, {since}{old}{known})"


def _signature(schema: OpSchema) -> list[str]:
    """As a call in Python: what may be left out has a default."""
    made = ", ".join(_named(port) for port in schema.outputs)
    given = [f"{_named(p)}=None" if p.option == "optional" else _named(p) for p in schema.inputs]
    if schema.attributes:
        given += [
            *([] if _takes_any(schema) else ["*"]),
            *map(_keyword, schema.attributes.values()),
        ]
    call = f"{made} = {schema.name}({', '.join(given)})" if made else f"{schema.name}(...)"
    return wrap(call, WIDTH, subsequent_indent="    ", break_long_words=False)


def _named(port: Port) -> str:
    return f"*{port.name}" if port.option == "variadic" else port.name


def _takes_any(schema: OpSchema) -> bool:
    return any(port.option == "variadic" for port in schema.inputs)


def _keyword(attribute: Attr) -> str:
    return attribute.name if attribute.required else f"{attribute.name}={_default(attribute)}"


def _default(attribute: Attr) -> str:
    default = attribute.default
    if isinstance(default, tuple):
        return repr([*cast("tuple[object, ...]", default)])
    return repr(default)


def _first_paragraph(schema: OpSchema) -> list[str]:
    return wrap(" ".join(schema.doc.strip().partition("\n\n")[0].split()), WIDTH)


def _port(port: Port) -> tuple[str, str, str]:
    option = "" if port.option == "single" else f", {port.option}"
    return port.name, f"{_type(port.type)}{option}", port.doc


def _attribute(attribute: Attr) -> tuple[str, str, str]:
    if attribute.required:
        value = f"{attribute.type}, required"
    elif attribute.default is None:
        value = f"{attribute.type}, optional"
    else:
        value = f"{attribute.type} = {_default(attribute)}"
    return attribute.name, value, attribute.doc


def _types(schema: OpSchema) -> list[str]:
    lines = ["", "Types"] if schema.type_constraints else []
    for name, constraint in schema.type_constraints.items():
        allowed = sorted(constraint.allowed, key=lambda one: (_PLACES.get(one, len(_PLACES)), one))
        shown = ", ".join(map(_type, allowed[:MOST_TYPES]))
        left = len(allowed) - MOST_TYPES
        told = f"  {name}  {shown}{f' and {left} more' if left > 0 else ''}"
        lines += wrap(told, WIDTH, subsequent_indent=" " * (len(name) + 4))
    return lines


def _type(notation: str) -> str:
    """`float32` for `tensor(float)`, also within other types."""
    for known, label in _LABELS.items():
        notation = notation.replace(known, label)
    return notation


def _table(title: str, rows: Iterable[tuple[str, str, str]]) -> list[str]:
    told = list(rows)
    if not told:
        return []
    names = max(len(name) for name, _, _ in told)
    # A long default is no reason to push all docs aside.
    values = min(28, max(len(value) for _, value, doc in told if doc or value))
    lines: list[str] = []
    for name, value, doc in told:
        line = f"  {name:<{names}}  {value:<{values}}  {' '.join(doc.split())}".rstrip()
        lines.append(line if len(line) <= WIDTH else _cut(line))
    return ["", title, *lines]


def _cut(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    kept = line.lstrip()
    room = WIDTH - len(indent) - 1
    return f"{indent}{kept[:room].rstrip()}…"
