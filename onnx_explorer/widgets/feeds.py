"""Inputs for a model that nobody fed: small, random, the same every time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from onnx_explorer.dims import Dim, DimError, UndecidedError, evaluate, symbols
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

SIZE = 8
"""What an open size becomes."""
IMAGE_SIZE = 64
"""What the height and width of an image become where they are open."""


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
        return (
            f"Inputs are random (seed {self.seed}{f'; {chosen}' if chosen else ''}); "
            "feeds= sets your own"
        )


def random_feeds(model: Model, seed: int = 0) -> RandomFeeds:
    """A value for each input that has none: floats from a normal distribution, integers 0 and 1
    (they may be indices), scalars 3.
    """
    random = np.random.default_rng(seed)
    inputs = [value for value in model.graph.inputs if value.name not in model.graph.initializers]
    sizes = dict(_sizes(inputs))
    values = {value.name: _drawn(value.type, value.name, sizes, random) for value in inputs}
    return RandomFeeds(values, {n: s for n, s in sizes.items() if not n.startswith("?")}, seed)


def _sizes(inputs: list[Value]) -> Iterator[tuple[str, int]]:
    """A size for each symbol, and for each nameless dim under `?name:axis`."""
    for value in inputs:
        declared = value.type
        while isinstance(declared, SequenceType):
            declared = declared.element
        shape = declared.shape if isinstance(declared, TensorType) else None
        for axis, size in enumerate(shape or ()):
            is_image = len(shape or ()) == 4 and axis >= 2
            is_batch = axis == 0 and len(shape or ()) > 1
            guess = 1 if is_batch else IMAGE_SIZE if is_image else SIZE
            if isinstance(size, int):
                continue
            if size == UNKNOWN_DIM:
                yield f"?{value.name}:{axis}", guess
            else:
                for name in sorted(symbols(size)):
                    yield name, 1 if "batch" in name.lower() else guess


def _drawn(
    declared: Type | None, name: str, sizes: dict[str, int], random: np.random.Generator
) -> RunValue:
    match declared:
        case TensorType(dtype, shape):
            chosen = tuple(_size(size, f"?{name}:{i}", sizes) for i, size in enumerate(shape or ()))
            return _array(dtype, chosen, random)
        case SequenceType(element):
            return [_drawn(element, name, sizes, random)]
        case MapType():
            return {}
        case OptionalType():
            return None
        case _:
            return np.zeros((), np.float32)


def _size(size: Dim, nameless: str, sizes: dict[str, int]) -> int:
    if size == UNKNOWN_DIM:
        return sizes.get(nameless, SIZE)
    try:
        return max(evaluate(size, sizes), 0)
    except (UndecidedError, DimError):
        return SIZE


def _array(dtype: DType, shape: tuple[int, ...], random: np.random.Generator) -> RunValue:
    match dtype.family:
        case "float" | "complex":
            return random.standard_normal(shape).astype(dtype.numpy)
        case "int" | "uint":
            numbers = random.integers(0, 2, shape) if shape else np.asarray(3)
            return numbers.astype(dtype.numpy)
        case "bool":
            return np.ones(shape, np.bool_)
        case "string":
            return np.full(shape, "text", object)
        case "undefined":
            return random.standard_normal(shape).astype(np.float32)
