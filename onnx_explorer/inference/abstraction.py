"""Abstract values as the types that people read."""

from __future__ import annotations

from onnx_explorer.ir import (
    DType,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    Type,
)
from onnx_explorer.schema import (
    Abstract,
    AbstractMap,
    AbstractOptional,
    AbstractSequence,
    AbstractSparse,
    AbstractValue,
)


def type_of(value: AbstractValue) -> Type:
    """The type that an abstract value has."""
    match value:
        case Abstract(dtype, shape):
            return TensorType(dtype or DType.UNDEFINED, shape)
        case AbstractSparse(dtype, shape):
            return SparseTensorType(dtype or DType.UNDEFINED, shape)
        case AbstractSequence(element):
            return SequenceType(None if element is None else type_of(element))
        case AbstractOptional(element):
            return OptionalType(None if element is None else type_of(element))
        case AbstractMap(key, element):
            return MapType(key, None if element is None else type_of(element))


def notation_of(value: AbstractValue) -> str | None:
    """The type in ONNX's notation; None where a part of it is not known."""
    if isinstance(value, Abstract):
        return value.dtype.notation if value.dtype else None
    text = type_of(value).notation
    return None if "?" in text or "undefined" in text else text
