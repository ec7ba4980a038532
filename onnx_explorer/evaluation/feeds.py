"""What a person feeds to a model, checked against what it declares."""

from __future__ import annotations

import operator
from collections.abc import Collection, Mapping
from functools import lru_cache
from operator import is_
from typing import cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import DimError, Expr, UndecidedError, evaluate, symbols
from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.listed import array_of
from onnx_explorer.ir import (
    UNKNOWN_DIM,
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


def checked_feeds(
    model: Model, feeds: Mapping[str, object], read: Collection[str] | None = None
) -> dict[str, RunValue]:
    """The feeds as run-time values: arrays are taken as they are, lists and numbers become arrays
    of the declared dtype. An input with an initializer may be left out, and one that is not among
    those that are `read` (default: all are).

    Raises:
        EvaluationError: an input is missing, unknown, or of another dtype, rank or size than the
            model declares.
    """
    signature = _signature(feeds, read)
    if signature is not None and _FITTED.get(model) == signature:
        return dict(cast("Mapping[str, RunValue]", feeds))
    graph = model.graph
    inputs = {value.name: value for value in graph.inputs}
    if not isinstance(cast("object", feeds), Mapping):
        expected = _described(inputs)
        msg = f"the feeds are a {type(feeds).__name__}; expected a dict by input name: {expected}"
        raise EvaluationError(msg)
    for name in feeds:
        if name not in inputs:
            expected = _described(inputs)
            msg = f"feed {name!r} is not an input of the model; its inputs are {expected}"
            raise EvaluationError(msg)
    checked: dict[str, RunValue] = {}
    check = _Check()
    for name, value in inputs.items():
        if name in feeds:
            checked[name] = check.value(f"input {name!r}", value.type, feeds[name])
        elif read is not None and name not in read:
            continue
        elif name not in graph.initializers and not isinstance(value.type, OptionalType):
            given = f"only {', '.join(map(repr, feeds))}" if feeds else "nothing"
            msg = f"input {name!r} ({value.type}) is missing; fed was {given}"
            raise EvaluationError(msg)
        elif name not in graph.initializers:
            checked[name] = None
    check.sizes()
    taken = map(is_, checked.values(), feeds.values())
    if signature is not None and len(checked) == len(feeds) and all(taken):
        _FITTED[model] = signature
    return checked


_FITTED: WeakKeyDictionary[Model, object] = WeakKeyDictionary()
"""What the latest feeds of a model were that are taken as they are: others like them are too."""


def _signature(feeds: object, read: Collection[str] | None) -> object:
    """All that the check of arrays depends on; None where it depends on more."""
    if type(feeds) is not dict:
        return None
    given = cast("dict[str, object]", feeds)
    arrays = [v for v in given.values() if type(v) is np.ndarray and v.dtype.kind != "O"]
    if len(arrays) < len(given):
        return None
    return tuple(given), [(array.dtype, array.shape) for array in arrays], read


def replacement(where: str, value: object, old: RunValue) -> RunValue:
    """What a person puts in the place of a value: lists and numbers become arrays of its dtype.

    Raises:
        EvaluationError: it is no tensor of this dtype where the old value was one.
    """
    if not isinstance(old, np.ndarray):
        return cast("RunValue", value)
    given = getattr(value, "dtype", old.dtype)
    if given != old.dtype:
        raise EvaluationError(
            f"{where} is {old.dtype}, and {given} was given; .astype({str(old.dtype)!r}) would fit"
        )
    try:
        return array_of(value, DType.from_numpy(old.dtype))
    except (TypeError, ValueError) as error:
        raise EvaluationError(f"{where}: {error}") from error


def _described(inputs: Mapping[str, Value]) -> str:
    return ", ".join(f"{v.name!r}: {v.type}" for v in inputs.values()) or "none"


class _Check:
    """The check of all feeds of one run. Sizes are compared last, when every symbol has its own."""

    def __init__(self) -> None:
        self._tensors: list[tuple[str, TensorType, NDArray[np.generic]]] = []
        self._known: dict[str, tuple[int, str]] = {}
        self._in_sequence = False

    def value(self, where: str, declared: Type | None, fed: object) -> RunValue:
        """What was fed as a run-time value. `where` names the input and the place in it."""
        match declared:
            case OptionalType(element):
                return None if fed is None else self.value(where, element, fed)
            case SequenceType(element):
                if not isinstance(fed, (list, tuple)):
                    raise _unlike(where, declared, fed, "a list")
                # What a sequence declares is what its elements have in common: a symbol there
                # may stand for another size in each.
                outside, self._in_sequence = self._in_sequence, True
                items = enumerate(cast("list[object]", fed))
                found = [self.value(f"{where}, element {i}", element, item) for i, item in items]
                self._in_sequence = outside
                return found
            case MapType():
                return self._map(where, declared, fed)
            case TensorType():
                array = _array(where, declared, fed)
                self._check_tensor(where, declared, array)
                return array
            case _:
                return _array(where, declared, fed)

    def sizes(self) -> None:
        """Raise for a size that is not the declared one."""
        for where, declared, fed in self._tensors:
            for axis, (stated, size) in enumerate(
                zip(declared.shape or (), fed.shape, strict=True)
            ):
                wanted = None if stated == size else self._wanted(stated)
                if wanted is not None and wanted[0] != size:
                    msg = f"{where} is declared {declared}, but {_text(fed)} came: axis {axis} is"
                    raise EvaluationError(f"{msg} {size}, not {wanted[0]}{wanted[1]}")

    def _map(self, where: str, declared: MapType, fed: object) -> RunValue:
        if not isinstance(fed, Mapping):
            raise _unlike(where, declared, fed, "a dict")
        items = cast("Mapping[object, object]", fed).items()
        if declared.key is DType.STRING:
            strings: dict[str, RunValue] = {}
            for key, item in items:
                if not isinstance(key, str):
                    raise _unlike(f"{where}, key {key!r}", declared, key, "a str")
                strings[key] = self.value(f"{where}, key {key!r}", declared.value, item)
            return strings
        numbers: dict[int, RunValue] = {}
        for key, item in items:
            if isinstance(key, bool) or not isinstance(key, (int, np.integer)):
                raise _unlike(f"{where}, key {key!r}", declared, key, "an int")
            number = operator.index(cast("int", key))
            numbers[number] = self.value(f"{where}, key {key!r}", declared.value, item)
        return numbers

    def _check_tensor(self, where: str, declared: TensorType, fed: NDArray[np.generic]) -> None:
        if declared.dtype is not DType.UNDEFINED and fed.dtype != declared.dtype.numpy:
            hint = ""
            if declared.dtype is not DType.STRING and fed.dtype.kind in "biuf":
                hint = f"; x.astype({str(declared.dtype.numpy)!r}) converts it"
            msg = f"{where} is declared {declared}, but {_text(fed)} came{hint}"
            raise EvaluationError(msg)
        if declared.shape is None:
            return
        if len(declared.shape) != fed.ndim:
            msg = (
                f"{where} is declared {declared}, rank {len(declared.shape)}, "
                f"but {_text(fed)}, rank {fed.ndim}, came"
            )
            raise EvaluationError(msg)
        shape = declared.shape
        if shape == fed.shape:
            return
        if self._in_sequence:
            shape = tuple(size if isinstance(size, int) else UNKNOWN_DIM for size in shape)
            declared = TensorType(declared.dtype, shape)
        self._tensors.append((where, declared, fed))
        for stated, size in zip(shape, fed.shape, strict=True):
            if isinstance(stated, Expr) and (name := _symbol(stated)):
                self._known.setdefault(name, (size, where))

    def _wanted(self, stated: int | Expr) -> tuple[int, str] | None:
        """The size that must come and a remark why; None where any may."""
        if isinstance(stated, int):
            return stated, ""
        name = _symbol(stated)
        if name in self._known:
            known, where = self._known[name]
            return known, f" ({name!r} is {known} in {where})"
        try:
            return evaluate(stated, {s: v for s, (v, _) in self._known.items()}), f" ({stated})"
        except (UndecidedError, DimError):
            return None


@lru_cache
def _symbol(size: Expr) -> str:
    """The name of a size that is a symbol; empty for any other, and for one that says nothing."""
    text = str(size)
    return text if text != "?" and text in symbols(size) else ""


def _array(where: str, declared: Type | None, fed: object) -> NDArray[np.generic]:
    if fed is None:
        msg = f"{where} ({declared}) was fed None; expected an array"
        raise EvaluationError(msg)
    dtype = declared.dtype if isinstance(declared, TensorType) else DType.UNDEFINED
    try:
        return array_of(fed, dtype)
    except (TypeError, ValueError) as error:
        msg = f"{where} is declared {declared}; what was fed makes no such array: {error}"
        raise EvaluationError(msg) from error


def _unlike(where: str, declared: Type, fed: object, expected: str) -> EvaluationError:
    return EvaluationError(
        f"{where} is declared {declared}; fed was a {type(fed).__name__}, not {expected}"
    )


def _text(array: NDArray[np.generic]) -> str:
    return f"{array.dtype.name}{list(array.shape)}"
