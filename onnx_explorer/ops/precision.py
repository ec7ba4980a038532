"""Half-precision floats: sums and products over many elements are taken in float32."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
"""An array of any float type, bfloat16 included."""


def widened(array: Floats) -> Floats:
    """The array as what its sums are taken in: float32 for floats of 16 bits and fewer, else
    itself.
    """
    dtype = array.dtype
    # The small floats of ml_dtypes are of kind V or f; integers keep their type.
    return array.astype(np.float32) if dtype.itemsize < 4 and dtype.kind in "fV" else array


def narrowed(array: Floats, like: Floats) -> Floats:
    """The array in the type of `like`; itself where it has it already."""
    return array if array.dtype == like.dtype else array.astype(like.dtype)
