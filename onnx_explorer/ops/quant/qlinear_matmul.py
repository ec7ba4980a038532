"""QLinearMatMul: the matrix product of quantized numbers, quantized again.

With `real(q) = (q - zero_point) × scale`, y stands for the matrix product of what a and b stand for:
`y = saturate(round((a - a_zero_point) · (b - b_zero_point) × a_scale × b_scale / y_scale) +
y_zero_point)`. Rounding takes the even neighbour of a tie. Each scale has the shape of its zero point:
a scalar, or one element for each row of a, (M,) or (..., M, 1), and for each column of b, (N,) or
(..., 1, N). Those of y are scalars. The product of integers is exact before it is scaled.

Spec: ai.onnx QLinearMatMul-21
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ir import DType
from onnx_explorer.ops.costs import matmul_cost
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.math.matmul import matmul_rule
from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.quant.granularity import check_zero_point
from onnx_explorer.ops.quant.matmul_integer import whole_product
from onnx_explorer.ops.quant.products import as_rows, check_lines, check_single, shifted
from onnx_explorer.ops.quant.quantize_linear import on_grid
from onnx_explorer.schema import Abstract, Change, Operator, Port, RuleSite, Shape
from onnx_explorer.schema.typesets import BF16, BYTES, FLOAT8, FLOAT16, FLOAT32


def _ports(scale: str) -> tuple[Port, ...]:
    return tuple(
        Port(name, type_, doc, differentiable=False)
        for name, type_, doc in (
            ("a", "T1", "left factor, (..., M, K) or (K,)"),
            ("a_scale", scale, "step of a, or of each of its rows"),
            ("a_zero_point", "T1", "what stands for 0 in a, or in each of its rows"),
            ("b", "T2", "right factor, (..., K, N) or (K,)"),
            ("b_scale", scale, "step of b, or of each of its columns"),
            ("b_zero_point", "T2", "what stands for 0 in b, or in each of its columns"),
            ("y_scale", scale, "step of y, a scalar"),
            ("y_zero_point", "T3", "what stands for 0 in y, a scalar; its type is y's"),
        )
    )


QLINEAR_MATMUL = Operator(
    "QLinearMatMul",
    doc=__doc__,
    history=(
        Change(
            10,
            "first version",
            inputs=_ports("tensor(float)"),
            outputs=(Port("y", "T3", "quantized product, (..., M, N)", differentiable=False),),
            types={"T1": BYTES, "T2": BYTES, "T3": BYTES},
        ),
        Change(
            21,
            "8-bit floats; scales in 16-bit floats",
            inputs=_ports("TS"),
            types={"TS": FLOAT32 | FLOAT16 | BF16},
            widen={"T1": FLOAT8, "T2": FLOAT8, "T3": FLOAT8},
        ),
    ),
)


@QLINEAR_MATMUL.infer(since=10)
def infer(
    a: Abstract,
    a_scale: Abstract,
    a_zero_point: Abstract,
    b: Abstract,
    b_scale: Abstract,
    b_zero_point: Abstract,
    y_scale: Abstract,
    y_zero_point: Abstract,
    *,
    at: RuleSite,
) -> Abstract:
    result = matmul_rule(a, b, at=at)
    at.keep(result)
    _check(a.shape, -2, "a", a_scale.shape, a_zero_point.shape)
    _check(b.shape, -1, "b", b_scale.shape, b_zero_point.shape)
    check_single(y_scale.shape, port="y_scale")
    check_single(y_zero_point.shape, port="y_zero_point")
    return result


def _check(
    factor: Shape | None, axis: int, name: str, scale: Shape | None, zero_point: Shape | None
) -> None:
    check_lines(scale, factor, axis, port=f"{name}_scale")
    check_lines(zero_point, factor, axis, port=f"{name}_zero_point")
    if scale is not None and zero_point is not None:
        check_zero_point(scale, zero_point, port=f"{name}_zero_point")


QLINEAR_MATMUL.cost(since=10)(matmul_cost)


@QLINEAR_MATMUL.kernel(since=10)
def qlinear_matmul(
    a: Array,
    a_scale: Floats,
    a_zero_point: Array,
    b: Array,
    b_scale: Floats,
    b_zero_point: Array,
    y_scale: Floats,
    y_zero_point: Array,
) -> Array:
    _check(a.shape, -2, "a", a_scale.shape, a_zero_point.shape)
    _check(b.shape, -1, "b", b_scale.shape, b_zero_point.shape)
    check_single(y_scale.shape, port="y_scale")
    check_single(y_zero_point.shape, port="y_zero_point")
    if a.ndim > 1:
        a_scale, a_zero_point = as_rows(a_scale), as_rows(a_zero_point)
    product = whole_product(shifted(a, a_zero_point), shifted(b, b_zero_point))
    step = a_scale.astype(np.float32) * b_scale.astype(np.float32) / y_scale.astype(np.float32)
    # A vector as a factor has no axis in y, so neither have its parameters.
    if b.ndim == 1 and step.ndim:
        step = step[..., 0]
    elif a.ndim == 1 and step.ndim > 1:
        step = step[..., 0, :]
    scaled = np.asarray(product.astype(np.float64) * step)
    zero = y_zero_point.reshape(()).astype(np.float32)
    return on_grid(scaled, zero, DType.from_numpy(y_zero_point.dtype))


# 2 × 4 × 0.5 × 1 / 0.5 + 1
QLINEAR_MATMUL.example(
    (
        *(np.array([[3]], np.uint8), 0.5, np.uint8(1)),
        *(np.array([[5]], np.uint8), 1.0, np.uint8(1)),
        *(0.5, np.uint8(1)),
    ),
    (np.array([[9]], np.uint8),),
)
