"""Derivatives of reductions by each of the elements that they reduce."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.contents import ints_of
from onnx_explorer.ops.cotangents import Floats, Values
from onnx_explorer.ops.reduce.shapes import reduced_axes, reduced_shape

Slope = Callable[[Floats, Floats, tuple[int, ...]], Floats]
"""The derivatives, from the data, the result with its axes kept, and the axes."""


def vjp_by_attribute(slope: Slope) -> Callable[..., Floats]:
    """The vector-Jacobian product of a reduction whose axes are an attribute."""

    def vjp(
        cotangents: Values, inputs: Values, outputs: Values, *, axes: tuple[int, ...] | None = None
    ) -> Floats:
        over = reduced_axes(axes, inputs[0].ndim)
        return _spread(slope, cotangents[0], inputs[0], outputs[0], over)

    return vjp


def vjp_by_input(slope: Slope) -> Callable[..., Floats]:
    """The same where the axes are an input."""

    def vjp(
        cotangents: Values,
        inputs: tuple[NDArray[np.generic] | None, ...],
        outputs: Values,
        *,
        noop_with_empty_axes: int,
    ) -> Floats:
        data, *rest = inputs
        axes = ints_of(rest[0]) if rest and rest[0] is not None else None
        data = cast("Floats", data)
        over = reduced_axes(axes, data.ndim, noop=bool(noop_with_empty_axes))
        return _spread(slope, cotangents[0], data, outputs[0], over)

    return vjp


def _spread(
    slope: Slope, cotangent: Floats, data: Floats, result: Floats, axes: tuple[int, ...]
) -> Floats:
    kept = reduced_shape(data.shape, axes, True)
    return np.multiply(cotangent.reshape(kept), slope(data, result.reshape(kept), axes))


def of_total(data: Floats, result: Floats, axes: tuple[int, ...]) -> Floats:
    return np.ones_like(data)


def of_mean(data: Floats, result: Floats, axes: tuple[int, ...]) -> Floats:
    count = prod(data.shape[axis] for axis in axes)
    return np.full_like(data, 1 / max(count, 1))


def of_extreme(data: Floats, result: Floats, axes: tuple[int, ...]) -> Floats:
    # Several elements that are equal share what one would get: no order among the axes is first.
    chosen = np.equal(data, result).astype(data.dtype)
    return chosen / np.add.reduce(chosen, axis=axes, keepdims=True)


def of_product(data: Floats, result: Floats, axes: tuple[int, ...]) -> Floats:
    last = tuple(range(data.ndim - len(axes), data.ndim))
    moved = np.moveaxis(data, axes, last)
    size = prod(data.shape[axis] for axis in axes)
    rows = moved.reshape(*moved.shape[: last[0] if last else data.ndim], size)
    return np.moveaxis(products_of_others(rows).reshape(moved.shape), last, axes)


def products_of_others(values: Floats) -> Floats:
    """For each element the product of all others along the last axis, zeros or not."""
    return _products_before(values) * np.flip(_products_before(np.flip(values, -1)), -1)


def _products_before(values: Floats) -> Floats:
    found = np.ones_like(values)
    np.multiply.accumulate(values[..., :-1], axis=-1, out=found[..., 1:])
    return found


def of_sum_of_squares(data: Floats, result: Floats, axes: tuple[int, ...]) -> Floats:
    return 2 * data


def of_sum_of_magnitudes(data: Floats, result: Floats, axes: tuple[int, ...]) -> Floats:
    return np.sign(data)


def of_length(data: Floats, result: Floats, axes: tuple[int, ...]) -> Floats:
    return data / np.where(result == 0, 1, result)


def of_log_of_sum(data: Floats, result: Floats, axes: tuple[int, ...]) -> Floats:
    return np.broadcast_to(np.exp(-result), data.shape)


def of_log_of_sum_of_exponentials(data: Floats, result: Floats, axes: tuple[int, ...]) -> Floats:
    return np.exp(data - result)
