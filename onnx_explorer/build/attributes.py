"""Attributes from plain Python values, in the kind that an operator's schema asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from onnx_explorer.errors import ModelError
from onnx_explorer.ir import Attribute, AttributeKind, AttributeValue, DType, Graph, Tensor, Type
from onnx_explorer.ir.expected import alike, expect_name, shown
from onnx_explorer.ir.type_text import parse_type
from onnx_explorer.schema import Attr, OpSchema

# Element types that hold Python's numbers of a kind as they are, but for rounding.
_HELD_BY = {
    "bool": {"bool"},
    "int": {"int", "uint", "float", "complex"},
    "uint": {"int", "uint", "float", "complex"},
    "float": {"float", "complex"},
    "complex": {"complex"},
    "string": {"string"},
}


def attribute(name: str, value: object, schema: OpSchema | None, where: str) -> Attribute:
    """The attribute `name` with this value. Without a schema its kind is guessed from the value.

    Raises:
        ModelError: the operator has no such attribute, or the value does not fit its kind.
    """
    if schema is None:
        kind = _guessed(name, value, where)
        return Attribute(name, kind, _converted(kind, value))
    expect_name(f"an attribute of {where}", name, ModelError)
    attr = schema.attributes.get(name)
    if attr is None:
        raise ModelError(f"{where} has no attribute {name!r}{_known(name, schema)}")
    kind = _kind(attr)
    try:
        return Attribute(name, kind, _converted(kind, value, named_dtype=attr.as_ is DType))
    except (TypeError, ValueError) as error:
        reason = f": {error}" if isinstance(error, ModelError) else ""
        raise ModelError(
            f"attribute {name!r} of {where} is {shown(value)}, but expected {_expected(attr)}{reason}"
        ) from error


def as_tensor(value: object, name: str = "", dtype: DType | None = None) -> Tensor:
    """A tensor of anything like an array.

    What has an element type of its own keeps it. Python's numbers become `dtype` where that is of
    their kind, else floats become float32 and ints int64.

    Raises:
        ModelError: nothing like an array, or numbers that the element type does not hold.
    """
    if isinstance(value, Tensor):
        return value
    tensor = Tensor.of(cast("ArrayLike", value), name)
    if isinstance(value, (np.ndarray, np.generic)):
        return tensor
    numbers = tensor.numpy()
    family = "int" if numbers.size == 0 else tensor.dtype.family
    if dtype is None or dtype.family not in _HELD_BY[family]:
        dtype = {"float": DType.FLOAT32, "int": DType.INT64, "uint": DType.INT64}.get(family)
    if dtype is None:
        return tensor
    with np.errstate(all="ignore"):
        cast_numbers = numbers.astype(dtype.numpy)
        if dtype.family in {"float", "complex"}:
            lost = np.isfinite(numbers) & ~np.isfinite(cast_numbers)
        else:
            lost = cast_numbers.astype(numbers.dtype) != numbers
    if lost.any():
        raise ModelError(f"{shown(value)} is outside the range of {dtype.label}")
    return Tensor.of(cast_numbers, name, dtype)


def _kind(attr: Attr) -> AttributeKind:
    return attr.type  # pyright: ignore[reportReturnType]  # schemas spell kinds as the IR does


def _expected(attr: Attr) -> str:
    if attr.as_ is DType:
        return "an element type such as 'float16'"
    names = {
        "int": "an int", "ints": "a list of ints", "float": "a float", "floats": "a list of floats",
        "string": "a str", "strings": "a list of str", "tensor": "an array",
        "graph": "a subgraph (g.subgraph())", "type_proto": "a type such as 'float32[N]'",
    }  # fmt: skip
    return names.get(attr.type, attr.type)


def _known(name: str, schema: OpSchema) -> str:
    if not schema.attributes:
        return "; it takes none"
    close = alike(name, schema.attributes)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; it takes {', '.join(schema.attributes)}"


def _converted(kind: AttributeKind, value: object, *, named_dtype: bool = False) -> AttributeValue:
    if kind.endswith("s"):
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            raise TypeError(kind)
        single: AttributeKind = kind[:-1]  # pyright: ignore[reportAssignmentType]
        items = cast("Iterable[object]", value)
        return tuple(_converted(single, item) for item in items)  # pyright: ignore[reportReturnType]
    match kind:
        case "int":
            if named_dtype and isinstance(value, str):
                return DType.from_label(value).value
            if isinstance(value, DType):
                return value.value
            if isinstance(value, int | np.integer | np.bool):
                return int(cast("int", value))
        case "float":
            if isinstance(value, int | float | np.integer | np.floating):
                try:
                    return float(cast("float", value))
                except OverflowError:
                    raise ModelError("an integer beyond all floats") from None
        case "string":
            if isinstance(value, str):
                return value.encode()
            if isinstance(value, bytes):
                return value
        case "tensor":
            return as_tensor(value)
        case "graph":
            if isinstance(value, Graph):
                return value
        case "type_proto":
            return parse_type(value) if isinstance(value, str) else _type(value)
        case _:
            pass
    raise TypeError(kind)


def _type(value: object) -> Type:
    if isinstance(value, Type):
        return value
    raise TypeError("type_proto")


def _guessed(name: str, value: object, where: str) -> AttributeKind:
    match value:
        case bool() | int() | np.integer() | np.bool():
            return "int"
        case float() | np.floating():
            return "float"
        case str() | bytes():
            return "string"
        case Graph():
            return "graph"
        case Tensor() | np.ndarray():
            return "tensor"
        case list() | tuple() if value:
            first = cast("Sequence[object]", value)[0]
            return cast("AttributeKind", f"{_guessed(name, first, where)}s")
        case _:
            raise ModelError(
                f"attribute {name!r} of {where} is {shown(value)}, and no schema says what it should "
                "be; give an int, float, str, array, subgraph or a list of such"
            )
