"""Size: the number of elements of a tensor, a scalar of int64.

It is the product of all sizes: 1 for a scalar, 0 where an axis is empty.

Spec: ai.onnx Size-25
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import product
from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.schema import Abstract, Change, Operator, Port, scalar
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

SIZE = Operator(
    "Size",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(Port("data", "T", "any tensor; its elements do not matter"),),
            outputs=(Port("size", "T1", "how many elements `data` has, a scalar"),),
            types={"T": EVERY_V1, "T1": INT64},
        ),
        Change(13, "bfloat16", widen={"T": BF16}, differentiable={"data": False, "size": False}),
        Change(19, "8-bit floats", widen={"T": FLOAT8}),
        Change(21, "4-bit integers", widen={"T": INT4}),
        Change(23, "4-bit floats", widen={"T": FLOAT4}),
        Change(24, "float8_e8m0fnu", widen={"T": FLOAT8_E8M0}),
        Change(25, "2-bit integers", widen={"T": INT2}),
    ),
)


@SIZE.infer(since=1)
def infer(data: Abstract) -> Abstract:
    return scalar(DType.INT64, None if data.shape is None else product(data.shape))


@SIZE.kernel(since=1, of_shape=True)
def size(data: Array) -> NDArray[np.int64]:
    return np.array(data.size, np.int64)


SIZE.example(([[1, 2, 3], [4, 5, 6]],), (6,))
SIZE.example((5.0,), (1,))
