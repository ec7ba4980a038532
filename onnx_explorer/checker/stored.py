"""What only the bytes of a file show: attributes without a type or with more than one value, and
domains that are imported twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from onnx_explorer.checker.finding import finding
from onnx_explorer.files.attributes import KINDS
from onnx_explorer.files.sources import Origin
from onnx_explorer.files.wire import (
    LENGTH,
    VARINT,
    Buffer,
    read_field,
    read_fields,
    read_varint,
    text_of,
)
from onnx_explorer.inference.diagnostics import Diagnostic
from onnx_explorer.inference.structure import Part
from onnx_explorer.ir import Function, Model

_GRAPH_NODE, _FUNCTION_NODE, _NODE_ATTRIBUTE = 1, 7, 5
_NAME, _TYPE, _REFERENCE = 1, 20, 21
_MODEL_IMPORT, _FUNCTION_IMPORT, _DOMAIN, _VERSION = 8, 9, 1, 2
# The field that holds the value, by the number of the kind.
_FIELD_OF_KIND = {
    1: 2,
    2: 3,
    3: 4,
    4: 5,
    5: 6,
    6: 7,
    7: 8,
    8: 9,
    9: 10,
    10: 11,
    11: 22,
    12: 23,
    13: 14,
    14: 15,
}
_KIND_OF_FIELD = {field: KINDS[kind] for kind, field in _FIELD_OF_KIND.items()}


def stored_findings(part: Part, function: Function | None, ir_version: int) -> Iterator[Diagnostic]:
    """What is wrong with the attributes of a graph or function body as its file holds them. One
    that was made or edited in memory has no such bytes.
    """
    origin = part.graph.origin if part.graph else function.origin if function else None
    if not isinstance(origin, Origin):
        return
    buffer = origin.source.checked()
    node_field = _GRAPH_NODE if part.graph else _FUNCTION_NODE
    spans = _spans(buffer, origin.start, origin.end, node_field)
    sound: set[int] = set()
    for (node, place), (start, end) in zip(part.named_nodes(), spans, strict=True):
        # Nodes share attributes only where the file has the same bytes.
        if not node.attributes or id(node.attributes) in sound:
            continue
        sound.add(id(node.attributes))
        for number, wire, a, b in read_fields(buffer, start, end):
            if number == _NODE_ATTRIBUTE and wire == LENGTH:
                text = _fault(buffer, a, b, ir_version)
                if text:
                    sound.discard(id(node.attributes))
                    yield finding("attribute-kind", text, node=place, operator=node.op_type)


def stored_imports(what: str, holder: Model | Function) -> Iterator[Diagnostic]:
    """Domains that a file imports in two versions, for a model or a function. The last one counts,
    for this package as for others.
    """
    if not isinstance(holder.origin, Origin):
        return
    buffer = holder.origin.source.checked()
    field = _MODEL_IMPORT if isinstance(holder, Model) else _FUNCTION_IMPORT
    versions: dict[str, int] = {}
    for start, end in _spans(buffer, holder.origin.start, holder.origin.end, field):
        domain, version = "", 0
        for number, wire, a, b in read_fields(buffer, start, end):
            if number == _DOMAIN and wire == LENGTH:
                domain = text_of(buffer[a:b])
            elif number == _VERSION and wire == VARINT:
                version = read_varint(buffer, a)[0]
        if versions.setdefault(domain, version) != version:
            text = f"{what} imports {domain or 'ai.onnx'!r} as {versions[domain]} and as {version}"
            yield finding("import-conflict", f"{text}; the last one counts")
            versions[domain] = version


def _spans(buffer: Buffer, position: int, end: int, number: int) -> Iterator[tuple[int, int]]:
    """Where the fields of that number lie, quicker than reading them one by one."""
    tag = number << 3 | LENGTH
    while position < end:
        if buffer[position] == tag and buffer[position + 1] < 0x80:
            start = position + 2
            position = start + buffer[position + 1]
            yield start, position
            continue
        found, wire, start, position = read_field(buffer, position, end)
        if found == number and wire == LENGTH:
            yield start, position


def _fault(buffer: Buffer, start: int, end: int, ir_version: int) -> str:
    fields: dict[int, tuple[int, int]] = {}
    kind = 0
    for number, wire, a, b in read_fields(buffer, start, end):
        if number != _TYPE:
            fields[number] = a, b
        elif wire == VARINT:
            kind = read_varint(buffer, a)[0]
    name = text_of(buffer[slice(*fields[_NAME])]) if _NAME in fields else ""
    held = [_KIND_OF_FIELD[number] for number in fields if number in _KIND_OF_FIELD]
    if ir_version >= 2 and not kind:
        return f"attribute {name!r} does not say its type"
    if kind >= len(KINDS):
        return f"attribute {name!r} is of type number {kind}; the format has {len(KINDS) - 1} types"
    if len(held) > 1:
        return f"attribute {name!r} holds several values: {' and '.join(held)}"
    if held and _REFERENCE in fields:
        return f"attribute {name!r} holds a value and refers to another one"
    if held and kind and held[0] != KINDS[kind]:
        return f"attribute {name!r} is of type {KINDS[kind]}, but holds {held[0]}"
    return ""
