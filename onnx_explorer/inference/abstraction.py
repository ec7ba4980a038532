"""Between declared types, constants and the abstract values that rules work on."""

from __future__ import annotations

from onnx_explorer.dims import Dim
from onnx_explorer.errors import ModelError
from onnx_explorer.ir import (
    DType,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    Tensor,
    TensorType,
    Type,
)
from onnx_explorer.ops.sizes import content_of
from onnx_explorer.schema import (
    CONTENT_LIMIT,
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


def constant(tensor: Tensor) -> Abstract:
    """A constant, with its content when it is small, numeric and can be read."""
    # A damaged file may give sizes below 0, which no rule has to reckon with.
    shape: tuple[Dim, ...] | None = None if min(tensor.dims, default=0) < 0 else tensor.dims
    if tensor.size > CONTENT_LIMIT or tensor.dtype.family in {"string", "complex", "undefined"}:
        return Abstract(tensor.dtype, shape)
    try:
        elements = tensor.numpy()
    except ModelError:  # damaged, or in a data file that is not there: types need no elements
        return Abstract(tensor.dtype, shape)
    return Abstract(tensor.dtype, shape, content_of(elements.reshape(-1).tolist()))
