"""Gemm: a matrix product with a summand, as linear layers need it.

`Y = alpha × A' × B' + beta × C`, where A' is A or, with `transA` = 1, its transpose, and B' likewise. C
is broadcast to the shape of the product: one number, one row, one column or a whole matrix. Without
C (allowed since version 11) there is only the product.

Spec: ai.onnx Gemm-13
"""

from __future__ import annotations

from typing import cast

import numpy as np

from onnx_explorer.dims import known_different
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.again import Again
from onnx_explorer.ops.costs import elements, input_at
from onnx_explorer.ops.cotangents import Values, summed_to
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Cost,
    Cotangents,
    DerivativeSite,
    Operator,
    Port,
    RuleSite,
    Shape,
    Shapes,
    Side,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOATS, WIDE_INTEGERS

A = Port("A", "T", "left factor, (M, K), or (K, M) with transA = 1")
B = Port("B", "T", "right factor, (K, N), or (N, K) with transB = 1")
C = Port("C", "T", "summand, broadcast to (M, N)")
Y = Port("Y", "T", "(M, N)")

GEMM = Operator(
    "Gemm",
    doc=__doc__,
    history=(
        Change(
            1,
            "broadcasting of C on request",
            inputs=(A, B, C),
            outputs=(Y,),
            attributes=(
                Attr("alpha", "float", 1.0, doc="factor of the product"),
                Attr("beta", "float", 1.0, doc="factor of C"),
                Attr("broadcast", "int", 0, doc="1 lets C be smaller than the product"),
                Attr("transA", "int", 0, doc="1: A comes transposed"),
                Attr("transB", "int", 0, doc="1: B comes transposed"),
            ),
            types={"T": FLOATS},
        ),
        Change(6, "the sizes of transposed factors are spelled out"),
        Change(7, "C is always broadcast", drop=("broadcast",)),
        Change(9, "32 and 64-bit integers", widen={"T": WIDE_INTEGERS}),
        Change(11, "C may be left out", inputs=(A, B, Port("C", "T", C.doc, option="optional"))),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable={"A": True, "B": True, "C": True, "Y": True},
        ),
    ),
)


def _oriented(shape: Shape, port: str, transposed: int) -> Shape:
    """The shape of a factor after its transposition."""
    if len(shape) != 2:
        raise Violation(f"rank {len(shape)}", "a matrix has rank 2", port=port, code="wrong-rank")
    return shape[::-1] if transposed else shape


def _matrix(shape: Shape | None, port: str, transposed: int, at: RuleSite) -> Shape:
    """The same in a rule: sizes made up where the rank is not known."""
    if shape is None:
        return (at.fresh("rows"), at.fresh("columns"))
    return _oriented(shape, port, transposed)


def _check_factors(left: Shape, right: Shape, transA: int, transB: int) -> None:
    if known_different(left[1], right[0]):
        raise Violation(
            f"{_factor('A', transA)} of shape {shape_text(left)} has {left[1]} columns",
            f"{_factor('B', transB)} of shape {shape_text(right)} has {right[0]} rows",
            code="inner-size-mismatch",
            sides=(
                Side(left[1], "A", 0 if transA else 1, "transA = 1" if transA else ""),
                Side(right[0], "B", 1 if transB else 0, "transB = 1" if transB else ""),
            ),
        )


def _factor(port: str, transposed: int) -> str:
    return f"the transposed {port}" if transposed else port


def _check_summand(C: Shape, product: Shape, broadcast: int) -> None:
    aligned = product[2 - len(C) :] if len(C) <= 2 else ()
    fits = len(C) <= 2 and not any(
        known_different(size, to) and (not broadcast or known_different(size, 1))
        for size, to in zip(C, aligned, strict=True)
    )
    if not fits or (not broadcast and len(C) != 2):
        how = "broadcast to" if broadcast else "be, without broadcast = 1,"
        raise Violation(
            f"shape {shape_text(C)}",
            f"it must {how} {shape_text(product)}",
            port="C",
            code="bias-shape",
        )


@GEMM.infer(since=1)
def infer(
    A: Abstract,
    B: Abstract,
    C: Abstract | None = None,
    *,
    broadcast: int = 1,
    transA: int,
    transB: int,
    at: RuleSite,
) -> Abstract:
    left = _matrix(A.shape, "A", transA, at)
    right = _matrix(B.shape, "B", transB, at)
    product = (left[0], right[1])
    at.keep(Abstract(None, product))
    if A.shape is not None and B.shape is not None:
        _check_factors(left, right, transA, transB)
        at.assume(left[1], right[0])
    if C is not None and C.shape is not None:
        _check_summand(C.shape, product, broadcast)
    return Abstract(None, product)


@GEMM.cost(since=1)
def cost(inputs: Shapes, outputs: Shapes, *, transA: int) -> Cost:
    n = elements(outputs[0])
    columns = (inputs[0] or (1, 1))[0 if transA else 1]
    return Cost(n * columns, n if input_at(inputs, 2) is not None else 0)


@GEMM.kernel(since=1)
def gemm(
    A: Floats,
    B: Floats,
    C: Floats | None = None,
    *,
    alpha: float,
    beta: float,
    broadcast: int = 1,
    transA: int,
    transB: int,
) -> Floats:
    a, b = widened(A), widened(B)
    a, b = a.T if transA else a, b.T if transB else b
    if not (a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0]):
        left, right = _oriented(A.shape, "A", transA), _oriented(B.shape, "B", transB)
        _check_factors(left, right, transA, transB)
    product = a.dot(b)  # the same as matmul for matrices, and begins sooner
    if alpha != 1:
        product = product * alpha
    if C is not None:
        if C.shape != b.shape[1:] or not broadcast:
            _check_summand(C.shape, product.shape, broadcast)
        summand = widened(C) if beta == 1 else widened(C) * beta
        if product.dtype == summand.dtype:
            product += summand
        else:  # an integer and a fraction: what comes after the point is dropped at the end and once
            product = product + summand
    return narrowed(product, A)


@GEMM.again(since=1)
def again(
    inputs: tuple[Floats | None, ...],
    outputs: Values,
    *,
    alpha: float,
    beta: float,
    transA: int,
    transB: int,
) -> Again | None:
    A, B, C = cast("tuple[Floats, Floats, Floats | None]", (*inputs, None)[:3])
    if widened(A) is not A or A.dtype.kind != "f" or not alpha == beta == 1:
        return None
    of_a, of_b, of_c = A.shape, B.shape, None if C is None else C.shape
    if of_c not in {None, of_b[:1] if transB else of_b[1:]}:
        return None

    def call(A: Floats, B: Floats, C: Floats | None = None) -> object:
        if A.shape != of_a or B.shape != of_b or (None if C is None else C.shape) != of_c:
            return NotImplemented
        product = (A.T if transA else A).dot(B.T if transB else B)
        return product if C is None else np.add(product, C, product)

    return call


@GEMM.vjp(since=1)
def vjp(
    cotangents: Values,
    inputs: Values,
    outputs: Values,
    *,
    alpha: float,
    beta: float,
    transA: int,
    transB: int,
    at: DerivativeSite,
) -> Cotangents:
    (c,), (A, B, *C) = cotangents, inputs
    by_a = by_b = by_c = None
    if at.needed[0]:
        by_a = _product(c, B if transB else B.T, alpha, turned=transA)
    if at.needed[1]:
        by_b = _product(A if transA else A.T, c, alpha, turned=transB)
    if C and at.needed[2]:
        by_c = summed_to(c, C[0].shape) * C[0].dtype.type(beta)
    return by_a, by_b, by_c


def _product(left: Floats, right: Floats, factor: float, *, turned: int) -> Floats:
    """The product of two matrices, or its transpose, which is made without a copy."""
    product = np.matmul(right.T, left.T) if turned else np.matmul(left, right)
    return product if factor == 1 else product * product.dtype.type(factor)


GEMM.example(([[1.0, 2.0]], [[3.0, 4.0]], [10.0]), ([[21.0]],), transB=1)
GEMM.example(
    ([[1.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]], [10.0, 20.0]), ([[4.0, 8.0]],), alpha=3.0, beta=0.1
)
