"""Mod: what a division leaves over, element by element with broadcasting.

`C[i] = A[i] - q × B[i]` with a whole number q. With `fmod` = 0 it is the quotient rounded down, so
the result takes the sign of B, as Python's `%`; with `fmod` = 1 it is the quotient cut toward zero,
so the result takes the sign of A, as C's `fmod`. Before version 28 floats needed `fmod` = 1.
A float divided by 0 leaves NaN. For an integer divided by 0 nothing is promised, and it is an error
here.

Spec: ai.onnx Mod-28
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import Dim, UndecidedError, mod, truncdiv
from onnx_explorer.ops.broadcast import broadcast_rule, broadcasting
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import elementwise_vjp
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.math.arithmetic import check_divisors, unit_slope
from onnx_explorer.ops.sizes import fraction
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Size
from onnx_explorer.schema.typesets import BF16, NUMBERS

MOD = Operator(
    "Mod",
    doc=__doc__,
    history=(
        Change(
            10,
            "first version",
            inputs=(Port("A", "T", "dividend"), Port("B", "T", "divisor, broadcast against A")),
            outputs=(Port("C", "T", "what is left over, in the common shape of A and B"),),
            attributes=(
                Attr(
                    "fmod",
                    "int",
                    0,
                    one_of=(0, 1),
                    doc="0: the result has the sign of B; 1: that of A",
                ),
            ),
            types={"T": NUMBERS},
        ),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable={"A": True, "B": False, "C": True},
        ),
        Change(28, "both values of fmod are defined for integers and floats"),
    ),
)


@MOD.infer(since=10)
def infer(
    A: Abstract, B: Abstract, *, fmod: int, at: RuleSite
) -> Abstract | tuple[Abstract, ...] | None:
    result = broadcast_rule(A, B, at=at)
    if at.version < 28 and not fmod and A.dtype is not None and A.dtype.family == "float":
        return at.fail(
            f"fmod = 0 on {A.dtype.label}",
            f"Mod-{at.version} takes floats only with fmod = 1",
            port="A",
            partial=result,
            code="input-value",
        )
    return result


def mod_sizes(A: Array, B: Array, *, fmod: int) -> object:
    """The remainder of sizes."""
    return np.frompyfunc(_cut_remainder if fmod else _remainder, 2, 1)(A, B)


MOD.cost(since=10)(per_output())


@MOD.kernel(since=10, sizes=mod_sizes)
@broadcasting
def remainder(A: Array, B: Array, *, fmod: int) -> Array:
    if B.dtype.kind in "iu":
        check_divisors(A, B)
    return np.fmod(A, B) if fmod else np.mod(A, B)


# The quotient is a whole number, which stays what it is near a point.
MOD.vjp(since=10)(elementwise_vjp(unit_slope))


def _remainder(a: Size, b: Size) -> Dim:
    return mod(_whole(a), _whole(b))


def _cut_remainder(a: Size, b: Size) -> Dim:
    dividend, divisor = _whole(a), _whole(b)
    return dividend - truncdiv(dividend, divisor) * divisor


def _whole(size: Size) -> Dim:
    numerator, denominator = fraction(size)
    if denominator != 1:
        raise UndecidedError(f"{size} is no whole number")
    return numerator


MOD.example(([-7, 7], [3, -3]), ([2, -2],))
MOD.example(([-7, 7], [3, -3]), ([-1, 1],), fmod=1)
