"""Values for symbols: sizes for some of them, or numbers for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from onnx_explorer.dims.choice import alike, joined, maximum, minimum
from onnx_explorer.dims.division import floordiv, mod
from onnx_explorer.dims.errors import DimError, UndecidedError
from onnx_explorer.dims.expr import Dim, Expr, as_dim, build
from onnx_explorer.dims.factor import Factor, Monomial


def symbols(dim: Dim) -> frozenset[str]:
    """The names in a size."""
    return dim.symbols if isinstance(dim, Expr) else frozenset()


def substitute(dim: Dim, values: Mapping[str, Dim]) -> Dim:
    """The size with sizes in the place of the named symbols, all at once; other names stay."""
    if not isinstance(dim, Expr) or dim.symbols.isdisjoint(values):
        return dim
    total: Dim = dim.constant
    kept: dict[Monomial, int] = {}
    for monomial, coefficient in dim.terms:
        if all(factor.symbols.isdisjoint(values) for factor in monomial):
            kept[monomial] = coefficient
            continue
        product: Dim = coefficient
        for factor in monomial:
            product = product * _substituted(factor, values)
        total = total + product
    return build(kept, 0) + total if kept else total


def evaluate(dim: Dim, values: Mapping[str, int]) -> int:
    """The size as a number. Raises `UndecidedError` for a symbol without a value, `DimError` where the
    numbers divide by 0 or do not broadcast.
    """
    if not isinstance(dim, Expr):
        return int(dim)
    return dim.constant + sum(
        coefficient * prod(_evaluated(factor, values) for factor in monomial)
        for monomial, coefficient in dim.terms
    )


def rebuild(factor: Factor, args: tuple[Dim, ...]) -> Dim:
    """The factor with other arguments, in normal form again."""
    match factor.kind:
        case "floor":
            return floordiv(*args)
        case "mod":
            return mod(*args)
        case "max":
            return maximum(*args)
        case "min":
            return minimum(*args)
        case "broadcast":
            return broadcast_all(args)
        case "symbol":
            return build({(factor,): 1}, 0)


def broadcast_all(dims: tuple[Dim, ...], equal: Callable[[Dim, Dim], bool | None] = alike) -> Dim:
    result: Dim = 1
    for dim in dims:
        result = joined(result, dim, equal)
    return result


def _substituted(factor: Factor, values: Mapping[str, Dim]) -> Dim:
    if factor.kind == "symbol" and factor.name in values:
        return as_dim(values[factor.name])
    return rebuild(factor, tuple(substitute(arg, values) for arg in factor.args))


def _evaluated(factor: Factor, values: Mapping[str, int]) -> int:
    if factor.kind == "symbol":
        if factor.name not in values:
            raise UndecidedError(f"the symbolic size {factor.name!r} has no value")
        return int(values[factor.name])
    args = tuple(evaluate(arg, values) for arg in factor.args)
    value = rebuild(factor, args)
    if isinstance(value, Expr):
        raise DimError(f"{factor.text} has no value for {dict(values)}")
    return value
