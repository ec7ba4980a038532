"""What a rule has to assume about sizes, so that it can be solved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from onnx_explorer.dims import Dim, DimError, evaluate, symbols

Relation = Literal["=", "= or 1", ">="]


@dataclass(frozen=True, slots=True)
class Claim:
    """Two sizes are equal; or they are equal or one of them is 1; or the first is not smaller."""

    left: Dim
    right: Dim
    relation: Relation = "="

    @property
    def symbols(self) -> frozenset[str]:
        return symbols(self.left) | symbols(self.right)

    def holds(self, values: dict[str, int]) -> bool:
        """Whether it is so for these values of all its symbols."""
        try:
            left, right = evaluate(self.left, values), evaluate(self.right, values)
        except DimError:
            return False
        if self.relation == ">=":
            return left >= right
        return left == right or (self.relation == "= or 1" and 1 in {left, right})

    def __str__(self) -> str:
        if self.relation == ">=":
            return f"{self.left} >= {self.right}"
        both = f"{self.left} = {self.right}"
        return f"{both}, or one of them is 1" if self.relation == "= or 1" else both
