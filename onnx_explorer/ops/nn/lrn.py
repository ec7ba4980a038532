"""LRN: divides each element by what its neighbours among the channels amount to (local response
normalization).

`Y = X / (bias + alpha / size × S)^beta`, where S sums the squares of the `size` channels around the
element's own, at the same place: floor((size - 1) / 2) before it and ceil((size - 1) / 2) after it.
Channels that do not exist add nothing; the divisor stays `size` all the same.

Spec: ai.onnx LRN-13
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, Violation
from onnx_explorer.schema.typesets import BF16, FLOATS

X = Port("X", "T", "input, (N, C, *spatial)")
Y = Port("Y", "T", "the normalized input, same shape as X")

LRN = Operator(
    "LRN",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(X,),
            outputs=(Y,),
            attributes=(
                Attr("alpha", "float", 0.0001, doc="weight of the sum of squares"),
                Attr("beta", "float", 0.75, doc="exponent of the divisor"),
                Attr("bias", "float", 1.0, doc="the divisor where all neighbours are 0"),
                Attr("size", "int", required=True, doc="number of channels that a sum takes in"),
            ),
            types={"T": FLOATS},
        ),
        Change(13, "bfloat16", widen={"T": BF16}, differentiable={"X": True, "Y": True}),
    ),
)


def _check(rank: int, size: int) -> None:
    if rank < 2:
        raise Violation(
            f"rank {rank}", "(N, C, *spatial) has rank 2 or more", port="X", code="wrong-rank"
        )
    if size < 1:
        raise Violation(
            f"size = {size}", "a sum takes in 1 channel or more", code="attribute-value"
        )


@LRN.infer(since=1)
def infer(X: Abstract, *, size: int) -> Abstract:
    if X.shape is not None:
        _check(len(X.shape), size)
    return X.like(X.shape)


@LRN.kernel(since=1)
def lrn(X: Floats, *, alpha: float, beta: float, bias: float, size: int) -> Floats:
    _check(X.ndim, size)
    seen = widened(X)
    squares = seen * seen
    sums = squares.copy()
    before, after = (size - 1) // 2, size // 2
    for step in range(1, max(before, after) + 1):
        if step <= after:
            sums[:, :-step] += squares[:, step:]
        if step <= before:
            sums[:, step:] += squares[:, :-step]
    sums *= alpha / size
    sums += bias
    return narrowed(seen / _raised(sums, beta), X)


def _raised(base: Floats, exponent: float) -> Floats:
    """base^exponent, by square roots where they do: they are far faster than a general power."""
    if exponent == 1:
        return base
    if exponent == 0.5:
        return np.sqrt(base)
    if exponent == 0.75:
        root = np.sqrt(base)
        return root * np.sqrt(root)
    return base**exponent


# The sums of squares over up to three channels are 5, 14 and 13; alpha is divided by size.
LRN.example(
    ([[[[1.0]], [[2.0]], [[3.0]]]],),
    ([[[[1 / 5]], [[2 / 14]], [[3 / 13]]]],),
    size=3,
    alpha=3.0,
    beta=1.0,
    bias=0.0,
)
