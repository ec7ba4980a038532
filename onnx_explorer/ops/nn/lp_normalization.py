"""LpNormalization: divides by the p-norm along one axis, so that the norm becomes 1.

`output = input / (sum of |input|^p)^(1/p)` for p = 1 or 2. Where the norm is 0, the output is 0.

Spec: ai.onnx LpNormalization-22
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import Values
from onnx_explorer.ops.nn.norms import power, root
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port
from onnx_explorer.schema.typesets import BF16, FLOATS

LP_NORMALIZATION = Operator(
    "LpNormalization",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("input", "T", "the tensor to normalize", differentiable=True),),
            outputs=(Port("output", "T", "same shape as `input`", differentiable=True),),
            attributes=(
                Attr("axis", "int", -1, doc="the axis whose norm becomes 1"),
                Attr("p", "int", 2, one_of=(1, 2), doc="1: sum of absolute values; 2: length"),
            ),
            types={"T": FLOATS},
        ),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
)


@LP_NORMALIZATION.infer(since=1)
def infer(input: Abstract, *, axis: int) -> Abstract:
    if input.shape is not None:
        axis_in(axis, len(input.shape))
    return input.like(input.shape)


LP_NORMALIZATION.cost(since=1)(per_output(3))


@LP_NORMALIZATION.kernel(since=1)
def lp_normalization(input: Floats, *, axis: int, p: int) -> Floats:
    seen = widened(input)
    total = np.add.reduce(power(seen, p), axis=axis_in(axis, input.ndim), keepdims=True)
    norm = root(total, p)
    norm[norm == 0] = 1
    return narrowed(seen / norm, input)


@LP_NORMALIZATION.vjp(since=1)
def vjp(cotangents: Values, inputs: Values, outputs: Values, *, axis: int, p: int) -> Floats:
    (c,), (x,), (y,) = cotangents, inputs, outputs
    along = axis_in(axis, x.ndim)
    norm = root(np.add.reduce(power(x, p), axis=along, keepdims=True), p)
    # A vector of zeros has no direction; its derivatives count as 0.
    norm[norm == 0] = np.inf
    toward = y if p == 2 else np.sign(x)
    return (c - toward * np.add.reduce(c * y, axis=along, keepdims=True)) / norm


LP_NORMALIZATION.example(([3.0, -4.0],), ([0.6, -0.8],))
LP_NORMALIZATION.example(([3.0, -4.0],), ([3 / 7, -4 / 7],), p=1)
