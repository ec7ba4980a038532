"""Operators as functions of others: what pages write a body with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from onnx_explorer.errors import SchemaError
from onnx_explorer.ir.dtypes import DType
from onnx_explorer.ir.model import Attribute, AttributeKind, AttributeValue, Graph, Node, Value
from onnx_explorer.ir.renaming import renamed
from onnx_explorer.ir.tensor import Tensor
from onnx_explorer.ir.types import TensorType, Type

BodyValue = str
"""A value inside a body: its name."""


@dataclass(slots=True)
class Body:
    """The nodes of a body in the making; each operator is a method, as in `f.Mul(x, half)`.

    `types` are the types of the inputs, as far as they are known; `opset` is the version of the
    default operator set that the nodes are written in.
    """

    opset: int
    types: Mapping[BodyValue, Type] = field(default_factory=dict[BodyValue, Type])
    nodes: list[Node] = field(default_factory=list[Node])
    _counts: Counter[str] = field(default_factory=Counter[str])

    def __getattr__(self, op_type: str) -> Callable[..., BodyValue]:
        if not op_type[:1].isupper():
            raise AttributeError(f"{type(self).__name__!r} has no attribute {op_type!r}")

        def add(*inputs: BodyValue | None, **attributes: object) -> BodyValue:
            return self._add(op_type, inputs, 1, attributes)[0]

        return add

    def node(
        self, op_type: str, *inputs: BodyValue | None, outputs: int = 1, **attributes: object
    ) -> tuple[BodyValue, ...]:
        """Add a node with this many outputs. The kind of an attribute follows from its value:
        int, float, str, `Tensor`, `Graph`, `DType` (its number) or a list of one of them; None is
        left out.
        """
        return self._add(op_type, inputs, outputs, attributes)

    def _add(
        self,
        op_type: str,
        inputs: tuple[BodyValue | None, ...],
        outputs: int,
        attributes: Mapping[str, object],
    ) -> tuple[BodyValue, ...]:
        self._counts[op_type] += 1
        name = f"{op_type.lower()}_{self._counts[op_type]}"
        made = (name,) if outputs == 1 else tuple(f"{name}_{i}" for i in range(outputs))
        given = {k: _attribute(k, v) for k, v in attributes.items() if v is not None}
        self.nodes.append(Node(op_type, tuple(i or "" for i in inputs), made, given, name=name))
        return made

    def constant(self, values: object, dtype: DType | None = None) -> BodyValue:
        """A constant of the given values; plain floats are float32, plain ints int64."""
        kind = dtype or (DType.FLOAT32 if _is_float(values) else None)
        return self.node("Constant", value=Tensor.of(values, dtype=kind))[0]  # pyright: ignore[reportArgumentType]

    def like(self, value: float, other: BodyValue) -> BodyValue:
        """A scalar of the same element type as another value."""
        dtype = self.dtype(other)
        if dtype is not None:
            return self.constant(value, dtype)
        return self.node("CastLike", self.constant(float(value)), other)[0]

    def subgraph(self, write: Callable[..., tuple[BodyValue, ...]], *inputs: BodyValue) -> Graph:
        """A graph for an attribute. `write` takes a body and the names of the graph's inputs and
        returns those of its outputs; it may read values of this body.
        """
        inner = Body(self.opset, self.types, _counts=self._counts)
        outputs = write(inner, *inputs)
        return Graph(
            write.__name__,
            tuple(inner.nodes),
            inputs=tuple(map(Value, inputs)),
            outputs=tuple(map(Value, outputs)),
        )

    def inline(self, graph: Graph, *inputs: BodyValue) -> tuple[BodyValue, ...]:
        """Add the nodes of a graph that reads nothing around it; returns what it returns."""
        self._counts["inline"] += 1
        prefix = f"inline_{self._counts['inline']}_"
        given = {value.name: name for value, name in zip(graph.inputs, inputs, strict=True)}
        inner = renamed(graph, lambda name: given.get(name, prefix + name))
        for name, tensor in inner.initializers.items():
            if name not in inputs:
                value = Attribute("value", "tensor", tensor)
                self.nodes.append(Node("Constant", (), (name,), {"value": value}, name=name))
        for sparse in inner.sparse_initializers:
            value = Attribute("sparse_value", "sparse_tensor", sparse)
            made = (sparse.name,)
            self.nodes.append(Node("Constant", (), made, {value.name: value}, name=sparse.name))
        self.nodes.extend(inner.nodes)
        return tuple(value.name for value in inner.outputs)

    def dtype(self, value: BodyValue) -> DType | None:
        """The element type of an input; None where it is not known."""
        found = self.types.get(value)
        return found.dtype if isinstance(found, TensorType) else None

    def rank(self, value: BodyValue) -> int | None:
        """The rank of an input; None where it is not known."""
        found = self.types.get(value)
        if not isinstance(found, TensorType) or found.shape is None:
            return None
        return len(found.shape)

    def size(self, value: BodyValue, axis: int) -> int | None:
        """The size of an input's axis; None where it is not known or a symbol."""
        found = self.types.get(value)
        if not isinstance(found, TensorType) or found.shape is None:
            return None
        size = found.shape[axis] if -len(found.shape) <= axis < len(found.shape) else None
        return size if isinstance(size, int) else None


def _is_float(values: object) -> bool:
    if isinstance(values, (list, tuple)):
        return any(map(_is_float, values))  # pyright: ignore[reportUnknownArgumentType]
    return isinstance(values, float)


def _attribute(name: str, value: object) -> Attribute:
    if isinstance(value, Sequence) and not isinstance(value, str):
        items = tuple(_plain(name, item) for item in cast("Sequence[object]", value))
        kinds = {kind for kind, _ in items} or {"int"}
        if len(kinds) > 1:
            raise SchemaError(f"attribute {name!r} mixes {', '.join(sorted(kinds))}")
        plural: AttributeKind = f"{kinds.pop()}s"  # pyright: ignore[reportAssignmentType]
        return Attribute(name, plural, tuple(item for _, item in items))  # pyright: ignore[reportArgumentType]
    kind, plain = _plain(name, value)
    return Attribute(name, kind, plain)


def _plain(name: str, value: object) -> tuple[AttributeKind, AttributeValue]:
    match value:
        case int():
            return "int", int(value)
        case float():
            return "float", value
        case str():
            return "string", value.encode()
        case Tensor():
            return "tensor", value
        case Graph():
            return "graph", value
        case DType():
            return "int", value.value
        case _:
            raise SchemaError(f"attribute {name!r} is a {type(value).__name__}, which has no kind")
