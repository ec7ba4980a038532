"""What generators draw with: hypothesis behind words of this trade."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np
from hypothesis import strategies as st

from onnx_explorer.ir import DType

WORDS = ("", "a", "B", "ab", "a b", "ünï", "a,b")


@dataclass(frozen=True)
class Listed:
    """A sequence as an input, with the element type that an empty one cannot tell."""

    items: list
    dtype: DType


@dataclass(frozen=True)
class Maybe:
    """An optional tensor as an input, there or not."""

    value: np.ndarray | None
    dtype: DType
    shape: tuple


@dataclass(frozen=True)
class Case:
    """The inputs, attributes and outputs ("": left out) of one node; `around` adds other nodes of
    the graph to a builder, for an operator that names values of it.
    """

    inputs: tuple
    attributes: dict = field(default_factory=dict)
    outputs: tuple = ("out0",)
    around: Callable | None = None


def case(*inputs, outputs=1, **attributes):
    """A case with so many outputs; attributes that are None are left out."""
    while inputs and inputs[-1] is None:
        inputs = inputs[:-1]
    kept = {name: value for name, value in attributes.items() if value is not None}
    return Case(inputs, kept, tuple(f"out{i}" for i in range(outputs)))


class Draw:
    """The choices for one node of an operator; a type variable is drawn once and kept."""

    def __init__(self, data, schema):
        self._data = data
        self._bound = {}
        self._random = None
        self.schema = schema

    # -- numbers and choices -----------------------------------------------------------------

    def size(self, low=0, high=4):
        return self._data.draw(st.integers(low, high))

    def pick(self, *choices):
        return choices[self.size(0, len(choices) - 1)]

    def flag(self):
        return self._data.draw(st.booleans())

    def rarely(self):
        """True once in a while: where a generator leaves the fitting inputs."""
        return self.size(0, 15) == 9

    def maybe(self, draw):
        return draw() if self.flag() else None

    def sizes(self, count, low=0, high=4):
        return [self.size(low, high) for _ in range(count)]

    # -- shapes ------------------------------------------------------------------------------

    def shape(self, low=0, high=5, least=0, most=4):
        """Sizes for a rank from `low` to `high`; few elements at high ranks."""
        rank = self.size(low, high)
        return tuple(self.sizes(rank, least, most if rank < 5 else min(most, 3)))

    def axis(self, rank, extra=0):
        """An axis, counted from either end; `extra` is one more where the end is one."""
        return self.size(-rank, rank - 1 + extra) if rank else 0

    def axes(self, rank, least=0):
        """Distinct axes in any order, counted from either end."""
        order = self.permutation(rank)[: self.size(min(least, rank), rank)]
        return [axis - rank if self.flag() else axis for axis in order]

    def permutation(self, count):
        return list(self._data.draw(st.permutations(range(count))))

    def broadcast(self, count, high=4):
        """Shapes with a common one; now and then one that does not fit."""
        whole = self.shape(0, high)
        return [self.part_of(whole) for _ in range(count)]

    def part_of(self, whole):
        """A shape that broadcasts to this one."""
        kept = whole[self.size(0, len(whole)) if self.flag() else 0 :]
        shape = tuple(1 if self.size(0, 3) == 0 else size for size in kept)
        return (*shape[:-1], 7) if shape and self.rarely() else shape

    # -- elements ----------------------------------------------------------------------------

    def dtype(self, variable, only=None):
        """The element type that this type variable stands for in this node."""
        if variable not in self._bound:
            constraint = self.schema.type_constraints[variable]
            dtypes = [d for d in DType if d.value and d.notation in constraint.allowed]
            if only is not None:
                dtypes = [d for d in dtypes if d.family in only]
            self._bound[variable] = self.pick(*dtypes)
        return self._bound[variable]

    def of(self, variable, shape, low=-3, high=3, only=None):
        """An array of what a type variable stands for."""
        return self.array(self.dtype(variable, only), shape, low, high)

    def array(self, dtype, shape, low=-3, high=3):
        """Elements between the bounds: whole numbers, or halves in a float."""
        if self._random is None:
            self._random = np.random.default_rng(self.size(0, 2**16))
        random = self._random
        shape = tuple(shape)
        if dtype is DType.STRING:
            return random.choice(np.array(WORDS, object), shape)
        if dtype.family in {"uint", "bool"}:
            low = max(low, 0)
        if dtype in {DType.INT2, DType.UINT2}:
            low, high = max(low, -2), min(high, 1)
        if dtype.family in {"float", "complex"}:
            drawn = random.integers(2 * low, 2 * high, shape, endpoint=True) / 2
        else:
            drawn = random.integers(low, high, shape, endpoint=True)
        return np.asarray(drawn).astype(dtype.numpy)

    def ints(self, values, dtype=DType.INT64):
        return np.array(values, dtype.numpy)

    def indices(self, shape, size, dtype=DType.INT64):
        """Indices into an axis of this size, counted from either end."""
        if size == 0:
            shape = tuple(shape) if prod(shape) == 0 else (0, *tuple(shape)[1:]) if shape else ()
        return self.array(dtype, shape, -size, max(size - 1, -size + 1))

    # -- attributes --------------------------------------------------------------------------

    def enum(self, name):
        """One of the values that the schema allows."""
        return self.pick(*self.schema.attributes[name].one_of)

    def plain(self, *names):
        """Attributes that the schema itself says how to draw: numbers and words from a list. Of
        the optional ones only some are given.
        """
        return {
            attr.name: self._plain(attr)
            for attr in self.schema.attributes.values()
            if (attr.one_of or attr.type == "float") and (attr.name in names or not names)
            if attr.required or self.flag()
        }

    def _plain(self, attr):
        if attr.one_of:
            value = self.pick(*attr.one_of)
            return value.value if isinstance(value, DType) else value
        return self.pick(0.25, 0.5, 1.0, 2.0)


def spoiled(d, drawn):
    """The case with another shape for one of its inputs, which mostly makes it misfit."""
    places = [i for i, value in enumerate(drawn.inputs) if isinstance(value, np.ndarray)]
    if not places:
        return drawn
    place = d.pick(*places)
    value = drawn.inputs[place]
    shape = list(value.shape)
    if not shape or d.rarely():
        shape.insert(d.size(0, len(shape)), d.size(0, 2))
    elif d.size(0, 3) == 0:
        shape.pop(d.size(0, len(shape) - 1))
    else:
        shape[d.size(0, len(shape) - 1)] = d.size()
    dtype = DType.from_numpy(value.dtype)
    other = np.resize(value, shape) if value.size else d.array(dtype, shape, 0, 1)
    inputs = (*drawn.inputs[:place], other, *drawn.inputs[place + 1 :])
    return replace(drawn, inputs=inputs)


def fitting_versions(operator, drawn):
    """The schemas of an operator that know the ports, attributes and dtypes of a case."""
    return [s for s in map(operator.schema, operator.versions) if _fits(s, drawn)]


def _fits(schema, drawn):
    most_inputs, most_outputs = schema.max_inputs, schema.max_outputs
    return (
        (most_inputs is None or len(drawn.inputs) <= most_inputs)
        and len(drawn.inputs) >= schema.min_inputs
        and (most_outputs is None or len(drawn.outputs) <= most_outputs)
        and len(drawn.outputs) >= schema.min_outputs
        and drawn.attributes.keys() <= schema.attributes.keys()
        and all(_allowed(schema, i, value) for i, value in enumerate(drawn.inputs))
    )


def _allowed(schema, index, value):
    if not isinstance(value, np.ndarray):
        return True
    notation = DType.from_numpy(value.dtype).notation
    port = schema.port(index)
    constraint = schema.type_constraints.get(port.type)
    return notation in constraint.allowed if constraint else notation == port.type
