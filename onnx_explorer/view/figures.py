"""What a node computes and keeps, in numbers: the bytes of its outputs, and its arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from onnx_explorer.dims import Dim, floordiv, product
from onnx_explorer.errors import ExplorerError
from onnx_explorer.ir import Attribute, DType, Node, TensorType, Type
from onnx_explorer.ops.resolve import Meaning, Resolved
from onnx_explorer.schema import Cost, PageFunction, Shape
from onnx_explorer.schema.attributes import arguments, decoded

Figure = int | str
"""A number, or arithmetic over symbols that `dims.parse` reads; "" where nothing is known."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one node: bytes of all outputs, multiply-adds, and operations."""

    bytes: Figure = ""
    macs: Figure = ""
    flops: Figure = ""


class Counter:
    """Works out figures; nodes that are used alike are counted once."""

    def __init__(self) -> None:
        self._known: dict[object, Figures] = {}

    def figures(
        self,
        node: Node,
        meaning: Meaning,
        inputs: Sequence[Type | None],
        outputs: Sequence[Type | None],
    ) -> Figures:
        function = schema = None
        asked: dict[str, object] = {}
        if isinstance(meaning, Resolved):
            schema = meaning.schema
            function = meaning.operator.cost_at(meaning.version)
        if function is not None and function.attributes and schema is not None:
            values = decoded(node.attributes, schema, lambda _, graph: graph, lambda _: None)
            asked = arguments(function, values)
        key = (function, tuple(asked.values()), tuple(inputs), tuple(outputs))
        found = self._known.get(key)
        if found is None:
            countable = not any(_is_open(node.attributes.get(name)) for name in asked)
            cost = _cost(function, asked, node, inputs, outputs) if countable else None
            found = self._known[key] = Figures(
                _figure(_bytes(outputs)),
                "" if cost is None else _figure(cost.macs),
                "" if cost is None else _figure(cost.flops),
            )
        return found


def _is_open(attribute: Attribute | None) -> bool:
    """Whether the caller of a function gives the value."""
    return attribute is not None and bool(attribute.reference)


def _cost(
    function: PageFunction | None,
    attributes: Mapping[str, object],
    node: Node,
    inputs: Sequence[Type | None],
    outputs: Sequence[Type | None],
) -> Cost | None:
    if function is None:
        return None
    shapes = [_shape(type_) for type_ in (*inputs, *outputs)]
    names = (*node.inputs, *node.outputs)
    if any(name and shape is None for name, shape in zip(names, shapes, strict=True)):
        return None
    n = len(inputs)
    try:
        cost = function.function(tuple(shapes[:n]), tuple(shapes[n:]), **attributes)
    except (ExplorerError, LookupError, TypeError, ValueError):
        # A node that lacks an input or has one of a wrong rank; inference says what is wrong.
        return None
    return cost if isinstance(cost, Cost) else None


def _bytes(outputs: Sequence[Type | None]) -> Dim | None:
    total: Dim = 0
    try:
        for type_ in outputs:
            shape = _shape(type_)
            if not isinstance(type_, TensorType) or shape is None:
                return None
            bits = type_.dtype.bits
            if type_.dtype in {DType.UNDEFINED, DType.STRING} or not bits:
                return None
            total = total + floordiv(product(shape) * bits + 7, 8)
    except ExplorerError:
        return None
    return total


def _shape(type_: Type | None) -> Shape | None:
    return type_.shape if isinstance(type_, TensorType) else None


def _figure(dim: Dim | None) -> Figure:
    return "" if dim is None else dim if isinstance(dim, int) else dim.text
