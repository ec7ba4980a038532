"""Exact fractions of sizes: what a size is while a float carries it, as in Cast → Mul by 0.5 → Floor → Cast."""

from __future__ import annotations

from math import gcd
from typing import Protocol

from onnx_explorer.dims.division import ceildiv, divide_exactly, floordiv
from onnx_explorer.dims.errors import DimError, UndecidedError
from onnx_explorer.dims.expr import Dim, Expr, as_dim, bounds


class Rational(Protocol):
    """Any exact number of Python's: an `int`, a `Fraction`."""

    @property
    def numerator(self) -> int: ...
    @property
    def denominator(self) -> int: ...


class Ratio:
    """numerator / denominator, an exact fraction in lowest terms; made by `ratio`.

    `==` compares structure; there is no order and no truth value.
    """

    __slots__ = ("denominator", "numerator")
    numerator: Dim
    denominator: int

    def __init__(self, numerator: Dim, denominator: int) -> None:
        object.__setattr__(self, "numerator", numerator)
        object.__setattr__(self, "denominator", denominator)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a ratio cannot be changed: {name} = {value!r}")

    def __reduce__(self) -> tuple[type[Ratio], tuple[Dim, int]]:
        return Ratio, (self.numerator, self.denominator)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Ratio)
            and self.denominator == other.denominator
            and self.numerator == other.numerator
        )

    def __hash__(self) -> int:
        return hash((self.numerator, self.denominator))

    def __str__(self) -> str:
        single = isinstance(self.numerator, int) or (
            len(self.numerator.terms) == 1 and not self.numerator.constant
        )
        return (
            f"{self.numerator}/{self.denominator}"
            if single
            else f"({self.numerator})/{self.denominator}"
        )

    def __repr__(self) -> str:
        return str(self)

    def __bool__(self) -> bool:
        raise UndecidedError(f"cannot decide the truth of {self}")

    def __add__(self, other: Exact) -> Dim | Ratio:
        term = as_ratio(other)
        if term is None:
            return NotImplemented
        return ratio(
            self.numerator * term.denominator + term.numerator * self.denominator,
            self.denominator * term.denominator,
        )

    __radd__ = __add__

    def __neg__(self) -> Ratio:
        return Ratio(-self.numerator, self.denominator)

    def __sub__(self, other: Exact) -> Dim | Ratio:
        term = as_ratio(other)
        return NotImplemented if term is None else self + -term

    def __rsub__(self, other: Exact) -> Dim | Ratio:
        return -self + other

    def __mul__(self, other: Exact) -> Dim | Ratio:
        by = as_ratio(other)
        if by is None:
            return NotImplemented
        return ratio(self.numerator * by.numerator, self.denominator * by.denominator)

    __rmul__ = __mul__

    def __truediv__(self, other: Exact) -> Dim | Ratio:
        by = as_ratio(other)
        return NotImplemented if by is None else _quotient(self, by)

    def __rtruediv__(self, other: Exact) -> Dim | Ratio:
        dividend = as_ratio(other)
        return NotImplemented if dividend is None else _quotient(dividend, self)


Exact = Rational | Expr | Ratio


def ratio(numerator: Dim, denominator: int) -> Dim | Ratio:
    """The exact fraction: a size again where the division leaves no rest."""
    if denominator <= 0:
        raise DimError(f"the denominator of {numerator}/{denominator} is not positive")
    if isinstance(numerator, Expr):
        common = gcd(denominator, numerator.constant, *(c for _, c in numerator.terms))
    else:
        numerator = as_dim(numerator)
        common = gcd(denominator, numerator)
    denominator //= common
    numerator = floordiv(numerator, common)
    return numerator if denominator == 1 else Ratio(numerator, denominator)


def floor(value: Exact) -> Dim:
    """The value rounded down."""
    exact = _exact(value)
    return floordiv(exact.numerator, exact.denominator)


def ceil(value: Exact) -> Dim:
    """The value rounded up."""
    exact = _exact(value)
    return ceildiv(exact.numerator, exact.denominator)


def trunc(value: Exact) -> Dim:
    """The value rounded toward zero. Raises `UndecidedError` if it is a fraction of unknown sign."""
    exact = _exact(value)
    if exact.denominator == 1:
        return exact.numerator
    low, high = bounds(exact.numerator)
    if low is not None and low >= 0:
        return floor(exact)
    if high is not None and high <= 0:
        return ceil(exact)
    raise UndecidedError(
        f"cannot decide which way {exact} rounds toward zero: its sign is not known"
    )


def round_half_even(value: Exact) -> Dim:
    """The nearest integer, the even one of two. Raises `UndecidedError` if there may be two."""
    exact = _exact(value)
    numerator, denominator = exact.numerator, exact.denominator
    if isinstance(numerator, int):
        below, rest = divmod(numerator, denominator)
        up = 2 * rest > denominator or (2 * rest == denominator and below % 2 == 1)
        return below + up
    # halfway means numerator ≡ denominator/2 (mod denominator): an odd denominator has no half, and
    # the constant may keep an even one from it
    step = gcd(denominator, *(c for _, c in numerator.terms))
    if denominator % 2 == 0 and (numerator.constant - denominator // 2) % step == 0:
        raise UndecidedError(f"cannot decide which way {exact} rounds: it may lie halfway")
    return floordiv(2 * numerator + denominator, 2 * denominator)


def as_ratio(value: object) -> Ratio | None:
    """An exact number over its denominator, even over 1; None for what is no exact number, as a float."""
    if isinstance(value, Ratio):
        return value
    if isinstance(value, int | Expr):
        return Ratio(as_dim(value), 1)
    numerator = getattr(value, "numerator", None)
    denominator = getattr(value, "denominator", None)
    if numerator is None or denominator is None or hasattr(value, "__len__"):
        return None
    return Ratio(int(numerator), int(denominator))


def _exact(value: Exact) -> Ratio:
    exact = as_ratio(value)
    if exact is None:
        raise TypeError(f"no exact number: {value!r}")
    return exact


def _quotient(a: Ratio, b: Ratio) -> Dim | Ratio:
    if b.numerator == 0:
        raise DimError(f"{a} is divided by 0")
    numerator = a.numerator * b.denominator
    divisor = b.numerator
    if isinstance(divisor, int):
        sign = 1 if divisor > 0 else -1
        return ratio(numerator * sign, a.denominator * abs(divisor))
    quotient = divide_exactly(numerator, divisor)
    if quotient is None:
        raise UndecidedError(f"{a} divided by {b} is no fraction over a number")
    return ratio(quotient, a.denominator)
