"""The two halves of a p-norm."""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.precision import Floats


def power(x: Floats, p: float) -> Floats:
    """|x|^p; squares and absolute values without the slow general power."""
    if p == 1:
        return np.absolute(x)
    return x * x if p == 2 else np.absolute(x) ** float(p)


def root(total: Floats, p: float) -> Floats:
    """total^(1/p)."""
    if p == 1:
        return total
    return np.sqrt(total) if p == 2 else total ** (1.0 / p)


def power_slope(x: Floats, p: float) -> Floats:
    """The derivative of |x|^p / p."""
    if p == 1:
        return np.sign(x)
    return x if p == 2 else np.sign(x) * np.absolute(x) ** (p - 1.0)


def root_slope(y: Floats, p: float) -> Floats:
    """The derivative of y = (p × total)^(1/p) by the total; 0 where y is 0."""
    if p == 1:
        return np.ones_like(y)
    return np.where(y == 0, 0, np.where(y == 0, 1, y) ** (1.0 - p))
