"""Attributes: their kinds, and AttributeProto to and from values without tensors and graphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from onnx_explorer.files.types import write_type
from onnx_explorer.ir import Attribute, AttributeKind, AttributeValue, Type
from onnx_explorer.proto import onnx_explorer_pb2 as pb

KINDS: tuple[AttributeKind, ...] = (
    "undefined",
    "float",
    "int",
    "string",
    "tensor",
    "graph",
    "floats",
    "ints",
    "strings",
    "tensors",
    "graphs",
    "sparse_tensor",
    "sparse_tensors",
    "type_proto",
    "type_protos",
)
"""Kinds of attributes by their number in the format."""

PLAIN_FIELDS: dict[AttributeKind, str] = {
    "float": "f",
    "int": "i",
    "string": "s",
    "floats": "floats",
    "ints": "ints",
    "strings": "strings",
    "type_proto": "tp",
    "type_protos": "type_protos",
}
"""The field that holds a value without tensors and graphs, by kind."""
PART_FIELDS: dict[int, AttributeKind] = {
    5: "tensor",
    6: "graph",
    10: "tensors",
    11: "graphs",
    22: "sparse_tensor",
    23: "sparse_tensors",
}
"""The kind of each field that holds tensors or graphs, by its number."""


def has_graph(attribute: Attribute) -> bool:
    """Whether the value is a graph, or several."""
    return attribute.kind in {"graph", "graphs"}


def kind_of(proto: pb.AttributeProto, part: int) -> AttributeKind:
    """The kind of an attribute. `part` is the number of a field with tensors or graphs that was
    taken out of the message, or 0.
    """
    if proto.type:
        return KINDS[proto.type]
    # Files of IR version 1 do not say it.
    if part:
        return PART_FIELDS[part]
    present = {field.name for field, _ in proto.ListFields()}
    for kind, name in PLAIN_FIELDS.items():
        if name in present:
            return kind
    return "undefined"


def read_plain(
    proto: pb.AttributeProto, kind: AttributeKind, types: Mapping[bytes, Type | None]
) -> AttributeValue:
    """The value of an attribute of one of the kinds in `PLAIN_FIELDS`."""
    match kind:
        case "float":
            return proto.f
        case "int":
            return proto.i
        case "string":
            return proto.s
        case "floats":
            return tuple(proto.floats[:])
        case "ints":
            return tuple(proto.ints[:])
        case "strings":
            return tuple(proto.strings[:])
        case "type_proto":
            return types[proto.tp.SerializeToString()]
        case _:
            found = [types[each.SerializeToString()] for each in proto.type_protos]
            return tuple(each for each in found if each is not None)


def write_plain(attribute: Attribute) -> bytes:
    """The AttributeProto, without the tensors and graphs of its value."""
    proto = pb.AttributeProto(name=attribute.name)
    if attribute.kind != "undefined":
        proto.type = cast("pb.AttributeProto.AttributeType", KINDS.index(attribute.kind))
    if attribute.reference:
        proto.ref_attr_name = attribute.reference
    if attribute.doc:
        proto.doc_string = attribute.doc
    value = attribute.value
    if value is None:
        return proto.SerializeToString()
    match attribute.kind:
        case "float":
            proto.f = cast("float", value)
        case "int":
            proto.i = cast("int", value)
        case "string":
            proto.s = cast("bytes", value)
        case "floats":
            proto.floats.extend(cast("tuple[float, ...]", value))
        case "ints":
            proto.ints.extend(cast("tuple[int, ...]", value))
        case "strings":
            proto.strings.extend(cast("tuple[bytes, ...]", value))
        case "type_proto":
            proto.tp.CopyFrom(write_type(cast("Type", value)))
        case "type_protos":
            proto.type_protos.extend(map(write_type, cast("tuple[Type, ...]", value)))
        case _:
            pass
    return proto.SerializeToString()
