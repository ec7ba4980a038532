"""Types from text, as `str` of a type writes them: `float32[N, 3]`, `seq(float32[rows, 4])`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from onnx_explorer.dims import Dim, DimError, parse
from onnx_explorer.errors import ModelError
from onnx_explorer.ir.dtypes import DType
from onnx_explorer.ir.types import (
    UNKNOWN_DIM,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    Type,
)

_TENSOR = re.compile(r"\s*(\w+)\s*(?:\[(.*)\])?\s*", re.DOTALL)
_NESTED = re.compile(r"\s*(seq|optional|map|sparse)\s*\((.*)\)\s*", re.DOTALL)


def parse_type(text: str) -> Type:
    """The type that a text says. A size may be a number, a name, arithmetic over names, or `?`;
    `float32[]` is a scalar, `float32` and `float32[...]` leave the rank open.

    Raises:
        ModelError: the text is no type.
    """
    nested = _NESTED.fullmatch(text)
    if nested is None:
        return TensorType(*_tensor(text))
    kind, inner = nested.groups()
    match kind:
        case "seq":
            return SequenceType(parse_type(inner))
        case "optional":
            return OptionalType(parse_type(inner))
        case "sparse":
            return SparseTensorType(*_tensor(inner))
        case _:
            key, *value = _split(inner)
            if len(value) != 1:
                _refuse(text, "a map has a key and a value, as in map(int64, float32[])")
            return MapType(_dtype(key.strip(), text), parse_type(value[0]))


def _tensor(text: str) -> tuple[DType, tuple[Dim, ...] | None]:
    found = _TENSOR.fullmatch(text)
    if found is None:
        _refuse(text, "expected an element type and a shape, as in float32[N, 3, 224, 224]")
    label, sizes = found.groups()
    dtype = _dtype(label, text)
    if sizes is None or sizes.strip() == "...":
        return dtype, None
    return dtype, tuple(_size(size.strip(), text) for size in _split(sizes))


def _dtype(label: str, text: str) -> DType:
    try:
        return DType.from_label(label)
    except ValueError as error:
        _refuse(text, str(error))


def _size(size: str, text: str) -> Dim:
    if size == "?":
        return UNKNOWN_DIM
    try:
        return parse(size)
    except DimError as error:
        _refuse(text, str(error))


def _split(text: str) -> Iterator[str]:
    """The parts between commas that stand outside brackets; none of an empty text."""
    if not text.strip():
        return
    depth, start = 0, 0
    for place, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _refuse(text: str, why: str) -> NoReturn:
    raise ModelError(f"cannot read the type {text!r}: {why}")
