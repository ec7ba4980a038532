"""Questions about sizes with three answers: yes, no, and None where it depends on the symbols' values.

A question is one about the difference of two sizes. Bounds and divisibility answer most of them. For
the rest each symbol that is rounded is written as L*x + r, once for each remainder r: then the
roundings vanish, and what is left is a polynomial.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as combinations
from math import gcd, lcm
from typing import Final

from onnx_explorer.dims import interval
from onnx_explorer.dims.choice import joined
from onnx_explorer.dims.errors import DimError, DimLimitError
from onnx_explorer.dims.expr import Dim, Expr, as_dim, bounds, build, recall, symbol
from onnx_explorer.dims.factor import Factor
from onnx_explorer.dims.interval import Interval
from onnx_explorer.dims.substitution import evaluate, substitute

MAX_WORK: Final = 512  # remainders × terms
MAX_CHOICES: Final = 16
SAMPLES: Final = ((0, 0), (1, 0), (97, 10), (2, 1))
"""How far each symbol lies above its lowest value, and how much further than the one before it."""


def equal(a: Dim, b: Dim) -> bool | None:
    """Whether a and b are the same number, whatever the symbols stand for."""
    if type(a) is int and type(b) is int:
        return a == b
    if a is b:
        return True
    difference = as_dim(a) - as_dim(b)
    if isinstance(difference, int):
        return difference == 0
    return _ANSWER[recall("is zero", _is_zero, difference, 0)]


def known_equal(a: Dim, b: Dim) -> bool:
    return equal(a, b) is True


def known_different(a: Dim, b: Dim) -> bool:
    return equal(a, b) is False


def less(a: Dim, b: Dim) -> bool | None:
    """Whether a < b, whatever the symbols stand for."""
    if type(a) is int and type(b) is int:
        return a < b
    return _ANSWER[recall("is positive", _is_positive, as_dim(b) - as_dim(a), 0)]


def less_equal(a: Dim, b: Dim) -> bool | None:
    """Whether a <= b, whatever the symbols stand for."""
    if type(a) is int and type(b) is int:
        return a <= b
    return _ANSWER[recall("is positive", _is_positive, as_dim(b) - as_dim(a) + 1, 0)]


def broadcast(a: Dim, b: Dim) -> Dim:
    """The size that axes of sizes a and b broadcast to.

    `broadcast(x, 1)` is x, `broadcast(x, x)` is x, and with a size that cannot be 1 it is that size, since
    x must be the same or 1. It is not the maximum: 0 and 1 give 0. Raises `DimError` if both sizes are known to
    differ and not to be 1.
    """
    if type(a) is int and type(b) is int:
        return joined(a, b, equal)
    return recall("broadcast", _broadcast, as_dim(a), as_dim(b))


def _broadcast(a: Dim, b: Dim) -> Dim:
    return joined(a, b, equal)


_ANSWER: Final = (False, True, None)
_OPEN: Final = 2


def _is_zero(difference: Dim, _: Dim) -> int:
    if _is_never_zero(difference):
        return False
    samples = _samples(difference)
    if 0 in samples and any(samples):
        return _OPEN
    verdicts = set[bool | None]()
    for case in _cases(difference):
        if isinstance(case, int):
            verdicts.add(case == 0)
        elif case is not difference and _is_never_zero(case):
            verdicts.add(False)
        else:
            return _OPEN
        if len(verdicts) > 1:
            return _OPEN
    return True in verdicts


def _is_positive(difference: Dim, _: Dim) -> int:
    low, high = bounds(difference)
    if low is not None and low > 0:
        return True
    if high is not None and high <= 0:
        return False
    samples = _samples(difference)
    if samples and min(samples) <= 0 < max(samples):
        return _OPEN
    verdicts = set[bool]()
    for case in _cases(difference):
        low, high = _span(case)
        if low is not None and low > 0:
            verdicts.add(True)
        elif high is not None and high <= 0:
            verdicts.add(False)
        else:
            return _OPEN
        if len(verdicts) > 1:
            return _OPEN
    return True in verdicts


def _samples(dim: Dim) -> list[int]:
    """What the size is for some values of its symbols: two that answer a question differently leave
    it open, and most open questions are found out so, at little cost.
    """
    leaves = {factor.name: factor.bounds for factor in _symbol_factors(dim)}
    found: list[int] = []
    for nearest, step in SAMPLES:
        values: dict[str, int] = {}
        for place, (name, (low, high)) in enumerate(sorted(leaves.items())):
            value = (low if low is not None else 0) + nearest + place * step
            values[name] = value if high is None else min(value, high)
        try:
            found.append(evaluate(dim, values))
        except DimError:  # sizes that cannot go together: no sample
            continue
    return found


def _is_never_zero(difference: Dim) -> bool:
    if isinstance(difference, int):
        return difference != 0
    expression = difference
    if expression.constant % gcd(*(c for _, c in expression.terms)):
        return True
    low, high = _span(difference)
    return (low is not None and low > 0) or (high is not None and high < 0)


def _span(dim: Dim, choices: int = MAX_CHOICES) -> Interval:
    """Bounds that see what a maximum, a minimum or a broadcast has in common with the rest of the sum."""
    span = bounds(dim)
    if isinstance(dim, int) or not choices:
        return span
    for monomial, coefficient in dim.terms:
        factor = monomial[0]
        if len(monomial) == 1 and factor.kind in {"max", "min", "broadcast"}:
            rest = dim - build({monomial: coefficient}, 0)
            spans = [
                _span(rest + coefficient * arg, choices // len(factor.args)) for arg in factor.args
            ]
            if factor.kind == "broadcast":
                return interval.meet(span, interval.hull(spans))
            upward = (factor.kind == "max") == (coefficient > 0)
            sharper = interval.largest(spans) if upward else interval.smallest(spans)
            return interval.meet(span, sharper)
    return span


def _cases(dim: Dim) -> Iterator[Dim]:
    """The size, once per combination of remainders, over symbols that count from 0 where they can."""
    if isinstance(dim, int):
        yield dim
        return
    leaves = {factor.name: factor for factor in _symbol_factors(dim)}
    period = rounding_period(dim)
    rounded = sorted(_rounded_symbols(dim)) if period > 1 else []
    if period ** len(rounded) * len(dim.terms) > MAX_WORK:
        rounded, period = [], 1
    if not rounded and all(leaf.bounds[0] == 0 for leaf in leaves.values()):
        yield dim
        return
    steps = {name: period if name in rounded else 1 for name in sorted(leaves)}
    found = False
    for remainders in combinations(*(range(step) for step in steps.values())):
        values: dict[str, Dim] = {}
        for (name, step), remainder in zip(steps.items(), remainders, strict=True):
            value = _counted(leaves[name], step, remainder)
            if value is None:
                break
            values[name] = value
        else:
            try:
                case = substitute(dim, values)
            except DimLimitError:
                yield dim
                return
            except DimError:  # sizes that cannot go together: there is no such case
                continue
            found = True
            yield case
    if not found:
        yield dim


def _counted(leaf: Factor, step: int, remainder: int) -> Dim | None:
    """The symbol as base + step*x, or None if no value has that remainder."""
    low, high = leaf.bounds
    if low is not None:
        if high is None:
            return symbol(leaf.name) * step + (low + remainder)
        if high < low + remainder:
            return None
        count = (high - low - remainder) // step
        return symbol(leaf.name, high=count) * step + (low + remainder)
    if high is not None:
        return symbol(leaf.name) * -step + (high - remainder)
    return symbol(leaf.name, low=None) * step + remainder


def _factors(dim: Dim) -> list[Factor]:
    return [f for monomial, _ in dim.terms for f in monomial] if isinstance(dim, Expr) else []


def _symbol_factors(dim: Dim) -> list[Factor]:
    found: list[Factor] = []
    for factor in _factors(dim):
        if factor.kind == "symbol":
            found.append(factor)
        for arg in factor.args:
            found += _symbol_factors(arg)
    return found


def rounding_period(dim: Dim) -> int:
    """A step of the symbols after which every rounding by a number repeats."""
    return lcm(*(_factor_period(factor) for factor in _factors(dim)))


def _factor_period(factor: Factor) -> int:
    inner = lcm(*(rounding_period(arg) for arg in factor.args))
    divisor = factor.args[-1] if factor.kind in {"floor", "mod"} else 1
    return inner * divisor if isinstance(divisor, int) else inner


def _rounded_symbols(dim: Dim) -> frozenset[str]:
    names = frozenset[str]()
    for factor in _factors(dim):
        if factor.kind in {"floor", "mod"}:
            names |= factor.symbols
        else:
            names = names.union(*(_rounded_symbols(arg) for arg in factor.args))
    return names
