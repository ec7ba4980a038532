"""Calls that run a node again: what many pages share of them."""

from __future__ import annotations

from collections.abc import Callable

from onnx_explorer.ops.cotangents import Values
from onnx_explorer.ops.elementwise import Array

Again = Callable[..., object]

SMALL_BYTES = 1 << 10
"""The largest input that a call keeps, to see whether it gets the very same again."""


def reshaped_again(inputs: Values, outputs: Values) -> Again | None:
    """For an operator that puts its first input under a shape that follows from the shape it has,
    from attributes and from the second: sizes or axes.
    """
    before, to = inputs[0].shape, outputs[0].shape
    if len(inputs) == 1:

        def call_alone(data: Array) -> object:
            return data.reshape(to) if data.shape == before else NotImplemented

        return call_alone
    wanted = inputs[1]
    if not is_small(wanted):
        return None

    def call(data: Array, given: Array | None) -> object:
        return data.reshape(to) if given is wanted and data.shape == before else NotImplemented

    return call


def is_small(*inputs: Array | None) -> bool:
    """Whether a call may keep these inputs."""
    return all(value is None or value.nbytes <= SMALL_BYTES for value in inputs)
