"""Models with one thing changed: a type, an attribute, an initializer. The rest is shared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NoReturn, cast

from onnx_explorer.build.attributes import as_tensor, attribute
from onnx_explorer.errors import InferenceError, ModelError
from onnx_explorer.ir import Attribute, Model, Node, Tensor, Type, Value, node_ids
from onnx_explorer.ir.expected import expect_name, near_or_some
from onnx_explorer.ir.type_text import parse_type
from onnx_explorer.ops.resolve import Resolved, Resolver


def with_type(model: Model, name: str, declared: str | Type) -> Model:
    """The model with another declared type for a value of its main graph.

    Raises:
        InferenceError: the graph has no such value, or the type is none.
    """
    expect_name("the value", name, InferenceError)
    stated = _type(name, declared)
    graph = model.graph
    inputs, outputs, inner = (
        tuple(replace(value, type=stated) if value.name == name else value for value in values)
        for values in (graph.inputs, graph.outputs, graph.value_info)
    )
    if not any(value.name == name for value in (*inputs, *outputs, *inner)):
        made = [output for node in graph.nodes for output in node.outputs]
        if name not in made:
            _refuse("the main graph has no value", name, [*(v.name for v in inputs), *made])
        inner = (*inner, Value(name, stated))
    return replace(model, graph=replace(graph, inputs=inputs, outputs=outputs, value_info=inner))


def _type(name: str, declared: object) -> Type:
    if isinstance(declared, Type):
        return declared
    try:
        return parse_type(cast("str", declared))
    except (ModelError, TypeError) as error:
        why = str(error) if isinstance(error, ModelError) else f"{declared!r:.60} is none"
        msg = f"the type of {name!r}: {why}; expected one as in 'float32[N, 10]'"
        raise InferenceError(msg) from None


def with_attribute(model: Model, node: str, name: str, value: object) -> Model:
    """The model with another value for an attribute of a node of its main graph; None takes the
    attribute away.

    Raises:
        InferenceError: there is no such node, its operator has no such attribute, or the value
            does not fit.
    """
    expect_name("the node", node, InferenceError)
    expect_name(f"the attribute of node {node!r}", name, InferenceError)
    nodes = list(model.graph.nodes)
    place = _place_of(nodes, node)
    found = nodes[place]
    attributes: dict[str, Attribute] = dict(found.attributes)
    if value is None:
        if name not in attributes:
            _refuse(f"node {node!r} has no attribute", name, attributes)
        del attributes[name]
    else:
        meaning = Resolver(model).meaning(found, model.opset_imports)
        schema = meaning.schema if isinstance(meaning, Resolved) else None
        where = f"{schema.label if schema else found.op_type} at node {node!r}"
        try:
            attributes[name] = attribute(name, value, schema, where)
        except ModelError as error:
            raise InferenceError(str(error)) from None
    nodes[place] = replace(found, attributes=attributes)
    return replace(model, graph=replace(model.graph, nodes=tuple(nodes)))


def _place_of(nodes: list[Node], wanted: str) -> int:
    named = [i for i, node in enumerate(nodes) if node.name == wanted]
    if len(named) == 1:
        return named[0]
    ids = node_ids(nodes)
    if wanted in ids:
        return ids.index(wanted)
    made = [i for i, node in enumerate(nodes) if wanted in node.outputs and wanted]
    if made:
        return made[0]
    return _refuse("the main graph has no node", wanted, ids)


def with_initializer(model: Model, name: str, values: object) -> Model:
    """The model with other values for an initializer of its main graph.

    Raises:
        InferenceError: the graph has no such initializer, or the values are no tensor.
    """
    expect_name("the initializer", name, InferenceError)
    graph = model.graph
    before = graph.initializers.get(name)
    if before is None:
        sparse = any(each.name == name for each in graph.sparse_initializers)
        hint = "" if not sparse else "; that one is sparse, and only dense ones can be changed"
        _refuse("the main graph has no initializer", name, graph.initializers, hint)
    try:
        tensor = as_tensor(values, name)
    except (TypeError, ValueError) as error:
        msg = f"initializer {name!r} is given as {values!r:.60}; expected an array ({error})"
        raise InferenceError(msg) from None
    initializers: Mapping[str, Tensor] = {**graph.initializers, name: replace(tensor, name=name)}
    return replace(model, graph=replace(graph, initializers=initializers))


def _refuse(what: str, name: str, known: Iterable[str], hint: str = "") -> NoReturn:
    raise InferenceError(f"{what} {name!r}{hint or near_or_some(name, known)}")
