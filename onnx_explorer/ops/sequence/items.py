"""What is known about the values in a list: of all of them together, and of one at a time.

Sizes in which the values of a list may differ are the dim `?` as long as they are in it. A value
taken out has sizes of its own instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

from onnx_explorer.dims import Dim, known_equal, less, symbols
from onnx_explorer.ir.types import UNKNOWN_DIM
from onnx_explorer.ops.contents import ints_in
from onnx_explorer.schema import (
    CONTENT_LIMIT,
    UNKNOWN,
    Abstract,
    AbstractMap,
    AbstractOptional,
    AbstractSequence,
    AbstractValue,
    RuleSite,
    Violation,
)


def sequence_of(items: Sequence[AbstractValue]) -> AbstractSequence:
    """The list of these values."""
    element = reduce(common, items) if items else None
    few = len(items) <= CONTENT_LIMIT and any(item != element for item in items)
    return AbstractSequence(element, len(items), tuple(items) if few else None)


def common(a: AbstractValue, b: AbstractValue) -> AbstractValue:
    """What two values of one list have in common.

    Raises:
        Violation: they are of different kinds or dtypes.
    """
    if a == b:
        return a
    match a, b:
        case Abstract(), Abstract() if not (a.dtype and b.dtype) or a.dtype is b.dtype:
            shape = None
            if a.shape is not None and b.shape is not None and len(a.shape) == len(b.shape):
                shape = tuple(
                    x if known_equal(x, y) else UNKNOWN_DIM
                    for x, y in zip(a.shape, b.shape, strict=True)
                )
            return Abstract(
                a.dtype or b.dtype, shape, a.content if a.content == b.content else None
            )
        case AbstractSequence(), AbstractSequence():
            return common_sequence(a, b)
        case AbstractOptional(x, p), AbstractOptional(y, q):
            return AbstractOptional(_common_element(x, y), p if p == q else None)
        case AbstractMap(key, x), AbstractMap(other, y) if key is other:
            return AbstractMap(key, _common_element(x, y))
        case _:
            raise Violation(f"{a} and {b} in one list", "all are of one type")


def common_sequence(a: AbstractSequence, b: AbstractSequence) -> AbstractSequence:
    """What two lists have in common. An empty one says nothing about the values of the other."""
    for empty, other in ((a, b), (b, a)):
        if is_empty(empty):
            same = is_empty(other)
            element = _typed(other.element, empty.element)
            return AbstractSequence(element, 0 if same else None)
    alike = a.length is not None and b.length is not None and known_equal(a.length, b.length)
    items = None
    if a.items is not None and b.items is not None and alike:
        items = tuple(map(common, a.items, b.items))
    return AbstractSequence(
        _common_element(a.element, b.element), a.length if alike else None, items
    )


def is_empty(sequence: AbstractSequence) -> bool:
    """Whether a list is known to hold nothing."""
    return isinstance(sequence.length, int) and sequence.length == 0


def _typed(element: AbstractValue | None, like: AbstractValue | None) -> AbstractValue | None:
    if isinstance(element, Abstract) and element.dtype is None and isinstance(like, Abstract):
        return replace(element, dtype=like.dtype)
    return like if element is None else element


def _common_element(a: AbstractValue | None, b: AbstractValue | None) -> AbstractValue | None:
    return None if a is None or b is None else common(a, b)


def opened(element: AbstractValue | None, hint: str, at: RuleSite) -> AbstractValue:
    """One value of a list by itself: sizes that differ within the list get a name."""

    def named(size: Dim) -> Dim:
        return at.fresh(f"{hint}_dim") if "?" in symbols(size) else size

    if not isinstance(element, Abstract):
        return UNKNOWN if element is None else element
    return _with_sizes(element, named)


def closed(value: AbstractValue, known: frozenset[str]) -> AbstractValue:
    """A value made in every round anew as one of many: only sizes made of what is `known`
    around the rounds are common to all of them.
    """

    def kept(size: Dim) -> Dim:
        return size if symbols(size) <= known else UNKNOWN_DIM

    match value:
        case Abstract():
            return _with_sizes(value, kept)
        case AbstractSequence(element, length, items):
            inner = None if element is None else closed(element, known)
            if length is not None and not symbols(length) <= known:
                length = None
            few = None if items is None else tuple(closed(item, known) for item in items)
            return AbstractSequence(inner, length, few)
        case AbstractOptional(element, present):
            inner = None if element is None else closed(element, known)
            return AbstractOptional(inner, present)
        case _:
            return value


def _with_sizes(value: Abstract, change: Callable[[Dim], Dim]) -> Abstract:
    if value.shape is None:
        return value
    shape = tuple(map(change, value.shape))
    if shape == value.shape:
        return value
    return replace(value, shape=shape, content=None)


def position_in(position: Abstract | None, length: Dim | None, *, end: bool = False) -> int | None:
    """Where in a list a position is, counted from the front where the length is known; None where
    it is not known at all, or left out. With `end`, the place behind the last one counts too.

    Raises:
        Violation: it lies outside for certain.
    """
    if position is None:
        return None
    numbers = ints_in(position)
    if numbers is None:
        return None
    place = one_position(numbers)
    if length is None:
        return place
    check_position(place, length, end=end)
    return place + length if place < 0 and isinstance(length, int) else place


def one_position(numbers: Sequence[int]) -> int:
    """The only number of a position."""
    if len(numbers) != 1:
        raise Violation(
            f"{len(numbers)} elements",
            "a position is one number",
            port="position",
            code="wrong-count",
        )
    return numbers[0]


def check_position(place: int, length: Dim, *, end: bool = False) -> None:
    """The bounds of a position in a list.

    Raises:
        Violation: it lies outside for certain.
    """
    last = length if end else length - 1
    if less(place, -length) is True or less(last, place) is True:
        raise Violation(
            f"position {place}",
            f"the sequence has {length} values: expected {-length} to {last}",
            port="position",
        )
