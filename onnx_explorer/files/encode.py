"""Models to the wire format, in pieces: payloads are passed on as views, never joined on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, cast

from onnx_explorer.errors import ModelError
from onnx_explorer.files import elements, limits
from onnx_explorer.files.attributes import write_plain
from onnx_explorer.files.devices import write_configuration, write_placement
from onnx_explorer.files.external import Location
from onnx_explorer.files.payloads import ExternalPayload, StoredPayload
from onnx_explorer.files.sources import Origin
from onnx_explorer.files.types import write_type
from onnx_explorer.files.wire import Rope, octets
from onnx_explorer.ir import (
    Attribute,
    DType,
    Function,
    Graph,
    Model,
    Node,
    SparseTensor,
    Tensor,
    TrainingInfo,
    Value,
)
from onnx_explorer.proto import onnx_explorer_pb2 as pb


class Placement(Protocol):
    """Where the elements of tensors go when a model is written."""

    def keeps(self, origin: Origin) -> bool:
        """Whether an untouched object may be written as it was read."""
        ...

    def place(self, rope: Rope, tensor: Tensor) -> None:
        """Append the fields of a TensorProto that hold the elements, or say where they are."""
        ...


class AsRead:
    """Elements stay where they are: in the model's file, or in its data file."""

    def keeps(self, origin: Origin) -> bool:  # noqa: ARG002
        return True

    def place(self, rope: Rope, tensor: Tensor) -> None:
        payload = tensor.payload
        if isinstance(payload, ExternalPayload):
            write_location(rope, payload.location)
        else:
            write_elements(rope, tensor)


class Inside:
    """All elements go into the model's file."""

    def keeps(self, origin: Origin) -> bool:
        return not origin.external

    def place(self, rope: Rope, tensor: Tensor) -> None:
        write_elements(rope, tensor)


def raw_bytes(tensor: Tensor) -> bytes | memoryview:
    """The elements in raw form: a view of the file where they lie there in that form."""
    payload = tensor.payload
    if isinstance(payload, StoredPayload) and payload.raw_start >= 0:
        return payload.source.view(payload.raw_start, payload.raw_end)
    if isinstance(payload, ExternalPayload):
        return payload.folder.view(payload.location)
    return elements.to_raw(tensor.numpy(), tensor.dtype)


def write_elements(rope: Rope, tensor: Tensor) -> None:
    """Append the elements, in the form in which they are stored, else raw."""
    payload = tensor.payload
    if isinstance(payload, StoredPayload):
        for field in payload.fields():
            rope.add(field)
    elif tensor.dtype is DType.STRING:
        for text in cast("Iterable[str]", tensor.numpy().flat):
            rope.data(elements.STRING_DATA, octets(text))
    elif tensor.dtype is not DType.UNDEFINED:
        rope.data(elements.RAW_DATA, raw_bytes(tensor))


def write_location(rope: Rope, location: Location) -> None:
    """Append the entries that say where in a data file the elements lie."""
    entries = {"location": location.path, "offset": str(location.offset)}
    if location.length is not None:
        entries["length"] = str(location.length)
    if location.checksum:
        entries["checksum"] = location.checksum
    _write_entries(rope, 13, entries)
    rope.number(14, pb.TensorProto.EXTERNAL)


def _write_entries(rope: Rope, number: int, entries: Mapping[str, str]) -> None:
    _write_pairs(rope, number, entries.items())


def _write_pairs(rope: Rope, number: int, pairs: Iterable[tuple[str, str]]) -> None:
    for key, value in pairs:
        entry = Rope()
        entry.data(1, octets(key))
        entry.data(2, octets(value))
        rope.message(number, entry)


def _write_opsets(rope: Rope, number: int, opsets: Mapping[str, int]) -> None:
    for domain, version in opsets.items():
        proto = pb.OperatorSetIdProto(domain=domain, version=version)
        rope.data(number, proto.SerializeToString())


class Writer:
    """Writes the messages of one model; fields in the order of their numbers, as others do."""

    __slots__ = ("_attributes", "_placement", "_types")

    def __init__(self, placement: Placement) -> None:
        self._placement = placement
        # Attributes and types are shared by many nodes and values.
        self._attributes: dict[int, bytes] = {}
        self._types: dict[int, bytes] = {}

    def _untouched(self, origin: object) -> Rope | None:
        """The bytes that an object was read from, if they may stand for it."""
        if not (isinstance(origin, Origin) and self._placement.keeps(origin)):
            return None
        rope = Rope()
        rope.add(origin.source.view(origin.start, origin.end))
        return rope

    def model(self, model: Model) -> Rope:
        """The ModelProto."""
        rope = self._untouched(model.origin)
        if rope is not None:
            return rope
        _check_depth(model)
        rope = Rope()
        rope.number(1, model.ir_version)
        rope.text(2, model.producer_name)
        rope.text(3, model.producer_version)
        rope.text(4, model.domain)
        if model.model_version:
            rope.number(5, model.model_version)
        rope.text(6, model.doc)
        rope.message(7, self.graph(model.graph))
        _write_opsets(rope, 8, model.opset_imports)
        _write_entries(rope, 14, model.metadata)
        for training in model.training:
            rope.message(20, self._training(training))
        for function in model.functions.values():
            rope.message(25, self.function(function))
        for configuration in model.devices:
            rope.data(26, write_configuration(configuration))
        return rope

    def _training(self, training: TrainingInfo) -> Rope:
        rope = Rope()
        if training.initialization is not None:
            rope.message(1, self.graph(training.initialization))
        if training.algorithm is not None:
            rope.message(2, self.graph(training.algorithm))
        _write_pairs(rope, 3, training.initialization_binding)
        _write_pairs(rope, 4, training.update_binding)
        return rope

    def function(self, function: Function) -> Rope:
        """The FunctionProto."""
        rope = self._untouched(function.origin)
        if rope is not None:
            return rope
        rope = Rope()
        rope.text(1, function.name)
        rope.texts(4, function.inputs)
        rope.texts(5, function.outputs)
        rope.texts(6, function.attributes)
        for node in function.nodes:
            rope.message(7, self.node(node))
        rope.text(8, function.doc)
        _write_opsets(rope, 9, function.opset_imports)
        rope.text(10, function.domain)
        for default in function.defaults.values():
            rope.message(11, self.attribute(default))
        for value in function.value_info:
            rope.message(12, self.value(value))
        rope.text(13, function.overload)
        _write_entries(rope, 14, function.metadata)
        return rope

    def graph(self, graph: Graph) -> Rope:
        """The GraphProto."""
        rope = self._untouched(graph.origin)
        if rope is not None:
            return rope
        rope = Rope()
        for node in graph.nodes:
            rope.message(1, self.node(node))
        rope.text(2, graph.name)
        for tensor in graph.initializers.values():
            rope.message(5, self.tensor(tensor))
        rope.text(10, graph.doc)
        for number, values in ((11, graph.inputs), (12, graph.outputs), (13, graph.value_info)):
            for value in values:
                rope.message(number, self.value(value))
        for annotation in graph.quantization:
            proto = Rope()
            proto.text(1, annotation.tensor)
            _write_pairs(proto, 2, annotation.parameters)
            rope.message(14, proto)
        for sparse in graph.sparse_initializers:
            rope.message(15, self.sparse_tensor(sparse))
        _write_entries(rope, 16, graph.metadata)
        return rope

    def node(self, node: Node) -> Rope:
        """The NodeProto."""
        rope = Rope()
        rope.texts(1, node.inputs)
        rope.texts(2, node.outputs)
        rope.text(3, node.name)
        rope.text(4, node.op_type)
        for attribute in node.attributes.values():
            rope.message(5, self.attribute(attribute))
        rope.text(6, node.doc)
        rope.text(7, node.domain)
        rope.text(8, node.overload)
        _write_entries(rope, 9, node.metadata)
        for placement in node.devices:
            rope.data(10, write_placement(placement))
        return rope

    def value(self, value: Value) -> Rope:
        """The ValueInfoProto."""
        rope = Rope()
        rope.text(1, value.name)
        if value.type is not None:
            raw = self._types.get(id(value.type))
            if raw is None:
                raw = self._types[id(value.type)] = write_type(value.type).SerializeToString()
            rope.data(2, raw)
        rope.text(3, value.doc)
        _write_entries(rope, 4, value.metadata)
        return rope

    def attribute(self, attribute: Attribute) -> Rope:
        """The AttributeProto."""
        rope = Rope()
        raw = self._attributes.get(id(attribute))
        if raw is not None:
            rope.add(raw)
            return rope
        try:
            plain = write_plain(attribute)
            self._write_parts(rope, attribute)
        except (TypeError, ValueError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(
                f"attribute {attribute.name!r} is of kind {attribute.kind!r}, but holds "
                f"{attribute.value!r:.80}: {error}"
            ) from None
        if not rope.size:
            self._attributes[id(attribute)] = plain
        rope.add(plain)
        return rope

    def _write_parts(self, rope: Rope, attribute: Attribute) -> None:
        value = attribute.value
        match value:
            case Tensor():
                rope.message(5, self.tensor(value))
            case Graph():
                rope.message(6, self.graph(value))
            case SparseTensor():
                rope.message(22, self.sparse_tensor(value))
            case tuple():
                for part in value:
                    match part:
                        case Tensor():
                            rope.message(10, self.tensor(part))
                        case Graph():
                            rope.message(11, self.graph(part))
                        case SparseTensor():
                            rope.message(23, self.sparse_tensor(part))
                        case _:
                            return
            case _:
                pass

    def tensor(self, tensor: Tensor) -> Rope:
        """The TensorProto."""
        rope = Rope()
        for size in tensor.dims:
            rope.number(1, size)
        rope.number(2, tensor.dtype.value)
        rope.text(8, tensor.name)
        rope.text(12, tensor.doc)
        try:
            self._placement.place(rope, tensor)
        except ModelError as error:
            raise ModelError(f"cannot write tensor {tensor.name!r}: {error}") from None
        _write_entries(rope, 16, tensor.metadata)
        return rope

    def sparse_tensor(self, sparse: SparseTensor) -> Rope:
        """The SparseTensorProto."""
        rope = Rope()
        rope.message(1, self.tensor(sparse.values))
        rope.message(2, self.tensor(sparse.indices))
        for size in sparse.dims:
            rope.number(3, size)
        return rope


def _check_depth(model: Model) -> None:
    """Raises ModelError for more graphs in graphs than `load` reads back."""
    outer = [model.graph]
    for training in model.training:
        outer += [each for each in (training.initialization, training.algorithm) if each]
    for function in model.functions.values():
        outer += [body for node in function.nodes for _, body in node.subgraphs]
    # A body that several nodes share is looked into once.
    level = {id(graph): graph for graph in outer}
    for _ in range(limits.MAX_GRAPH_DEPTH):
        level = {
            id(body): body
            for graph in level.values()
            for node in graph.nodes
            for _, body in node.subgraphs
        }
    if level:
        raise ModelError(
            f"graphs are nested more than {limits.MAX_GRAPH_DEPTH} deep, and nobody could read the "
            "file: protobuf stops there; put the inner ones into functions"
        )


def pieces(model: Model, placement: Placement) -> Rope:
    """The model in pieces, none of which is copied.

    Raises:
        ModelError: it takes more than a protobuf message can hold.
    """
    rope = Writer(placement).model(model)
    if rope.size > limits.MAX_PROTOBUF_BYTES:
        raise ModelError(
            f"the model takes {rope.size:,} bytes, but ONNX files end at 2 GiB; save it with "
            'external_data="weights.bin", which puts the weights into a file of that name'
        )
    return rope


def encode_whole(model: Model) -> bytes:
    """The model as bytes that need no other file: external data goes inside.

    Raises:
        ModelError: as `encode`.
    """
    return pieces(model, Inside()).joined()


def encode(model: Model) -> bytes:
    """The model as the bytes of an `.onnx` file. A model that was loaded and not edited gives the
    bytes it came from; external data stays external.

    Raises:
        ModelError: a payload cannot be read, or the model takes more than 2 GiB.
    """
    return pieces(model, AsRead()).joined()
