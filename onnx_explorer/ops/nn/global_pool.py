"""GlobalAveragePool, GlobalMaxPool and GlobalLpPool: each channel becomes one number.

All spatial axes are pooled at once, and each keeps size 1: (N, C, H, W) becomes (N, C, 1, 1). It is
the pooling operator of the same kind with a window as large as the input. The p-norm is
`(sum of |x|^p)^(1/p)`.

Spec: ai.onnx GlobalAveragePool-22, GlobalMaxPool-22, GlobalLpPool-22
"""

from __future__ import annotations

from math import prod

import numpy as np

from onnx_explorer.ops.costs import per_input
from onnx_explorer.ops.nn.norms import power, power_slope, root, root_slope
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, Violation
from onnx_explorer.schema.typesets import BF16, FLOATS

X = Port("X", "T", "input, (N, C, *spatial)", differentiable=True)
Y = Port("Y", "T", "one number for each channel, (N, C, 1, 1, ...)", differentiable=True)
UNMARKED_X = Port("X", "T", X.doc)
UNMARKED_Y = Port("Y", "T", Y.doc)


def infer(X: Abstract) -> Abstract:
    if X.shape is None:
        return X
    _check_rank(len(X.shape))
    return X.like((*X.shape[:2], *(1,) * (len(X.shape) - 2)))


def _check_rank(rank: int) -> None:
    if rank < 2:
        raise Violation(
            f"rank {rank}", "(N, C, *spatial) has rank 2 or more", port="X", code="wrong-rank"
        )


def _simple(name: str, what: str) -> Operator:
    op = Operator(
        name,
        doc=f"{what} of each channel.\n\n{__doc__}",
        history=(
            Change(1, "first version", inputs=(X,), outputs=(Y,), types={"T": FLOATS}),
            Change(22, "bfloat16", widen={"T": BF16}),
        ),
    )
    op.cost(since=1)(per_input())
    op.infer(since=1)(infer)
    return op


GLOBAL_AVERAGE_POOL = _simple("GlobalAveragePool", "The mean")
GLOBAL_MAX_POOL = _simple("GlobalMaxPool", "The largest element")
GLOBAL_LP_POOL = Operator(
    "GlobalLpPool",
    doc=f"The p-norm of each channel.\n\n{__doc__}",
    history=(
        Change(
            1,
            "first version",
            inputs=(UNMARKED_X,),
            outputs=(UNMARKED_Y,),
            attributes=(Attr("p", "float", 2.0, doc="exponent of the norm"),),
            types={"T": FLOATS},
        ),
        Change(
            2,
            "p is an integer",
            attributes=(Attr("p", "int", 2, doc="exponent of the norm"),),
            differentiable={"X": True, "Y": True},
        ),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
)
GLOBAL_LP_POOL.infer(since=1)(infer)
GLOBAL_LP_POOL.cost(since=1)(per_input())


@GLOBAL_AVERAGE_POOL.kernel(since=1)
def global_average_pool(X: Floats) -> Floats:
    channels = _channels(widened(X))
    # A matrix product would be faster, but round equal channels to unequal means.
    means = np.einsum("nci->nc", channels) / channels.shape[2]
    return _spread(means, X)


@GLOBAL_MAX_POOL.kernel(since=1)
def global_max_pool(X: Floats) -> Floats:
    return _spread(np.maximum.reduce(_channels(X), axis=2, initial=-np.inf), X)


@GLOBAL_LP_POOL.kernel(since=1)
def global_lp_pool(X: Floats, *, p: float) -> Floats:
    return _spread(root(np.add.reduce(power(_channels(widened(X)), p), axis=2), p), X)


def _channels(X: Floats) -> Floats:
    """(N, C, everything)."""
    _check_rank(X.ndim)
    return X.reshape(*X.shape[:2], prod(X.shape[2:]))


def _spread(result: Floats, X: Floats) -> Floats:
    return narrowed(result, X).reshape(*X.shape[:2], *(1,) * (X.ndim - 2))


@GLOBAL_AVERAGE_POOL.vjp(since=1)
def average_vjp(cotangents: tuple[Floats], inputs: tuple[Floats], outputs: object) -> Floats:
    (c,), (X,) = cotangents, inputs
    return np.broadcast_to(c / max(int(np.prod(X.shape[2:])), 1), X.shape)


@GLOBAL_MAX_POOL.vjp(since=1)
def max_vjp(cotangents: tuple[Floats], inputs: tuple[Floats], outputs: object) -> Floats:
    (c,), (X,) = cotangents, inputs
    channels, total = _channels(X), np.zeros_like(_channels(X))
    if X.size:
        # Of equal elements the first one counts, as in MaxPool.
        best = np.argmax(channels, axis=2)[..., None]
        np.put_along_axis(total, best, c.reshape(best.shape), 2)
    return total.reshape(X.shape)


@GLOBAL_LP_POOL.vjp(since=1)
def lp_vjp(
    cotangents: tuple[Floats], inputs: tuple[Floats], outputs: tuple[Floats], *, p: float
) -> Floats:
    (c,), (X,), (Y,) = cotangents, inputs, outputs
    return power_slope(X, p) * (c * root_slope(Y, p))


GLOBAL_AVERAGE_POOL.example(([[[3.0, -4.0]]],), ([[[-0.5]]],))
GLOBAL_MAX_POOL.example(([[[3.0, -4.0]]],), ([[[3.0]]],))
GLOBAL_LP_POOL.example(([[[3.0, -4.0]]],), ([[[5.0]]],))
GLOBAL_LP_POOL.example(([[[3.0, -4.0]]],), ([[[7.0]]],), p=1)
