"""CastLike: every element of `input` converted to the type of `target_type`, as Cast does.

Only the type of the second input counts, neither its shape nor its elements. Functions that work on
any type have it where a constant must follow the type of an argument.

Spec: ai.onnx CastLike-25
"""

from __future__ import annotations

from typing import cast

import numpy as np

from onnx_explorer.dims import UndecidedError
from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.tensor.cast import cast_sizes, convert
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Content,
    Operator,
    Port,
)
from onnx_explorer.schema.typesets import (
    BF16,
    BOOL,
    FLOAT4,
    FLOAT8,
    FLOAT8_E8M0,
    INT2,
    INT4,
    NUMBERS,
    STRING,
    TypeSet,
)


def _both(types: TypeSet) -> dict[str, TypeSet]:
    return {"T1": types, "T2": types}


CAST_LIKE = Operator(
    "CastLike",
    doc=__doc__,
    history=(
        Change(
            15,
            "first version",
            inputs=(
                Port("input", "T1", "what to convert", differentiable=True),
                Port("target_type", "T2", "any tensor of the new type", differentiable=False),
            ),
            outputs=(
                Port(
                    "output",
                    "T2",
                    "the same numbers as the new type holds them",
                    differentiable=True,
                ),
            ),
            types=_both(NUMBERS | BF16 | BOOL | STRING),
        ),
        Change(
            19,
            "8-bit floats",
            widen=_both(FLOAT8),
            attributes=(
                Attr(
                    "saturate",
                    "int",
                    1,
                    one_of=(0, 1),
                    doc="what 8-bit floats make of numbers that do not fit: "
                    "1, the largest they have; 0, infinity or NaN",
                ),
            ),
        ),
        Change(21, "4-bit integers", widen=_both(INT4)),
        Change(23, "4-bit floats", widen=_both(FLOAT4)),
        Change(
            24,
            "float8_e8m0fnu",
            widen=_both(FLOAT8_E8M0),
            attributes=(
                Attr(
                    "round_mode",
                    "string",
                    "up",
                    one_of=("up", "down", "nearest"),
                    doc="how float8_e8m0fnu rounds; other types do not look at it",
                ),
            ),
        ),
        Change(25, "2-bit integers", widen=_both(INT2)),
    ),
)


@CAST_LIKE.infer(since=15)
def infer(input: Abstract, target_type: Abstract) -> Abstract:
    return Abstract(None, input.shape, _content(input, target_type.dtype))


def _content(input: Abstract, to: DType | None) -> Content | None:
    """The content is known here, without that of `target_type`, which may be large."""
    if input.content is None or to is None:
        return None
    sizes = np.empty(len(input.content), object)
    sizes[:] = input.content
    try:
        return tuple(cast("Array", cast_sizes(sizes, to=to)).tolist())
    except UndecidedError:
        return None


@CAST_LIKE.kernel(since=15)
def cast_like(
    input: Array, target_type: Array, *, saturate: int = 1, round_mode: str = "up"
) -> Array:
    to = DType.from_numpy(target_type.dtype)
    return convert(input, to=to, saturate=saturate, round_mode=round_mode)


@CAST_LIKE.body(since=15)
def body(
    f: Body,
    input: BodyValue,
    target_type: BodyValue,
    *,
    saturate: int | None = None,
    round_mode: str | None = None,
) -> BodyValue | None:
    to = f.dtype(target_type)
    return to and f.Cast(input, to=to, saturate=saturate, round_mode=round_mode)


CAST_LIKE.example(([1.7, -1.7], np.array([9], np.int32)), (np.array([1, -1], np.int32),))
