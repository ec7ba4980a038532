"""What breakpoints ask of values, asked cheaply: most values do not meet it."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType, RunValue, TensorType, Type

Array = NDArray[np.generic]
Test = Callable[[Array], bool]


def holds(value: RunValue, condition: Literal["nan", "inf"]) -> bool:
    """Whether an element is NaN, or infinite."""
    return holding(condition)(value)


def holding(condition: Literal["nan", "inf"]) -> Callable[[RunValue], bool]:
    """The question whether an element is one: asked after each node, it is to cost little."""
    return _ASKING[condition]


def exceeds(value: RunValue, limit: float) -> bool:
    """Whether the absolute value of an element is larger."""
    if isinstance(value, list):
        return any(exceeds(item, limit) for item in value)
    if not isinstance(value, np.ndarray) or value.dtype.kind in "OUSTb" or not value.size:
        return False
    real = np.abs(value) if value.dtype.kind == "c" else value
    # As numbers of Python's: a dtype may have neither the limit nor the opposite of its least.
    largest, least = (float(f.reduce(real, axis=None)) for f in (np.fmax, np.fmin))
    return max(largest, -least) > limit


def differs(value: RunValue, inferred: Type | None, aspect: Literal["dtype", "shape"]) -> bool:
    """Whether a tensor has another dtype, or another shape, than was inferred."""
    if not isinstance(value, np.ndarray) or not isinstance(inferred, TensorType):
        return False
    if aspect == "dtype":
        return inferred.dtype is not DType.UNDEFINED and (
            DType.from_numpy(value.dtype) is not inferred.dtype
        )
    if inferred.shape is None:
        return False
    return len(inferred.shape) != value.ndim or any(
        isinstance(size, int) and size != real
        for size, real in zip(inferred.shape, value.shape, strict=True)
    )


def _exactly(test: Callable[[Array], Array]) -> Test:
    # Faster than `any` where there are few elements.
    return lambda array: bool(np.count_nonzero(test(array)))


_squares = cast("Callable[[Array, Array], float]", np.vdot)
_SUSPICIOUS = frozenset(type(np.dtype(real)) for real in (np.float32, np.float64))
_WITHOUT = frozenset(type(np.dtype(code)) for code in "?bhilqBHILQOUST")
"""Booleans, integers and strings."""


def _asking(exact: Test) -> Callable[[RunValue], bool]:
    def ask(value: RunValue) -> bool:
        if isinstance(value, np.ndarray):
            dtype = type(value.dtype)
            if dtype in _SUSPICIOUS:
                # The sum of squares is finite only if all elements are, and costs less than a truth
                # value for each. It may overflow, so that what is suspicious is looked at exactly.
                return not isfinite(_squares(value, value)) and exact(value)
            return dtype not in _WITHOUT and exact(value)
        return isinstance(value, list) and any(map(ask, value))

    return ask


_ASKING = {"nan": _asking(_exactly(np.isnan)), "inf": _asking(_exactly(np.isinf))}
