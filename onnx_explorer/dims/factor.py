"""Factors, the indivisible parts of a product of sizes, and the table in which they are shared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, TypeVar

from onnx_explorer.dims import interval
from onnx_explorer.dims.errors import DimLimitError
from onnx_explorer.dims.interval import Interval
from onnx_explorer.dims.text import call_text, floor_text, mod_text, symbol_text

if TYPE_CHECKING:
    from onnx_explorer.dims.expr import Dim

Kind = Literal["symbol", "floor", "mod", "max", "min", "broadcast"]
Key = tuple[object, ...]
_T = TypeVar("_T")

MAX_DEPTH: Final = 24
MAX_TEXT: Final = 2_000
MAX_SHARED: Final = 1 << 14


class Frozen:
    """A slotted object that only its own room fills in, with `fill`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a size cannot be changed: {name} = {value!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a size cannot be changed: del {name}")


fill = object.__setattr__


class Factor(Frozen):
    """One indivisible part of a product. Two factors are the same if they are written alike: a symbol is
    its name, whatever its bounds and its origin.

    `args` are dividend and divisor, or the sorted candidates; empty for a symbol.
    """

    __slots__ = ("args", "bounds", "depth", "kind", "order", "origin", "symbols", "text")
    args: tuple[Dim, ...]
    bounds: Interval
    depth: int
    kind: Kind
    order: tuple[bool, str]
    origin: str | None
    symbols: frozenset[str]
    text: str

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Factor) and self.text == other.text)

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Factor({self.text!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.kind == "symbol":
            return symbol_factor, (*self.symbols, self.bounds, self.origin)
        return compound_factor, (self.kind, self.args)

    @property
    def name(self) -> str:
        """The symbol's name as it was given."""
        (name,) = self.symbols
        return name


Monomial = tuple[Factor, ...]
"""Sorted; a power is a factor that stands there several times."""

_factors: dict[Key, Factor] = {}


def remember(table: dict[Key, _T], key: Key, value: _T) -> _T:
    if len(table) >= MAX_SHARED:
        table.clear()
    table[key] = value
    return value


def clear_factors() -> None:
    """Forget all factors that are shared."""
    _factors.clear()


def factor_order(factor: Factor) -> tuple[bool, str]:
    return factor.order


def symbol_factor(name: str, bounds: Interval, origin: str | None) -> Factor:
    key = (name, bounds, origin, "symbol")
    found = _factors.get(key)
    if found is None:
        found = _factor("symbol", (), symbol_text(name), bounds, frozenset((name,)), 0, origin)
        remember(_factors, key, found)
    return found


def compound_factor(kind: Kind, args: tuple[Dim, ...]) -> Factor:
    """The factor of that kind; `args` are in normal form already."""
    key = (kind, *(arg if isinstance(arg, int) else (id(arg),) for arg in args))
    found = _factors.get(key)
    if found is None:
        found = remember(_factors, key, _compound(kind, args))
    return found


def _compound(kind: Kind, args: tuple[Dim, ...]) -> Factor:
    ranges = [(arg, arg) if isinstance(arg, int) else arg.bounds for arg in args]
    match kind:
        case "floor":
            text, span = floor_text(*args), interval.floordiv(*ranges)
        case "mod":
            text, span = mod_text(*args), interval.modulo(*ranges)
        case "max":
            text, span = call_text(kind, args), interval.largest(ranges)
        case "min":
            text, span = call_text(kind, args), interval.smallest(ranges)
        case _:
            text, span = call_text(kind, args), interval.hull(ranges)
    inner = [f for arg in args if not isinstance(arg, int) for m, _ in arg.terms for f in m]
    depth = 1 + max((f.depth for f in inner), default=0)
    if depth > MAX_DEPTH or len(text) > MAX_TEXT:
        raise DimLimitError(
            f"a size is nested {depth} levels deep and {len(text)} characters long; "
            f"the limits are {MAX_DEPTH} and {MAX_TEXT}"
        )
    symbols = frozenset[str]().union(*(f.symbols for f in inner))
    return _factor(kind, args, text, span, symbols, depth, None)


def _factor(
    kind: Kind,
    args: tuple[Dim, ...],
    text: str,
    span: Interval,
    symbols: frozenset[str],
    depth: int,
    origin: str | None,
) -> Factor:
    factor = Factor.__new__(Factor)
    fill(factor, "kind", kind)
    fill(factor, "args", args)
    fill(factor, "text", text)
    fill(factor, "bounds", span)
    fill(factor, "symbols", symbols)
    fill(factor, "depth", depth)
    fill(factor, "origin", origin)
    fill(factor, "order", (kind != "symbol", text))
    return factor
