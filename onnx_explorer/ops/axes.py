"""Axes as operators name them: negative ones count from the end."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from onnx_explorer.schema import Violation


def axis_in(axis: int, rank: int, *, name: str = "axis", upper: int | None = None) -> int:
    """The axis counted from the front, in [0, rank), or [0, `upper`) where that is given.

    Raises:
        Violation: it lies outside.
    """
    end = rank if upper is None else upper
    if not -rank <= axis < end:
        raise Violation(
            f"{name} = {axis}",
            f"the tensor has rank {rank}: expected {-rank} to {end - 1}",
            code="axis-out-of-range",
        )
    return axis + rank if axis < 0 else axis


def axes_in(axes: Iterable[int], rank: int, *, name: str = "axes") -> tuple[int, ...]:
    """Distinct axes counted from the front, in the order given.

    Raises:
        Violation: one lies outside, or two are the same.
    """
    return _axes_in(tuple(map(int, axes)), rank, name)


@lru_cache(1 << 10)
def _axes_in(given: tuple[int, ...], rank: int, name: str) -> tuple[int, ...]:
    found = tuple(axis_in(axis, rank, name=name) for axis in given)
    if len(set(found)) < len(found):
        raise Violation(
            f"{name} = {list(given)} names an axis twice",
            "each may occur once",
            code="axis-twice",
        )
    return found
