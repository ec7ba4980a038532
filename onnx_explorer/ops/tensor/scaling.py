"""Sizes under scales: what Resize and Upsample make of the axes of their input."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from onnx_explorer.dims import Dim, floordiv
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.axes import axes_in
from onnx_explorer.ops.tensor.interpolation import Stretch
from onnx_explorer.schema import Abstract, RuleSite, Shape, Violation

Policy = Literal["stretch", "not_larger", "not_smaller"]


def scaled(size: Dim, scale: Fraction) -> Dim:
    """floor(size × scale), exactly.

    Raises:
        Violation: the scale is not above 0.
    """
    if scale <= 0:
        raise Violation(f"scale {float(scale):g}", "scales are above 0", port="scales")
    return floordiv(size * scale.numerator, scale.denominator)


def fitted(
    sizes: Sequence[int], wanted: Sequence[int], policy: Policy
) -> tuple[Fraction, tuple[int, ...]]:
    """The one scale that keeps the aspect ratio within what is wanted, and the sizes it makes,
    halves rounded up.
    """
    if 0 in sizes:
        raise Violation(
            f"sizes {list(sizes)} of X", "a ratio to an empty axis does not exist", port="X"
        )
    scales = [Fraction(new, old) for new, old in zip(wanted, sizes, strict=True)]
    scale = min(scales) if policy == "not_larger" else max(scales)
    half = Fraction(1, 2)
    return scale, tuple((size * scale + half).__floor__() for size in sizes)


def one_each(
    name: str, axes: Sequence[int] | None, rank: int, count: int | None
) -> tuple[int, ...]:
    """The axes counted from the front.

    Raises:
        Violation: there is not one value for each of them.
    """
    touched = axes_in(range(rank) if axes is None else axes, rank)
    if count is not None and count != len(touched):
        raise Violation(
            f"{count} {name}",
            f"one for each of {len(touched)} axes is needed (X has rank {rank})",
            port=name,
        )
    return touched


def check_vector(shape: Shape | None, *, port: str) -> None:
    """Raise `Violation` where values of axes are known not to be 1-D."""
    if shape is not None and len(shape) != 1:
        raise Violation(
            f"shape {shape_text(shape)}",
            "a vector, one value for each axis",
            port=port,
            code="wrong-shape",
        )


def fractions_in(value: Abstract) -> tuple[Fraction, ...] | None:
    """The elements as exact fractions; None where they are not known or symbolic."""
    if value.content is None:
        return None
    found = tuple(
        Fraction(element) for element in value.content if isinstance(element, int | Fraction)
    )
    return found if len(found) == len(value.content) else None


def by_scales(
    X: Abstract,
    axes: Sequence[int] | None,
    scales: Sequence[Fraction] | None,
    count: int | None,
    at: RuleSite,
) -> Abstract:
    """X with each of the axes scaled; `count` is how many values the node gives, as far as
    known.
    """
    if X.shape is None:
        if axes is not None or count is None:
            return X.like(None)
        return X.like(tuple(at.fresh(f"dim{axis}") for axis in range(count)))
    touched = one_each("scales", axes, len(X.shape), count)
    sizes = list(X.shape)
    for i, axis in enumerate(touched):
        sizes[axis] = at.fresh(f"dim{axis}") if scales is None else scaled(sizes[axis], scales[i])
    return X.like(tuple(sizes))


def stretches(
    shape: tuple[int, ...], scales: Sequence[float], axes: Sequence[int] | None = None
) -> list[Stretch]:
    """What each scale makes of its axis."""
    return list(_stretches(shape, tuple(scales), None if axes is None else tuple(axes)))


@lru_cache(64)
def _stretches(
    shape: tuple[int, ...], scales: tuple[float, ...], axes: tuple[int, ...] | None
) -> tuple[Stretch, ...]:
    touched = one_each("scales", axes, len(shape), len(scales))
    return tuple(
        Stretch(axis, shape[axis], int(scaled(shape[axis], Fraction(scale))), scale)
        for axis, scale in zip(touched, scales, strict=True)
    )


def stretches_to(
    shape: tuple[int, ...], sizes: Sequence[int], axes: Sequence[int] | None, policy: Policy
) -> list[Stretch]:
    """What it takes to bring each axis to its size, or near it where the ratio is kept."""
    touched = one_each("sizes", axes, len(shape), len(sizes))
    old = [shape[axis] for axis in touched]
    if policy == "stretch":
        scales = [new / (size or 1) for new, size in zip(sizes, old, strict=True)]
    else:
        scale, sizes = fitted(old, sizes, policy)
        scales = [float(scale)] * len(old)
    return [
        Stretch(axis, size, new, factor)
        for axis, size, new, factor in zip(touched, old, sizes, scales, strict=True)
    ]
