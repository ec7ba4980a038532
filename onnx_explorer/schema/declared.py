"""Declared types as the abstract values that rules work on."""

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
from onnx_explorer.schema.contract import (
    Abstract,
    AbstractMap,
    AbstractOptional,
    AbstractSequence,
    AbstractSparse,
    AbstractValue,
)


def abstract_of(declared: Type | None) -> AbstractValue:
    """What a declared type says about a value."""
    match declared:
        case TensorType(dtype, shape):
            return Abstract(None if dtype is DType.UNDEFINED else dtype, shape)
        case SparseTensorType(dtype, shape):
            return AbstractSparse(None if dtype is DType.UNDEFINED else dtype, shape)
        case SequenceType(element):
            return AbstractSequence(None if element is None else abstract_of(element))
        case OptionalType(element):
            return AbstractOptional(None if element is None else abstract_of(element))
        case MapType(key, value):
            return AbstractMap(key, None if value is None else abstract_of(value))
        case _:
            return Abstract()
