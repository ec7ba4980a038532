"""An operator version as plain data to be read: what the inspector says about a node's operator."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TypedDict

import numpy as np

from onnx_explorer.ir import DType, Graph
from onnx_explorer.schema import Attr, Example, OpSchema, Port
from onnx_explorer.schema.expand import versions_like
from onnx_explorer.view.labels import default_text, dtype_text, number_text

_KINDS = {"f": np.float32, "i": np.int64, "U": object}
_LABELS = {dtype.onnx_name: dtype.label for dtype in DType}
_PLACES = {label: place for place, label in enumerate(_LABELS.values())}


class PortEntry(TypedDict):
    """`types` are all that the port takes; `option` is single, optional or variadic."""

    name: str
    types: list[str]
    option: str
    doc: str


class AttributeEntry(TypedDict):
    """`default` is "" where there is none."""

    name: str
    type: str
    default: str
    required: bool
    doc: str


class ShownValue(TypedDict):
    """`type` is "" where the text says it all."""

    name: str
    type: str
    text: str


class ExampleEntry(TypedDict):
    inputs: list[ShownValue]
    attributes: list[ShownValue]
    outputs: list[ShownValue]


class VersionEntry(TypedDict):
    """What a version changed; `until` is the last opset in which it holds, None for the newest."""

    since: int
    until: int | None
    reason: str


class Manual(TypedDict):
    """An operator in one version; examples are of the newest. `function`: the standard gives it, or
    a version that means the same, as a function of other operators.
    """

    operator: str
    domain: str
    version: int
    deprecated: bool
    doc: str
    inputs: list[PortEntry]
    outputs: list[PortEntry]
    attributes: list[AttributeEntry]
    examples: list[ExampleEntry]
    versions: list[VersionEntry]
    function: bool


def manual(schema: OpSchema) -> Manual:
    """All that the page of an operator says about one of its versions."""
    return {
        "operator": schema.name,
        "domain": schema.domain,
        "version": schema.since_version,
        "deprecated": schema.deprecated,
        "doc": schema.doc.partition("\n\nSpec: ")[0].strip(),
        "inputs": [_port(port, schema) for port in schema.inputs],
        "outputs": [_port(port, schema) for port in schema.outputs],
        "attributes": [_attribute(attr) for attr in schema.attributes.values()],
        "examples": [_example(example, _newest(schema)) for example in schema.examples],
        "versions": list(_versions(schema)),
        "function": _is_function(schema),
    }


def _is_function(schema: OpSchema) -> bool:
    page = schema.operator
    return page is not None and any(
        page.body_at(version) for version in versions_like(page, schema.since_version)
    )


def _port(port: Port, schema: OpSchema) -> PortEntry:
    constraint = schema.type_constraints.get(port.type)
    types = constraint.allowed if constraint else (port.type,)
    return {
        "name": port.name,
        "types": _type_texts(types),
        "option": port.option,
        "doc": port.doc,
    }


def _type_texts(notations: Iterable[str]) -> list[str]:
    """ONNX's notations in the words of the drawing, plain tensors first: `float32`,
    `seq(float32)`.
    """
    texts = {re.sub(r"\btensor\((\w+)\)", _label, notation) for notation in notations}
    return sorted(texts, key=lambda text: (_PLACES.get(text, len(_PLACES)), text))


def _label(found: re.Match[str]) -> str:
    return _LABELS.get(found[1], found[1])


def _attribute(attr: Attr) -> AttributeEntry:
    return {
        "name": attr.name,
        "type": attr.type,
        "default": default_text(attr),
        "required": attr.required,
        "doc": attr.doc,
    }


def _newest(schema: OpSchema) -> OpSchema:
    operator = schema.operator
    return operator.schema(operator.versions[-1]) if operator else schema


def _example(example: Example, schema: OpSchema) -> ExampleEntry:
    return {
        "inputs": [
            _shown(_port_name(schema, i), value)
            for i, value in enumerate(example.inputs)
            if value is not None
        ],
        "attributes": [
            {"name": name, "type": "", "text": _attribute_text(value, schema.attributes.get(name))}
            for name, value in example.attributes.items()
        ],
        "outputs": [
            _shown(_port_name(schema, i, output=True), value)
            for i, value in enumerate(example.outputs)
            if value is not None
        ],
    }


def _port_name(schema: OpSchema, index: int, *, output: bool = False) -> str:
    port = schema.port(index, output=output)
    if port is None:
        return str(index)
    first = len(schema.outputs if output else schema.inputs) - 1
    return f"{port.name}[{index - first}]" if port.option == "variadic" else port.name


def _attribute_text(value: object, attr: Attr | None) -> str:
    match value:
        case DType():
            return value.label
        case int() if attr is not None and attr.as_ is DType:
            return dtype_text(value)
        case Graph():
            return f"the graph {value.name!r} ({len(value.nodes)} nodes)"
        case np.ndarray():
            return _elements(np.asarray(value))  # pyright: ignore[reportUnknownArgumentType]
        case list() | tuple():
            items: list[object] = list(value)  # pyright: ignore[reportUnknownArgumentType]
            return f"[{', '.join(_attribute_text(item, None) for item in items)}]"
        case float():
            return number_text(value)
        case bytes():
            return value.decode("utf-8", errors="replace")
        case _:
            return str(value)


def _shown(name: str, value: object) -> ShownValue:
    """A value as pages write it: plain numbers are float32, int64, bool or string tensors, a tuple
    holds the elements of a sequence.
    """
    match value:
        case Mapping():
            entries: Mapping[object, object] = value  # pyright: ignore[reportUnknownVariableType]
            pairs = ", ".join(f"{_one(key)}: {_one(item)}" for key, item in entries.items())
            return {"name": name, "type": "map", "text": f"{{{pairs}}}"}
        case tuple():
            items: tuple[object, ...] = value  # pyright: ignore[reportUnknownVariableType]
            texts = [_shown("", item)["text"] for item in items]
            return {"name": name, "type": "sequence", "text": "\n".join(texts) or "empty"}
        case _:
            array = np.asarray(value)
            if not isinstance(value, np.ndarray | np.generic):
                array = array.astype(_KINDS.get(array.dtype.kind, array.dtype))
            label = DType.from_numpy(array.dtype).label
            type_ = f"{label}[{', '.join(map(str, array.shape))}]"
            return {"name": name, "type": type_, "text": _elements(array) if array.size else "[]"}


def _elements(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> str:
    """Rows below each other, columns in line."""
    texts = np.asarray([_one(element) for element in array.reshape(-1).tolist()], dtype=object)
    width = max((len(text) for text in texts), default=0) if array.ndim > 1 else 0
    padded = np.asarray([text.rjust(width) for text in texts], object).reshape(array.shape)
    text = np.array2string(
        padded, separator=", ", formatter={"all": str}, threshold=200, max_line_width=10_000
    )
    # numpy sets blocks of rows apart by empty lines.
    return re.sub(r"\n\n+", "\n", text)


def _one(element: object) -> str:
    match element:
        case bool():
            return str(element).lower()
        case float() | np.floating():
            return number_text(float(element))
        case complex():
            return f"{element:.4g}"
        case str():
            return repr(element)
        case _:
            return str(element)


def _versions(schema: OpSchema) -> Iterable[VersionEntry]:
    history = schema.operator.history if schema.operator else ()
    for change, later in pairwise((*history, None)):
        if change is not None:
            until = later.since - 1 if later else None
            yield {"since": change.since, "until": until, "reason": change.reason}
