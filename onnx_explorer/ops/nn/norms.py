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
