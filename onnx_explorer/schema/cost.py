"""How much arithmetic a node does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from onnx_explorer.dims import Dim
from onnx_explorer.schema.contract import Shape

Shapes = Sequence[Shape | None]
"""Of a node's inputs or outputs; None for one that is left out, and for what is no tensor."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The arithmetic of one node: multiplications whose products are added up, and whatever else
    is done to an element: an addition, a comparison, a function, one operation each.
    """

    macs: Dim = 0
    other: Dim = 0

    @property
    def flops(self) -> Dim:
        """All operations: a multiply-add is two."""
        return 2 * self.macs + self.other


CostFunction = Callable[..., Cost]
"""From the shapes of the inputs and of the outputs, then attributes by keyword."""
