"""What a person says about the inputs of a model: shapes by input name, sizes by symbol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from onnx_explorer.dims import Dim, known_different, parse, substitute, symbol, symbols
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


def bound_inputs(
    graph: Graph, bindings: Mapping[str, Binding], names: FreshNames
) -> dict[str, AbstractValue]:
    """The inputs of a graph with the bindings applied: a shape given for one input also binds its
    symbols wherever else they stand.

    Raises:
        InferenceError: a name that is neither input nor symbol, a shape of another rank, a size
            that contradicts the declared one or another binding.
    """
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
    result: dict[str, AbstractValue] = {}
    for name, value in inputs.items():
        abstract = names.filled(abstract_of(value.type), "", name)
        if isinstance(abstract, Abstract):
            shape = _merged(name, abstract.shape, shapes.get(name), sizes)
            abstract = Abstract(dtypes.get(name, abstract.dtype), shape)
        if abstract != abstract_of(value.type) or name in shapes:
            result[name] = abstract
    return result


def _size(name: str, given: int | str) -> Dim:
    if isinstance(given, bool) or (isinstance(given, int) and given < 0):
        msg = f"size {given!r} for {name!r}; a size is 0 or more"
        raise InferenceError(msg)
    return given if isinstance(given, int) else parse(given)


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
