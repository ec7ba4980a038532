"""Multinomial: classes drawn at random, with replacement, from each row's own distribution.

`input` holds logits, (N, C): class c is drawn with a probability in proportion to `e^input[n, c]`,
so that adding a number to a row changes nothing, and negative infinity excludes a class. The output
(N, sample_size) holds numbers of classes. An explicit `seed` gives the same samples at every run
and every visit of the node.

Spec: ai.onnx Multinomial-22
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.random.source import SEED, source
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Operator,
    Port,
    RandomSite,
    RuleSite,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOATS, INDICES

MULTINOMIAL = Operator(
    "Multinomial",
    doc=__doc__,
    history=(
        Change(
            7,
            "first version",
            inputs=(Port("input", "T1", "logits, (N, C)"),),
            outputs=(Port("output", "T2", "numbers of classes, (N, sample_size)"),),
            attributes=(
                Attr(
                    "dtype",
                    "int",
                    6,
                    as_=DType,
                    one_of=(DType.INT32.value, DType.INT64.value),
                    doc="the type of the output: int32 (6) or int64 (7)",
                ),
                Attr("sample_size", "int", 1, doc="how many classes are drawn for each row"),
                SEED,
            ),
            types={"T1": FLOATS, "T2": INDICES},
        ),
        Change(22, "bfloat16 logits", widen={"T1": BF16}),
    ),
)


def _check(rank: int, sample_size: int) -> None:
    if rank != 2:
        raise Violation(f"rank {rank}", "(N, C) has rank 2", port="input", code="wrong-rank")
    if sample_size < 0:
        raise Violation(
            f"sample_size = {sample_size}", "expected 0 or more", code="attribute-value"
        )


@MULTINOMIAL.infer(since=7)
def infer(input: Abstract, *, dtype: DType, sample_size: int, at: RuleSite) -> Abstract:
    _check(2 if input.shape is None else len(input.shape), sample_size)
    rows = at.fresh("N") if input.shape is None else input.shape[0]
    return Abstract(dtype, (rows, sample_size))


@MULTINOMIAL.kernel(since=7, random=True)
def multinomial(
    input: Array, *, dtype: DType, sample_size: int, seed: float | None, at: RandomSite
) -> Array:
    _check(input.ndim, sample_size)
    rows, classes = input.shape
    if rows and not classes:
        raise Violation("0 classes", "expected 1 or more to draw from", port="input")
    samples = np.empty((rows, sample_size), dtype.numpy)
    draws = np.asarray(source(seed, at).random((rows, sample_size)))
    for row, logits in enumerate(input.astype(np.float64)):
        heights = np.cumsum(np.exp(logits - logits.max()))
        targets = draws[row] * heights[-1]
        found = cast("NDArray[np.intp]", np.searchsorted(heights, targets, side="right"))
        # A draw may round up to the end itself.
        samples[row] = np.minimum(found, classes - 1)
    return samples


# Each row leaves one class to draw, whatever the seed. The numbers are int32 unless `dtype` says more.
MULTINOMIAL.example(
    ([[0.0, -np.inf], [-np.inf, 7.0]],),
    (np.array([[0, 0, 0], [1, 1, 1]], np.int32),),
    sample_size=3,
)
