"""How large an array may be."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from onnx_explorer.schema import Violation


def check_room(sizes: Sequence[int], dtype: np.dtype[np.generic], *, port: str) -> None:
    """Raise `Violation` where no array can have these sizes, whatever memory there is."""
    # Empty axes do not help: strides are reckoned without them.
    if prod(size for size in sizes if size) * dtype.itemsize >= 1 << 63:
        raise Violation(
            f"an output of shape {list(sizes)} in {dtype.name}",
            "an array has less than 2^63 bytes",
            port=port,
        )
