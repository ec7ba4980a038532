"""Overlays: what boxes can be coloured by in place of what they do."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Literal, cast

from onnx_explorer.errors import ExplorerError
from onnx_explorer.ir.expected import near, shown
from onnx_explorer.view.scene import Scene

Combining = Literal["sum", "max"]

RANGE = "activation range"
BUILT_IN = ("parameters", "output bytes", "macs", "flops", "dtype", RANGE)
"""What the explorer knows by itself; the last of a run only."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """Numbers of nodes, by their ids, or words. `combine` says what a group shows of the numbers
    of its nodes. A node without a value, or with NaN, has no colour.
    """

    name: str
    values: Mapping[str, float | str]
    unit: str = ""
    combine: Combining = "sum"

    def checked(self, scene: Scene) -> Overlay:
        """The overlay with plain values of nodes that are drawn.

        Raises:
            ExplorerError: a node that is not there, numbers beside words, or something else.
        """
        if not self.name:
            raise ExplorerError("an overlay without a name; give it one, as in 'latency'")
        if self.combine not in ("sum", "max"):
            given = shown(cast("object", self.combine))
            raise ExplorerError(f"combine = {given}; expected 'sum' or 'max'")
        if not isinstance(cast("object", self.unit), str):
            raise ExplorerError(f"unit = {shown(cast('object', self.unit))}; expected a text")
        if not hasattr(self.values, "items"):
            text = f"overlay {self.name!r}: {shown(self.values)} came"
            raise ExplorerError(f"{text}; expected a number or a text by node, {{'conv1': 2.5}}")
        known = {box.id for box in scene.boxes}
        values: dict[str, float | str] = {}
        for node, value in self.values.items():
            if node in scene.hidden:
                continue
            if node not in known:
                raise ExplorerError(f"overlay {self.name!r}: no node {node!r}{near(node, known)}")
            plain = self._plain(node, value)
            if plain is not None:
                values[node] = plain
        if len({isinstance(value, str) for value in values.values()}) > 1:
            raise ExplorerError(f"overlay {self.name!r}: numbers beside words; give one kind")
        return Overlay(self.name, values, self.unit, self.combine)

    def _plain(self, node: str, value: object) -> float | str | None:
        if isinstance(value, str):
            return value
        if getattr(value, "size", None) == 1 and hasattr(value, "item"):
            value = value.item()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
        try:
            number = float(value) if isinstance(value, Real) else math.inf
        except OverflowError:
            number = math.inf
        if math.isinf(number):
            text = f"overlay {self.name!r}, node {node!r}: found {value!r}"
            raise ExplorerError(f"{text}, expected a finite number or a text")
        return None if math.isnan(number) else number

    def state(self) -> dict[str, object]:
        """As the front end reads it."""
        return {"unit": self.unit, "combine": self.combine, "values": dict(self.values)}
