"""The two halves of a p-norm, and the way back through them and through a normalization."""

from __future__ import annotations

from math import prod

import numpy as np

from onnx_explorer.ops.precision import Floats


def standardized_back(
    cotangent: Floats, result: Floats, inverse: Floats, axes: tuple[int, ...]
) -> Floats:
    """The cotangent of what was brought to mean 0 and variance 1 along axes, from that of the
    result; `inverse` is one by the deviation.
    """
    count = max(prod(result.shape[axis] for axis in axes), 1)
    mean = np.add.reduce(cotangent, axis=axes, keepdims=True) / count
    along = np.add.reduce(cotangent * result, axis=axes, keepdims=True) / count
    return (cotangent - mean - result * along) * inverse


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
