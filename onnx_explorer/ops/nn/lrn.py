"""LRN: divides each element by what its neighbours among the channels amount to (local response
normalization).

`Y = X / (bias + alpha / size × S)^beta`, where S sums the squares of the `size` channels around the
element's own, at the same place: floor((size - 1) / 2) before it and ceil((size - 1) / 2) after it.
Channels that do not exist add nothing; the divisor stays `size` all the same.

Spec: ai.onnx LRN-13
"""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from onnx_explorer.ops.costs import elements
from onnx_explorer.ops.cotangents import Values
from onnx_explorer.ops.nn.patches import BLOCK_BYTES
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import Abstract, Attr, Change, Cost, Operator, Port, Shapes, Violation
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


@LRN.cost(since=1)
def cost(inputs: Shapes, outputs: Shapes, *, size: int) -> Cost:
    """A square, a sum over the window, and what the sum is put into."""
    return Cost(other=(size + 5) * elements(outputs[0]))


@LRN.kernel(since=1)
def lrn(X: Floats, *, alpha: float, beta: float, bias: float, size: int) -> Floats:
    _check(X.ndim, size)
    seen = widened(X)
    result = np.empty(seen.shape, seen.dtype)
    shape = (*seen.shape[:2], prod(seen.shape[2:]))
    columns, normalized = seen.reshape(shape), result.reshape(shape)
    # What happens on the way is as large as X, so it is done for some places at a time.
    step = max(1, BLOCK_BYTES // 4 // max(columns[:1, :, :1].nbytes, 1))
    for image, start in product(range(shape[0]), range(0, shape[2], step)):
        where = (slice(image, image + 1), slice(None), slice(start, start + step))
        base = _base(columns[where], alpha, bias, size)
        np.divide(columns[where], _raised(base, beta), out=normalized[where])
    return narrowed(result, X)


@LRN.vjp(since=1)
def vjp(
    cotangents: Values,
    inputs: Values,
    outputs: Values,
    *,
    alpha: float,
    beta: float,
    bias: float,
    size: int,
) -> Floats:
    (c,), (x,), (y,) = cotangents, inputs, outputs
    base = _base(x, alpha, bias, size)
    # An element is in the sums of those that it would be after where they were before.
    sums = _summed(c * y / base, size // 2, (size - 1) // 2)
    return c / _raised(base, beta) - x * sums * (2 * alpha * beta / size)


def _base(X: Floats, alpha: float, bias: float, size: int) -> Floats:
    """What the divisors are powers of."""
    base = _summed(X * X, (size - 1) // 2, size // 2)
    base *= alpha / size
    base += bias
    return base


def _summed(values: Floats, before: int, after: int) -> Floats:
    """Each element with its neighbours among the channels added: so many before and after it."""
    sums = values.copy()
    for step in range(1, max(before, after) + 1):
        if step <= after:
            sums[:, :-step] += values[:, step:]
        if step <= before:
            sums[:, step:] += values[:, :-step]
    return sums


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
