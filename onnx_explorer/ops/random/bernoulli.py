"""Bernoulli: tosses of coins, one for each element, which is the probability of a 1.

The type of the output is `dtype`, by default that of the input. An explicit `seed` gives the same
tosses at every run and every visit of the node.

Spec: ai.onnx Bernoulli-22
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.random.source import SEED, source
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Operator,
    Port,
    RandomSite,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, BOOL, FLOATS, NUMBERS_BF16

BERNOULLI = Operator(
    "Bernoulli",
    doc=__doc__,
    history=(
        Change(
            15,
            "first version",
            inputs=(Port("input", "T1", "probabilities, from 0 to 1"),),
            outputs=(Port("output", "T2", "0 or 1, in the shape of `input`"),),
            attributes=(
                Attr("dtype", "int", as_=DType, doc="the type; default: that of `input`"),
                SEED,
            ),
            types={"T1": FLOATS, "T2": NUMBERS_BF16 | BOOL},
        ),
        Change(22, "bfloat16 probabilities", widen={"T1": BF16}),
    ),
)


@BERNOULLI.infer(since=15)
def infer(input: Abstract, *, dtype: DType | None) -> Abstract:
    return Abstract(dtype or input.dtype, input.shape)


@BERNOULLI.kernel(since=15, random=True)
def bernoulli(input: Array, *, dtype: DType | None, seed: float | None, at: RandomSite) -> Array:
    chances = input.astype(np.float64)
    wrong = chances[~((chances >= 0) & (chances <= 1))]
    if wrong.size:
        raise Violation(f"the element {wrong[0]}", "a probability from 0 to 1", port="input")
    tosses = np.asarray(source(seed, at).binomial(1, chances))
    return tosses.astype(dtype.numpy if dtype else input.dtype)


@BERNOULLI.body(since=15)
def body(f: Body, input: BodyValue, *, dtype: DType | None, seed: float | None) -> BodyValue | None:
    to = dtype or f.dtype(input)
    if to is None:
        return None
    # Narrower types would round some of the numbers below 1 to 1.
    drawn = f.RandomUniformLike(input, dtype=DType.FLOAT64, seed=seed)
    return f.Cast(f.Less(drawn, f.Cast(input, to=DType.FLOAT64)), to=to)


# What is certain stays certain, whatever the seed.
BERNOULLI.example(([0.0, 1.0],), ([0.0, 1.0],))
