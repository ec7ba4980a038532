"""Writing many elements at positions that data gives, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.precision import Floats

Reduction = Literal["none", "add", "mul", "max", "min"]
REDUCTIONS: tuple[Reduction, ...] = ("none", "add", "mul", "max", "min")
REDUCTION_DOC = "how an update meets what is there: it replaces it (none), or the two are combined"

_UFUNCS: dict[Reduction, np.ufunc] = {
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}


def write(
    target: Array, positions: NDArray[np.int64], updates: Array, reduction: Reduction
) -> None:
    """Write each update to its position on the first axis of `target`, in order, so that repeated
    positions combine, or the last one stays.
    """
    if reduction == "none":
        target[positions] = updates
        return
    combine = cast("Callable[[Array, NDArray[np.int64], Array], None]", _UFUNCS[reduction].at)
    combine(target, positions, updates)


def scattered_vjp(
    cotangent: Floats,
    data: Floats,
    places: Array,
    updates: Floats,
    output: Floats,
    reduction: Reduction,
) -> tuple[Floats, None, Floats]:
    """The cotangents of data and updates, none between them, where each update was written to its
    flat position among `places`. Ties of "max" and "min" share.
    """
    at = places.astype(np.int64).reshape(-1)
    before, new, c = data.reshape(-1), updates.reshape(-1), cotangent.reshape(-1)
    if reduction == "add":
        of_data, of_updates = c, c[at]
    elif reduction == "mul":
        of_data, of_updates = _of_factors(before, at, new)
        of_data, of_updates = of_data * c, of_updates * c[at]
    else:
        if reduction == "none":
            last = np.full(before.size, -1)
            last[at] = np.arange(at.size)
            kept, won = last < 0, last[at] == np.arange(at.size)
        else:
            kept, won = before == output.reshape(-1), new == output.reshape(-1)[at]
        shares = kept.astype(c.dtype)
        np.add.at(shares, at, won.astype(c.dtype))
        each = c / np.maximum(shares, 1)
        of_data, of_updates = np.where(kept, each, 0), np.where(won, each[at], 0)
    return of_data.reshape(data.shape), None, of_updates.reshape(updates.shape)


def _of_factors(before: Floats, at: NDArray[np.int64], new: Floats) -> tuple[Floats, Floats]:
    """For each factor of what meets at one position, the product of the others."""
    # Zeros are counted apart: no product can be divided by one.
    zeros = (before == 0).astype(np.int64)
    np.add.at(zeros, at, (new == 0).astype(np.int64))
    product = np.where(before == 0, 1, before)
    np.multiply.at(product, at, np.where(new == 0, 1, new))

    def others(factor: Floats, zeros: NDArray[np.int64], product: Floats) -> Floats:
        left = zeros - (factor == 0)
        return np.where(left == 0, product / np.where(factor == 0, 1, factor), 0)

    return others(before, zeros, product), others(new, zeros[at], product[at])
