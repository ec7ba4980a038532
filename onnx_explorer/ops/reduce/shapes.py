"""What reductions do to a shape: the axes they mean, and the sizes that are left."""

from __future__ import annotations

from collections.abc import Iterable

from onnx_explorer.dims import Dim
from onnx_explorer.ops.axes import axes_in
from onnx_explorer.ops.contents import ints_in, length_of
from onnx_explorer.schema import Abstract, RuleSite, Shape


def reduced_axes(axes: Iterable[int] | None, rank: int, *, noop: bool = False) -> tuple[int, ...]:
    """The axes to reduce, counted from the front: without any it is all of them, or none if `noop`.

    Raises:
        Violation: an axis lies outside, or occurs twice.
    """
    given = axes_in(axes or (), rank)
    return given if given or noop else tuple(range(rank))


def reduced_shape(shape: Shape, axes: tuple[int, ...], keepdims: bool) -> Shape:
    """The shape with 1 at the reduced axes, or without them."""
    chosen = frozenset(axes)
    if keepdims:
        return tuple(1 if axis in chosen else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in chosen)


def rule_by_attribute(
    data: Abstract, *, axes: tuple[int, ...] | None = None, keepdims: int
) -> Abstract:
    """The rule of reductions whose axes are an attribute."""
    if data.shape is None:
        # Without axes everything is reduced, whatever the rank.
        return Abstract(None, None if axes or keepdims else ())
    return Abstract(
        None, reduced_shape(data.shape, reduced_axes(axes, len(data.shape)), bool(keepdims))
    )


def rule_by_input(
    data: Abstract,
    axes: Abstract | None = None,
    *,
    keepdims: int,
    noop_with_empty_axes: int = 0,
    at: RuleSite,
) -> Abstract:
    """The rule of reductions whose axes are an input."""
    given = () if axes is None or length_of(axes) == 0 else ints_in(axes)
    if given is not None and not given and noop_with_empty_axes:
        return Abstract(None, data.shape)
    if data.shape is None:
        return Abstract(None, () if given is not None and not given and not keepdims else None)
    if given is not None:
        found = reduced_axes(given, len(data.shape))
        return Abstract(None, reduced_shape(data.shape, found, bool(keepdims)))
    if keepdims:
        # Each size is either what it was or 1.
        return Abstract(None, tuple(_kept_or_one(size, at, i) for i, size in enumerate(data.shape)))
    count = None if axes is None else length_of(axes)
    if count is None:
        return Abstract(None, None)
    left = max(len(data.shape) - count, 0)
    return Abstract(None, tuple(at.fresh(f"dim{i}") for i in range(left)))


def _kept_or_one(size: Dim, at: RuleSite, axis: int) -> Dim:
    return size if isinstance(size, int) and size == 1 else at.fresh(f"dim{axis}")
