"""The names of all symbols that a model and a person speak of: a size made up must not repeat one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from onnx_explorer.dims import Dim, DimError, parse, symbols
from onnx_explorer.ir import Graph, Model, SparseTensorType, TensorType, Type, Value


def known_symbols(model: Model, bindings: Mapping[str, object]) -> frozenset[str]:
    """The symbols in every declared type of a model, subgraphs and functions included, and in what
    its inputs are bound to.
    """
    found: set[str] = set()
    for types in (_graph_types(model.graph), _function_types(model)):
        for declared in types:
            found.update(_in_type(declared))
    for binding in bindings.values():
        found.update(_in_binding(binding))
    return frozenset(found)


def _graph_types(graph: Graph) -> Iterator[Type | None]:
    yield from _types((*graph.inputs, *graph.outputs, *graph.value_info))
    for node in graph.nodes:
        for _, inner in node.subgraphs:
            yield from _graph_types(inner)


def _function_types(model: Model) -> Iterator[Type | None]:
    for function in model.functions.values():
        yield from _types(function.value_info)
        for node in function.nodes:
            for _, inner in node.subgraphs:
                yield from _graph_types(inner)


def _types(values: Iterable[Value]) -> Iterator[Type | None]:
    return (value.type for value in values)


def _in_type(declared: Type | None) -> Iterator[str]:
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
