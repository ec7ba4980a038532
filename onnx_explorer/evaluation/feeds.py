"""What a person feeds to a model, checked against what it declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import DimError, Expr, UndecidedError, evaluate, symbols
from onnx_explorer.errors import EvaluationError
from onnx_explorer.ir import (
    DType,
    MapType,
    Model,
    OptionalType,
    RunValue,
    SequenceType,
    TensorType,
    Type,
    Value,
)


def checked_feeds(model: Model, feeds: Mapping[str, object]) -> dict[str, RunValue]:
    """The feeds as run-time values: arrays are taken as they are, lists and numbers become arrays
    of the declared dtype. An input with an initializer may be left out.

    Raises:
        EvaluationError: an input is missing, unknown, or of another dtype, rank or size than the
            model declares.
    """
    graph = model.graph
    inputs = {value.name: value for value in graph.inputs}
    for name in feeds:
        if name not in inputs:
            expected = ", ".join(f"{v.name!r}: {v.type}" for v in inputs.values()) or "none"
            msg = f"feed {name!r} is not an input of the model; its inputs are {expected}"
            raise EvaluationError(msg)
    checked: dict[str, RunValue] = {}
    sizes: dict[str, tuple[int, str]] = {}
    for name, value in inputs.items():
        if name in feeds:
            checked[name] = _checked(value, feeds[name], sizes)
        elif name not in graph.initializers and not isinstance(value.type, OptionalType):
            given = f"only {', '.join(map(repr, feeds))}" if feeds else "nothing"
            msg = f"input {name!r} ({value.type}) is missing; fed was {given}"
            raise EvaluationError(msg)
        elif name not in graph.initializers:
            checked[name] = None
    return checked


def _checked(value: Value, fed: object, sizes: dict[str, tuple[int, str]]) -> RunValue:
    declared = value.type
    if isinstance(declared, OptionalType):
        return None if fed is None else _converted(value.name, declared.element, fed)
    result = _converted(value.name, declared, fed)
    if isinstance(declared, TensorType) and isinstance(result, np.ndarray):
        _check_tensor(value.name, declared, result, sizes)
    return result


def _converted(name: str, declared: Type | None, fed: object) -> RunValue:
    if isinstance(declared, SequenceType):
        if not isinstance(fed, (list, tuple)):
            msg = (
                f"input {name!r} is declared {declared}; fed was a {type(fed).__name__}, not a list"
            )
            raise EvaluationError(msg)
        items = cast("list[object]", fed)
        return [_converted(name, declared.element, item) for item in items]
    if isinstance(declared, MapType):
        if not isinstance(fed, Mapping):
            msg = (
                f"input {name!r} is declared {declared}; fed was a {type(fed).__name__}, not a dict"
            )
            raise EvaluationError(msg)
        return dict(cast("Mapping[int, RunValue]", fed))
    if isinstance(fed, (np.ndarray, np.generic)):
        array: NDArray[np.generic] = np.asarray(cast("NDArray[np.generic]", fed))
        return array.astype(object) if array.dtype.kind in "US" else array
    if fed is None:
        msg = f"input {name!r} ({declared}) was fed None; expected an array"
        raise EvaluationError(msg)
    dtype = declared.dtype if isinstance(declared, TensorType) else DType.UNDEFINED
    try:
        return np.asarray(fed, dtype=None if dtype is DType.UNDEFINED else dtype.numpy)
    except (TypeError, ValueError) as error:
        msg = f"input {name!r} is declared {declared}; what was fed makes no such array: {error}"
        raise EvaluationError(msg) from error


def _check_tensor(
    name: str, declared: TensorType, fed: NDArray[np.generic], sizes: dict[str, tuple[int, str]]
) -> None:
    came = f"{fed.dtype.name}{list(fed.shape)}"
    if declared.dtype is not DType.UNDEFINED and fed.dtype != declared.dtype.numpy:
        hint = ""
        if declared.dtype is not DType.STRING and fed.dtype.kind in "biuf":
            hint = f"; x.astype({str(declared.dtype.numpy)!r}) converts it"
        msg = f"input {name!r} is declared {declared}, but {came} came{hint}"
        raise EvaluationError(msg)
    if declared.shape is None:
        return
    if len(declared.shape) != fed.ndim:
        msg = (
            f"input {name!r} is declared {declared}, rank {len(declared.shape)}, "
            f"but {came}, rank {fed.ndim}, came"
        )
        raise EvaluationError(msg)
    for axis, (stated, size) in enumerate(zip(declared.shape, fed.shape, strict=True)):
        wanted = _wanted(stated, size, name, sizes)
        if wanted is not None and wanted[0] != size:
            msg = f"input {name!r} is declared {declared}, but {came} came: axis {axis} is {size}"
            raise EvaluationError(f"{msg}, not {wanted[0]}{wanted[1]}")


def _wanted(
    stated: int | Expr, size: int, name: str, sizes: dict[str, tuple[int, str]]
) -> tuple[int, str] | None:
    """The size that must come and a remark why; None where any may."""
    if isinstance(stated, int):
        return stated, ""
    text = str(stated)
    if text in symbols(stated):
        if text == "?":
            return None
        known, where = sizes.setdefault(text, (size, name))
        return known, f" ({text!r} is {known} in input {where!r})"
    try:
        return evaluate(stated, {s: v for s, (v, _) in sizes.items()}), f" ({stated})"
    except (UndecidedError, DimError):
        return None
