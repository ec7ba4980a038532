"""Least and largest elements of what the nodes of a run have made."""

from __future__ import annotations

import numpy as np

from onnx_explorer.ir import RunValue
from onnx_explorer.view import Scene
from onnx_explorer.widgets.session import Session


def ranges(scene: Scene, session: Session) -> dict[str, tuple[float, float]]:
    """By the ids of boxes. NaN and infinities are passed over; what has no numbers is left out."""
    names = [name for box in scene.boxes for _, name, _ in box.outputs]
    made = session.kept(names)
    found: dict[str, tuple[float, float]] = {}
    for box in scene.boxes:
        sides = [r for _, name, _ in box.outputs if name in made and (r := _range(made[name]))]
        if sides:
            found[box.id] = (min(low for low, _ in sides), max(high for _, high in sides))
    return found


def _range(value: RunValue) -> tuple[float, float] | None:
    if not isinstance(value, np.ndarray) or value.size == 0 or value.dtype.kind in "OUSc":
        return None
    if value.dtype.kind == "V" or value.dtype.itemsize < 4:
        # The small types of ml_dtypes have no least and largest of their own.
        value = value.astype(np.float32)
    low, high = float(value.min()), float(value.max())
    if np.isfinite(low) and np.isfinite(high):
        return low, high
    finite = value[np.isfinite(value)]
    return (float(finite.min()), float(finite.max())) if finite.size else None
