"""Add, Sub, Mul and Div: the four operations, element by element.

`C[i] = A[i] + B[i]` and so on, after both inputs were broadcast to a common shape: shapes are
aligned at their last axes, and a size of 1 repeats. Integers wrap around on overflow, as the
machine's do. Div of integers truncates toward zero (`-7 / 2` is `-3`); dividing an integer by
zero has no defined result, and is an error here. Floats follow IEEE 754: `1 / 0` is infinity, `0 / 0` is NaN.

Spec: ai.onnx Add-14, Sub-14, Mul-14, Div-14
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Ratio, truncdiv
from onnx_explorer.ir import DType
from onnx_explorer.ops.again import Again
from onnx_explorer.ops.broadcast import (
    AXIS,
    BROADCAST,
    broadcast_rule,
    broadcasting,
    one_way,
    one_way_rule,
    one_way_vjp,
    unchecked,
)
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import Floats, Values, Vjp, binary_vjp
from onnx_explorer.ops.elementwise import CONSUMED
from onnx_explorer.ops.sizes import fraction
from onnx_explorer.schema import Change, Operator, Port, Size, Violation
from onnx_explorer.schema.typesets import BF16, FLOATS, SMALL_INTEGERS, WIDE_INTEGERS

A = Port("A", "T", "left operand")
B = Port("B", "T", "right operand, broadcast against A")
C = Port("C", "T", "the result, in the common shape of A and B")


def arithmetic(
    name: str,
    what: str,
    function: Callable[..., NDArray[np.generic]],
    vjp: Vjp,
    sizes: bool | Callable[..., object] = True,
    again: Callable[..., Again | None] | None = None,
) -> Operator:
    """One of the four: they share their history, their rule and their broadcasting."""
    op = Operator(
        name,
        doc=f"{what}, element by element, with broadcasting.\n\n{__doc__}",
        history=(
            Change(
                1,
                "broadcasting one way, on request",
                inputs=(A, B),
                outputs=(C,),
                attributes=(AXIS, BROADCAST, CONSUMED),
                types={"T": FLOATS},
            ),
            Change(
                6, "32 and 64-bit integers", drop=("consumed_inputs",), widen={"T": WIDE_INTEGERS}
            ),
            Change(7, "broadcasting both ways, as numpy does", drop=("axis", "broadcast")),
            Change(
                13, "bfloat16", widen={"T": BF16}, differentiable={"A": True, "B": True, "C": True}
            ),
            Change(14, "8 and 16-bit integers", widen={"T": SMALL_INTEGERS}),
        ),
    )
    op.infer(since=1)(one_way_rule)
    op.infer(since=7)(broadcast_rule)
    op.kernel(since=1)(one_way(function))
    on_sizes = function if sizes is True else sizes
    op.kernel(since=7, sizes=on_sizes, inplace=("A", "B"))(broadcasting(function))
    op.again(since=7)(again or unchecked(function))
    op.cost(since=1)(per_output())
    op.vjp(since=1)(one_way_vjp(vjp))
    op.vjp(since=7)(vjp)
    return op


def divide(
    A: NDArray[np.generic], B: NDArray[np.generic], *, out: NDArray[np.generic] | None = None
) -> NDArray[np.generic]:
    """A / B; integers truncate toward zero."""
    if A.dtype.kind not in "iu":
        return np.divide(A, B, out=out)
    check_divisors(A, B)
    quotient = np.floor_divide(A, B)
    # Where the signs differ and something is left over, the floor lies one below.
    return quotient + ((quotient < 0) & (quotient * B != A))


def divide_again(inputs: Values, outputs: Values) -> Again | None:
    """The quotient of floats, which every divisor has."""
    return None if inputs[0].dtype.kind in "iu" else np.divide


def check_divisors(A: NDArray[np.generic], B: NDArray[np.generic]) -> None:
    """Raise `Violation` where integers A are divided by a 0 in B."""
    if A.size and not B.all():
        index = [int(i) for i in np.argwhere(B == 0)[0]]
        raise Violation(f"a divisor 0 at index {index}", "integers have no quotient by 0", port="B")


def divide_sizes(A: NDArray[np.generic], B: NDArray[np.generic], *, dtype: DType) -> object:
    """The same on sizes: exact rationals stand in for floats."""
    return np.frompyfunc(truncdiv if dtype.family in {"int", "uint"} else _quotient, 2, 1)(A, B)


def _quotient(a: Size, b: Size) -> Size:
    return Ratio(*fraction(a)) / Ratio(*fraction(b))


def unit_slope(a: Floats, b: Floats, c: Floats) -> Floats:
    """The derivative of a sum by a summand: 1 everywhere, which broadcasting repeats."""
    return np.ones((), c.dtype)


ADD = arithmetic("Add", "The sum A + B", np.add, binary_vjp(unit_slope, unit_slope))
SUB = arithmetic(
    "Sub",
    "The difference A - B",
    np.subtract,
    binary_vjp(unit_slope, lambda a, b, c: -unit_slope(a, b, c)),
)
MUL = arithmetic(
    "Mul", "The product A × B", np.multiply, binary_vjp(lambda a, b, c: b, lambda a, b, c: a)
)
DIV = arithmetic(
    "Div",
    "The quotient A / B",
    divide,
    binary_vjp(lambda a, b, c: 1 / b, lambda a, b, c: -c / b),
    divide_sizes,
    divide_again,
)

ADD.example(([1, 2, 3], [10]), ([11, 12, 13],))
SUB.example(([1, 2, 3], [10]), ([-9, -8, -7],))
MUL.example(([1, 2, 3], [10]), ([10, 20, 30],))
DIV.example(([-7, 7], [2]), ([-3, 3],))
DIV.example(([-7.0, 1.0], [2.0, 0.0]), ([-3.5, float("inf")],))
