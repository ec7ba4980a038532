"""Graphs whose values have other names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from onnx_explorer.ir.model import Attribute, Graph, Node, Value

Naming = Callable[[str], str]


def renamed(graph: Graph, naming: Naming) -> Graph:
    """The graph with a new name for every value and node, at any depth; "" stays. Only where it
    reads nothing around it does it mean the same.
    """

    def new(name: str) -> str:
        return naming(name) if name else ""

    def values(old: Iterable[Value]) -> tuple[Value, ...]:
        return tuple(replace(value, name=new(value.name)) for value in old)

    return replace(
        graph,
        nodes=tuple(_renamed_node(node, new) for node in graph.nodes),
        inputs=values(graph.inputs),
        outputs=values(graph.outputs),
        initializers={
            new(name): replace(tensor, name=new(name))
            for name, tensor in graph.initializers.items()
        },
        sparse_initializers=tuple(
            replace(sparse, values=replace(sparse.values, name=new(sparse.name)))
            for sparse in graph.sparse_initializers
        ),
        value_info=values(graph.value_info),
        quantization=(),
    )


def _renamed_node(node: Node, new: Naming) -> Node:
    return replace(
        node,
        name=new(node.name),
        inputs=tuple(map(new, node.inputs)),
        outputs=tuple(map(new, node.outputs)),
        attributes={
            name: _renamed_attribute(attribute, new) for name, attribute in node.attributes.items()
        },
    )


def _renamed_attribute(attribute: Attribute, new: Naming) -> Attribute:
    if isinstance(attribute.value, Graph):
        return replace(attribute, value=renamed(attribute.value, new))
    if isinstance(attribute.value, tuple):
        items = tuple(
            renamed(item, new) if isinstance(item, Graph) else item for item in attribute.value
        )
        return replace(attribute, value=items)  # pyright: ignore[reportArgumentType]
    return attribute
