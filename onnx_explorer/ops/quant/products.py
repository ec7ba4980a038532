"""Exact sums of products of small integers, and the scales and zero points of their factors.

Sums are taken in floats, whose matrix products are fast: in float32 while 24 bits hold every sum, in
float64 beyond that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import known_different
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.quant.granularity import may_be_single
from onnx_explorer.schema import Shape, Violation

Scalar = TypeVar("Scalar", bound=np.generic)


def check_single(shape: Shape | None, *, port: str) -> None:
    """Raise `Violation` where a parameter is known not to be one number."""
    if shape is not None and not may_be_single(shape):
        raise Violation(
            f"shape {shape_text(shape)}", "a scalar is needed", port=port, code="wrong-shape"
        )


def check_filters(shape: Shape | None, W: Shape | None, *, port: str) -> None:
    """Raise `Violation` where a parameter of filters is neither one number nor one for each."""
    if shape is None or W is None:
        return
    match shape:
        case ():
            return
        case (size,) if not (known_different(size, W[0]) and known_different(size, 1)):
            return
        case _:
            raise Violation(
                f"shape {shape_text(shape)}",
                f"a scalar, or one for each of {W[0]} filters",
                port=port,
                code="wrong-shape",
            )


def check_lines(shape: Shape | None, factor: Shape | None, axis: int, *, port: str) -> None:
    """Raise `Violation` where a parameter of a matrix is neither one number nor one for each row
    (axis -2) or column (axis -1).
    """
    if shape is None or factor is None or may_be_single(shape) or not factor:
        return
    lines = "rows" if axis == -2 else "columns"
    if len(factor) < 2 or (len(shape) > 1 and len(shape) != len(factor)):
        raise Violation(
            f"shape {shape_text(shape)}",
            f"the factor of shape {shape_text(factor)} takes a scalar"
            + (f", or one for each of its {lines}" if len(factor) > 1 else ""),
            port=port,
            code="wrong-shape",
        )
    wanted = list(factor)
    wanted[-1 if axis == -2 else -2] = 1
    aligned = wanted[axis:][:1] if len(shape) == 1 else wanted
    if any(
        known_different(size, 1) and known_different(size, other)
        for size, other in zip(shape, aligned, strict=True)
    ):
        raise Violation(
            f"shape {shape_text(shape)}",
            f"one for each of {factor[axis]} {lines} of {shape_text(factor)}",
            port=port,
            code="wrong-shape",
        )


def as_rows(parameter: NDArray[Scalar]) -> NDArray[Scalar]:
    """A parameter of a matrix's rows, or of filters, so that it broadcasts along them."""
    return parameter[:, None] if parameter.ndim == 1 else parameter


def shifted(x: Array, zero_point: Array | None) -> Floats:
    """The difference x - zero_point, exact in float32."""
    wide = x.astype(np.float32)
    if zero_point is not None:
        wide -= zero_point.astype(np.float32)
    return wide


def exactly(
    product: Callable[[Floats, Floats], Floats], a: Floats, b: Floats, over: tuple[int, ...]
) -> Floats:
    """`product(a, b)`, each element a sum of products with the elements of b along the axes `over`,
    with no sum rounded.
    """
    lines = np.add.reduce(np.abs(b), axis=over, dtype=np.float64)
    largest = float(np.abs(a).max(initial=0)) * float(lines.max(initial=0))
    if largest < 1 << 24:
        return product(a, b)
    return product(a.astype(np.float64), b.astype(np.float64))


def as_int32(sums: Floats) -> NDArray[np.int32]:
    """Whole numbers as int32, which wraps around."""
    if sums.dtype == np.float32:
        return sums.astype(np.int32)
    return sums.astype(np.int64).astype(np.int32)
