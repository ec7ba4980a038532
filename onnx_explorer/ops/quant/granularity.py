"""How finely a tensor is quantized: one scale for all of it, one for each slice along an axis, or one
for each block of neighbours along an axis.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, ceildiv, known_different
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.schema import Shape, Violation

Scalar = TypeVar("Scalar", bound=np.generic)


def may_be_single(shape: Shape) -> bool:
    """Whether this is not known to be more than a scalar, or than what exporters write for one: a
    vector of one element. Of plain sizes, whether it is one.
    """
    return len(shape) < 2 and not any(known_different(size, 1) for size in shape)


def check_scale(
    x: Shape, scale: Shape, *, axis: int | None, block_size: int, port: str
) -> tuple[tuple[Dim, Dim], ...]:
    """Pairs of sizes of scale and x that must be equal. Without an `axis` only one scale is allowed.

    Raises:
        Violation: the scales do not fit x.
    """
    if may_be_single(scale):
        return ()
    if axis is None:
        raise Violation(
            f"shape {shape_text(scale)}", "version 10 takes a scalar", port=port, code="wrong-shape"
        )
    if block_size < 0:
        raise Violation(f"block_size = {block_size}", "0 or more", code="attribute-value")
    if block_size:
        return _check_blocks(x, scale, axis_in(axis, len(x)), block_size, port)
    if len(scale) != 1:
        raise Violation(
            f"shape {shape_text(scale)}",
            "without block_size it is a scalar, or 1-D with one element per slice of the axis",
            port=port,
            code="wrong-shape",
        )
    wanted = x[axis_in(axis, len(x))]
    if known_different(scale[0], wanted):
        raise Violation(
            f"{scale[0]} elements",
            f"axis {axis} of {shape_text(x)} has size {wanted}",
            port=port,
            code="wrong-count",
        )
    return ((scale[0], wanted),)


def _check_blocks(
    x: Shape, scale: Shape, axis: int, block_size: int, port: str
) -> tuple[tuple[Dim, Dim], ...]:
    wanted = (*x[:axis], ceildiv(x[axis], block_size), *x[axis + 1 :])
    if len(scale) != len(x) or any(map(known_different, scale, wanted)):
        raise Violation(
            f"shape {shape_text(scale)}",
            f"blocks of {block_size} along axis {axis} of {shape_text(x)} make {shape_text(wanted)}",
            port=port,
            code="wrong-shape",
        )
    return tuple(zip(scale, wanted, strict=True))


def check_zero_point(scale: Shape, zero_point: Shape, *, port: str) -> None:
    """Raise `Violation` where the zero points are known not to be shaped like the scales."""
    if len(scale) < 2 and len(zero_point) < 2 and len(scale) != len(zero_point):
        # A scalar and a vector of one element are the same.
        fits = not any(known_different(size, 1) for size in (*scale, *zero_point))
    else:
        fits = len(scale) == len(zero_point) and not any(map(known_different, scale, zero_point))
    if not fits:
        raise Violation(
            f"shape {shape_text(zero_point)}",
            f"the scales have shape {shape_text(scale)}, and there is one zero point for each",
            port=port,
            code="wrong-shape",
        )


def spread(
    parameters: NDArray[Scalar], shape: tuple[int, ...], axis: int | None, block_size: int
) -> NDArray[Scalar]:
    """Scales or zero points, checked before, so that they broadcast against a tensor of `shape`."""
    if parameters.size == 1 or axis is None:
        return parameters.reshape(())
    at = axis_in(axis, len(shape))
    if block_size:
        repeated = np.repeat(parameters, block_size, at)
        return repeated[(*(slice(None),) * at, slice(shape[at]))]
    return parameters.reshape(-1, *(1,) * (len(shape) - 1 - at))
