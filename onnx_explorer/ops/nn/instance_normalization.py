"""InstanceNormalization: brings each channel of each sample to mean 0 and variance 1, then scales and
shifts it.

`output = scale × (input - mean) / sqrt(variance + epsilon) + B`, with mean and population variance
taken over the spatial axes alone. Unlike BatchNormalization it computes them anew for every input,
so samples of a batch do not influence each other.

Spec: ai.onnx InstanceNormalization-22
"""

from __future__ import annotations

from math import prod

import numpy as np

from onnx_explorer.dims import known_different
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import Values
from onnx_explorer.ops.nn.norms import standardized_back
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Cotangents,
    Operator,
    Port,
    RuleSite,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOATS

INPUT = Port("input", "T", "(N, C, *spatial)")
SCALE = Port("scale", "T", "factor of each channel, (C,)")
B = Port("B", "T", "what is added to each channel, (C,)")
OUTPUT = Port("output", "T", "the normalized input, same shape")

INSTANCE_NORMALIZATION = Operator(
    "InstanceNormalization",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(INPUT, SCALE, B),
            outputs=(OUTPUT,),
            attributes=(
                Attr(
                    "consumed_inputs",
                    "ints",
                    doc="a hint for in-place execution, without effect",
                ),
                Attr("epsilon", "float", 1e-5, doc="keeps the divisor away from 0"),
            ),
            types={"T": FLOATS},
        ),
        Change(
            6,
            "any number of spatial axes; the hint for in-place execution is gone",
            drop=("consumed_inputs",),
            differentiable={"input": True, "scale": True, "B": True, "output": True},
        ),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
)


@INSTANCE_NORMALIZATION.infer(since=1)
def infer(input: Abstract, scale: Abstract, B: Abstract, *, at: RuleSite) -> Abstract:
    if input.shape is None:
        return input.like(None)
    _check_rank(input.shape)
    for port, value in (("scale", scale), ("B", B)):
        if value.shape is None:
            continue
        if len(value.shape) != 1 or known_different(value.shape[0], input.shape[1]):
            at.fail(
                f"shape {shape_text(value.shape)}",
                f"there are {input.shape[1]} channels: expected [{input.shape[1]}]",
                port=port,
                code="parameter-shape",
            )
        else:
            at.assume(value.shape[0], input.shape[1])
    return input.like(input.shape)


INSTANCE_NORMALIZATION.cost(since=1)(per_output(7))


@INSTANCE_NORMALIZATION.kernel(since=1)
def instance_normalization(input: Floats, scale: Floats, B: Floats, *, epsilon: float) -> Floats:
    _check_rank(input.shape)
    channels = input.shape[1]
    for port, value in (("scale", scale), ("B", B)):
        if value.shape != (channels,):
            raise Violation(
                f"shape {shape_text(value.shape)}",
                f"there are {channels} channels: expected [{channels}]",
                port=port,
                code="parameter-shape",
            )
    if not input.size:
        return input.copy()
    seen = widened(input).reshape(*input.shape[:2], -1)
    count = seen.shape[2]
    difference = seen - np.add.reduce(seen, axis=2, keepdims=True) / count
    variance = np.einsum("nci,nci->nc", difference, difference) / count
    difference *= (widened(scale) / np.sqrt(variance + epsilon))[..., None]
    difference += widened(B)[:, None]
    return narrowed(difference, input).reshape(input.shape)


@INSTANCE_NORMALIZATION.vjp(since=1)
def vjp(cotangents: Values, inputs: Values, outputs: Values, *, epsilon: float) -> Cotangents:
    (c,), (x, scale, _) = cotangents, inputs
    spatial = tuple(range(2, x.ndim))
    count = max(prod(x.shape[2:]), 1)
    difference = x - np.add.reduce(x, axis=spatial, keepdims=True) / count
    variance = np.add.reduce(difference * difference, axis=spatial, keepdims=True) / count
    inverse = 1 / np.sqrt(variance + epsilon)
    normalized = difference * inverse
    scaled = c * scale.reshape(-1, *(1,) * len(spatial))
    return (
        standardized_back(scaled, normalized, inverse, spatial),
        np.add.reduce(c * normalized, axis=(0, *spatial)),
        np.add.reduce(c, axis=(0, *spatial)),
    )


def _check_rank(shape: tuple[object, ...]) -> None:
    if len(shape) < 3:
        raise Violation(
            f"rank {len(shape)}",
            "(N, C, *spatial) has rank 3 or more",
            port="input",
            code="wrong-rank",
        )


INSTANCE_NORMALIZATION.example(([[[1.0, 3.0]]], [10.0], [1.0]), ([[[-9.0, 11.0]]],), epsilon=0.0)
# The two channels have a mean and a variance of their own.
INSTANCE_NORMALIZATION.example(
    ([[[1.0, 3.0], [10.0, 30.0]]], [1.0, 1.0], [0.0, 0.0]),
    ([[[-1.0, 1.0], [-1.0, 1.0]]],),
    epsilon=0.0,
)
