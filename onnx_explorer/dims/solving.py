"""Which values of one symbol fulfil an equation or an inequality between sizes."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import Final

from onnx_explorer.dims.errors import DimError
from onnx_explorer.dims.expr import Dim, Expr, symbol
from onnx_explorer.dims.questions import rounding_period
from onnx_explorer.dims.substitution import substitute

MAX_PERIOD: Final = 256


@dataclass(frozen=True, slots=True)
class Solutions:
    """Sizes: the `few`, or all from `low` on whose remainder by `modulus` is one of `remainders`."""

    few: frozenset[int] | None = None
    low: int = 0
    modulus: int = 1
    remainders: frozenset[int] = frozenset({0})

    def __contains__(self, size: int) -> bool:
        if self.few is not None:
            return size in self.few
        return size >= self.low and size % self.modulus in self.remainders

    def meet(self, other: Solutions) -> Solutions:
        """The sizes in both."""
        for one, two in ((self, other), (other, self)):
            if one.few is not None:
                return Solutions(frozenset(size for size in one.few if size in two))
        modulus = lcm(self.modulus, other.modulus)
        both = frozenset(
            r
            for r in range(modulus)
            if r % self.modulus in self.remainders and r % other.modulus in other.remainders
        )
        low = max(self.low, other.low)
        return Solutions(None, low, modulus, both) if both else Solutions(frozenset())

    def text(self, name: str) -> str:
        """What the sizes are, said of a symbol: `batch = 1`, `seq is a multiple of 4`."""
        if self.few is not None:
            if not self.few:
                return f"no value of {name}"
            numbers = sorted(self.few)
            return f"{name} {'= ' if len(numbers) == 1 else 'is '}{_listed(numbers)}"
        parts: list[str] = []
        if self.low:
            parts.append(f"{name} >= {self.low}")
        if self.remainders == frozenset({0}) and self.modulus > 1:
            parts.append(f"{name} is a multiple of {self.modulus}")
        elif len(self.remainders) < self.modulus:
            parts.append(f"{name} mod {self.modulus} is {_listed(sorted(self.remainders))}")
        return " and ".join(parts) or f"any {name}"


def zeros(difference: Dim, name: str) -> Solutions | None:
    """The values of the symbol, at least 0, for which a size of no other symbol is 0; None where
    they are not of a simple kind.
    """
    lines = _lines(difference, name)
    if lines is None:
        return None
    step = len(lines)
    always = {r for r, (slope, start) in enumerate(lines) if slope == start == 0}
    single = {
        r - start // slope * step
        for r, (slope, start) in enumerate(lines)
        if slope and start % slope == 0 and start // slope <= 0
    }
    if not always:
        return Solutions(frozenset(single))
    return None if single else Solutions(None, 0, *_simplified(step, frozenset(always)))


def not_negative(size: Dim, name: str) -> Solutions | None:
    """The values of the symbol, at least 0, for which a size of no other symbol is 0 or more."""
    lines = _lines(size, name)
    if lines is None or any(slope < 0 or (slope == 0 and start < 0) for slope, start in lines):
        return None
    step = len(lines)
    first = [
        r + max(-(start // slope), 0) * step if slope else r
        for r, (slope, start) in enumerate(lines)
    ]
    fits = [n >= first[n % step] for n in range(max(first) + 1)]
    low = len(fits) - fits[::-1].index(False) if False in fits else 0
    return None if any(fits[:low]) else Solutions(None, low)


def _lines(dim: Dim, name: str) -> list[tuple[int, int]] | None:
    """The size at step*n + r, once for each remainder r, as slope*n + start; None where it is not of
    that form.
    """
    step = rounding_period(dim)
    if step > MAX_PERIOD:
        return None
    n = symbol(name)
    lines: list[tuple[int, int]] = []
    for remainder in range(step):
        try:
            case = substitute(dim, {name: n * step + remainder})
        except DimError:
            return None
        if not isinstance(case, Expr):
            lines.append((0, case))
            continue
        if len(case.terms) != 1:
            return None
        ((monomial, slope),) = case.terms
        if len(monomial) != 1 or monomial[0].kind != "symbol":
            return None
        lines.append((slope, case.constant))
    return lines


def _simplified(modulus: int, remainders: frozenset[int]) -> tuple[int, frozenset[int]]:
    """The same remainders by the smallest modulus."""
    for smaller in range(1, modulus):
        if modulus % smaller:
            continue
        kept = frozenset(r % smaller for r in remainders)
        if len(kept) * (modulus // smaller) == len(remainders):
            return smaller, kept
    return modulus, remainders


def _listed(numbers: list[int]) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} or {last}" if first else last
