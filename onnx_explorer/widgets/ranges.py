"""Least and largest elements of what the nodes of a run have made, and where NaN is."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from onnx_explorer.errors import ModelError
from onnx_explorer.ir import RunValue
from onnx_explorer.view import Scene
from onnx_explorer.view.labels import bytes_text
from onnx_explorer.widgets.session import Session

PIECE = 1 << 22
SAMPLE = 1 << 16
"""The elements of a piece where not all of them are looked at."""
LOOKED_AT = 1 << 30
"""How many bytes of weights are looked at: what lies on a disk is read for it."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """The names of weights with NaN, and how many of the bytes of all weights were looked at."""

    names: frozenset[str]
    bytes: int
    looked_at: int

    def note(self, *, has_run: bool) -> str:
        """What the search may have missed; empty if nothing."""
        if not has_run:
            return f"Only weights were looked at, no values of a run. {self._passed_over}".strip()
        return self._passed_over

    @property
    def _passed_over(self) -> str:
        if self.looked_at >= self.bytes:
            return ""
        seen, whole = bytes_text(self.looked_at), bytes_text(self.bytes)
        return (
            f"Of {whole} of weights {seen} were looked at, in pieces spread evenly over each: "
            "a NaN between them is not found."
        )


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


def constants_with_nan(scene: Scene, most: int = LOOKED_AT) -> Scanned:
    """Looks for NaN in the weights, in at most so many bytes; what cannot be read is left out."""
    floats = {
        name: tensor for name, tensor in scene.constants.items() if tensor.dtype.numpy.kind in "fcV"
    }
    whole = sum(tensor.nbytes for tensor in floats.values())
    share = min(1.0, most / max(1, whole))
    found: set[str] = set()
    for name, tensor in floats.items():
        with suppress(ModelError, OSError):
            if _has_nan(tensor.numpy(), share):
                found.add(name)
    return Scanned(frozenset(found), whole, whole if share == 1 else min(most, whole))


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


def _has_nan(value: RunValue, share: float = 1.0) -> bool:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fcV":
        return False
    flat = value.reshape(-1)
    pieces = (flat[part] for part in _parts(flat.size, share))
    if value.dtype.kind == "V":
        return any(bool(np.isnan(piece.astype(np.float32)).any()) for piece in pieces)
    return any(bool(np.isnan(piece).any()) for piece in pieces)


def _parts(size: int, share: float) -> Iterator[slice]:
    """Pieces that together are this share, the first and the last elements among them."""
    count = math.ceil(size * share / SAMPLE)
    if share == 1 or count * SAMPLE >= size:
        # In pieces: a mask of a large tensor would take a quarter of its memory.
        yield from (slice(i, i + PIECE) for i in range(0, size, PIECE))
        return
    for i in range(count):
        start = (size - SAMPLE) * i // max(1, count - 1)
        yield slice(start, start + SAMPLE)
