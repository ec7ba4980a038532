"""EyeLike: ones on one diagonal of a matrix that has the shape of the input, zeros elsewhere.

`output[i, i + k]` is 1; k = 0 is the main diagonal, a positive k one above it. Only the shape of
the input counts, and its type where `dtype` is left out.

Spec: ai.onnx EyeLike-22
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ir import DType
from onnx_explorer.ops.cotangents import constant_vjp
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, Shape, Violation
from onnx_explorer.schema.typesets import BF16, BOOL, NUMBERS

EYE_LIKE = Operator(
    "EyeLike",
    doc=__doc__,
    history=(
        Change(
            9,
            "first version",
            inputs=(Port("input", "T1", "a matrix whose shape is taken over"),),
            outputs=(Port("output", "T2", "the ones and zeros"),),
            attributes=(
                Attr(
                    "dtype",
                    "int",
                    as_=DType,
                    doc="the type of the output; default: that of the input",
                ),
                Attr("k", "int", 0, doc="which diagonal: 0 the main one, above it positive"),
            ),
            types={"T1": NUMBERS | BOOL, "T2": NUMBERS | BOOL},
        ),
        Change(22, "bfloat16", widen={"T1": BF16, "T2": BF16}),
    ),
)


@EYE_LIKE.infer(since=9)
def infer(input: Abstract, *, dtype: DType | None = None) -> Abstract:
    if input.shape is not None:
        _check(input.shape)
    return Abstract(dtype or input.dtype, input.shape)


def _check(shape: Shape) -> None:
    if len(shape) != 2:
        raise Violation(
            f"shape {list(shape)}", "a matrix has rank 2", port="input", code="wrong-shape"
        )


@EYE_LIKE.kernel(since=9)
def eye_like(input: Array, *, dtype: DType | None = None, k: int) -> Array:
    _check(input.shape)
    n_rows, n_columns = input.shape
    diagonal = min(max(k, -n_rows), n_columns)
    return np.eye(n_rows, n_columns, diagonal, input.dtype if dtype is None else dtype.numpy)


EYE_LIKE.vjp(since=EYE_LIKE.versions[0])(constant_vjp)

EYE_LIKE.example(([[5, 5, 5], [5, 5, 5]],), ([[0, 1, 0], [0, 0, 1]],), k=1)
