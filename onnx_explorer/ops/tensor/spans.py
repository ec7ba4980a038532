"""How many elements a range of an axis holds, on ints and symbolic sizes alike."""

from __future__ import annotations

from dataclasses import dataclass

from onnx_explorer.dims import Dim, bounds, ceildiv, less_equal, maximum, minimum

BEYOND = 2**31 - 2
"""From here on a position means "the end of the axis": INT_MAX and what is next to it."""


@dataclass(frozen=True, slots=True)
class Point:
    """A cut between elements, `distance` (0 or more) away from an end of the axis."""

    distance: Dim
    from_back: bool


def first_of(start: int, step: int, size: int) -> int:
    """Where a range begins: before the first element there is none to go backward from."""
    return max(start, -size) if step < 0 and start < 0 else start


def count_between(size: Dim, start: Dim, end: Dim, step: int) -> Dim | None:
    """The number of elements of `[start:end:step]` on an axis of this size; None where it depends
    on more than is known.
    """
    if isinstance(size, int) and isinstance(start, int) and isinstance(end, int):
        return len(range(*slice(first_of(start, step, size), end, step).indices(size)))
    # Backward, the elements are those of the forward range that starts one behind `end`.
    first, last = (start, end) if step > 0 else (end + 1, start + 1)
    begin = _point(first, backward=step < 0)
    stop = _point(last, backward=step < 0)
    if begin is None or stop is None:
        return None
    first_counts = step < 0 and _cuts_before_first(size, stop) and not _is_ahead(begin)
    length = _length_from_first(size, begin, stop) if first_counts else _length(size, begin, stop)
    return ceildiv(length, abs(step))


def _point(position: Dim, *, backward: bool) -> Point | None:
    """Where a position cuts the axis. Backward, positions were moved up by one, so that 0 is what
    -1 was: the end of the axis.
    """
    low, high = bounds(position)
    if low is not None and low >= (1 if backward else 0):
        return Point(0, from_back=True) if low >= BEYOND else Point(position, from_back=False)
    if high is not None and high <= (0 if backward else -1):
        return Point(0, from_back=False) if high <= -BEYOND else Point(-position, from_back=True)
    return None


def _cuts_before_first(size: Dim, stop: Point) -> bool:
    """Whether what is behind a cut may be the first element, or lie before that."""
    if stop.from_back:
        return stop.distance != 0 and less_equal(stop.distance + 1, size) is not True
    return stop.distance == 0


def _is_ahead(cut: Point) -> bool:
    return not cut.from_back and cut.distance != 0


def _length_from_first(size: Dim, begin: Point, stop: Point) -> Dim:
    """The elements between two cuts of a range that goes backward, from the first element at least."""
    first = minimum(1, size)
    last = maximum(size - stop.distance, first) if stop.from_back else first
    return _not_below_0(last - (_not_below_0(size - begin.distance) if begin.from_back else 0))


def _length(size: Dim, begin: Point, stop: Point) -> Dim:
    """The elements between two cuts, after both were moved into the axis."""
    a, b = begin.distance, stop.distance
    match begin.from_back, stop.from_back:
        case False, False:
            return _not_below_0(_smaller(b, size) - a)
        case False, True:
            return _not_below_0(size - b - a)
        case True, True:
            return _not_below_0(_smaller(size - b, a - b))
        case _:
            return _not_below_0(_smaller(b, size) - _not_below_0(size - a))


def _smaller(a: Dim, b: Dim) -> Dim:
    """The minimum. It asks more than bounds first, so that half of an axis is less than all."""
    if less_equal(a, b) is True:
        return a
    return b if less_equal(b, a) is True else minimum(a, b)


def _not_below_0(size: Dim) -> Dim:
    if less_equal(0, size) is True:
        return size
    return 0 if less_equal(size, 0) is True else maximum(size, 0)
