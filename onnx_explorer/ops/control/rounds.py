"""What a subgraph that runs in rounds leaves behind: values that are carried on, scan outputs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

import numpy as np

from onnx_explorer.dims import Dim
from onnx_explorer.ir import DType, TensorType, Type
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.control.join import join
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.sequence.items import closed
from onnx_explorer.schema import (
    Abstract,
    AbstractMap,
    AbstractOptional,
    AbstractSequence,
    AbstractSubgraph,
    AbstractValue,
    Call,
    RuleSite,
    Violation,
)

Values = tuple[AbstractValue, ...]

ROUNDS = 8
"""How often the body is walked to find types that hold for every iteration, and once more for each
carried value and each of its axes. Each round only ever turns a known size into an unknown one, so
few are needed."""


def settled(value: AbstractValue, body: AbstractSubgraph) -> AbstractValue:
    """A value that the body returns, as every round may return it: the tensors that gather in a
    list share no size that is made anew in each round.
    """
    return closed(value, body.outer_symbols) if isinstance(value, AbstractSequence) else value


@dataclass(slots=True)
class _OneName:
    """Gives a size that changes from round to round the same name in every round, so that the
    next round does not look different for its name alone.
    """

    at: RuleSite
    made: dict[str, Dim] = field(default_factory=dict[str, Dim])

    def fresh(self, hint: str, *, low: int | None = 0, high: int | None = None) -> Dim:
        if hint not in self.made:
            self.made[hint] = self.at.fresh(f"{hint}_inside", low=low, high=high)
        return self.made[hint]

    def final(self, value: AbstractValue) -> AbstractValue:
        """A carried value after the last round: a size that changes is not the one that some round
        began with.
        """
        hints = {size: hint for hint, size in self.made.items()}
        match value:
            case Abstract(shape=shape) if shape is not None and not hints.keys().isdisjoint(shape):
                return value.like(
                    tuple(self.at.fresh(hints[x]) if x in hints else x for x in shape)
                )
            case AbstractOptional(element, present) if element is not None:
                return AbstractOptional(self.final(element), present)
            case AbstractMap(key, element) if element is not None:
                return AbstractMap(key, self.final(element))
            case _:
                return value


def steady(
    arguments: Callable[[tuple[AbstractValue, ...]], tuple[object, ...]],
    initial: tuple[AbstractValue, ...],
    first: int,
    body: AbstractSubgraph,
    at: RuleSite,
) -> Generator[Call, Values, tuple[Values, Values]]:
    """The carried values after the last round, and what the body returns. `arguments` makes of
    carried values what the body takes; it returns them from output `first` on. What it returns
    before these holds for every round. What it returns behind them are entries of scan outputs:
    as all rounds give the same shape, that of the first round is taken, which starts from sizes
    that are known.
    """
    carried = initial
    last = first + len(initial)
    results = entries = ()
    names = _OneName(at)
    for _ in range(ROUNDS + sum(1 + _rank(value) for value in initial)):
        results = yield Call(body, arguments(carried))
        entries = entries or results[last:]
        after = results[first:last]
        joined = tuple(
            join(old, settled(new, body), f"carried{i}", names)
            for i, (old, new) in enumerate(zip(carried, after, strict=True))
        )
        if joined == carried:
            break
        carried = joined
    return tuple(map(names.final, carried)), (*results[:last], *entries)


def _rank(value: AbstractValue) -> int:
    return len(value.shape or ()) if isinstance(value, Abstract) else 0


def with_rounds(element: AbstractValue, count: Dim, axis: int = 0) -> Abstract:
    """A scan output, of which the body returns one `element` a round."""
    if not isinstance(element, Abstract) or element.shape is None:
        return Abstract(element.dtype if isinstance(element, Abstract) else None)
    place = axis_in(axis, len(element.shape) + 1, name="scan output axis")
    return element.like((*element.shape[:place], count, *element.shape[place:]))


def stacked(values: Sequence[object], declared: Type | None, axis: int = 0) -> Array:
    """A scan output at run time; of no rounds, the body's declared type tells what it is.

    Raises:
        Violation: the rounds gave different shapes, or there was none and nothing is declared.
    """
    if values:
        arrays = [np.asarray(value) for value in values]
        shapes = {array.shape for array in arrays}
        if len(shapes) > 1:
            text = " and ".join(str(list(shape)) for shape in sorted(shapes))
            raise Violation(f"scan outputs of shapes {text}", "every iteration gives the same one")
        return np.stack(arrays, axis_in(axis, arrays[0].ndim + 1, name="scan output axis"))
    if not isinstance(declared, TensorType) or declared.dtype is DType.UNDEFINED:
        raise Violation(
            "no iteration and a scan output without a declared type",
            "the body's output declares what it is",
        )
    sizes = [size if isinstance(size, int) else 0 for size in declared.shape or ()]
    place = axis_in(axis, len(sizes) + 1, name="scan output axis")
    return np.empty((*sizes[:place], 0, *sizes[place:]), declared.dtype.numpy)
