"""Run-time values in a few numbers, ready for JSON."""

from __future__ import annotations

import math
from typing import NotRequired, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType, RunValue
from onnx_explorer.view.labels import number_text, shortened

HEAD = 8
"""How many elements are shown."""


class Summary(TypedDict):
    """What the front end shows of a value; only numbers have `min`, `max`, `mean` and `nan`."""

    type: str
    min: NotRequired[float | str]
    max: NotRequired[float | str]
    mean: NotRequired[float | str]
    nan: NotRequired[int]
    head: list[str]


def observed_type(value: RunValue) -> str:
    """The type of a value that a run has made."""
    match value:
        case None:
            return "nothing"
        case np.ndarray():
            sizes = ", ".join(map(str, value.shape))
            return f"{DType.from_numpy(value.dtype).label}[{sizes}]"
        case list():
            inner = observed_type(value[0]) if value else ""
            return f"list of {len(value)}{f' ({inner}, …)' if inner else ''}"
        case dict():
            return f"map of {len(value)}"
        case _:
            return type(value).__name__


def summary(value: RunValue) -> Summary:
    """Type, range, mean, number of NaNs and first elements of a value."""
    match value:
        case None:
            head = []
        case np.ndarray():
            return _of_array(value)
        case list():
            head = [observed_type(item) for item in value[:HEAD]]
        case dict():
            items = list(value.items())[:HEAD]
            head = [shortened(f"{key}: {item}", 60) for key, item in items]
        case _:
            head = [shortened(str(value), 60)]
    return {"type": observed_type(value), "head": head}


def _of_array(array: NDArray[np.generic]) -> Summary:
    label = DType.from_numpy(array.dtype).label
    made: Summary = {
        "type": observed_type(array),
        "head": [element_text(element) for element in array.reshape(-1)[:HEAD].tolist()],
    }
    if label == "string" or array.dtype.kind == "c" or array.size == 0:
        return made
    if array.dtype.kind == "V" or (array.dtype.kind == "f" and array.dtype.itemsize < 4):
        # The small types of ml_dtypes have no sums of their own.
        array = array.astype(np.float32)
    elif array.dtype.kind == "b":
        array = array.view(np.uint8)
    numbers = cast("NDArray[np.float64]", array)
    missing = int(np.isnan(numbers).sum()) if numbers.dtype.kind == "f" else 0
    if missing:
        numbers = numbers[~np.isnan(numbers)]
    made["nan"] = missing
    if numbers.size:
        with np.errstate(all="ignore"):
            mean = float(numbers.mean(dtype=np.float64))
        made["min"] = json_number(numbers.min().item())
        made["max"] = json_number(numbers.max().item())
        made["mean"] = json_number(mean)
    return made


def json_number(value: float) -> float | str:
    """A number that JSON and JavaScript hold without loss, else its text."""
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    return value if math.isfinite(value) else str(value)


def element_text(element: object) -> str:
    """An element of a tensor, short."""
    match element:
        case bool():
            return str(element).lower()
        case int():
            return str(element)
        case str():
            return shortened(repr(element), 40)
        case complex():
            return f"{element:.4g}"
        case _:
            return number_text(float(cast("float", element)))
