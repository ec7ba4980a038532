"""What a person says about the inputs of a model: shapes by input name, sizes by symbol."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, DimError, known_different, parse, substitute, symbol, symbols
from onnx_explorer.errors import InferenceError
from onnx_explorer.inference.naming import FreshNames
from onnx_explorer.ir import DType, Graph, TensorType, shape_text
from onnx_explorer.schema import Abstract, AbstractValue, abstract_of

Binding = int | str | Sequence[int | str | None] | TensorType
"""For a symbol: a size, or arithmetic over other symbols. For an input: a shape, in which None
leaves a dim as it is declared, or a whole type."""


def graph_symbols(graph: Graph) -> frozenset[str]:
    """The names of the symbols in the declared types of a graph's inputs."""
    return frozenset(
        name
        for value in graph.inputs
        if isinstance(value.type, TensorType)
        for size in value.type.shape or ()
        if not isinstance(size, int)
        for name in symbols(size)
    )


def plain_bindings(given: object) -> dict[str, Binding]:
    """The bindings in Python's own types, as people also write them in numpy's.

    Raises:
        InferenceError: something that is neither a size, a shape nor a type.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        msg = (
            f"the inputs are given as {given!r}; expected a dict of shapes by input name and "
            'sizes by symbol, as in {"x": [1, 3, 224, 224], "batch": 4}'
        )
        raise InferenceError(msg)
    items = cast("Mapping[str, object]", given).items()
    return {name: _plain_binding(name, binding) for name, binding in items}


def _plain_binding(name: str, binding: object) -> Binding:
    if isinstance(binding, TensorType):
        return binding
    size = _plain_size(binding)
    if size is not None:
        return size
    listed = _listed(binding)
    if listed is not None:
        sizes = [_plain_size(item) for item in listed]
        if all(s is not None or item is None for s, item in zip(sizes, listed, strict=True)):
            return sizes
    shape = cast("object", getattr(binding, "shape", None))
    hint = f"; its own shape is {shape}" if isinstance(shape, tuple) else ""
    msg = (
        f"{name!r} is bound to {_short(binding)}; expected a size, as in 4 or 'N + 1', or a "
        f"shape, as in [1, 3, None, 'N']{hint}"
    )
    raise InferenceError(msg)


def _listed(binding: object) -> Sequence[object] | None:
    """The items of a list, of a tuple or of an array of integers that may be a shape."""
    if isinstance(binding, np.ndarray):
        array = cast("NDArray[np.generic]", binding)
        is_shape = array.ndim == 1 and array.dtype.kind in "iu"
        return cast("list[object]", array.tolist()) if is_shape else None
    is_listed = isinstance(binding, Sequence) and not isinstance(binding, (bytes, bytearray))
    return cast("Sequence[object]", binding) if is_listed else None


def _plain_size(given: object) -> int | str | None:
    """A size as Python's own int or str; None for what is no size."""
    if isinstance(given, (str, bool)):
        return given
    try:
        return operator.index(cast("int", given))
    except TypeError:
        return None


def _short(given: object) -> str:
    text = " ".join(repr(given).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


class BoundInputs(NamedTuple):
    """Inputs as they are bound, and the numbers that symbols stand for then."""

    values: dict[str, AbstractValue]
    numbers: dict[str, int]


def bound_inputs(graph: Graph, bindings: Mapping[str, Binding], names: FreshNames) -> BoundInputs:
    """The inputs of a graph with the bindings applied: a shape given for one input also binds its
    symbols wherever else they stand.

    Raises:
        InferenceError: a name that is neither input nor symbol, a shape of another rank, a size
            that contradicts the declared one or another binding.
    """
    if not bindings:
        return BoundInputs({}, {})
    known = graph_symbols(graph)
    sizes: dict[str, Dim] = {}
    shapes: dict[str, tuple[Dim | None, ...]] = {}
    dtypes: dict[str, DType] = {}
    inputs = {value.name: value for value in graph.inputs}
    for name, binding in bindings.items():
        if isinstance(binding, (int, str)):
            if name not in known:
                raise InferenceError(_unknown_text(name, binding, inputs, known))
            _bind(sizes, name, _size(name, binding))
        elif name not in inputs:
            raise InferenceError(_unknown_text(name, binding, inputs, known))
        elif isinstance(binding, TensorType):
            dtypes[name] = binding.dtype
            if binding.shape is not None:
                shapes[name] = binding.shape
        else:
            shapes[name] = tuple(None if s is None else _size(name, s) for s in binding)
    for name, shape in shapes.items():
        _bind_declared(sizes, name, abstract_of(inputs[name].type), shape)
    numbers = {name: size for name, size in sizes.items() if isinstance(size, int)}
    result: dict[str, AbstractValue] = {}
    for name, value in inputs.items():
        abstract = names.filled(abstract_of(value.type), "", name)
        if isinstance(abstract, Abstract):
            shape = _merged(name, abstract.shape, shapes.get(name), sizes)
            if shape is not None and sizes:
                shape = tuple(substitute(size, numbers) for size in shape)
                _refuse_negative(name, shape)
            abstract = Abstract(dtypes.get(name, abstract.dtype), shape)
        if abstract != abstract_of(value.type) or name in shapes:
            result[name] = abstract
    return BoundInputs(result, numbers)


def _size(name: str, given: int | str) -> Dim:
    try:
        size = parse(given) if isinstance(given, str) else given
    except DimError as error:
        msg = f"size {given!r} for {name!r}: {error}"
        raise InferenceError(msg) from error
    if isinstance(size, bool) or (isinstance(size, int) and size < 0):
        msg = f"size {given!r} for {name!r}; a size is 0 or more"
        raise InferenceError(msg)
    return size


def _refuse_negative(name: str, shape: tuple[Dim, ...]) -> None:
    for axis, size in enumerate(shape):
        if isinstance(size, int) and size < 0:
            msg = f"the bindings make axis {axis} of input {name!r} {size}; a size is 0 or more"
            raise InferenceError(msg)


def _bind(sizes: dict[str, Dim], name: str, size: Dim) -> None:
    before = sizes.setdefault(name, size)
    if known_different(before, size):
        msg = f"symbol {name!r} is bound to {before} and to {size}"
        raise InferenceError(msg)


def _bind_declared(
    sizes: dict[str, Dim], name: str, declared: AbstractValue, shape: tuple[Dim | None, ...]
) -> None:
    if not isinstance(declared, Abstract) or declared.shape is None:
        return
    if len(declared.shape) != len(shape):
        msg = (
            f"input {name!r} is declared {shape_text(declared.shape)}, rank {len(declared.shape)}; "
            f"the shape given has rank {len(shape)}"
        )
        raise InferenceError(msg)
    for stated, given in zip(declared.shape, shape, strict=True):
        if given is None or isinstance(stated, int):
            continue
        free = symbols(stated)
        if len(free) == 1 and stated == symbol(next(iter(free))) and "?" not in free:
            _bind(sizes, next(iter(free)), given)


def _merged(
    name: str,
    declared: tuple[Dim, ...] | None,
    given: tuple[Dim | None, ...] | None,
    sizes: Mapping[str, Dim],
) -> tuple[Dim, ...] | None:
    if declared is None:
        return (
            None
            if given is None
            else tuple(
                symbol(f"{name}_dim{axis}") if size is None else size
                for axis, size in enumerate(given)
            )
        )
    stated = tuple(substitute(size, sizes) for size in declared)
    if given is None:
        return stated
    for axis, (a, b) in enumerate(zip(stated, given, strict=True)):
        if b is not None and known_different(a, b):
            msg = f"input {name!r} is declared {a} on axis {axis}; the shape given says {b}"
            raise InferenceError(msg)
    return tuple(a if b is None else b for a, b in zip(stated, given, strict=True))


def _unknown_text(
    name: str, binding: object, inputs: Mapping[str, object], known: frozenset[str]
) -> str:
    if name in inputs:
        return (
            f"input {name!r} is bound to {binding!r}; expected its shape, as in "
            f'{{"{name}": [1, 3, 224, 224]}}'
        )
    if name in known:
        return f"symbol {name!r} is bound to {binding!r}; expected one size"
    return (
        f"{name!r} is neither an input ({', '.join(inputs) or 'there are none'}) nor a symbol in "
        f"an input's shape ({', '.join(sorted(known)) or 'there are none'})"
    )
