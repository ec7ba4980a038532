"""Symbolic sizes in normal form.

An `Expr` is an integer plus a sum of coefficient × product of factors; a factor is a symbol, a
rounded-down quotient, a remainder, a maximum, a minimum or a broadcast. Sums and products are
expanded and sorted, so that two ways to the same polynomial meet in the same `Expr`.

Expressions are shared: building one that was built lately returns the same object, and `+ - * //`
on the same objects are looked up. The tables are cleared when they are full, so they never
grow without end, and nothing but speed depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, overload

from onnx_explorer.dims import interval
from onnx_explorer.dims.errors import DimError, DimLimitError, UndecidedError
from onnx_explorer.dims.factor import (
    Factor,
    Frozen,
    Key,
    Kind,
    Monomial,
    clear_factors,
    compound_factor,
    factor_order,
    fill,
    remember,
    symbol_factor,
)
from onnx_explorer.dims.interval import Interval
from onnx_explorer.dims.text import sum_text

if TYPE_CHECKING:
    from onnx_explorer.dims.ratio import Exact, Ratio

MAX_TERMS: Final = 256
MAX_DEGREE: Final = 32


_shared: dict[Key, Expr] = {}
_results: dict[Key, tuple[Dim, Dim, Dim]] = {}


def clear_tables() -> None:
    """Forget all results and all expressions that are shared."""
    _shared.clear()
    _results.clear()
    clear_factors()


class Expr(Frozen):
    """A symbolic size: never constant (that is an `int`), immutable, hashable.

    `==` compares structure and guesses nothing: ask `known_equal` or `known_different` about values.
    `bool()` raises `UndecidedError`, as do `< <= > >=` where the bounds do not decide.
    """

    __slots__ = ("_bounds", "_hash", "_text", "constant", "terms")
    _bounds: Interval | None
    _hash: int
    _text: str | None
    constant: int
    terms: tuple[tuple[Monomial, int], ...]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Expr):
            return False
        return self.constant == other.constant and self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash

    @property
    def text(self) -> str:
        """The expression as part of larger arithmetic."""
        text = self._text
        if text is None:
            text = sum_text(self.terms, self.constant)
            fill(self, "_text", text)
        return text

    def __str__(self) -> str:
        factor = self.only_factor
        if factor is not None and factor.kind == "symbol" and factor.text[0] == "`":
            from onnx_explorer.dims.parser import is_arithmetic

            return factor.text if is_arithmetic(factor.name) else factor.name
        return self.text

    def __repr__(self) -> str:
        # A size is read in the middle of others: `(batch, 2*seq + 1)`.
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        return build, (dict(self.terms), self.constant)

    @property
    def bounds(self) -> Interval:
        bounds = self._bounds
        if bounds is None:
            bounds = (self.constant, self.constant)
            for monomial, coefficient in self.terms:
                product = monomial[0].bounds
                for factor in monomial[1:]:
                    product = interval.multiply(product, factor.bounds)
                bounds = interval.add(bounds, interval.scale(product, coefficient))
            fill(self, "_bounds", bounds)
        return bounds

    @property
    def symbols(self) -> frozenset[str]:
        return frozenset[str]().union(*(f.symbols for m, _ in self.terms for f in m))

    @property
    def only_factor(self) -> Factor | None:
        """The factor that the whole expression is, if it is one."""
        if self.constant or len(self.terms) != 1:
            return None
        ((monomial, coefficient),) = self.terms
        return monomial[0] if coefficient == 1 and len(monomial) == 1 else None

    # --- arithmetic: a look-up first, `type(x) is int` before anything dearer

    @overload
    def __add__(self, other: Dim) -> Dim: ...
    @overload
    def __add__(self, other: Exact) -> Dim | Ratio: ...
    def __add__(self, other: Exact) -> Dim | Ratio:
        if type(other) is int:
            key = (id(self), other)
        elif type(other) is Expr:
            key = (id(self), id(other), "+")
        else:
            return _beyond(self, other, "__add__")
        found = _results.get(key)
        if found is None:
            total = self._shifted(other) if isinstance(other, int) else combine(self, 1, other)
            found = remember(_results, key, (self, other, total))
        return found[2]

    __radd__ = __add__

    @overload
    def __sub__(self, other: Dim) -> Dim: ...
    @overload
    def __sub__(self, other: Exact) -> Dim | Ratio: ...
    def __sub__(self, other: Exact) -> Dim | Ratio:
        if type(other) is int:
            return self + -other
        if type(other) is not Expr:
            return _beyond(self, other, "__sub__")
        key = (id(self), id(other), "-")
        found = _results.get(key)
        if found is None:
            found = remember(_results, key, (self, other, combine(self, -1, other)))
        return found[2]

    @overload
    def __rsub__(self, other: int) -> Dim: ...
    @overload
    def __rsub__(self, other: Exact) -> Dim | Ratio: ...
    def __rsub__(self, other: Exact) -> Dim | Ratio:
        return (self - other) * -1

    @overload
    def __mul__(self, other: Dim) -> Dim: ...
    @overload
    def __mul__(self, other: Exact) -> Dim | Ratio: ...
    def __mul__(self, other: Exact) -> Dim | Ratio:
        if type(other) is int:
            key = (id(self), other, "*i")
        elif type(other) is Expr:
            key = (id(self), id(other), "*")
        else:
            return _beyond(self, other, "__mul__")
        found = _results.get(key)
        if found is None:
            result = self._scaled(other) if isinstance(other, int) else _product(self, other)
            found = remember(_results, key, (self, other, result))
        return found[2]

    __rmul__ = __mul__

    def __neg__(self) -> Dim:
        return self * -1

    def __pos__(self) -> Expr:
        return self

    def __floordiv__(self, other: Dim) -> Dim:
        found = _results.get(("//", (id(self),), other if type(other) is int else (id(other),)))
        if found is not None:
            return found[2]
        from onnx_explorer.dims.division import floordiv

        divisor = _operand(other)
        return NotImplemented if divisor is None else floordiv(self, divisor)

    def __rfloordiv__(self, other: int) -> Dim:
        from onnx_explorer.dims.division import floordiv

        dividend = _operand(other)
        return NotImplemented if dividend is None else floordiv(dividend, self)

    def __mod__(self, other: Dim) -> Dim:
        found = _results.get(("%", (id(self),), other if type(other) is int else (id(other),)))
        if found is not None:
            return found[2]
        from onnx_explorer.dims.division import mod

        divisor = _operand(other)
        return NotImplemented if divisor is None else mod(self, divisor)

    def __rmod__(self, other: int) -> Dim:
        from onnx_explorer.dims.division import mod

        dividend = _operand(other)
        return NotImplemented if dividend is None else mod(dividend, self)

    def __truediv__(self, other: Exact) -> Dim | Ratio:
        from onnx_explorer.dims.ratio import Ratio

        return Ratio(self, 1) / other

    def __rtruediv__(self, other: Exact) -> Dim | Ratio:
        from onnx_explorer.dims.ratio import Ratio

        return other / Ratio(self, 1)

    def _shifted(self, by: int) -> Dim:
        return self if by == 0 else _share(self.terms, self.constant + by)

    def _scaled(self, by: int) -> Dim:
        if by == 0:
            return 0
        return _share(tuple((m, c * by) for m, c in self.terms), self.constant * by)

    # --- questions that Python asks

    def __lt__(self, other: Dim) -> bool:
        return _decided(self, "<", other)

    def __le__(self, other: Dim) -> bool:
        return _decided(self, "<=", other)

    def __gt__(self, other: Dim) -> bool:
        return _decided(self, ">", other)

    def __ge__(self, other: Dim) -> bool:
        return _decided(self, ">=", other)

    def __bool__(self) -> bool:
        raise UndecidedError(f"cannot decide the truth of the symbolic size {self}")

    def __index__(self) -> int:
        raise UndecidedError(f"a number is needed here, but {self} is a symbolic size")


Dim = int | Expr


def symbol(
    name: str, *, low: int | None = 0, high: int | None = None, origin: str | None = None
) -> Expr:
    """The size of that name, known to lie in [low, high]; `low=None` for an integer that may be negative.

    The name alone is its identity: equal names are one size, even with other bounds. `origin`
    says in words where the size comes from.
    """
    if not name:
        raise DimError("a symbolic size needs a name, but the name is empty")
    if low is not None and high is not None and high < low:
        raise DimError(f"no value is left for the size {name!r}: it lies between {low} and {high}")
    return _share((((symbol_factor(name, (low, high), origin),), 1),), 0)


def bounds(dim: Dim) -> Interval:
    """The closed range of values; `None` where it is open."""
    dim = as_dim(dim)
    return (dim, dim) if isinstance(dim, int) else dim.bounds


def as_dim(value: Dim) -> Dim:
    """The size itself; integers of other libraries become `int`."""
    dim = _operand(value)
    if dim is None:
        raise TypeError(f"a size is an int or an Expr, not {type(value).__name__}: {value!r}")
    return dim


def product(dims: Iterable[Dim]) -> Dim:
    result: Dim = 1
    for dim in dims:
        result = result * dim
    return result


def total(dims: Iterable[Dim]) -> Dim:
    result: Dim = 0
    for dim in dims:
        result = result + dim
    return result


# --- construction


def build(terms: dict[Monomial, int], constant: int) -> Dim:
    """The normal form of a sum whose monomials are sorted products."""
    kept = [term for term in terms.items() if term[1]]
    if len(kept) > 1:
        if len(kept) > MAX_TERMS:
            raise DimLimitError(f"a size has {len(kept)} terms, more than {MAX_TERMS}")
        kept.sort(key=_term_order)
    return _share(tuple(kept), constant) if kept else constant


def combine(a: Expr, by: int, b: Expr) -> Dim:
    """The sum a + by*b."""
    terms = dict(a.terms)
    for monomial, coefficient in b.terms:
        terms[monomial] = terms.get(monomial, 0) + by * coefficient
    return build(terms, a.constant + by * b.constant)


def compound(kind: Kind, args: tuple[Dim, ...]) -> Dim:
    """The factor of that kind as an expression; `args` are in normal form already."""
    factor = compound_factor(kind, args)
    return _share((((factor,), 1),), 0)


def recall(operation: str, function: Callable[[Dim, Dim], Dim], a: Dim, b: Dim) -> Dim:
    """function(a, b), looked up if these very objects met before."""
    key = (
        operation,
        (id(a),) if isinstance(a, Expr) else a,
        (id(b),) if isinstance(b, Expr) else b,
    )
    found = _results.get(key)
    if found is None:
        found = remember(_results, key, (a, b, function(a, b)))
    return found[2]


def _share(terms: tuple[tuple[Monomial, int], ...], constant: int) -> Expr:
    # by identity, since factors that are equal may know different bounds
    key = (constant, *[(c, *map(id, m)) for m, c in terms])
    found = _shared.get(key)
    if found is None:
        found = Expr.__new__(Expr)
        fill(found, "terms", terms)
        fill(found, "constant", constant)
        fill(found, "_hash", hash((terms, constant)))
        fill(found, "_text", None)
        fill(found, "_bounds", None)
        remember(_shared, key, found)
    return found


def _product(a: Expr, b: Expr) -> Dim:
    if len(a.terms) * len(b.terms) > 4 * MAX_TERMS:
        raise DimLimitError(
            f"a product of {len(a.terms)} and {len(b.terms)} terms is more than a size may have"
        )
    terms: dict[Monomial, int] = {}
    for left, c in (*a.terms, ((), a.constant)) if a.constant else a.terms:
        for right, d in (*b.terms, ((), b.constant)) if b.constant else b.terms:
            monomial = tuple(sorted(left + right, key=factor_order))
            terms[monomial] = terms.get(monomial, 0) + c * d
            if len(monomial) > MAX_DEGREE:
                raise DimLimitError(f"a product of more than {MAX_DEGREE} sizes is no size")
    constant = terms.pop((), 0)
    return build(terms, constant)


def _term_order(term: tuple[Monomial, int]) -> tuple[int, list[tuple[bool, str]]]:
    """Higher degree first, then by name: an order that multiplication keeps, as division needs it."""
    return (-len(term[0]), [factor.order for factor in term[0]])


# --- operands of other types


def _operand(value: object) -> Dim | None:
    if type(value) is int or type(value) is Expr:
        return value
    # bool and numpy's integers; not its arrays, which have a length
    index = getattr(value, "__index__", None)
    return None if index is None or hasattr(value, "__len__") else int(index())


def _beyond(self: Expr, other: object, operation: str) -> Any:
    """`self` with an operand that is neither `int` nor `Expr`: an integer of numpy, a `Fraction`."""
    number = _operand(other)
    if number is not None:
        return getattr(self, operation)(number)
    from onnx_explorer.dims.ratio import as_ratio

    ratio = as_ratio(other)
    return NotImplemented if ratio is None else getattr(as_ratio(self), operation)(ratio)


def _decided(a: Expr, relation: str, b: Dim) -> bool:
    from onnx_explorer.dims.questions import less, less_equal

    other = _operand(b)
    if other is None:
        return NotImplemented
    match relation:
        case "<":
            answer = less(a, other)
        case "<=":
            answer = less_equal(a, other)
        case ">":
            answer = less(other, a)
        case _:
            answer = less_equal(other, a)
    if answer is None:
        raise UndecidedError(f"cannot decide whether {a} {relation} {b}")
    return answer
