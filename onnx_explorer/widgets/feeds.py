"""Inputs for a model that nobody fed: small, of sizes that it works with, the same every time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np

from onnx_explorer.dims import Dim, DimError, Expr, UndecidedError, evaluate, symbols
from onnx_explorer.errors import EvaluationError
from onnx_explorer.inference import Constraint, Types
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

Filling = Literal["random", "zeros", "ones"]

SIZE = 8
"""What an open size becomes."""
IMAGE_SIZE = 64
"""What the height and width of an image become where they are open."""
LARGEST = 4096
"""No larger size is tried to fulfil what the model asks for."""
MOST_ELEMENTS = 1 << 28
"""Elements of an input that nobody fed: a gigabyte of float32. A wrong size should not end the
kernel."""


@dataclass(frozen=True, slots=True)
class RandomFeeds:
    """Feeds drawn at random, with the size that each open dim was given."""

    values: dict[str, RunValue]
    sizes: dict[str, int]
    seed: int

    @property
    def message(self) -> str:
        """What a person should know about these feeds."""
        if not self.values:
            return ""
        chosen = ", ".join(f"{name} = {size}" for name, size in self.sizes.items())
        return f"Inputs are random (seed {self.seed}{f'; {chosen}' if chosen else ''})"


def random_feeds(types: Types, seed: int = 0) -> RandomFeeds:
    """A value for each input that has none: floats from a normal distribution, integers 0 and 1
    (they may be indices), scalars 3.
    """
    random = np.random.default_rng(seed)
    sizes = open_sizes(types)
    values = {
        value.name: filled(types.get(value.name), "random", sizes, random)
        for value in open_inputs(types.model)
    }
    return RandomFeeds(values, sizes, seed)


def open_inputs(model: Model) -> list[Value]:
    """The inputs that have to be fed: those without an initializer."""
    graph = model.graph
    return [value for value in graph.inputs if value.name not in graph.initializers]


def open_sizes(types: Types, given: Mapping[str, int] | None = None) -> dict[str, int]:
    """A size for each symbol of the inputs, such that the model works with them as far as its
    constraints tell. Those that are given stay.
    """
    given = given or {}
    guesses = dict(_guesses(types.get(value.name) for value in open_inputs(types.model)))
    sizes = {name: given.get(name, guess) for name, guess in guesses.items()}
    if sizes:
        _fit(sizes, given, types.constraints)
    return sizes


def filled(
    declared: Type | None,
    how: Filling,
    sizes: Mapping[str, int],
    random: np.random.Generator,
) -> RunValue:
    """A value of a type, its open sizes as given.

    Raises:
        EvaluationError: it would be too large.
    """
    match declared:
        case TensorType(dtype, shape):
            chosen = tuple(_size(size, sizes) for size in shape or ())
            check_elements(chosen)
            return _array(dtype, how, chosen, random)
        case SequenceType(element):
            return [filled(element, how, sizes, random)]
        case MapType():
            return {}
        case OptionalType():
            return None
        case _:
            return np.zeros((), np.float32)


def check_elements(shape: Sequence[int]) -> None:
    """Refuse a shape with more elements than are filled without being asked twice."""
    if prod(shape) > MOST_ELEMENTS:
        sizes = ", ".join(map(str, shape))
        raise EvaluationError(
            f"[{sizes}] is {prod(shape):,} elements; at most {MOST_ELEMENTS:,} are filled here. "
            "Choose smaller sizes, or feed an array of your own from a cell"
        )


def _guesses(types: Iterable[Type | None]) -> Iterator[tuple[str, int]]:
    for declared in types:
        while isinstance(declared, SequenceType):
            declared = declared.element
        shape = (declared.shape if isinstance(declared, TensorType) else None) or ()
        for axis, size in enumerate(shape):
            is_image = len(shape) == 4 and axis >= 2
            is_batch = axis == 0 and len(shape) > 1
            guess = 1 if is_batch else IMAGE_SIZE if is_image else SIZE
            if isinstance(size, Expr) and size != UNKNOWN_DIM:
                for name in sorted(symbols(size)):
                    yield name, 1 if "batch" in name.lower() else guess


def _fit(
    sizes: dict[str, int], given: Mapping[str, int], constraints: Iterable[Constraint]
) -> None:
    """Move each size that a constraint refuses to the nearest one that all of them allow."""
    wanted = [constraint for constraint in constraints if not constraint.is_impossible]

    def fits(name: str, size: int) -> bool:
        with_it = {**sizes, name: size}
        return all(c.allows(with_it) is not False for c in wanted if name in c.symbols)

    for constraint in wanted:
        for name in constraint.symbols:
            if name in given or constraint.allows(sizes) is not False:
                continue
            near = sorted(range(1, LARGEST + 1), key=lambda n: (abs(n - sizes[name]), -n))
            sizes[name] = next((n for n in near if fits(name, n)), sizes[name])


def _size(size: Dim, sizes: Mapping[str, int]) -> int:
    if size == UNKNOWN_DIM:
        return SIZE
    try:
        return max(evaluate(size, sizes), 0)
    except (UndecidedError, DimError):
        return SIZE


def _array(
    dtype: DType, how: Filling, shape: tuple[int, ...], random: np.random.Generator
) -> RunValue:
    if dtype.family == "string":
        return np.full(shape, {"random": "text", "zeros": "", "ones": "1"}[how], object)
    plain = np.float32 if dtype.family == "undefined" else dtype.numpy
    if how != "random":
        return np.full(shape, how == "ones").astype(plain)
    match dtype.family:
        case "int" | "uint":
            return (random.integers(0, 2, shape) if shape else np.asarray(3)).astype(plain)
        case "bool":
            return np.ones(shape, np.bool_)
        case _:
            return random.standard_normal(shape).astype(plain)
