"""SoftmaxCrossEntropyLoss: how unlikely the right classes were, from scores that softmax makes
probabilities of.

`log_prob = log(softmax(scores))` along axis 1, then what NegativeLogLikelihoodLoss does: `loss[n, ...] =
-log_prob[n, labels[n, ...], ...] × weights[labels[n, ...]]`. `scores` is (N, C, *spatial), `labels`
(N, *spatial). Places whose label is `ignore_index` count for nothing. `reduction` "none" returns the
losses, "sum" their sum, "mean" their sum divided by the sum of the weights that went in.

Spec: ai.onnx SoftmaxCrossEntropyLoss-13
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.nn.nll import IGNORE_INDEX, REDUCTION, infer_labels, loss_shape, nll
from onnx_explorer.ops.nn.softmax import log_softmax
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import Abstract, Body, BodyValue, Change, Operator, Port, RuleSite
from onnx_explorer.schema.typesets import BF16, FLOATS, INDICES

SOFTMAX_CROSS_ENTROPY_LOSS = Operator(
    "SoftmaxCrossEntropyLoss",
    doc=__doc__,
    history=(
        Change(
            12,
            "first version",
            inputs=(
                Port("scores", "T", "numbers of any size, (N, C, *spatial)"),
                Port("labels", "Tind", "the right classes, (N, *spatial)"),
                Port("weights", "T", "weight of each class, (C,); default 1", option="optional"),
            ),
            outputs=(
                Port("output", "T", "the loss, (N, *spatial) or a scalar"),
                Port(
                    "log_prob",
                    "T",
                    "logarithms of the probabilities, same shape as scores",
                    option="optional",
                ),
            ),
            attributes=(IGNORE_INDEX, REDUCTION),
            types={"T": FLOATS, "Tind": INDICES},
        ),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable={
                "scores": True,
                "labels": False,
                "weights": False,
                "output": True,
                "log_prob": True,
            },
        ),
    ),
)
PORTS = ("scores", "labels", "weights")


@SOFTMAX_CROSS_ENTROPY_LOSS.infer(since=12)
def infer(
    scores: Abstract,
    labels: Abstract,
    weights: Abstract | None = None,
    *,
    reduction: str,
    at: RuleSite,
) -> tuple[Abstract, ...]:
    loss = scores.like(loss_shape(scores.shape, labels.shape, reduction))
    outputs = (loss, scores.like(scores.shape))
    at.keep(outputs)
    infer_labels(scores, labels, weights, PORTS, at)
    return outputs


@SOFTMAX_CROSS_ENTROPY_LOSS.kernel(since=12)
def softmax_cross_entropy_loss(
    scores: Floats,
    labels: NDArray[np.integer],
    weights: Floats | None = None,
    *,
    ignore_index: int | None,
    reduction: str,
) -> tuple[Floats, Floats]:
    wide = log_softmax(widened(scores), 1) if scores.size else widened(scores)
    loss = nll(wide, labels, weights, ignore_index=ignore_index, reduction=reduction, ports=PORTS)
    return narrowed(loss, scores), narrowed(wide, scores)


@SOFTMAX_CROSS_ENTROPY_LOSS.body(since=12)
def body(
    f: Body,
    scores: BodyValue,
    labels: BodyValue,
    weights: BodyValue | None = None,
    *,
    ignore_index: int | None,
    reduction: str,
) -> tuple[BodyValue, BodyValue]:
    if f.opset < 13:
        # LogSoftmax sums over all axes from its own on, so that the classes go last.
        rows = f.Transpose(f.Reshape(scores, f.constant([0, 0, -1])), perm=[0, 2, 1])
        columns = f.Transpose(f.LogSoftmax(rows, axis=2), perm=[0, 2, 1])
        log_prob = f.Reshape(columns, f.Shape(scores))
    else:
        log_prob = f.LogSoftmax(scores, axis=1)
    loss = f.NegativeLogLikelihoodLoss(
        log_prob, labels, weights, ignore_index=ignore_index, reduction=reduction
    )
    return loss, log_prob


# 1.098612 is log 3, so that the right class has probability 3/4.
SOFTMAX_CROSS_ENTROPY_LOSS.example(([[0.0, 1.098612]], [1]), (0.287682, [[-1.386294, -0.287682]]))
SOFTMAX_CROSS_ENTROPY_LOSS.example(
    ([[0.0, 1.098612], [0.0, 0.0]], [1, 0]), ([0.287682, 0.693147],), reduction="none"
)
