"""What inputs say when their elements matter: axes, positions and sizes that travel as tensors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim
from onnx_explorer.schema import Abstract


def dims_in(value: Abstract) -> tuple[Dim, ...] | None:
    """The elements as sizes; None where they are not known, or are not all whole numbers."""
    if value.content is None:
        return None
    found: list[Dim] = []
    for element in value.content:
        if isinstance(element, Fraction) and element.denominator == 1:
            found.append(element.numerator)
        elif isinstance(element, Dim) and not isinstance(element, bool):
            found.append(element)
        else:
            return None
    return tuple(found)


def ints_in(value: Abstract) -> tuple[int, ...] | None:
    """The elements as plain numbers; None where they are not known or symbolic."""
    found = dims_in(value)
    if found is None:
        return None
    numbers = tuple(element for element in found if isinstance(element, int))
    return numbers if len(numbers) == len(found) else None


def length_of(value: Abstract) -> int | None:
    """How many elements a tensor of rank 0 or 1 has; None where that is not known."""
    match value.shape:
        case ():
            return 1
        case (int() as length,):
            return length
        case _:
            return None


def ints_of(elements: NDArray[np.generic]) -> tuple[int, ...]:
    """The elements of a run-time tensor, row-major, as plain numbers.

    Raises:
        UndecidedError: an element is a symbolic size.
    """
    values = (elements if elements.ndim == 1 else elements.reshape(-1)).tolist()
    return tuple(values) if elements.dtype.kind in "iu" else tuple(int(value) for value in values)
