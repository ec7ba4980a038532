"""MatMulInteger: the matrix product of 8-bit integers, summed in int32.

`Y = (A - a_zero_point) · (B - b_zero_point)`, shaped as MatMul does it. A zero point is a scalar, or has
one element for each row of A, each column of B: of A in shape (M, K) it is (M,), of A in shape
(..., M, K) it may also be (..., M, 1); of B accordingly (N,) or (..., 1, N). No product can overflow;
sums that leave int32 wrap around.

Spec: ai.onnx MatMulInteger-10
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ir import shape_text
from onnx_explorer.ops.costs import matmul_cost
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.math.matmul import check_factors, matmul_rule
from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.quant.products import as_int32, as_rows, check_lines, exactly, shifted
from onnx_explorer.schema import Abstract, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import BYTES, INT32

MATMUL_INTEGER = Operator(
    "MatMulInteger",
    doc=__doc__,
    history=(
        Change(
            10,
            "first version",
            inputs=(
                Port("A", "T1", "left factor, (..., M, K) or (K,)", differentiable=False),
                Port("B", "T2", "right factor, (..., K, N) or (K,)", differentiable=False),
                Port(
                    "a_zero_point",
                    "T1",
                    "what stands for 0 in A, or in each of its rows; left out: 0",
                    option="optional",
                    differentiable=False,
                ),
                Port(
                    "b_zero_point",
                    "T2",
                    "what stands for 0 in B, or in each of its columns; left out: 0",
                    option="optional",
                    differentiable=False,
                ),
            ),
            outputs=(Port("Y", "T3", "product, (..., M, N)", differentiable=False),),
            types={"T1": BYTES, "T2": BYTES, "T3": INT32},
        ),
    ),
)


@MATMUL_INTEGER.infer(since=10)
def infer(
    A: Abstract,
    B: Abstract,
    a_zero_point: Abstract | None = None,
    b_zero_point: Abstract | None = None,
    *,
    at: RuleSite,
) -> Abstract:
    result = matmul_rule(A, B, at=at)
    at.keep(result)
    check_lines(a_zero_point and a_zero_point.shape, A.shape, -2, port="a_zero_point")
    check_lines(b_zero_point and b_zero_point.shape, B.shape, -1, port="b_zero_point")
    return result


MATMUL_INTEGER.cost(since=10)(matmul_cost)


@MATMUL_INTEGER.kernel(since=10)
def matmul_integer(
    A: Array, B: Array, a_zero_point: Array | None = None, b_zero_point: Array | None = None
) -> NDArray[np.int32]:
    if a_zero_point is not None:
        check_lines(a_zero_point.shape, A.shape, -2, port="a_zero_point")
        a_zero_point = as_rows(a_zero_point) if A.ndim > 1 else a_zero_point
    if b_zero_point is not None:
        check_lines(b_zero_point.shape, B.shape, -1, port="b_zero_point")
    return as_int32(whole_product(shifted(A, a_zero_point), shifted(B, b_zero_point)))


def whole_product(a: Floats, b: Floats) -> Floats:
    """The exact matrix product of whole numbers.

    Raises:
        Violation: the shapes do not fit.
    """
    check_factors(a.shape, b.shape)
    try:
        return np.asarray(exactly(np.matmul, a, b, over=(max(b.ndim - 2, 0),)))
    except ValueError as error:
        raise Violation(
            f"A has shape {shape_text(a.shape)}",
            f"B has shape {shape_text(b.shape)}, and the axes before the last two do not broadcast",
        ) from error


MATMUL_INTEGER.example(
    (np.array([[11, 7]], np.uint8), np.array([[1], [2]], np.uint8), np.uint8(12)),
    (np.array([[-11]], np.int32),),
)
