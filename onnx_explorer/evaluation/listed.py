"""Arrays from what people write by hand: nothing is rounded to an integer, wrapped or parsed."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType

_TAKEN = {
    "float": ("float", "int", "uint"),
    "complex": ("complex", "float", "int", "uint"),
    "int": ("int", "uint"),
    "uint": ("int", "uint"),
    "bool": ("bool",),
    "string": ("string",),
}
"""Which numbers may stand for a family of dtypes."""


def array_of(given: object, dtype: DType) -> NDArray[np.generic]:
    """An array as it is, in this machine's byte order; lists and numbers in `dtype`, or in the one
    that numpy gives them where that is undefined.

    Raises:
        TypeError, ValueError: it is ragged, masked, or holds what `dtype` cannot.
    """
    if isinstance(given, np.ma.MaskedArray):
        msg = "it is a masked array, and a tensor has no mask; x.filled(...) gives plain numbers"
        raise TypeError(msg)
    if isinstance(given, (np.ndarray, np.generic)) or hasattr(given, "__array__"):
        return _plain(np.asarray(cast("NDArray[np.generic]", given)))
    if dtype is DType.UNDEFINED:
        return _plain(np.asarray(given))
    elements = np.asarray(given, dtype=object)
    listed = cast("list[object]", elements.reshape(-1).tolist())
    for kind, example in {type(element): element for element in reversed(listed)}.items():
        if _family(kind) not in _TAKEN[dtype.family]:
            ragged = "; its lists are not all of the same length" if kind in {list, tuple} else ""
            msg = f"{_short(example)} is of type {kind.__name__}; expected {dtype.label}{ragged}"
            raise TypeError(msg)
    match dtype.family:
        case "float" | "complex":
            return _floats(elements, dtype)
        case "int" | "uint":
            _check_range(cast("list[int]", listed), dtype)
            wide = np.int64 if dtype.family == "int" else np.uint64
            return elements.astype(wide).astype(dtype.numpy)
        case "string":
            return _plain(elements)
        case _:
            return elements.astype(dtype.numpy)


def _plain(array: NDArray[np.generic]) -> NDArray[np.generic]:
    if array.dtype.kind in "SUT":
        array = array.astype(object)
    if array.dtype.kind == "O":
        for element in array.flat:
            if not isinstance(element, str):
                msg = f"{_short(element)} is of type {type(element).__name__}; expected str"
                raise TypeError(msg)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _floats(elements: NDArray[np.object_], dtype: DType) -> NDArray[np.generic]:
    try:
        wide = elements.astype(np.complex128 if dtype.family == "complex" else np.float64)
    except OverflowError:
        msg = f"an integer is beyond what {dtype.label} can hold"
        raise ValueError(msg) from None
    with np.errstate(all="ignore"):
        result = wide.astype(dtype.numpy)
        lost = np.isfinite(wide) & ~np.isfinite(result)
        if dtype.bits <= 8:
            # Some of these have no infinity: what is too large becomes their largest number.
            lost |= np.abs(wide) > _largest(dtype)
    if lost.any():
        msg = f"{wide[lost][0]} is beyond what {dtype.label} can hold"
        raise ValueError(msg)
    return result


def _largest(dtype: DType) -> float:
    import ml_dtypes

    return float(cast("np.float32", ml_dtypes.finfo(dtype.numpy).max))  # pyright: ignore[reportUnknownMemberType]


def _check_range(integers: list[int], dtype: DType) -> None:
    signed = dtype.family == "int"
    low = -(1 << dtype.bits - 1) if signed else 0
    high = (1 << dtype.bits - signed) - 1
    for integer in integers:
        if not low <= integer <= high:
            msg = f"{_short(integer)} is not between {low} and {high}, as {dtype.label} is"
            raise ValueError(msg)


def _family(kind: type[object]) -> str:
    """The family of a Python or numpy number by its type; empty for what is no element."""
    if issubclass(kind, np.generic) and not issubclass(kind, (str, bytes)):
        try:
            return DType.from_numpy(np.dtype(cast("type[np.number]", kind))).family
        except TypeError:
            return ""
    families = (
        (bool, "bool"),
        (int, "int"),
        (float, "float"),
        (complex, "complex"),
        (str, "string"),
    )
    return next((family for base, family in families if issubclass(kind, base)), "")


def _short(element: object) -> str:
    if isinstance(element, int) and element.bit_length() > 100:
        return f"an integer of {element.bit_length()} bits"
    text = repr(element)
    return text if len(text) <= 60 else f"{text[:57]}..."
