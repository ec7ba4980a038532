"""Graphs, values, nodes and attributes: what must be there, and what must not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from onnx_explorer.checker.finding import finding
from onnx_explorer.inference.diagnostics import Diagnostic
from onnx_explorer.inference.node import arity_violation
from onnx_explorer.inference.structure import Part
from onnx_explorer.ir import (
    Attribute,
    DType,
    Graph,
    MapType,
    Node,
    OptionalType,
    SequenceType,
    SparseTensor,
    SparseTensorType,
    Tensor,
    TensorType,
    Type,
    Value,
)
from onnx_explorer.ops.registry import canonical_domain
from onnx_explorer.ops.resolve import Resolved, Resolver, Unresolved, opset_of
from onnx_explorer.schema import UNKNOWN, Violation
from onnx_explorer.schema.attributes import decoded


def graph_findings(part: Part, types: Mapping[str, Type]) -> Iterator[Diagnostic]:
    """What is wrong with the names and types of one graph. `types` are those that are inferred."""
    graph = part.graph
    if graph is None:
        return
    if not graph.name:
        yield finding("missing-field", f"{part.what} has no name")
    for what, values in (("input", graph.inputs), ("output", graph.outputs)):
        for place, value in enumerate(values):
            if not value.name:
                yield finding("missing-field", f"{what} {place} of {part.what} has no name")
            if not part.path:
                yield from _value(what, value, types.get(value.name))
    for name in part.constants:
        if not name:
            yield finding("missing-field", f"an initializer of {part.what} has no name")
    yield from _annotations(part, graph)


def _value(what: str, value: Value, inferred: Type | None) -> Iterator[Diagnostic]:
    text, code = _lacking(value.type), "missing-type"
    if not text and isinstance(value.type, TensorType | SparseTensorType):
        text = "it declares no shape" if value.type.shape is None else ""
        code = "missing-shape"
    if not text:
        return
    found = finding(code, f"{text}, and is an {what} of the graph", value=value.name)
    known = "" if inferred is None else str(inferred)
    if known and "?" not in known and "..." not in known:
        found = replace(found, repairs=(f"it is {known}",))
    yield found


def _lacking(declared: Type | None) -> str:
    """What a declared type leaves open that it must say."""
    match declared:
        case None:
            return "it declares no type"
        case TensorType(dtype) | SparseTensorType(dtype):
            return "it declares no element type" if dtype is DType.UNDEFINED else ""
        case SequenceType(element) | OptionalType(element):
            return _lacking(element) and f"{_lacking(element)} inside"
        case MapType(key, value):
            return "its keys have no type" if key is DType.UNDEFINED else _lacking(value)
        case _:
            return ""


def _annotations(part: Part, graph: Graph) -> Iterator[Diagnostic]:
    if not graph.quantization:
        return
    known = {*part.inputs, *part.constants, *(o for node in graph.nodes for o in node.outputs)}
    for annotation in graph.quantization:
        for role, name in (("tensor", annotation.tensor), *annotation.parameters):
            if name not in known:
                text = f"the quantization of {annotation.tensor!r} names {name!r} as {role}"
                yield finding("quantization", f"{text}; there is no such value", value=name)


def missing_values(part: Part) -> Iterator[Diagnostic]:
    """Names that are read and given nowhere, in a graph that inference does not walk."""
    known = {"", *_names(part)}
    around = part.around
    while around is not None:
        known.update(_names(around))
        around = around.around
    for node, place in part.named_nodes():
        for name in node.inputs:
            if name not in known:
                text = f"nothing makes its input {name!r}"
                yield finding("missing-value", text, node=place, operator=node.op_type, value=name)
    for name in part.outputs if part.graph is not None else ():
        if name not in known:
            yield finding("missing-value", f"nothing makes this output of {part.what}", value=name)


def _names(part: Part) -> Iterator[str]:
    """Everything that a graph gives a value."""
    yield from part.inputs
    yield from part.constants
    yield from (name for node in part.nodes for name in node.outputs)


def node_findings(
    part: Part, resolver: Resolver, *, typed: bool, references: Collection[str] | None
) -> Iterator[Diagnostic]:
    """What is wrong with the nodes of one graph. `typed` says that inference looked at them as
    well; `references` are the attributes that a function offers, None outside of functions.
    """
    sound: set[tuple[object, ...]] = set()
    for node, place in part.named_nodes():
        key = (node.op_type, node.domain, node.overload, id(node.attributes), len(node.outputs))
        unusual = not typed or not node.outputs or "" in node.outputs
        if not unusual and key in sound:
            continue  # nothing here depends on the names of values
        found = [*_operator(part, node, place, resolver, typed)]
        for attribute in node.attributes.values():
            found += _attribute(attribute, node, place, references)
        if not node.op_type:
            yield finding("missing-field", "a node has no operator", node=place)
        if not node.inputs and not node.outputs:
            text = "it has neither inputs nor outputs"
            yield finding("empty-node", text, node=place, operator=node.op_type)
        if found:
            yield from found
        elif node.op_type and not unusual:
            sound.add(key)


def _operator(
    part: Part, node: Node, place: str, resolver: Resolver, typed: bool
) -> Iterator[Diagnostic]:
    domain = canonical_domain(node.domain)
    label = domain or "ai.onnx"
    opset = opset_of(domain, part.imports)
    meaning = resolver.meaning(node, part.imports)
    unknown = isinstance(meaning, Unresolved) and meaning.code == "unknown-operator"
    if opset is None and not (isinstance(meaning, Unresolved) and typed and not unknown):
        text = f"domain {label!r} is not imported"
        yield finding("missing-import", text, node=place, operator=node.op_type)
    if isinstance(meaning, Resolved):
        for index, name in enumerate(node.outputs):
            port = meaning.schema.port(index, output=True)
            if not name and port is not None and port.option == "single":
                text = f"output {port.name} is left out, but {meaning.schema.label} always gives it"
                yield finding("missing-output", text, node=place, operator=meaning.schema.label)
        if meaning.schema.deprecated:
            text = f"{node.op_type!r} was taken out in opset {meaning.version}"
            yield finding("deprecated-operator", text, node=place, operator=node.op_type)
        if not typed:
            yield from _static(node, place, meaning)
        yield from _references(node, place, meaning)
    elif isinstance(meaning, Unresolved) and not typed and not unknown:
        yield finding(meaning.code, meaning.reason, node=place, operator=node.op_type)


def _static(node: Node, place: str, meaning: Resolved) -> Iterator[Diagnostic]:
    """What can be said of a node that no types are known of."""
    faults: list[Violation] = []
    given = {name: a for name, a in node.attributes.items() if not a.reference}
    decoded(given, meaning.schema, lambda _, graph: graph, faults.append)
    inputs = [UNKNOWN if name else None for name in node.inputs]
    arity = arity_violation(meaning.schema, inputs, len(node.outputs))
    referring = {name for name, a in node.attributes.items() if a.reference}
    for fault in (*faults, *([arity] if arity else [])):
        if fault.code == "missing-attribute" and any(repr(n) in fault.found for n in referring):
            continue
        operator = meaning.schema.label
        yield finding(fault.code, str(fault), node=place, operator=operator, port=fault.port or "")


def _references(node: Node, place: str, meaning: Resolved) -> Iterator[Diagnostic]:
    """Attributes of a function's caller in the place of attributes of another kind."""
    for name, attribute in node.attributes.items():
        known = meaning.schema.attributes.get(name)
        if attribute.reference and known is not None and attribute.kind != known.type:
            text = f"attribute {name!r} of type {attribute.kind}, but {meaning.schema.label} takes "
            text += known.type
            yield finding("attribute-type", text, node=place, operator=meaning.schema.label)


def _attribute(
    attribute: Attribute, node: Node, place: str, references: Collection[str] | None
) -> Iterator[Diagnostic]:
    name = attribute.name
    if not name:
        text = "an attribute has no name"
        yield finding("missing-field", text, node=place, operator=node.op_type)
    if attribute.reference:
        if references is None:
            text = f"attribute {name!r} refers to {attribute.reference!r}, outside of a function"
            yield finding("stray-reference", text, node=place, operator=node.op_type)
        elif attribute.reference not in references:
            text = f"attribute {name!r} refers to {attribute.reference!r}, which no call can give"
            yield finding("stray-reference", text, node=place, operator=node.op_type)
    elif not _fits(attribute):
        text = f"attribute {name!r} of kind {attribute.kind} holds {attribute.value!r}"
        yield finding("attribute-kind", text, node=place, operator=node.op_type)


_CLASSES: dict[str, type | tuple[type, ...]] = {
    "float": (float, int),
    "int": int,
    "string": bytes,
    "tensor": Tensor,
    "graph": Graph,
    "sparse_tensor": SparseTensor,
    "type_proto": (
        TensorType,
        SparseTensorType,
        SequenceType,
        OptionalType,
        MapType,
    ),
}


def _fits(attribute: Attribute) -> bool:
    """Whether an attribute holds what its kind says."""
    kind, value = attribute.kind, attribute.value
    if kind in _CLASSES:
        return isinstance(value, _CLASSES[kind])
    if kind.endswith("s") and isinstance(value, tuple):
        return all(isinstance(item, _CLASSES[kind.removesuffix("s")]) for item in value)
    return False
