"""RandomNormal, RandomUniform and the two of the same name with Like: tensors of random numbers.

The shape is an attribute, or that of an input with Like, whose elements do not matter. The type is
`dtype`; with Like it defaults to that of the input, which must then be a type of floats. An
explicit `seed` gives the same numbers at every run and every visit of the node; without it they
follow the seed of the run. Which numbers belong to a seed is up to each implementation.

Spec: ai.onnx RandomNormal-22, RandomNormalLike-22, RandomUniform-22, RandomUniformLike-22
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType
from onnx_explorer.ops.cotangents import constant_vjp
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.random.source import SEED, source
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RandomSite, Violation
from onnx_explorer.schema.typesets import BF16, EVERY_V1, FLOATS

_DTYPES = tuple(d.value for d in (DType.FLOAT32, DType.FLOAT16, DType.FLOAT64))
_DTYPES_22 = (*_DTYPES, DType.BFLOAT16.value)

MEAN = Attr("mean", "float", 0.0, doc="the mean of the distribution")
SCALE = Attr("scale", "float", 1.0, doc="its standard deviation")
LOW = Attr("low", "float", 0.0, doc="the lower end of the interval, which may occur")
HIGH = Attr("high", "float", 1.0, doc="its upper end, which does not occur")


def _dtype(default: int | None, allowed: tuple[int, ...]) -> Attr:
    # One that may be absent is checked by the rule, against the type it falls back to.
    one_of = () if default is None else allowed
    words = "the type" if default else "the type; default: that of `input`"
    return Attr("dtype", "int", default, as_=DType, one_of=one_of, doc=words)


def _of_shape(name: str, what: str, parameters: tuple[Attr, ...]) -> Operator:
    return Operator(
        name,
        doc=f"{name}: numbers drawn from {what}.\n\n{__doc__}",
        history=(
            Change(
                1,
                "first version",
                inputs=(),
                outputs=(Port("output", "T", "the random numbers"),),
                attributes=(
                    *parameters,
                    SEED,
                    _dtype(1, _DTYPES),
                    Attr("shape", "ints", required=True, doc="the shape of the output"),
                ),
                types={"T": FLOATS},
            ),
            Change(22, "bfloat16", attributes=(_dtype(1, _DTYPES_22),), widen={"T": BF16}),
        ),
    )


def _like(name: str, what: str, parameters: tuple[Attr, ...]) -> Operator:
    return Operator(
        name,
        doc=f"{name}: numbers drawn from {what}, in the shape of an input.\n\n{__doc__}",
        history=(
            Change(
                1,
                "first version",
                inputs=(Port("input", "T1", "a tensor of the wanted shape"),),
                outputs=(Port("output", "T2", "the random numbers"),),
                attributes=(*parameters, SEED, _dtype(None, _DTYPES)),
                types={"T1": EVERY_V1, "T2": FLOATS},
            ),
            Change(22, "bfloat16", widen={"T1": BF16, "T2": BF16}),
        ),
    )


NORMAL, UNIFORM = "a normal distribution", "an interval, where all numbers are equally likely"
RANDOM_NORMAL = _of_shape("RandomNormal", NORMAL, (MEAN, SCALE))
RANDOM_NORMAL_LIKE = _like("RandomNormalLike", NORMAL, (MEAN, SCALE))
RANDOM_UNIFORM = _of_shape("RandomUniform", UNIFORM, (LOW, HIGH))
RANDOM_UNIFORM_LIKE = _like("RandomUniformLike", UNIFORM, (LOW, HIGH))


@RANDOM_NORMAL.infer(since=1)
@RANDOM_UNIFORM.infer(since=1)
def infer_from_shape(*, dtype: DType, shape: tuple[int, ...] | None) -> Abstract:
    if shape is None:
        return Abstract(dtype)
    _check_shape(shape)
    return Abstract(dtype, shape)


@RANDOM_NORMAL_LIKE.infer(since=1)
@RANDOM_UNIFORM_LIKE.infer(since=1)
def infer_from_input(input: Abstract, *, dtype: DType | None) -> Abstract:
    return Abstract(_floats(dtype or input.dtype), input.shape)


@RANDOM_NORMAL.kernel(since=1, random=True)
def random_normal(
    *,
    dtype: DType,
    mean: float,
    scale: float,
    seed: float | None,
    shape: tuple[int, ...],
    at: RandomSite,
) -> Array:
    _check_shape(shape)
    return _normal(shape, dtype, mean, scale, seed, at)


@RANDOM_NORMAL_LIKE.kernel(since=1, random=True)
def random_normal_like(
    input: Array,
    *,
    dtype: DType | None,
    mean: float,
    scale: float,
    seed: float | None,
    at: RandomSite,
) -> Array:
    return _normal(input.shape, dtype or DType.from_numpy(input.dtype), mean, scale, seed, at)


@RANDOM_UNIFORM.kernel(since=1, random=True)
def random_uniform(
    *,
    dtype: DType,
    low: float,
    high: float,
    seed: float | None,
    shape: tuple[int, ...],
    at: RandomSite,
) -> Array:
    _check_shape(shape)
    return _uniform(shape, dtype, low, high, seed, at)


@RANDOM_UNIFORM_LIKE.kernel(since=1, random=True)
def random_uniform_like(
    input: Array,
    *,
    dtype: DType | None,
    low: float,
    high: float,
    seed: float | None,
    at: RandomSite,
) -> Array:
    return _uniform(input.shape, dtype or DType.from_numpy(input.dtype), low, high, seed, at)


def _normal(
    shape: tuple[int, ...],
    dtype: DType,
    mean: float,
    scale: float,
    seed: float | None,
    at: RandomSite,
) -> Array:
    draws = np.asarray(source(seed, at).standard_normal(shape))
    return _moved(draws, dtype, scale, mean)


def _uniform(
    shape: tuple[int, ...],
    dtype: DType,
    low: float,
    high: float,
    seed: float | None,
    at: RandomSite,
) -> Array:
    draws = np.asarray(source(seed, at).random(shape))
    return _moved(draws, dtype, high - low, low)


def _moved(draws: NDArray[np.float64], dtype: DType, factor: float, start: float) -> Array:
    return (draws * factor + start).astype((_floats(dtype) or dtype).numpy)


def _check_shape(shape: tuple[int, ...]) -> None:
    if any(size < 0 for size in shape):
        raise Violation(f"shape = {list(shape)}", "sizes are 0 or more", code="wrong-shape")


def _floats(dtype: DType | None) -> DType | None:
    if dtype is not None and dtype.notation not in FLOATS | BF16:
        raise Violation(
            f"the type {dtype.label}", "random numbers are floats: give their type as dtype"
        )
    return dtype


# Without width there is nothing to draw, whatever the seed.
RANDOM_NORMAL.example((), ([2.0, 2.0],), shape=[2], mean=2.0, scale=0.0)
RANDOM_NORMAL_LIKE.vjp(since=RANDOM_NORMAL_LIKE.versions[0])(constant_vjp)
RANDOM_UNIFORM_LIKE.vjp(since=RANDOM_UNIFORM_LIKE.versions[0])(constant_vjp)

RANDOM_NORMAL_LIKE.example(([[1, 2]],), ([[5.0, 5.0]],), dtype=1, mean=5.0, scale=0.0)
RANDOM_UNIFORM.example((), ([[3.0]],), shape=[1, 1], low=3.0, high=3.0)
RANDOM_UNIFORM_LIKE.example(([1.5, 2.5],), ([3.0, 3.0],), low=3.0, high=3.0)
