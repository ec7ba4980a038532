"""Values while a model runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RunValue: TypeAlias = (
    "NDArray[np.generic] | list[RunValue] | dict[int, RunValue] | dict[str, RunValue] | None"
)
"""A numpy array; a list for a sequence; a dict for a map; None for an absent input or an empty
optional. Strings are object arrays of `str`."""
