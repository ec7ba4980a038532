"""Dropout: in training sets elements to 0 at random; in use hands its input on.

In training, each element survives with probability 1 - ratio and is then multiplied by 1 / (1 -
ratio), so that the expected value stays what it was; `mask` tells which ones survived. In use
`output` is `data`, and `mask` is true everywhere.

What says that it is training changed over time: `is_test` = 0 up to version 6; versions 7 and 10
know only use; since 12 it is the input `training_mode`. The random numbers are those of the run, or
follow from the attribute `seed` where it is given.

Spec: ai.onnx Dropout-22
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import shape_text
from onnx_explorer.ops.cotangents import Values
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Cotangents,
    DerivativeSite,
    Operator,
    Port,
    RandomSite,
    RuleSite,
    Shape,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, BOOL, FLOAT8, FLOATS

DATA = Port("data", "T", "input of any shape")
OUTPUT = Port("output", "T", "same shape as `data`")
MASK = Port("mask", "T", "1 where an element was kept, else 0", option="optional")

DROPOUT = Operator(
    "Dropout",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(DATA,),
            outputs=(OUTPUT, MASK),
            attributes=(
                Attr(
                    "consumed_inputs",
                    "ints",
                    doc="a hint for in-place execution, without effect",
                ),
                Attr("is_test", "int", 0, doc="0: training; else the input is handed on"),
                Attr("ratio", "float", 0.5, doc="probability of an element to become 0"),
            ),
            types={"T": FLOATS},
        ),
        Change(6, "the hint for in-place execution is gone", drop=("consumed_inputs",)),
        Change(7, "only for use, no longer for training", drop=("is_test",)),
        Change(
            10,
            "the mask is boolean",
            outputs=(OUTPUT, Port("mask", "T1", "true where an element was kept", "optional")),
            types={"T1": BOOL},
        ),
        Change(
            12,
            "training is back; ratio becomes an input",
            inputs=(
                DATA,
                Port(
                    "ratio",
                    "T1",
                    "scalar, probability of an element to become 0, in [0, 1); default 0.5",
                    option="optional",
                ),
                Port(
                    "training_mode",
                    "T2",
                    "scalar, true: drop elements; default false",
                    option="optional",
                ),
            ),
            outputs=(OUTPUT, Port("mask", "T2", "true where an element was kept", "optional")),
            attributes=(
                Attr("seed", "int", doc="start of the random numbers; default: the run's"),
            ),
            drop=("ratio",),
            types={"T1": FLOATS, "T2": BOOL},
        ),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable={
                "data": True,
                "ratio": False,
                "training_mode": False,
                "output": True,
                "mask": False,
            },
        ),
        Change(22, "8-bit floats", widen={"T": FLOAT8, "T1": FLOAT8 | BF16}),
    ),
)


@DROPOUT.infer(since=1)
def infer(data: Abstract, *, is_test: int = 1) -> tuple[Abstract, Abstract]:
    return data if is_test else data.like(data.shape), Abstract(None, data.shape)


@DROPOUT.infer(since=12)
def infer_with_inputs(
    data: Abstract,
    ratio: Abstract | None = None,
    training_mode: Abstract | None = None,
    *,
    at: RuleSite,
) -> tuple[Abstract, Abstract]:
    for port, value in (("ratio", ratio), ("training_mode", training_mode)):
        fault = _no_scalar(value and value.shape, port)
        if fault is not None:
            at.fail(fault.found, fault.expected, port=port, code=fault.code, sides=fault.sides)
    trains = training_mode is not None
    return data.like(data.shape) if trains else data, Abstract(None, data.shape)


def _no_scalar(shape: Shape | None, port: str) -> Violation | None:
    if not shape:
        return None
    return Violation(
        f"shape {shape_text(shape)}", "it is a scalar: expected []", port=port, code="wrong-shape"
    )


@DROPOUT.kernel(since=1, random=True)
def dropout_by_flag(
    data: Floats, *, is_test: int, ratio: float, at: RandomSite
) -> tuple[Floats, Floats]:
    if is_test:
        return data, np.ones(data.shape, data.dtype)
    output, mask = _dropped(data, ratio, at.rng.random(data.shape))
    return output, mask.astype(data.dtype)


@DROPOUT.kernel(since=7)
def dropout_in_use(data: Floats) -> tuple[Floats, Floats]:
    return data, np.ones(data.shape, data.dtype)


@DROPOUT.kernel(since=10)
def dropout_in_use_with_mask(data: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    return data, np.ones(data.shape, np.bool_)


@DROPOUT.kernel(since=12, random=True)
def dropout(
    data: Floats,
    ratio: Floats | None = None,
    training_mode: NDArray[np.bool_] | None = None,
    *,
    seed: int | None,
    at: RandomSite,
) -> tuple[Floats, NDArray[np.bool_]]:
    for port, value in (("ratio", ratio), ("training_mode", training_mode)):
        fault = _no_scalar(None if value is None else value.shape, port)
        if fault is not None:
            raise fault
    if training_mode is None or not training_mode.all():
        return data, np.ones(data.shape, np.bool_)
    # The seed picks the same elements as other implementations in numpy do.
    draw = at.rng.random if seed is None else np.random.RandomState(seed % 2**32).random_sample
    return _dropped(data, 0.5 if ratio is None else ratio.item(), np.asarray(draw(data.shape)))


# A cotangent loses the elements that the data lost.
@DROPOUT.vjp(since=1)
def vjp_by_flag(
    cotangents: Cotangents,
    inputs: Values,
    outputs: Cotangents,
    *,
    is_test: int = 1,
    ratio: float,
    at: DerivativeSite,
) -> Cotangents:
    c = cotangents[0]
    return () if c is None else dropout_by_flag(c, is_test=is_test, ratio=ratio, at=at)[:1]


@DROPOUT.vjp(since=12)
def vjp(
    cotangents: Cotangents,
    inputs: tuple[Floats, Floats | None, NDArray[np.bool_] | None],
    outputs: Cotangents,
    *,
    seed: int | None,
    at: DerivativeSite,
) -> Cotangents:
    c = cotangents[0]
    return () if c is None else dropout(c, *inputs[1:], seed=seed, at=at)[:1]


def _dropped(
    data: Floats, ratio: float, draws: NDArray[np.float64]
) -> tuple[Floats, NDArray[np.bool_]]:
    if not 0 <= ratio < 1:
        raise Violation(
            f"ratio = {ratio}", "a probability in [0, 1)", port="ratio", code="input-value"
        )
    mask = draws >= ratio
    kept = widened(data) * (1 / (1 - ratio))
    return narrowed(np.where(mask, kept, kept.dtype.type(0)), data), mask


DROPOUT.example(([1.0, 2.0, 3.0], 0.5), ([1.0, 2.0, 3.0], [True, True, True]))
