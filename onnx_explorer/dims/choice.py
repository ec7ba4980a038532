"""Maximum, minimum and the raw broadcast of sizes, in normal form: flat, sorted, nothing superfluous."""

from collections.abc import Callable

from onnx_explorer.dims.errors import DimError
from onnx_explorer.dims.expr import Dim, Expr, as_dim, bounds, compound
from onnx_explorer.dims.factor import Factor, Kind


def maximum(*dims: Dim) -> Dim:
    """The largest of at least one size."""
    return _chosen("max", dims)


def minimum(*dims: Dim) -> Dim:
    """The smallest of at least one size."""
    return _chosen("min", dims)


def joined(a: Dim, b: Dim, same: Callable[[Dim, Dim], bool]) -> Dim:
    """The size that axes of sizes a and b broadcast to; `same` says which sizes are known to be equal."""
    if type(a) is int and type(b) is int:
        if a in (b, 1):
            return b
        if b == 1:
            return a
        raise _mismatch(a, b)
    parts: list[Dim] = []
    for part in (*_parts("broadcast", a), *_parts("broadcast", b)):
        if part != 1 and not any(same(part, kept) for kept in parts):
            parts.append(part)
    parts.sort(key=_order)
    fixed = [part for part in parts if _is_never_one(part)]
    for other in fixed[1:]:
        if _is_never(other - fixed[0], 0):
            raise _mismatch(fixed[0], other)
    if fixed:  # it is the result, as the others can only be 1 or the same
        return fixed[-1]
    if len(parts) < 2:
        return parts[0] if parts else 1
    return compound("broadcast", tuple(parts))


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
        for part in _parts(kind, as_dim(dim)):
            if any(_wins(kind, kept, part) for kept in parts):
                continue
            parts = [kept for kept in parts if not _wins(kind, part, kept)]
            parts.append(part)
    if len(parts) == 1:
        return parts[0]
    return compound(kind, tuple(sorted(parts, key=_order)))


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


def _is_never_one(dim: Dim) -> bool:
    return _is_never(dim, 1)


def _is_never(dim: Dim, value: int) -> bool:
    low, high = bounds(dim)
    return (low is not None and low > value) or (high is not None and high < value)


def _mismatch(a: Dim, b: Dim) -> DimError:
    return DimError(f"the sizes {a} and {b} do not broadcast: they differ and neither is 1")
