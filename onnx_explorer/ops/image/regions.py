"""Regions of interest: what the two operators that pool over them check."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import known_different
from onnx_explorer.ir import shape_text
from onnx_explorer.schema import Shape, Violation


def check_regions(X: Shape | None, rois: Shape | None, columns: int) -> None:
    """Raise `Violation` where images or regions are known to have another form."""
    if X is not None and len(X) != 4:
        raise Violation(f"rank {len(X)}", "(N, C, H, W)", port="X", code="wrong-rank")
    if rois is not None and (len(rois) != 2 or known_different(rois[1], columns)):
        raise Violation(
            f"shape {shape_text(rois)}", f"(regions, {columns})", port="rois", code="wrong-shape"
        )


def check_images(index: NDArray[np.integer], count: int, *, port: str) -> None:
    """Raise `Violation` where a region names an image that is not there."""
    if index.size and (index.min() < 0 or index.max() >= count):
        raise Violation(
            f"images {index.min()} to {index.max()}", f"there are {count}, from 0 on", port=port
        )
