"""Quotients and remainders of sizes, with floor semantics, in normal form.

Whole multiples of the divisor come out, common factors cancel, nested quotients become one, and the
constant left inside `floor(... / d)` lies in (-d, 0], as in the formula of a convolution:
`(h + 1)//2` and `(h - 1)//2 + 1` are both `floor((h - 1)/2) + 1`.

Cancelling a symbolic factor assumes that it is not 0: a division by a size of 0 cannot happen at run
time without failing, so `B*S // S` is `B`.
"""

from __future__ import annotations

from math import gcd

from onnx_explorer.dims.errors import DimError, UndecidedError
from onnx_explorer.dims.expr import Dim, Expr, as_dim, bounds, build, compound, recall
from onnx_explorer.dims.factor import Factor, Monomial


def floordiv(a: Dim, b: Dim) -> Dim:
    """floor(a / b), as Python's `//`. Raises `DimError` if b is 0."""
    if type(a) is int and type(b) is int:
        if b:
            return a // b
        raise _by_zero(a)
    return recall("//", _floordiv, as_dim(a), as_dim(b))


def mod(a: Dim, b: Dim) -> Dim:
    """The remainder a - b*floor(a / b), as Python's `%`. Raises `DimError` if b is 0."""
    if type(a) is int and type(b) is int:
        if b:
            return a % b
        raise _by_zero(a)
    return recall("%", _mod, as_dim(a), as_dim(b))


def ceildiv(a: Dim, b: Dim) -> Dim:
    """The quotient a / b, rounded up. Raises `DimError` if b is 0."""
    if type(a) is int and type(b) is int:
        return -floordiv(-a, b)
    a, b = as_dim(a), as_dim(b)
    low, _ = bounds(b)
    if low is not None and low >= 0:
        return floordiv(a + b - 1, b)
    return -floordiv(-a, b)


def truncdiv(a: Dim, b: Dim) -> Dim:
    """The quotient a / b, rounded toward zero, as ONNX divides integers.

    Raises `UndecidedError` where the bounds leave the signs open and the division is not exact.
    """
    if isinstance(b, int):
        if not b:
            raise _by_zero(a)
        if isinstance(a, int):
            quotient = abs(a) // abs(b)
            return quotient if (a < 0) == (b < 0) else -quotient
    a, b = as_dim(a), as_dim(b)
    quotient = divide_exactly(a, b)
    if quotient is not None:
        return quotient
    sign = _sign(a) * _sign(b)
    if sign == 0:
        raise UndecidedError(
            f"cannot decide which way {a} / {b} rounds toward zero: a sign is not known"
        )
    return floordiv(a, b) if sign > 0 else -floordiv(-a, b)


def divide_exactly(a: Dim, b: Dim) -> Dim | None:
    """The polynomial q with q*b == a, if there is one; b is not 0."""
    quotient, rest = _divide(a, b)
    return quotient if rest == 0 else None


def _floordiv(a: Dim, b: Dim) -> Dim:
    if isinstance(b, int):
        return _floordiv_by_int(a, b)
    if _is_negative(b):
        return floordiv(-a, -b)
    whole, rest = _divide(a, b)
    rest, divisor = _reduced(rest, b)
    if isinstance(divisor, int):
        return whole + _floordiv_by_int(rest, divisor)
    if rest == 0 or _within(rest, divisor):
        return whole
    low, high = bounds(quotient := compound("floor", (rest, divisor)))
    return whole + (low if low is not None and low == high else quotient)


def _floordiv_by_int(a: Dim, d: int) -> Dim:
    if not d:
        raise _by_zero(a)
    if d < 0:
        a, d = -a, -d
    if isinstance(a, int):
        return a // d
    if d == 1:
        return a
    whole = {m: c // d for m, c in a.terms if c % d == 0}
    rest = {m: c for m, c in a.terms if c % d}
    common = gcd(d, *rest.values())
    constant, d = a.constant // common, d // common
    if not rest:
        return build(whole, constant)
    shift = -(-constant // d)  # rounded up: what stays inside is never positive
    constant -= shift * d
    inner = build({m: c // common for m, c in rest.items()}, constant)
    return build(whole, shift) + _floor_factor(inner, constant, d)


def _floor_factor(inner: Dim, constant: int, d: int) -> Dim:
    low, high = bounds(inner)
    if low is not None and high is not None and low // d == high // d:
        return low // d
    nested = _only_factor(inner - constant)
    if nested is not None and nested.kind == "floor":
        dividend, divisor = nested.args
        if isinstance(divisor, int):
            return _floordiv_by_int(dividend + constant * divisor, divisor * d)
    return compound("floor", (inner, d))


def _mod(a: Dim, b: Dim) -> Dim:
    if isinstance(b, int):
        return _mod_by_int(a, b)
    if _is_negative(b):
        return -mod(-a, -b)
    _, rest = _divide(a, b)
    if rest == 0 or _within(rest, b):
        return rest
    return compound("mod", (rest, b))


def _mod_by_int(a: Dim, d: int) -> Dim:
    if not d:
        raise _by_zero(a)
    if d < 0:
        return -_mod_by_int(-a, -d)
    if isinstance(a, int):
        return a % d
    plain = _without_mods(a, d)
    if isinstance(plain, int):
        return plain % d
    # a coefficient keeps its sign: `-h mod 4` reads better than `3*h mod 4`
    rest = {m: c % d if c > 0 else -(-c % d) for m, c in plain.terms}
    common = gcd(d, *rest.values())
    constant, offset = divmod(plain.constant % d, common)
    inner = build({m: c // common for m, c in rest.items()}, constant)
    d //= common
    low, high = bounds(inner)
    if low is not None and high is not None and low // d == high // d:
        return (inner - low // d * d) * common + offset
    return compound("mod", (inner, d)) * common + offset


def _without_mods(a: Expr, d: int) -> Dim:
    """`a` with (x mod m) replaced by x where d divides m: the same remainder by d."""
    result: Dim = a
    for monomial, coefficient in a.terms:
        factor = monomial[0]
        if len(monomial) == 1 and factor.kind == "mod":
            inner, modulus = factor.args
            if isinstance(modulus, int) and modulus % d == 0:
                result = result - build({monomial: coefficient}, 0) + coefficient * inner
    return result if result == a or isinstance(result, int) else _without_mods(result, d)


def _divide(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """Quotient and rest of polynomials: no term of the rest is a multiple of the leading term of b."""
    lead, scale = b.terms[0] if isinstance(b, Expr) else ((), b)
    quotient: Dim = 0
    rest: Dim = 0
    while a != 0:
        monomial, coefficient = a.terms[0] if isinstance(a, Expr) else ((), a)
        head = build({monomial: coefficient}, 0) if monomial else coefficient
        shared = _without(monomial, lead) if coefficient % scale == 0 else None
        if shared is None:
            rest = rest + head
            a = a - head
        else:
            step = coefficient // scale
            part = build({shared: step}, 0) if shared else step
            quotient = quotient + part
            a = a - part * b
    return quotient, rest


def _without(monomial: Monomial, part: Monomial) -> Monomial | None:
    """The product without the factors of `part`, or None where one of them is missing."""
    left = list(monomial)
    for factor in part:
        if factor not in left:
            return None
        left.remove(factor)
    return tuple(left)


def _reduced(a: Dim, b: Expr) -> tuple[Dim, Dim]:
    """Dividend and divisor without what all their terms have in common."""
    if isinstance(a, int):
        common = gcd(a, b.constant, *(c for _, c in b.terms))
        return a // common, _divided(b, (), common)
    common = gcd(a.constant, b.constant, *(c for d in (a, b) for _, c in d.terms))
    monomial: Monomial = ()
    if not a.constant and not b.constant:
        first, *others = [m for d in (a, b) for m, _ in d.terms]
        monomial = tuple(
            f for i, f in enumerate(first) if all(m.count(f) > first[:i].count(f) for m in others)
        )
    return _divided(a, monomial, common), _divided(b, monomial, common)


def _divided(a: Expr, monomial: Monomial, common: int) -> Dim:
    terms = {_without(m, monomial) or (): c // common for m, c in a.terms}
    return build(terms, terms.pop((), 0) + a.constant // common)


def _within(rest: Dim, divisor: Expr) -> bool:
    """Whether 0 <= rest < divisor holds for all values."""
    low, _ = bounds(rest)
    if low is None or low < 0:
        return False
    gap, _ = bounds(divisor - rest)
    return gap is not None and gap > 0


def _only_factor(dim: Dim) -> Factor | None:
    return dim.only_factor if isinstance(dim, Expr) else None


def _is_negative(b: Expr) -> bool:
    return b.terms[0][1] < 0


def _sign(dim: Dim) -> int:
    """1 if never negative, -1 if never positive, 0 if neither is known."""
    low, high = bounds(dim)
    if low is not None and low >= 0:
        return 1
    return -1 if high is not None and high <= 0 else 0


def _by_zero(a: Dim) -> DimError:
    return DimError(f"the size {a} is divided by 0")
