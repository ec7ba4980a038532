"""Names for sizes that nothing else names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Literal

from onnx_explorer.dims import Dim, symbol, symbols
from onnx_explorer.ir import UNKNOWN_DIM
from onnx_explorer.schema import Abstract, AbstractValue

# A node and a value may have the same name: (kind, full name, hint, number).
Owner = tuple[str, str, str, int]


class FreshNames:
    """Symbols named after the node or value that they come from; no two owners share one. `taken`
    tells the names that are not free; it is asked when the first symbol is made.
    """

    def __init__(self, taken: Callable[[], Iterable[str]]) -> None:
        self._taken = taken
        self._owners: dict[str, Owner | None] | None = None

    def size(
        self,
        path: str,
        label: str,
        hint: str,
        nth: int = 1,
        *,
        kind: Literal["node", "value"] = "node",
        low: int | None = 0,
        high: int | None = None,
    ) -> Dim:
        """The `nth` size of the node or value that `label` names in the scope at `path`. The same
        owner asking again gets the same symbol, so that a body walked twice does not look changed.
        """
        owners = self._owners
        if owners is None:
            owners = self._owners = dict.fromkeys(self._taken())
        owner = (kind, path + label, hint, nth)
        base = f"{label}_{hint}" if hint else label
        name, tries = base, 1
        while owners.setdefault(name, owner) != owner:
            tries += 1
            name = f"{base}_{tries}"
        return symbol(name, low=low, high=high, origin=path + label)

    @property
    def none_made(self) -> bool:
        """Whether nothing was made up so far."""
        return self._owners is None

    def made(self, size: Dim) -> bool:
        """Whether a size depends on a symbol that was made up here."""
        owners = self._owners
        if isinstance(size, int) or not owners:
            return False
        return any(owners.get(name) is not None for name in symbols(size))

    def filled(self, value: AbstractValue, path: str, name: str) -> AbstractValue:
        """The same value with a named size for each dim that its declaration leaves open."""
        if not isinstance(value, Abstract) or value.shape is None:
            return value
        if all(isinstance(size, int) or size != UNKNOWN_DIM for size in value.shape):
            return value
        return replace(
            value,
            shape=tuple(
                size
                if isinstance(size, int) or size != UNKNOWN_DIM
                else self.size(path, name, f"dim{axis}", kind="value")
                for axis, size in enumerate(value.shape)
            ),
        )
