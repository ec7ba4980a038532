"""Element types of values in the making, as far as an operator's schema binds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from onnx_explorer.ir import Attribute, DType, Tensor
from onnx_explorer.schema import OpSchema, Port

_NUMBERS = frozenset(dtype.value for dtype in DType)
_GIVING = frozenset(("to", "dtype", "output_datatype", "value"))
"""Attributes that say the element type of an output: of Cast, EyeLike, HannWindow, Constant."""
_BY_NOTATION = {f"tensor({dtype.notation})": dtype for dtype in DType}


def bound_dtypes(schema: OpSchema, inputs: Sequence[DType | None]) -> dict[str, DType]:
    """The element type of each type variable, from inputs whose element type is known.

    The first one counts where inputs disagree: inference reports that they do.
    """
    bound: dict[str, DType] = {}
    for index, dtype in enumerate(inputs):
        port = schema.port(index)
        if dtype is not None and port is not None and port.homogeneous:
            bound.setdefault(port.type, dtype)
    return bound


def made_dtype(schema: OpSchema, attributes: Mapping[str, Attribute]) -> DType | None:
    """The element type that an attribute gives to what a node makes; None where none does."""
    allowed = schema.type_constraints.get(schema.outputs[0].type)
    if allowed is None or not all(name.startswith("tensor(") for name in allowed.allowed):
        return None
    for name in _GIVING & schema.attributes.keys():
        given = attributes[name].value if name in attributes else schema.attributes[name].default
        if isinstance(given, Tensor):
            return given.dtype
        if isinstance(given, int) and given in _NUMBERS:
            return DType(given)
    return None


def dtype_at(port: Port | None, bound: dict[str, DType]) -> DType | None:
    """The element type of what stands at a port; None where the schema leaves it open."""
    if port is None or not port.homogeneous:
        return None
    return _BY_NOTATION.get(port.type) or bound.get(port.type)
