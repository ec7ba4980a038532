"""Shape: the sizes of a tensor as a 1-D tensor of int64.

`start` and `end`, from version 15 on, cut out a slice of the axes as Python's `shape[start:end]`
does: negative ones count from the end, what lies outside is moved to the nearer end, and a slice
that ends before it starts is empty.

Spec: ai.onnx Shape-25
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite
from onnx_explorer.schema.typesets import (
    BF16,
    EVERY_V1,
    FLOAT4,
    FLOAT8,
    FLOAT8_E8M0,
    INT2,
    INT4,
    INT64,
)

SHAPE = Operator(
    "Shape",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("data", "T", "any tensor; its elements do not matter"),),
            outputs=(Port("shape", "T1", "1-D, one size per axis"),),
            types={"T": EVERY_V1, "T1": INT64},
        ),
        Change(13, "bfloat16", widen={"T": BF16}, differentiable={"data": False, "shape": False}),
        Change(
            15,
            "a slice of the axes",
            attributes=(
                Attr("start", "int", 0, doc="the first axis to include"),
                Attr("end", "int", doc="the axis to stop before; default: behind the last one"),
            ),
        ),
        Change(19, "8-bit floats", widen={"T": FLOAT8}),
        Change(21, "4-bit integers", widen={"T": INT4}),
        Change(23, "4-bit floats", widen={"T": FLOAT4}),
        Change(24, "float8_e8m0fnu", widen={"T": FLOAT8_E8M0}),
        Change(25, "2-bit integers", widen={"T": INT2}),
    ),
)


@SHAPE.infer(since=1)
def infer(data: Abstract, *, start: int = 0, end: int | None = None, at: RuleSite) -> Abstract:
    if data.shape is None:
        return Abstract(DType.INT64, (at.fresh("rank"),))
    sizes = data.shape[start:end]
    return Abstract(DType.INT64, (len(sizes),), sizes)


@SHAPE.kernel(since=1, of_shape=True)
def shape(data: Array, *, start: int = 0, end: int | None = None) -> NDArray[np.int64]:
    return np.array(data.shape[start:end], np.int64)


SHAPE.example(([[1, 2, 3], [4, 5, 6]],), ([2, 3],))
SHAPE.example(([[1, 2, 3], [4, 5, 6]],), ([3],), start=-1)
SHAPE.example((5.0,), (np.array([], np.int64),))
