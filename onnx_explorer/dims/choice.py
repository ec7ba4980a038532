"""Maximum, minimum and the raw broadcast of sizes, in normal form: flat, sorted, nothing superfluous."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from onnx_explorer.dims.errors import DimError, DimLimitError
from onnx_explorer.dims.expr import Dim, Expr, as_dim, bounds, compound
from onnx_explorer.dims.factor import Factor, Kind

MAX_PARTS: Final = 16


def maximum(*dims: Dim) -> Dim:
    """The largest of at least one size."""
    return _chosen("max", dims)


def minimum(*dims: Dim) -> Dim:
    """The smallest of at least one size."""
    return _chosen("min", dims)


def joined(a: Dim, b: Dim, equal: Callable[[Dim, Dim], bool | None]) -> Dim:
    """The size that axes of sizes a and b broadcast to, for a caller who knows when sizes are equal."""
    if type(a) is int and type(b) is int:
        if a in (b, 1):
            return b
        if b == 1:
            return a
        raise _mismatch(a, b)
    parts: list[Dim] = []
    for part in (*_parts("broadcast", a), *_parts("broadcast", b)):
        if part != 1 and not any(equal(part, kept) for kept in parts):
            parts.append(part)
    parts = [part for part in parts if not _cut_short(part, parts)]
    parts.sort(key=_order)
    fixed = [part for part in parts if equal(part, 1) is False]
    for other in fixed[1:]:
        if equal(fixed[0], other) is False:
            raise _mismatch(fixed[0], other)
    if fixed:  # it is the result, as the others can only be 1 or the same
        return fixed[-1]
    if len(parts) < 2:
        return parts[0] if parts else 1
    return _compound("broadcast", parts)


def _cut_short(part: Dim, parts: list[Dim]) -> bool:
    """Whether a part is `min(x, k)` beside x, with k >= 2: they broadcast only when they are equal,
    so x alone says it. A table of k rows, cut to the length of its input, is read this way.
    """
    if not isinstance(part, Expr) or part.constant or len(part.terms) != 1:
        return False
    ((monomial, coefficient),) = part.terms
    if coefficient != 1 or len(monomial) != 1 or monomial[0].kind != "min":
        return False
    args = monomial[0].args
    others = [arg for arg in args if arg not in parts]
    return len(others) < len(args) and all((bounds(arg)[0] or 0) >= 2 for arg in others)


def alike(a: Dim, b: Dim) -> bool | None:
    """Whether a and b are equal, as far as bounds tell."""
    low, high = bounds(a - b)
    if low == high == 0:
        return True
    return False if (low is not None and low > 0) or (high is not None and high < 0) else None


def _chosen(kind: Kind, dims: tuple[Dim, ...]) -> Dim:
    for dim in dims:
        if type(dim) is not int:
            break
    else:
        if not dims:
            raise DimError(f"{kind}() needs at least one size")
        return max(dims) if kind == "max" else min(dims)
    parts: list[Dim] = []
    for dim in dims:
        if len(parts) > MAX_PARTS:
            break
        for part in _parts(kind, as_dim(dim)):
            if any(_wins(kind, kept, part) for kept in parts):
                continue
            parts = [kept for kept in parts if not _wins(kind, part, kept)]
            parts.append(part)
    return parts[0] if len(parts) == 1 else _compound(kind, sorted(parts, key=_order))


def _compound(kind: Kind, parts: list[Dim]) -> Dim:
    if len(parts) > MAX_PARTS:
        raise DimLimitError(f"{kind}() of {len(parts)} sizes has more than {MAX_PARTS}")
    return compound(kind, tuple(parts))


def _wins(kind: Kind, a: Dim, b: Dim) -> bool:
    """Whether `a` makes `b` superfluous, by bounds alone: this runs for each pair."""
    low, high = bounds(a - b)
    return (low is not None and low >= 0) if kind == "max" else (high is not None and high <= 0)


def _parts(kind: Kind, dim: Dim) -> tuple[Dim, ...]:
    factor: Factor | None = dim.only_factor if isinstance(dim, Expr) else None
    return factor.args if factor is not None and factor.kind == kind else (dim,)


def _order(dim: Dim) -> tuple[bool, str]:
    """Symbolic sizes by name, the number last."""
    return (isinstance(dim, int), str(dim) if isinstance(dim, int) else dim.text)


def _mismatch(a: Dim, b: Dim) -> DimError:
    return DimError(f"the sizes {a} and {b} do not broadcast: they differ and neither is 1")
