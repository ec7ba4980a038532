"""Writing many elements at positions that data gives, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.elementwise import Array

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
