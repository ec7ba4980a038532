"""Models from the wire format, in one pass that leaves payloads where they are.

The messages that a model has thousands of (nodes, values, tensors) are read here; the rare and small
ones (attributes, types, device placement) by protobuf.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TypeVar

from google.protobuf.message import DecodeError

from onnx_explorer.errors import ModelError
from onnx_explorer.files import limits
from onnx_explorer.files.attributes import (
    PART_FIELDS,
    PLAIN_FIELDS,
    has_graph,
    kind_of,
    read_plain,
)
from onnx_explorer.files.decode_nodes import NodeReader
from onnx_explorer.files.decode_tensors import read_sparse_tensor, read_tensor, read_tensors
from onnx_explorer.files.decode_values import read_value, read_values
from onnx_explorer.files.devices import read_configuration
from onnx_explorer.files.memo import Memo, Metadata
from onnx_explorer.files.sources import MemorySource, Origin
from onnx_explorer.files.unique import by_name
from onnx_explorer.files.wire import (
    LENGTH,
    VARINT,
    Malformed,
    proto_text,
    read_field,
    read_varint,
    signed,
    split,
    text_of,
)
from onnx_explorer.ir import (
    Attribute,
    AttributeKind,
    AttributeValue,
    DeviceConfiguration,
    Function,
    Graph,
    Model,
    Node,
    QuantizationAnnotation,
    SparseTensor,
    Tensor,
    TrainingInfo,
    Value,
)
from onnx_explorer.ir.tensor import NO_METADATA
from onnx_explorer.proto import onnx_explorer_pb2 as pb

# Tags of the node fields of a graph and of a function.
_GRAPH_NODE, _FUNCTION_NODE = 0x0A, 0x3A
# Tags of the other fields of a graph that there may be thousands of: initializers; inputs, outputs,
# declared types.
_INITIALIZER, _VALUES = 0x2A, frozenset({0x5A, 0x62, 0x6A})
_T = TypeVar("_T")


class Reader(NodeReader):
    """Reads the messages of one source; offsets are the source's own."""

    __slots__ = ("_depth", "source")

    def __init__(self, source: MemorySource, memo: Memo, depth: int = 0) -> None:
        super().__init__(source.buffer, memo)
        self.source = source
        self._depth = depth

    def _within(self, raw: bytes) -> Reader:
        """A reader of a copy of some part."""
        return Reader(MemorySource(raw), self._memo, self._depth)

    def _merged(self, spans: list[tuple[int, int]]) -> tuple[Reader, int, int]:
        """The one message that several occurrences of a singular field mean together."""
        if len(spans) == 1:
            return self, *spans[0]
        raw = b"".join(self._buffer[a:b] for a, b in spans)
        return self._within(raw), 0, len(raw)

    def model(self, start: int, end: int) -> Model:
        """The ModelProto at `start` to `end`."""
        buffer, number, values = self._buffer, 0, dict[int, int]()
        texts, graphs = dict[int, str](), list[tuple[int, int]]()
        opsets: dict[str, int] = {}
        metadata: list[bytes] = []
        training: list[TrainingInfo] = []
        functions: list[Function] = []
        devices: list[DeviceConfiguration] = []
        b = start
        while b < end:
            begin = b
            number, wire, a, b = read_field(buffer, begin, end)
            if wire == VARINT:
                values[number] = signed(read_varint(buffer, a)[0])
            elif wire == LENGTH:
                match number:
                    case 2 | 3 | 4 | 6:
                        texts[number] = text_of(buffer[a:b])
                    case 7:
                        graphs.append((a, b))
                    case 8:
                        opset = pb.OperatorSetIdProto.FromString(buffer[a:b])
                        opsets[proto_text(opset.domain)] = opset.version
                    case 14:
                        metadata.append(buffer[begin:b])
                    case 20:
                        training.append(self._training(a, b))
                    case 25:
                        functions.append(self.function(a, b))
                    case 26:
                        devices.append(read_configuration(buffer[a:b]))
                    case _:
                        pass
        if not graphs and not functions:
            raise Malformed("it holds neither a graph nor a function", start)
        reader, a, b = self._merged(graphs) if graphs else (self, end, end)
        model = Model(
            graph=reader.graph(a, b),
            opset_imports=MappingProxyType(opsets),
            ir_version=values.get(1, 0),
            functions=MappingProxyType(
                by_name("functions", ((f.key, f) for f in functions), start)
            ),
            training=tuple(training),
            devices=tuple(devices),
            producer_name=texts.get(2, ""),
            producer_version=texts.get(3, ""),
            domain=texts.get(4, ""),
            model_version=values.get(5, 0),
            doc=texts.get(6, ""),
            metadata=_metadata(metadata),
        )
        return self._with_origin(model, start, end, self._memo.external > 0)

    def _with_origin(self, read: _T, start: int, end: int, external: bool) -> _T:
        object.__setattr__(read, "origin", Origin(self.source, start, end, external))
        return read

    def _training(self, start: int, end: int) -> TrainingInfo:
        spans, rest = split(self._buffer, start, end, {1, 2})
        proto = pb.TrainingInfoProto.FromString(rest)

        def graph(field: int) -> Graph | None:
            found = [(a, b) for number, a, b in spans if number == field]
            if not found:
                return None
            reader, a, b = self._merged(found)
            return reader.graph(a, b)

        return TrainingInfo(
            graph(1),
            graph(2),
            _pairs(proto.initialization_binding),
            _pairs(proto.update_binding),
        )

    def function(self, start: int, end: int) -> Function:
        """The FunctionProto at `start` to `end`."""
        buffer, texts = self._buffer, dict[int, str]()
        lists: dict[int, list[str]] = {4: [], 5: [], 6: []}
        nodes: list[Node] = []
        opsets: dict[str, int] = {}
        given: list[Attribute] = []
        values: list[Value] = []
        metadata: list[bytes] = []
        before, b = self._memo.external, start
        try:
            while b < end:
                if buffer[b] == _FUNCTION_NODE:
                    b = self._nodes(b, end, _FUNCTION_NODE, nodes)
                    continue
                begin = b
                number, wire, a, b = read_field(buffer, begin, end)
                if wire != LENGTH:
                    continue
                match number:
                    case 1 | 8 | 10 | 13:
                        texts[number] = text_of(buffer[a:b])
                    case 4 | 5 | 6:
                        lists[number].append(self._memo.texts[buffer[a:b]])
                    case 9:
                        opset = pb.OperatorSetIdProto.FromString(buffer[a:b])
                        opsets[proto_text(opset.domain)] = opset.version
                    case 11:
                        given.append(self._attribute_at(a, b))
                    case 12:
                        values.append(read_value(buffer, self._memo, a, b))
                    case 14:
                        metadata.append(buffer[begin:b])
                    case _:
                        pass
            defaults = by_name("defaults", ((each.name, each) for each in given), start)
        except Malformed as error:
            error.place.append(f"function {texts.get(1, '')!r}")
            raise
        function = Function(
            name=texts.get(1, ""),
            domain=texts.get(10, ""),
            inputs=tuple(lists[4]),
            outputs=tuple(lists[5]),
            nodes=tuple(nodes),
            opset_imports=MappingProxyType(opsets),
            attributes=tuple(lists[6]),
            defaults=MappingProxyType(defaults),
            overload=texts.get(13, ""),
            value_info=tuple(values),
            doc=texts.get(8, ""),
            metadata=_metadata(metadata),
        )
        return self._with_origin(function, start, end, self._memo.external > before)

    def graph(self, start: int, end: int) -> Graph:
        """The GraphProto at `start` to `end`."""
        if self._depth == limits.MAX_GRAPH_DEPTH:
            raise ModelError(f"graphs are nested more than {limits.MAX_GRAPH_DEPTH} deep")
        self._depth += 1
        buffer, memo, source = self._buffer, self._memo, self.source
        before, name, doc = memo.external, "", ""
        nodes: list[Node] = []
        tensors: list[Tensor] = []
        sparse: list[SparseTensor] = []
        values: dict[int, list[Value]] = {11: [], 12: [], 13: []}
        quantization: list[QuantizationAnnotation] = []
        metadata: list[bytes] = []
        position = start
        try:
            while position < end:
                tag = buffer[position]
                if tag == _GRAPH_NODE:
                    position = self._nodes(position, end, _GRAPH_NODE, nodes)
                    continue
                if tag in _VALUES:
                    position = read_values(buffer, memo, position, end, values[tag >> 3])
                    continue
                if tag == _INITIALIZER:
                    position = read_tensors(source, memo, position, end, tensors)
                    continue
                begin = position
                number, wire, a, position = read_field(buffer, begin, end)
                if wire != LENGTH:
                    continue
                if number == 2:
                    name = text_of(buffer[a:position])
                elif number == 10:
                    doc = text_of(buffer[a:position])
                elif number == 14:
                    quantization.append(_quantization(buffer[a:position]))
                elif number == 15:
                    sparse.append(read_sparse_tensor(source, memo, a, position))
                elif number == 16:
                    metadata.append(buffer[begin:position])
            initializers = by_name("initializers", ((t.name, t) for t in tensors), start)
            if sparse:
                by_name("initializers", ((t.name, t) for t in (*tensors, *sparse)), start)
        except Malformed as error:
            error.place.append(f"graph {name!r}" if name else "the graph")
            raise
        self._depth -= 1
        graph = Graph(
            name=name,
            nodes=tuple(nodes),
            inputs=tuple(values[11]),
            outputs=tuple(values[12]),
            initializers=MappingProxyType(initializers),
            sparse_initializers=tuple(sparse),
            value_info=tuple(values[13]),
            quantization=tuple(quantization),
            doc=doc,
            metadata=_metadata(metadata),
        )
        return self._with_origin(graph, start, end, memo.external > before)

    def _attributes(self, spans: list[tuple[int, int]]) -> Mapping[str, Attribute]:
        read = [self._attribute_at(a, b) for a, b in spans]
        table = by_name("attributes", ((each.name, each) for each in read), spans[0][0])
        return MappingProxyType(table)

    def _attribute_at(self, start: int, end: int) -> Attribute:
        if end - start > limits.SMALL_MESSAGE_BYTES:
            return self.attribute(start, end)
        memo, key = self._memo, self._buffer[start:end]
        found = memo.attributes.get(key)
        if found is None:
            before = memo.external
            found = self._within(key).attribute(0, len(key))
            if memo.external == before and not has_graph(found):
                memo.attributes[key] = found
        return found

    def attribute(self, start: int, end: int) -> Attribute:
        """The AttributeProto at `start` to `end`."""
        spans, rest = split(self._buffer, start, end, PART_FIELDS)
        proto = pb.AttributeProto.FromString(rest)
        kind = kind_of(proto, spans[0][0] if spans else 0)
        value: AttributeValue = None
        if kind in PLAIN_FIELDS:
            value = read_plain(proto, kind, self._memo.types)
        elif kind != "undefined":
            value = self._parts(kind, [(a, b) for n, a, b in spans if PART_FIELDS[n] == kind], end)
        if proto.ref_attr_name:
            value = None
        return Attribute(
            proto_text(proto.name),
            kind,
            value,
            proto_text(proto.ref_attr_name),
            proto_text(proto.doc_string),
        )

    def _parts(self, kind: AttributeKind, spans: list[tuple[int, int]], end: int) -> AttributeValue:
        source, memo = self.source, self._memo
        match kind:
            case "tensors":
                return tuple(read_tensor(source, memo, a, b) for a, b in spans)
            case "graphs":
                return tuple(self.graph(a, b) for a, b in spans)
            case "sparse_tensors":
                return tuple(read_sparse_tensor(source, memo, a, b) for a, b in spans)
            case _:
                reader, a, b = self._merged(spans or [(end, end)])
                if kind == "graph":
                    return reader.graph(a, b)
                read = read_tensor if kind == "tensor" else read_sparse_tensor
                return read(reader.source, memo, a, b)


def _metadata(raw: list[bytes]) -> Mapping[str, str]:
    return Metadata(b"".join(raw)) if raw else NO_METADATA


def _quantization(raw: bytes) -> QuantizationAnnotation:
    proto = pb.TensorAnnotation.FromString(raw)
    entries = _pairs(proto.quant_parameter_tensor_names)
    return QuantizationAnnotation(proto_text(proto.tensor_name), entries)


def _pairs(entries: Iterable[pb.StringStringEntryProto]) -> tuple[tuple[str, str], ...]:
    return tuple((proto_text(entry.key), proto_text(entry.value)) for entry in entries)


def read_model(source: MemorySource, memo: Memo) -> Model:
    """The model that a source holds.

    Raises:
        Malformed: the bytes are no model.
        ModelError: they are one that cannot be used.
    """
    try:
        return Reader(source, memo).model(0, len(source.buffer))
    except IndexError:
        raise Malformed("a message ends inside a number", 0) from None
    except DecodeError as error:
        raise Malformed(f"a message inside is damaged ({error})", 0) from None
