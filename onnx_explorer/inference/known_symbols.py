"""The names of all symbols that a model and a person speak of: a size made up must not repeat one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from onnx_explorer.dims import Dim, DimError, parse, symbols
from onnx_explorer.ir import Graph, Model, Node, SparseTensorType, TensorType, Type


def known_symbols(model: Model, bindings: Mapping[str, object]) -> frozenset[str]:
    """The symbols in every declared type of a model, subgraphs and functions included, and in what
    its inputs are bound to.
    """
    distinct: dict[int, Type] = {}
    for graph in _graphs(model):
        for value in (*graph.inputs, *graph.outputs, *graph.value_info):
            if value.type is not None:
                distinct[id(value.type)] = value.type
    for function in model.functions.values():
        for value in function.value_info:
            if value.type is not None:
                distinct[id(value.type)] = value.type
    found = {name for declared in distinct.values() for name in _in_type(declared)}
    for binding in bindings.values():
        found.update(_in_binding(binding))
    return frozenset(found)


def _graphs(model: Model) -> Iterator[Graph]:
    """Every graph of a model, those inside its nodes and functions included."""
    waiting = [model.graph]
    for function in model.functions.values():
        waiting += _inner_graphs(function.nodes)
    while waiting:
        graph = waiting.pop()
        yield graph
        waiting += _inner_graphs(graph.nodes)


def _inner_graphs(nodes: Iterable[Node]) -> Iterator[Graph]:
    for node in nodes:
        if node.attributes:
            for _, graph in node.subgraphs:
                yield graph


def _in_type(declared: Type) -> Iterator[str]:
    if isinstance(declared, (TensorType, SparseTensorType)):
        yield from _in_sizes(declared.shape or ())


def _in_sizes(sizes: Iterable[Dim]) -> Iterator[str]:
    for size in sizes:
        if not isinstance(size, int):
            yield from symbols(size)


def _in_binding(binding: object) -> Iterator[str]:
    if isinstance(binding, TensorType):
        yield from _in_type(binding)
    elif isinstance(binding, str):
        try:
            yield from _in_sizes((parse(binding),))
        except DimError:
            return  # binding it will say what is wrong
    elif isinstance(binding, Sequence):
        for item in binding:  # pyright: ignore[reportUnknownVariableType]  checked when it is bound
            if isinstance(item, str):
                yield from _in_binding(item)
