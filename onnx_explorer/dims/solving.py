"""Which values of one symbol fulfil an equation or an inequality between sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import lcm
from typing import Final, Literal

from onnx_explorer.dims.errors import DimError
from onnx_explorer.dims.expr import Dim, Expr, symbol
from onnx_explorer.dims.questions import rounding_period
from onnx_explorer.dims.substitution import evaluate, substitute

MAX_PERIOD: Final = 1 << 10
MAX_HEAD: Final = 1 << 13
"""Values up to here may be tried one by one; beyond, a size has to be linear."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """A set of sizes: `below` the cut those that are listed, from the cut on those whose remainder
    by `modulus` is listed.
    """

    cut: int = 0
    below: frozenset[int] = frozenset()
    modulus: int = 1
    remainders: frozenset[int] = frozenset({0})

    def __contains__(self, size: int) -> bool:
        return size in self.below if size < self.cut else size % self.modulus in self.remainders

    @property
    def is_everything(self) -> bool:
        """Whether every size from 1 on is in it."""
        return len(self.remainders) == self.modulus and set(range(1, self.cut)) <= self.below

    def meet(self, other: Sizes) -> Sizes:
        """The sizes in both."""
        return self._with(other, all)

    def join(self, other: Sizes) -> Sizes:
        """The sizes in either."""
        return self._with(other, any)

    def _with(self, other: Sizes, rule: Callable[[Iterable[bool]], bool]) -> Sizes:
        cut, modulus = max(self.cut, other.cut), lcm(self.modulus, other.modulus)
        start = -(-cut // modulus) * modulus
        return Sizes(
            cut,
            frozenset(n for n in range(cut) if rule((n in self, n in other))),
            modulus,
            frozenset(r for r in range(modulus) if rule((start + r in self, start + r in other))),
        )

    def text(self, name: str) -> str:
        """What the sizes are, said of a symbol: `batch = 1`, `seq is a multiple of 4`. That it may
        be 0 too is not said.
        """
        if not self.remainders:
            return _few(sorted(self.below - {0}) or sorted(self.below), name)
        modulus, remainders = _simplified(self.modulus, self.remainders)
        odd = [n for n in range(1, self.cut) if (n in self) != (n % modulus in remainders)]
        low = max(odd, default=0) + 1
        extra = [n for n in range(1, low) if n in self]
        parts: list[str] = []
        if low > 1 and not (remainders == frozenset({0}) and low <= modulus):
            parts.append(f"{name} >= {low}")
        if remainders == frozenset({0}) and modulus > 1:
            parts.append(f"{name} is a multiple of {modulus}")
        elif len(remainders) < modulus:
            parts.append(f"{name} mod {modulus} is {_ranges(sorted(remainders))}")
        text = " and ".join(parts) or f"any {name}"
        return f"{_few(extra, name)}, or {text}" if extra else text


def solve(dim: Dim, name: str, relation: Literal["= 0", ">= 0"]) -> Sizes | None:
    """The values of the symbol, the only one in a size, for which the size is 0, or not negative.
    None where they follow no simple pattern.
    """
    step = rounding_period(dim)
    if step > MAX_PERIOD:
        return None
    cut = step
    while (lines := _lines(dim, name, step, cut)) is None:
        cut *= 8
        if cut > MAX_HEAD:
            return None
    # Beyond the cut each remainder has a line; it crosses 0 once at most.
    crossings = [-(start // slope) for slope, start in lines if slope]
    last = max((n + 2 for n in crossings if n >= 0), default=0)
    if last * step > MAX_HEAD:
        return None
    remainders = {
        (cut + r) % step for r, line in enumerate(lines) if _holds_in_the_end(*line, relation)
    }
    cut += last * step
    below = {n for n in range(cut) if _holds_at(dim, name, n, relation)}
    return Sizes(cut, frozenset(below), step, frozenset(remainders))


def _lines(dim: Dim, name: str, step: int, cut: int) -> list[tuple[int, int]] | None:
    """The size at cut + step*n + r for n >= 0, once for each remainder r, as slope*n + start; None
    where it is not of that form.
    """
    n = symbol(name)
    lines: list[tuple[int, int]] = []
    for remainder in range(step):
        try:
            case = substitute(dim, {name: n * step + (cut + remainder)})
        except DimError:
            return None
        if not isinstance(case, Expr):
            lines.append((0, case))
            continue
        ((monomial, slope), *more) = case.terms
        if more or len(monomial) != 1 or monomial[0].kind != "symbol":
            return None
        lines.append((slope, case.constant))
    return lines


def _holds_in_the_end(slope: int, start: int, relation: str) -> bool:
    if relation == "= 0":
        return slope == start == 0
    return slope > 0 or (slope == 0 and start >= 0)


def _holds_at(dim: Dim, name: str, n: int, relation: str) -> bool:
    try:
        value = evaluate(dim, {name: n})
    except DimError:
        return False
    return value == 0 if relation == "= 0" else value >= 0


def _simplified(modulus: int, remainders: frozenset[int]) -> tuple[int, frozenset[int]]:
    """The same remainders by the smallest modulus."""
    for smaller in range(1, modulus):
        if modulus % smaller:
            continue
        kept = frozenset(r % smaller for r in remainders)
        if len(kept) * (modulus // smaller) == len(remainders):
            return smaller, kept
    return modulus, remainders


def _few(numbers: list[int], name: str) -> str:
    if not numbers:
        return f"no value of {name}"
    low, high = numbers[0], numbers[-1]
    if low == high:
        return f"{name} = {low}"
    if len(numbers) > 2 and high - low + 1 == len(numbers):
        return f"{name} <= {high}" if low <= 1 else f"{low} <= {name} <= {high}"
    return f"{name} is {_ranges(numbers)}"


def _ranges(numbers: list[int]) -> str:
    """Numbers for people: `1`, `1 or 4`, `0 or 17 to 31`."""
    starts = [numbers[0], *(b for a, b in pairwise(numbers) if b != a + 1)]
    ends = [*(a for a, b in pairwise(numbers) if b != a + 1), numbers[-1]]
    parts = list(_runs(zip(starts, ends, strict=True)))
    *first, last = parts
    return f"{', '.join(first)} or {last}" if first else last


def _runs(runs: Iterable[tuple[int, int]]) -> Iterable[str]:
    for start, end in runs:
        if end - start < 2:
            yield from map(str, range(start, end + 1))
        else:
            yield f"{start} to {end}"
