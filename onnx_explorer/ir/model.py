"""A model in memory: graphs of nodes over named values. Objects are frozen; an edit
(`dataclasses.replace`) makes a new one that shares the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from onnx_explorer.ir.tensor import NO_METADATA, SparseTensor, Tensor
from onnx_explorer.ir.types import Type

AttributeKind = Literal[
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
]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Attribute:
    """A named constant of a node. Strings stay bytes, as the file holds them.

    `value` is a float, int, bytes, Tensor, Graph, SparseTensor or Type, or a tuple of them when
    `kind` ends in "s". `reference`, inside a function, names the attribute of the calling node
    that stands in for it (`value` is None then).
    """

    name: str
    kind: AttributeKind
    value: AttributeValue
    reference: str = ""
    doc: str = ""

    def __repr__(self) -> str:
        value = f"from {self.reference}" if self.reference else repr(self.value)
        return f"<attribute {self.name} = {value if len(value) <= 60 else value[:57] + '...'}>"


@dataclass(frozen=True, slots=True)
class Sharding:
    """How one value of a node is split over devices."""

    tensor: str
    devices: tuple[int, ...] = ()
    groups: tuple[tuple[int, tuple[int, ...]], ...] = ()
    dims: tuple[ShardedDim, ...] = ()


@dataclass(frozen=True, slots=True)
class ShardedDim:
    """One axis and the pieces it is cut into: pairs of (size, number of shards)."""

    axis: int
    pieces: tuple[tuple[int | str | None, int], ...] = ()


@dataclass(frozen=True, slots=True)
class NodeDevices:
    """The placement of a node under one device configuration of its model."""

    configuration: str
    sharding: tuple[Sharding, ...] = ()
    pipeline_stage: int | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Node:
    """One use of an operator. "" in `inputs` or `outputs` is one left out."""

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])
    domain: str = ""
    name: str = ""
    overload: str = ""
    doc: str = ""
    metadata: Mapping[str, str] = field(default_factory=lambda: NO_METADATA)
    devices: tuple[NodeDevices, ...] = ()

    @property
    def label(self) -> str:
        """What to call this node: its name, else its first output, else its operator."""
        return self.name or next((o for o in self.outputs if o), "") or self.op_type

    @property
    def subgraphs(self) -> Iterator[tuple[str, Graph]]:
        """The graphs among the attributes, each with the attribute's name (`bodies[1]`)."""
        for attribute in self.attributes.values():
            if isinstance(attribute.value, Graph):
                yield attribute.name, attribute.value
            elif attribute.kind == "graphs" and isinstance(attribute.value, tuple):
                for i, graph in enumerate(attribute.value):
                    if isinstance(graph, Graph):
                        yield f"{attribute.name}[{i}]", graph

    def __repr__(self) -> str:
        given, made = (", ".join(names) for names in (self.inputs, self.outputs))
        return f"<node {self.label!r}: {made} = {self.op_type}({given})>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Value:
    """A named value with the type that the file declares for it, if any."""

    name: str
    type: Type | None = None
    doc: str = ""
    metadata: Mapping[str, str] = field(default_factory=lambda: NO_METADATA)

    def __repr__(self) -> str:
        return f"<value {self.name!r}: {self.type or '?'}>"


@dataclass(frozen=True, slots=True)
class QuantizationAnnotation:
    """Where the quantization parameters of a value are: pairs such as
    `("SCALE_TENSOR", "x_scale")`.
    """

    tensor: str
    parameters: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Graph:
    """Nodes in file order, with what flows in and out. Also the body of an If, Loop or Scan."""

    name: str
    nodes: tuple[Node, ...] = ()
    inputs: tuple[Value, ...] = ()
    outputs: tuple[Value, ...] = ()
    initializers: Mapping[str, Tensor] = field(default_factory=dict[str, Tensor])
    sparse_initializers: tuple[SparseTensor, ...] = ()
    value_info: tuple[Value, ...] = ()
    quantization: tuple[QuantizationAnnotation, ...] = ()
    doc: str = ""
    metadata: Mapping[str, str] = field(default_factory=lambda: NO_METADATA)
    # What a reader keeps in order to write an untouched object back byte for byte.
    # `dataclasses.replace` drops it, so an edit never carries stale bytes.
    origin: object = field(default=None, init=False, repr=False)

    def __repr__(self) -> str:
        sizes = f"{len(self.nodes)} nodes, {len(self.initializers)} initializers"
        return f"<graph {self.name!r}: {sizes}, {len(self.inputs)} in, {len(self.outputs)} out>"


AttributeValue = (
    None
    | float
    | int
    | bytes
    | Tensor
    | SparseTensor
    | Graph
    | Type
    | tuple[float, ...]
    | tuple[int, ...]
    | tuple[bytes, ...]
    | tuple[Tensor, ...]
    | tuple[SparseTensor, ...]
    | tuple[Graph, ...]
    | tuple[Type, ...]
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Function:
    """An operator that a model defines by nodes. `attributes` are required names;
    `defaults` are attributes with a default value.
    """

    name: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    opset_imports: Mapping[str, int]
    attributes: tuple[str, ...] = ()
    defaults: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])
    overload: str = ""
    value_info: tuple[Value, ...] = ()
    doc: str = ""
    metadata: Mapping[str, str] = field(default_factory=lambda: NO_METADATA)
    # As in Graph.
    origin: object = field(default=None, init=False, repr=False)

    @property
    def key(self) -> tuple[str, str, str]:
        """What a calling node is matched by: (domain, name, overload)."""
        return (self.domain, self.name, self.overload)

    def __repr__(self) -> str:
        where = f"{self.domain}::{self.name}"
        return f"<function {where}({', '.join(self.inputs)}): {len(self.nodes)} nodes>"


@dataclass(frozen=True, slots=True, eq=False)
class TrainingInfo:
    """One training step: graphs that initialise and update, and what they write where."""

    initialization: Graph | None = None
    algorithm: Graph | None = None
    initialization_binding: tuple[tuple[str, str], ...] = ()
    update_binding: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceConfiguration:
    """A set of devices that a model was laid out for."""

    name: str
    num_devices: int = 0
    devices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True, repr=False)
class Model:
    """A graph with the operator sets it is written in and where it came from."""

    graph: Graph
    opset_imports: Mapping[str, int]
    ir_version: int
    functions: Mapping[tuple[str, str, str], Function] = field(
        default_factory=dict[tuple[str, str, str], Function]
    )
    training: tuple[TrainingInfo, ...] = ()
    devices: tuple[DeviceConfiguration, ...] = ()
    producer_name: str = ""
    producer_version: str = ""
    domain: str = ""
    model_version: int = 0
    doc: str = ""
    metadata: Mapping[str, str] = field(default_factory=lambda: NO_METADATA)
    # As in Graph.
    origin: object = field(default=None, init=False, repr=False)

    def to_bytes(self, *, whole: bool = False) -> bytes:
        """The model as the bytes of an `.onnx` file; external data stays external, or comes in
        with `whole`.
        """
        # The one arrow that points to the side branch: a method people look for on the model.
        from onnx_explorer.files import encode, encode_whole

        return encode_whole(self) if whole else encode(self)

    def __reduce__(self) -> tuple[Callable[[bytes], Model], tuple[bytes]]:
        from onnx_explorer.files import encode_whole, load

        return load, (encode_whole(self),)

    def __repr__(self) -> str:
        opsets = ", ".join(f"{d or 'ai.onnx'} {v}" for d, v in self.opset_imports.items())
        inputs = ", ".join(f"{v.name}: {v.type or '?'}" for v in self.graph.inputs[:4])
        outputs = ", ".join(f"{v.name}: {v.type or '?'}" for v in self.graph.outputs[:4])
        return (
            f"<model {self.graph.name!r}: {len(self.graph.nodes)} nodes, opset {opsets}\n"
            f"  in   {inputs}\n  out  {outputs}>"
        )
