"""Clip: every element moved into an interval, `output[i] = min(max(input[i], min), max)`.

An absent bound does not limit. Where `min` is above `max`, all elements become `max`. NaN stays
NaN. The bounds are attributes until version 6 and scalar inputs from version 11 on, where they have
the type of `input`. Relu6 is Clip with 0 and 6.

Spec: ai.onnx Clip-13
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import known_different, product
from onnx_explorer.ops.bounds import at_least, at_most
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import Floats, elementwise_vjp
from onnx_explorer.ops.elementwise import CONSUMED, Array, unary_rule
from onnx_explorer.ops.sizes import larger, smaller
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Operator,
    Port,
    RuleSite,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOATS, INTEGERS

INPUT = Port("input", "T", "the elements to limit")
OUTPUT = Port("output", "T", "`input` with what lies outside moved to the nearer bound")
FLOAT32_MAX = 3.4028234663852886e38

CLIP = Operator(
    "Clip",
    doc=__doc__,
    history=(
        Change(
            1,
            "the bounds are attributes",
            inputs=(INPUT,),
            outputs=(OUTPUT,),
            attributes=(
                Attr("min", "float", doc="lower bound"),
                Attr("max", "float", doc="upper bound"),
                CONSUMED,
            ),
            types={"T": FLOATS},
        ),
        Change(
            6,
            "the bounds have defaults; the hint for in-place execution goes",
            drop=("consumed_inputs",),
            attributes=(
                Attr("min", "float", -FLOAT32_MAX, doc="lower bound"),
                Attr("max", "float", FLOAT32_MAX, doc="upper bound"),
            ),
        ),
        Change(
            11,
            "the bounds become inputs",
            inputs=(
                INPUT,
                Port("min", "T", "lower bound, a scalar; default: none", option="optional"),
                Port("max", "T", "upper bound, a scalar; default: none", option="optional"),
            ),
            drop=("min", "max"),
        ),
        Change(12, "integers", widen={"T": INTEGERS}),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable={"input": True, "min": False, "max": False, "output": True},
        ),
    ),
)

CLIP.infer(since=1)(unary_rule)


@CLIP.infer(since=11)
def infer(
    input: Abstract, min: Abstract | None = None, max: Abstract | None = None, *, at: RuleSite
) -> Abstract | tuple[Abstract, ...] | None:
    result = Abstract(None, input.shape)
    for name, bound in (("min", min), ("max", max)):
        if bound is None or bound.shape is None:
            continue
        if known_different(product(bound.shape), 1):
            return at.fail(
                f"shape {list(bound.shape)}",
                "a bound is a scalar, of shape []",
                port=name,
                partial=result,
                code="wrong-shape",
            )
    return result


CLIP.cost(since=1)(per_output(2))


@CLIP.kernel(since=1, inplace=("input",))
def clip_by_attributes(
    input: Array,
    *,
    min: float | None = None,
    max: float | None = None,
    out: Array | None = None,
) -> Array:
    # The defaults are those of float32: in float16 they are infinite, which limits nothing.
    low, high = (None if b is None else np.asarray(b).astype(input.dtype) for b in (min, max))
    return clip(input, low, high, out=out)


def clip_sizes(input: Array, min: Array | None = None, max: Array | None = None) -> Array:
    """Sizes moved into an interval of sizes."""
    raised = input if min is None else larger(input, _scalar(min, "min"))
    return raised if max is None else smaller(raised, _scalar(max, "max"))


@CLIP.kernel(since=11, sizes=clip_sizes, inplace=("input",))
def clip(
    input: Array, min: Array | None = None, max: Array | None = None, *, out: Array | None = None
) -> Array:
    if min is None:
        return input if max is None else at_most(input, _scalar(max, "max"), out)
    low = _scalar(min, "min")
    if max is None:
        return at_least(input, low, out)
    high = _scalar(max, "max")
    raised = at_least(input, low, out)
    return at_most(raised, high, raised)


def _scalar(bound: Array, name: str) -> Array:
    # Some exporters write [1] for a scalar.
    if bound.size != 1:
        raise Violation(
            f"shape {list(bound.shape)}",
            "a bound is a scalar, of shape []",
            port=name,
            code="wrong-shape",
        )
    return bound.reshape(())


def _inside(input: Floats, *bounds_and_output: Floats) -> NDArray[np.bool_]:
    return input == bounds_and_output[-1]


# Elements on a bound count as inside.
CLIP.vjp(since=1)(elementwise_vjp(_inside))
CLIP.vjp(since=11)(elementwise_vjp(_inside))


@CLIP.body(since=13)
def body(
    f: Body, input: BodyValue, min: BodyValue | None = None, max: BodyValue | None = None
) -> BodyValue:
    raised = f.Identity(input) if min is None else f.Max(input, min)
    return raised if max is None else f.Min(raised, max)


CLIP.example(([-1, 3, 9], 0, 6), ([0, 3, 6],))
CLIP.example(([-1, 3, 9], None, 6), ([-1, 3, 6],))
CLIP.example(([-1, 3, 9], 6, 0), ([0, 0, 0],))
