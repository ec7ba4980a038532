"""MatMul: the matrix product of the last two axes, for each position of the axes before them.

`Y[..., i, j] = sum over k of A[..., i, k] × B[..., k, j]`. The axes before the last two are
broadcast against each other. A vector on the left counts as one row, on the right as one column, and
the axis of size 1 that this makes is dropped from Y: two vectors give a scalar. Products of integers
wrap around; those of 16-bit floats are summed in float32.

Spec: ai.onnx MatMul-13
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import Dim, known_different
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.again import Again
from onnx_explorer.ops.costs import matmul_cost
from onnx_explorer.ops.cotangents import Values, summed_to
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import (
    Abstract,
    Change,
    Cotangents,
    DerivativeSite,
    Operator,
    Port,
    RuleSite,
    Shape,
    Side,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOATS, WIDE_INTEGERS

MATMUL = Operator(
    "MatMul",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(
                Port("A", "T", "left factor, (..., M, K) or (K,)"),
                Port("B", "T", "right factor, (..., K, N) or (K,)"),
            ),
            outputs=(Port("Y", "T", "product, (..., M, N)"),),
            types={"T": FLOATS},
        ),
        Change(9, "32 and 64-bit integers", widen={"T": WIDE_INTEGERS}),
        Change(13, "bfloat16", widen={"T": BF16}, differentiable={"A": True, "B": True, "Y": True}),
    ),
)


def matmul_rule(A: Abstract, B: Abstract, *, at: RuleSite) -> Abstract:
    """The shape of a product; also for the products of quantized numbers."""
    if A.shape is None or B.shape is None:
        return Abstract()
    batch = at.broadcast(A.shape[:-2], B.shape[:-2], of=("A", "B"))
    kept = (*A.shape[-2:-1], *(B.shape[-1:] if len(B.shape) > 1 else ()))
    product = Abstract(None, None if batch is None else (*batch, *kept))
    if A.shape and B.shape:
        at.keep(product)
    columns, rows = check_factors(A.shape, B.shape)
    at.assume(columns, rows)
    return product


def check_factors(A: Shape, B: Shape) -> tuple[Dim, Dim]:
    """How many columns A has, and how many rows B.

    Raises:
        Violation: the two are known to differ, or a factor is a scalar.
    """
    for port, shape in (("A", A), ("B", B)):
        if not shape:
            raise Violation("a scalar", "a factor has rank 1 or more", port=port, code="wrong-rank")
    columns, rows = A[len(A) - 1], B[max(len(B) - 2, 0)]
    if known_different(columns, rows):
        raise Violation(
            f"A of shape {shape_text(A)} has {columns} columns",
            f"B of shape {shape_text(B)} has {rows} rows",
            code="inner-size-mismatch",
            sides=(Side(columns, "A", len(A) - 1), Side(rows, "B", max(len(B) - 2, 0))),
        )
    return columns, rows


MATMUL.infer(since=1)(matmul_rule)


MATMUL.cost(since=1)(matmul_cost)


@MATMUL.kernel(since=1)
def matmul(A: Floats, B: Floats) -> Floats:
    rank = B.ndim
    if not (A.ndim and rank and A.shape[-1] == B.shape[-2 if rank > 1 else 0]):
        check_factors(A.shape, B.shape)
    left, right = widened(A), widened(B)
    if rank == 2 and A.ndim > 2 and A.size and A.flags.c_contiguous:
        # One large product is faster than many small ones.
        rows = left.reshape(-1, left.shape[-1])
        return narrowed(rows.dot(right), A).reshape(*A.shape[:-1], B.shape[1])
    try:
        return narrowed(np.asarray(np.matmul(left, right)), A)
    except ValueError as error:
        raise Violation(
            f"A has shape {shape_text(A.shape)}",
            f"B has shape {shape_text(B.shape)}, and the axes before the last two do not broadcast",
        ) from error


@MATMUL.again(since=1)
def again(inputs: Values, outputs: Values) -> Again | None:
    A, B = inputs
    if widened(A) is not A or not A.ndim > 1 < B.ndim:
        return None
    of_a, of_b, of_y = A.shape, B.shape, outputs[0].shape

    def of_matrices(A: Floats, B: Floats) -> object:
        return np.matmul(A, B) if A.ndim == len(of_a) and B.ndim == len(of_b) else NotImplemented

    def of_rows(A: Floats, B: Floats) -> object:
        if A.shape != of_a or B.shape != of_b or not A.flags.c_contiguous:
            return NotImplemented
        return A.reshape(rows).dot(B).reshape(of_y)

    if len(of_b) > 2 or len(of_a) == 2:
        return of_matrices
    rows = (-1, of_a[-1])
    return of_rows if A.size and A.flags.c_contiguous else None


@MATMUL.vjp(since=1)
def vjp(cotangents: Values, inputs: Values, outputs: Values, *, at: DerivativeSite) -> Cotangents:
    (c,), (A, B) = cotangents, inputs
    left = A.reshape(1, -1) if A.ndim == 1 else A
    right = B.reshape(-1, 1) if B.ndim == 1 else B
    if right.ndim == 2 and left.size:
        # One large product, as in the kernel; it also sums over the axes before the last two.
        left = left.reshape(-1, left.shape[-1])
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    c = c.reshape(*batch, left.shape[-2], right.shape[-1])
    by_a = by_b = None
    if at.needed[0]:
        by_a = np.matmul(c, right.swapaxes(-1, -2))
        by_a = summed_to(by_a, left.shape).reshape(A.shape)
    if at.needed[1]:
        by_b = np.matmul(left.swapaxes(-1, -2), c)
        by_b = summed_to(by_b, right.shape).reshape(B.shape)
    return by_a, by_b


MATMUL.example(([[1.0, 2.0]], [[3.0], [4.0]]), ([[11.0]],))
MATMUL.example(([1.0, 2.0], [3.0, 4.0]), (11.0,))
MATMUL.example(([[[1.0, 2.0]], [[5.0, 6.0]]], [[3.0], [4.0]]), ([[[11.0]], [[39.0]]],))
