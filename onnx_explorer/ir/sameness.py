"""Whether two graphs are the same, also where they were read or built twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np

from onnx_explorer.ir.model import Attribute, Graph, Node
from onnx_explorer.ir.tensor import SparseTensor, Tensor

SAMPLED = 4096
"""How many elements of a tensor are compared; of a larger one these are spread over it."""


def same_graph(one: Graph, other: Graph) -> bool:
    """Whether two graphs take, compute and give the same, under the same names. Of large tensors a
    sample of elements is compared.
    """
    return one is other or (
        _values(one) == _values(other)
        and len(one.nodes) == len(other.nodes)
        and all(map(_same_node, one.nodes, other.nodes))
        and _same_tensors(one.initializers, other.initializers)
        and _same_tensors(
            {each.name: each for each in one.sparse_initializers},
            {each.name: each for each in other.sparse_initializers},
        )
    )


def _values(graph: Graph) -> tuple[object, ...]:
    inputs = tuple((value.name, value.type) for value in graph.inputs)
    return inputs, tuple(value.name for value in graph.outputs)


def _same_node(one: Node, other: Node) -> bool:
    return one is other or (
        _names(one) == _names(other)
        and one.attributes.keys() == other.attributes.keys()
        and all(_same_attribute(a, other.attributes[n]) for n, a in one.attributes.items())
    )


def _names(node: Node) -> tuple[object, ...]:
    operator = (node.domain, node.op_type, node.overload)
    return *operator, node.name, node.inputs, node.outputs


def _same_attribute(one: Attribute, other: Attribute) -> bool:
    kinds = (one.kind, one.reference) == (other.kind, other.reference)
    return kinds and _same(one.value, other.value)


def _same(one: object, other: object) -> bool:
    match one, other:
        case (Graph(), Graph()):
            return same_graph(one, other)
        case (Tensor() | SparseTensor(), Tensor() | SparseTensor()):
            return _same_tensor(one, other)
        case (tuple(), tuple()):
            a, b = cast("tuple[object, ...]", one), cast("tuple[object, ...]", other)
            return len(a) == len(b) and all(map(_same, a, b))
        case _:
            # Texts, so that NaN is NaN's equal.
            return one == other or repr(one) == repr(other) == "nan"


def _same_tensors(
    one: Mapping[str, Tensor | SparseTensor], other: Mapping[str, Tensor | SparseTensor]
) -> bool:
    return one.keys() == other.keys() and all(_same_tensor(t, other[n]) for n, t in one.items())


def _same_tensor(one: Tensor | SparseTensor, other: Tensor | SparseTensor) -> bool:
    match one, other:
        case (SparseTensor(), SparseTensor()):
            parts = _same_tensor(one.values, other.values)
            return parts and one.dims == other.dims and _same_tensor(one.indices, other.indices)
        case (Tensor(), Tensor()):
            if one is other or (one.payload is other.payload and one.type == other.type):
                return True
            return one.type == other.type and bool(np.array_equal(_sample(one), _sample(other)))
        case _:
            return False


def _sample(tensor: Tensor) -> np.ndarray:
    elements = tensor.numpy().reshape(-1)
    sampled = elements[:: -(-elements.size // SAMPLED) or 1]
    # Bytes, so that NaN is NaN's equal.
    return sampled if sampled.dtype == np.dtype(object) else sampled.copy().view(np.uint8)
