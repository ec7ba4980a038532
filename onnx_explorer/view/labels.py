"""Types, attributes and constants as short texts."""

from __future__ import annotations

from onnx_explorer.errors import ModelError
from onnx_explorer.ir import (
    Attribute,
    DType,
    Graph,
    OptionalType,
    SequenceType,
    SparseTensor,
    Tensor,
    TensorType,
    Type,
)
from onnx_explorer.schema import Attr

LONGEST = 160
"""Longer texts end in an ellipsis; the inspector shows them, not the drawing."""
_FEW = 8


def type_label(type_: Type | None) -> str:
    return "?" if type_ is None else str(type_)


def is_known(type_: Type | None) -> bool:
    """Whether element type and rank are known, at every depth."""
    match type_:
        case None:
            return False
        case TensorType(dtype, shape):
            return dtype is not DType.UNDEFINED and shape is not None
        case SequenceType(element) | OptionalType(element):
            return is_known(element)
        case _:
            return True


def attribute_text(attribute: Attribute, attr: Attr | None = None) -> str:
    """The value of an attribute; element types by name where the schema says it is one."""
    if attribute.reference:
        return f"@{attribute.reference}"
    if attr is not None and attr.as_ is DType and isinstance(attribute.value, int):
        return dtype_text(attribute.value)
    return shortened(_text(attribute.value))


def default_text(attr: Attr) -> str:
    """The default of an attribute as text; "" where it has none."""
    if attr.default is None:
        return ""
    if attr.as_ is DType and isinstance(attr.default, int):
        return dtype_text(attr.default)
    return shortened(_text(attr.default))


def dtype_text(number: int) -> str:
    try:
        return DType(number).label
    except ValueError:
        return f"element type {number}"


def tensor_text(tensor: Tensor) -> str:
    """A constant: its elements if there are few, else its type."""
    if tensor.size > _FEW:
        return str(tensor.type)
    return elements_text(tensor) or str(tensor.type)


def elements_text(tensor: Tensor) -> str:
    """The elements of a small tensor: `0.5`, `[1, -1]`, `[[1, 0], [0, 1]]`; nothing when they cannot
    be read.
    """
    try:
        return _text(tensor.numpy().tolist())
    except ModelError:  # a drawing needs them least of all
        return ""


def shortened(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def number_text(value: float) -> str:
    """A float without the noise of its binary form: `0.1`, `1e-05`, `3`."""
    return f"{value:.6g}"


def bytes_text(size: int) -> str:
    """A number of bytes as people say it: `812 B`, `3.4 MB`."""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} B" if unit == "B" else f"{amount:.3g} {unit}"
        amount /= 1000
    return f"{size} B"


def _text(value: object) -> str:
    match value:
        case bytes():
            return value.decode("utf-8", errors="replace")
        case bool():
            return str(value).lower()
        case float():
            return number_text(value)
        case Tensor():
            return tensor_text(value)
        case SparseTensor():
            return f"sparse {value.values.dtype.label}{list(value.dims)}"
        case Graph():
            return f"{value.name} ({len(value.nodes)} nodes)"
        case tuple() | list():
            items: list[object] = list(value)  # pyright: ignore[reportUnknownArgumentType]
            more = ", …" if len(items) > 4 * _FEW else ""
            return f"[{', '.join(map(_text, items[: 4 * _FEW]))}{more}]"
        case _:
            return str(value)
