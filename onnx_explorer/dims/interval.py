"""Interval arithmetic over the integers; `None` is an end that is open."""

from __future__ import annotations

from collections.abc import Callable

Interval = tuple[int | None, int | None]

UNBOUNDED: Interval = (None, None)
_INFINITY = float("inf")


def add(a: Interval, b: Interval) -> Interval:
    (a_low, a_high), (b_low, b_high) = a, b
    return (
        None if a_low is None or b_low is None else a_low + b_low,
        None if a_high is None or b_high is None else a_high + b_high,
    )


def scale(a: Interval, factor: int) -> Interval:
    if factor == 0:
        return (0, 0)
    low, high = a if factor > 0 else (a[1], a[0])
    return (
        None if low is None else low * factor,
        None if high is None else high * factor,
    )


def multiply(a: Interval, b: Interval) -> Interval:
    ends = [_times(x, y) for x in _extended(a) for y in _extended(b)]
    return _closed(min(ends), max(ends))


def floordiv(a: Interval, b: Interval) -> Interval:
    """Range of floor(a/b); of `b` only the values other than 0 count."""
    b_low, b_high = b
    if b_low is None or b_low < 0:
        return UNBOUNDED
    if b_low == 0:
        b_low = 1
    a_low, a_high = a
    if a_low is None:
        low = None
    elif a_low >= 0:
        low = 0 if b_high is None else a_low // max(b_high, 1)
    else:
        low = a_low // b_low
    if a_high is None:
        high = None
    elif a_high >= 0:
        high = a_high // b_low
    else:
        high = -1 if b_high is None else a_high // max(b_high, 1)
    return (low, high)


def modulo(a: Interval, b: Interval) -> Interval:
    """Range of a - b*floor(a/b); of `b` only the values other than 0 count."""
    b_low, b_high = b
    if b_low is None or b_low < 0:
        return UNBOUNDED
    a_low, a_high = a
    high = None if b_high is None else max(b_high - 1, 0)
    if a_low is not None and a_low >= 0 and a_high is not None:
        high = a_high if high is None else min(a_high, high)
    return (0, high)


def largest(ranges: list[Interval]) -> Interval:
    lows = [low for low, _ in ranges if low is not None]
    highs = [high for _, high in ranges]
    return (max(lows, default=None), _all_closed(max, highs))


def smallest(ranges: list[Interval]) -> Interval:
    lows = [low for low, _ in ranges]
    highs = [high for _, high in ranges if high is not None]
    return (_all_closed(min, lows), min(highs, default=None))


def hull(ranges: list[Interval]) -> Interval:
    return (
        _all_closed(min, [low for low, _ in ranges]),
        _all_closed(max, [high for _, high in ranges]),
    )


def meet(a: Interval, b: Interval) -> Interval:
    return (largest([a, b])[0], smallest([a, b])[1])


def _all_closed(choose: Callable[[list[int]], int], ends: list[int | None]) -> int | None:
    closed = [end for end in ends if end is not None]
    return choose(closed) if len(closed) == len(ends) else None


def _extended(a: Interval) -> tuple[int | float, int | float]:
    low, high = a
    return (-_INFINITY if low is None else low, _INFINITY if high is None else high)


def _closed(low: float, high: float) -> Interval:
    return (
        None if low == -_INFINITY else int(low),
        None if high == _INFINITY else int(high),
    )


def _times(x: float, y: float) -> int | float:
    if not x or not y:
        return 0  # an end of 0 beats an open end: the size itself is finite
    if isinstance(x, float) or isinstance(y, float):
        return _INFINITY if (x > 0) == (y > 0) else -_INFINITY
    return x * y
