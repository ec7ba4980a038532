"""Elements looked up in a table of keys and values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array


def looked_up(
    X: Array, keys: Sequence[object], values: Sequence[object], default: object, dtype: DType
) -> Array:
    """The value of each element, `default` where it is no key; any NaN is the same key. Of equal
    keys the last counts.
    """
    known = dict(zip(map(_key, keys), values, strict=True))
    found = [known.get(_key(element), default) for element in X.reshape(-1).tolist()]
    result = np.empty(X.shape, dtype.numpy)
    result.reshape(-1)[:] = found
    return result


def _key(element: object) -> object:
    """NaN is no key of a dictionary: it differs from itself."""
    return None if element != element else element  # noqa: PLR0124
