"""Least and largest elements of what the nodes of a run have made, and where NaN is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress

import numpy as np

from onnx_explorer.errors import ModelError
from onnx_explorer.ir import RunValue
from onnx_explorer.view import Scene
from onnx_explorer.widgets.session import Session

PIECE = 1 << 22


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


def constants_with_nan(scene: Scene) -> frozenset[str]:
    """The names of weights with NaN among their elements; those that cannot be read are left out."""
    found: set[str] = set()
    for name, tensor in scene.constants.items():
        with suppress(ModelError, OSError):
            if _has_nan(tensor.numpy()):
                found.add(name)
    return frozenset(found)


def nodes_with_nan(scene: Scene, constants: Collection[str], session: Session | None) -> list[str]:
    """The ids of nodes that read one of these weights, or of which a run has made a NaN."""
    made: Mapping[str, RunValue] = {}
    if session is not None:
        made = session.kept(name for box in scene.boxes for _, name, _ in box.outputs)
    found = set(constants) | {name for name, value in made.items() if _has_nan(value)}
    return [
        box.id
        for box in scene.boxes
        if any(name in constants for _, name, _ in box.inputs)
        or any(name in found for _, name, _ in box.outputs)
    ]


def _has_nan(value: RunValue) -> bool:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fcV":
        return False
    flat = value.reshape(-1)
    # In pieces: a mask of a large tensor would take a quarter of its memory.
    pieces = (flat[i : i + PIECE] for i in range(0, flat.size, PIECE))
    if value.dtype.kind == "V":
        return any(bool(np.isnan(piece.astype(np.float32)).any()) for piece in pieces)
    return any(bool(np.isnan(piece).any()) for piece in pieces)
