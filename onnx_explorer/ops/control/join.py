"""What two abstract values have in common: the type of a value that may be either."""

from __future__ import annotations

from typing import Protocol

from onnx_explorer.dims import Dim, known_equal
from onnx_explorer.ops.sequence.items import common_sequence
from onnx_explorer.schema import (
    Abstract,
    AbstractMap,
    AbstractOptional,
    AbstractSequence,
    AbstractValue,
    Content,
    Shape,
    Violation,
)


class Namer(Protocol):
    """What makes up sizes; a `RuleSite` does."""

    def fresh(self, hint: str, *, low: int | None = 0, high: int | None = None) -> Dim: ...


def join(a: AbstractValue, b: AbstractValue, hint: str, at: Namer) -> AbstractValue:
    """What holds for both: sizes that may differ become fresh ones, named after `hint`.

    Raises:
        Violation: they are of different kinds or dtypes, which no value can be both of.
    """
    if a == b:
        return a
    match a, b:
        case Abstract(), Abstract():
            if a.dtype and b.dtype and a.dtype is not b.dtype:
                raise Violation(
                    f"{hint} is {a} on one way", f"it is {b} on the other", code="branch-mismatch"
                )
            return Abstract(a.dtype or b.dtype, _join_shapes(a, b, hint, at), _same_content(a, b))
        case AbstractSequence(), AbstractSequence():
            return common_sequence(a, b)
        case AbstractOptional(x, p), AbstractOptional(y, q):
            return AbstractOptional(_join_elements(x, y, hint, at), p if p == q else None)
        case (AbstractOptional(x, p), y) | (y, AbstractOptional(x, p)):
            # A loop may start from nothing and carry on what its body makes.
            present = True if p else None
            return AbstractOptional(_join_elements(x, y, hint, at), present)
        case AbstractMap(key, x), AbstractMap(other, y) if key is other:
            return AbstractMap(key, _join_elements(x, y, hint, at))
        case _:
            raise Violation(
                f"{hint} is {a} on one way", f"it is {b} on the other", code="branch-mismatch"
            )


def _join_shapes(a: Abstract, b: Abstract, hint: str, at: Namer) -> Shape | None:
    if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return None
    return tuple(
        x if known_equal(x, y) else at.fresh(f"{hint}_dim{axis}")
        for axis, (x, y) in enumerate(zip(a.shape, b.shape, strict=True))
    )


def _same_content(a: Abstract, b: Abstract) -> Content | None:
    return a.content if a.content == b.content else None


def _join_elements(
    a: AbstractValue | None, b: AbstractValue | None, hint: str, at: Namer
) -> AbstractValue | None:
    return None if a is None or b is None else join(a, b, hint, at)
