"""Types of values: TypeProto to and from the model's own types."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar, assert_never

from onnx_explorer.dims import Dim, parse, symbol
from onnx_explorer.errors import ExplorerError, ModelError
from onnx_explorer.files.wire import proto_text
from onnx_explorer.ir import (
    UNKNOWN_DIM,
    DType,
    MapType,
    OpaqueType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    Type,
)
from onnx_explorer.proto import onnx_explorer_pb2 as pb

_T = TypeVar("_T", TensorType, SparseTensorType)
DTYPES = {dtype.value: dtype for dtype in DType}
"""Element types by their number in the format."""


def dtype_of(number: int) -> DType:
    """The element type of this number; raises ModelError for one that ONNX 1.23 does not have."""
    dtype = DTYPES.get(number)
    if dtype is None:
        raise ModelError(
            f"element type {number} is unknown; the newest known is {max(DTYPES)}, of ONNX 1.23"
        )
    return dtype


def read_type(proto: pb.TypeProto) -> Type | None:
    """The type that a message describes; None when it describes none."""
    denotation = proto_text(proto.denotation)
    match proto.WhichOneof("value"):
        case "tensor_type":
            return _read_tensor(TensorType, proto.tensor_type, denotation)
        case "sparse_tensor_type":
            return _read_tensor(SparseTensorType, proto.sparse_tensor_type, denotation)
        case "sequence_type":
            return SequenceType(read_type(proto.sequence_type.elem_type), denotation)
        case "optional_type":
            return OptionalType(read_type(proto.optional_type.elem_type), denotation)
        case "map_type":
            found = proto.map_type
            return MapType(dtype_of(found.key_type), read_type(found.value_type), denotation)
        case "opaque_type":
            return OpaqueType(
                proto_text(proto.opaque_type.domain), proto_text(proto.opaque_type.name), denotation
            )
        case _:
            return None


def _read_tensor(
    cls: type[_T], proto: pb.TypeProto.Tensor | pb.TypeProto.SparseTensor, denotation: str
) -> _T:
    dtype = dtype_of(proto.elem_type)
    if not proto.HasField("shape"):
        return cls(dtype, None, denotation)
    sizes = [_read_dim(dim) for dim in proto.shape.dim]
    spelling = tuple(text for _, text in sizes)
    denotations = tuple(proto_text(dim.denotation) for dim in proto.shape.dim)
    return cls(
        dtype,
        tuple(size for size, _ in sizes),
        denotation,
        spelling if any(spelling) else (),
        denotations if any(denotations) else (),
    )


def _read_dim(proto: pb.TensorShapeProto.Dimension) -> tuple[Dim, str]:
    """A size, with the text in the file where the size alone would not give it back."""
    kind = proto.WhichOneof("value")
    if kind is None or (kind == "dim_param" and not proto.dim_param):
        return UNKNOWN_DIM, ""
    if kind == "dim_value":
        # Exporters write -1 for a size that they do not know.
        size = proto.dim_value
        return (size, "") if size >= 0 else (UNKNOWN_DIM, str(size))
    return _read_name(proto_text(proto.dim_param))


@lru_cache(maxsize=1024)  # a model has few names, in many types
def _read_name(text: str) -> tuple[Dim, str]:
    try:
        size = symbol(text) if text.isidentifier() else parse(text)
    except ExplorerError:
        size = symbol(text)
    if isinstance(size, int):
        return (size, text) if size >= 0 else (UNKNOWN_DIM, text)
    if size == UNKNOWN_DIM:
        return UNKNOWN_DIM, text
    return size, "" if str(size) == text else text


def write_type(value: Type) -> pb.TypeProto:
    """The message that describes a type."""
    proto = pb.TypeProto()
    if value.denotation:
        proto.denotation = value.denotation
    match value:
        case TensorType():
            proto.tensor_type.elem_type = value.dtype.value
            _write_shape(proto.tensor_type, value)
        case SparseTensorType():
            proto.sparse_tensor_type.elem_type = value.dtype.value
            _write_shape(proto.sparse_tensor_type, value)
        case SequenceType():
            proto.sequence_type.SetInParent()
            if value.element is not None:
                proto.sequence_type.elem_type.CopyFrom(write_type(value.element))
        case OptionalType():
            proto.optional_type.SetInParent()
            if value.element is not None:
                proto.optional_type.elem_type.CopyFrom(write_type(value.element))
        case MapType():
            proto.map_type.key_type = value.key.value
            if value.value is not None:
                proto.map_type.value_type.CopyFrom(write_type(value.value))
        case OpaqueType():
            proto.opaque_type.domain = value.domain
            proto.opaque_type.name = value.name
        case _:
            assert_never(value)
    return proto


def _write_shape(
    proto: pb.TypeProto.Tensor | pb.TypeProto.SparseTensor, value: TensorType | SparseTensorType
) -> None:
    if value.shape is None:
        return
    proto.shape.SetInParent()
    for i, size in enumerate(value.shape):
        dim = proto.shape.dim.add()
        text = value.spelling[i] if i < len(value.spelling) else ""
        if text.startswith("-") and text[1:].isdecimal():
            dim.dim_value = int(text)
        elif text:
            dim.dim_param = text
        elif isinstance(size, int):
            dim.dim_value = size
        elif size != UNKNOWN_DIM:
            dim.dim_param = str(size)
        if i < len(value.dim_denotations) and value.dim_denotations[i]:
            dim.denotation = value.dim_denotations[i]
