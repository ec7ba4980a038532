"""NegativeLogLikelihoodLoss: how unlikely the right classes were, from logarithms of probabilities.

`loss[n, ...] = -input[n, target[n, ...], ...] × weight[target[n, ...]]`. `input` is (N, C, *spatial), with
the classes along axis 1; `target`, (N, *spatial), names the right one at each place. Without `weight` all
classes weigh 1. Places whose target is `ignore_index` count for nothing.

`reduction` "none" returns these losses, "sum" their sum, "mean" their sum divided by the sum of the
weights that went in (so it is a weighted mean, not one over places).

Spec: ai.onnx NegativeLogLikelihoodLoss-22
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType
from onnx_explorer.ops.nn.nll import IGNORE_INDEX, REDUCTION, infer_labels, loss_shape, nll
from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Abstract, Body, BodyValue, Change, Operator, Port, RuleSite
from onnx_explorer.schema.typesets import BF16, FLOATS, INDICES

NEGATIVE_LOG_LIKELIHOOD_LOSS = Operator(
    "NegativeLogLikelihoodLoss",
    doc=__doc__,
    history=(
        Change(
            12,
            "first version",
            inputs=(
                Port("input", "T", "logarithms of probabilities, (N, C, *spatial)"),
                Port("target", "Tind", "the right classes, (N, *spatial)"),
                Port("weight", "T", "weight of each class, (C,); default 1", option="optional"),
            ),
            outputs=(Port("loss", "T", "(N, *spatial), or a scalar"),),
            attributes=(IGNORE_INDEX, REDUCTION),
            types={"T": FLOATS, "Tind": INDICES},
        ),
        Change(
            13,
            "says what is differentiable",
            differentiable={"input": True, "target": False, "weight": False, "loss": True},
        ),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
)
PORTS = ("input", "target", "weight")


@NEGATIVE_LOG_LIKELIHOOD_LOSS.infer(since=12)
def infer(
    input: Abstract,
    target: Abstract,
    weight: Abstract | None = None,
    *,
    reduction: str,
    at: RuleSite,
) -> Abstract:
    loss = input.like(loss_shape(input.shape, target.shape, reduction))
    at.keep(loss)
    infer_labels(input, target, weight, PORTS, at)
    return loss


@NEGATIVE_LOG_LIKELIHOOD_LOSS.kernel(since=12)
def negative_log_likelihood_loss(
    input: Floats,
    target: NDArray[np.integer],
    weight: Floats | None = None,
    *,
    ignore_index: int | None,
    reduction: str,
) -> Floats:
    return nll(input, target, weight, ignore_index=ignore_index, reduction=reduction, ports=PORTS)


@NEGATIVE_LOG_LIKELIHOOD_LOSS.body(since=12)
def body(
    f: Body,
    input: BodyValue,
    target: BodyValue,
    weight: BodyValue | None = None,
    *,
    ignore_index: int | None,
    reduction: str,
) -> BodyValue | None:
    """None where the type of the input is not known."""
    if f.dtype(input) is None:
        return None

    def along_classes(op_type: str, values: BodyValue) -> BodyValue:
        """Squeeze or Unsqueeze axis 1."""
        if f.opset < 13:
            return f.node(op_type, values, axes=[1])[0]
        return f.node(op_type, values, f.constant([1]))[0]

    ignored = zero = None
    if ignore_index is not None:
        target, zero = f.Cast(target, to=DType.INT64), f.like(0.0, input)
        ignored = f.Equal(target, f.constant(ignore_index))
        target = f.Where(ignored, f.constant(0), target)
    picked = f.GatherElements(input, along_classes("Unsqueeze", target), axis=1)
    losses = f.Neg(along_classes("Squeeze", picked))
    weights = None
    if weight is not None:
        weights = f.Gather(weight, target)
        losses = f.Mul(losses, weights)
    if ignored is not None:
        weights = f.Where(ignored, zero, f.like(1.0, input) if weights is None else weights)
        losses = f.Where(ignored, zero, losses)
    if reduction == "none":
        return losses
    if reduction == "mean" and weights is None:
        return f.ReduceMean(losses, keepdims=0)
    total = f.ReduceSum(losses, keepdims=0)
    if reduction == "sum":
        return total
    return f.Div(total, f.ReduceSum(weights, keepdims=0))


NEGATIVE_LOG_LIKELIHOOD_LOSS.example(([[-1.0, -2.0], [-3.0, -4.0]], [1, 0]), (2.5,))
# A weighted mean: (2 × 1 + 3 × 3) / (1 + 3).
NEGATIVE_LOG_LIKELIHOOD_LOSS.example(([[-1.0, -2.0], [-3.0, -4.0]], [1, 0], [3.0, 1.0]), (2.75,))
NEGATIVE_LOG_LIKELIHOOD_LOSS.example(
    ([[-1.0, -2.0], [-3.0, -4.0]], [1, -1]), (2.0,), ignore_index=-1
)
