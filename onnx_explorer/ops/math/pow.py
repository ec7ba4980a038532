"""Pow: every element of X to the power of the one of Y, with broadcasting.

`Z[i] = X[i]^Y[i]`, in the type of X, whatever the type of Y: an integer X to the power of 0.5 is
cut to an integer again. `0^0` is 1; a negative X with a fractional exponent gives NaN. Before
version 12 both had to be floats of one type, before version 7 broadcasting went one way only.

Spec: ai.onnx Pow-15
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import Dim, Ratio, UndecidedError, product, ratio
from onnx_explorer.ops.again import Again
from onnx_explorer.ops.broadcast import (
    AXIS,
    BROADCAST,
    broadcast_rule,
    broadcasting,
    one_way,
    one_way_rule,
    one_way_vjp,
)
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import Values, summed_to
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.sizes import fraction
from onnx_explorer.schema import (
    Abstract,
    Change,
    Cotangents,
    DerivativeSite,
    Operator,
    Port,
    RuleSite,
    Size,
)
from onnx_explorer.schema.typesets import BF16, FLOATS, INDICES, NUMBERS

X = Port("X", "T", "bases")
Z = Port("Z", "T", "the powers, in the common shape of X and Y")

POW = Operator(
    "Pow",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(X, Port("Y", "T", "exponents; with broadcast = 1 it may be smaller than X")),
            outputs=(Z,),
            attributes=(AXIS, BROADCAST),
            types={"T": FLOATS},
        ),
        Change(7, "broadcasting both ways, as numpy does", drop=("axis", "broadcast")),
        Change(
            12,
            "integers; the exponents may have another type",
            inputs=(X, Port("Y", "T1", "exponents, broadcast against X")),
            types={"T1": NUMBERS},
            widen={"T": INDICES},
        ),
        Change(
            13,
            "bfloat16 bases",
            widen={"T": BF16},
            differentiable={"X": True, "Y": True, "Z": True},
        ),
        Change(15, "bfloat16 exponents", widen={"T1": BF16}),
    ),
)

POW.infer(since=1)(one_way_rule)


@POW.infer(since=7)
def infer(X: Abstract, Y: Abstract, *, at: RuleSite) -> Abstract:
    return broadcast_rule(X, Y, at=at)


def power_sizes(X: Array, Y: Array) -> object:
    """Powers of sizes with small whole exponents."""
    return np.frompyfunc(_power_of_size, 2, 1)(X, Y)


POW.cost(since=1)(per_output())


@POW.kernel(since=7, sizes=power_sizes, inplace=("X",))
@broadcasting
def power(X: Array, Y: Array, *, out: Array | None = None) -> Array:
    if Y.size == 1 and Y.ndim <= X.ndim and X.dtype.kind == "f" and X.dtype.itemsize > 2:
        # A product is a hundred times as fast as the general power.
        exponent = float(Y.item())
        if exponent == 2:
            return np.multiply(X, X, out=out)
        if exponent == 3:
            square = np.multiply(X, X)
            # What numpy makes of no axes is a number, which nothing can be put into.
            return np.multiply(square, X, out=square if X.ndim else None)
    if X.dtype == Y.dtype and X.dtype.kind == "f":
        return np.power(X, Y, out=out)
    return _in_common_type(X, Y).astype(X.dtype)


@POW.again(since=7)
def again(inputs: Values, outputs: Values) -> Again | None:
    X, Y = inputs
    if not (Y.size == 1 and Y.ndim <= X.ndim > 0 and X.dtype.kind == "f" and X.dtype.itemsize > 2):
        return None

    # With fewer axes than Y, X would get some of those.
    rank = max(Y.ndim, 1)

    def square(X: Array, given: Array, *, out: Array | None = None) -> object:
        return np.multiply(X, X, out=out) if given is Y and X.ndim >= rank else NotImplemented

    def cube(X: Array, given: Array, *, out: Array | None = None) -> object:
        if given is not Y or X.ndim < rank:
            return NotImplemented
        product = np.multiply(X, X)
        return np.multiply(product, X, product)

    exponent = float(Y.item())
    return square if exponent == 2 else cube if exponent == 3 else None


POW.kernel(since=1)(one_way(power))


@POW.vjp(since=7)
def vjp(cotangents: Values, inputs: Values, outputs: Values, *, at: DerivativeSite) -> Cotangents:
    (c,), (X, Y), (Z,) = cotangents, inputs, outputs
    by_x = by_y = None
    if at.needed[0]:
        slope = np.where(Y == 0, 0, Y * np.power(X, Y - 1.0)).astype(X.dtype, copy=False)
        by_x = summed_to(c * slope, X.shape)
    if at.needed[1]:
        # 0 to a positive power stays 0, though its logarithm is infinite.
        slope = np.where((X == 0) & (Y >= 0), 0, Z * np.log(X)).astype(Y.dtype, copy=False)
        by_y = summed_to(c * slope, Y.shape)
    return by_x, by_y


POW.vjp(since=1)(one_way_vjp(vjp))


def _in_common_type(X: Array, Y: Array) -> Array:
    integers = X.dtype.kind in "iu" and Y.dtype.kind in "iu"
    if integers and not np.less(Y, 0).any():
        return np.power(X, Y.astype(X.dtype))
    if X.dtype.itemsize == 2 and Y.dtype.itemsize <= 2:
        return np.power(X.astype(np.float32), Y.astype(np.float32))
    return np.power(X.astype(np.float64), Y.astype(np.float64))


def _power_of_size(base: Size, exponent: Size) -> Dim | Ratio:
    if not isinstance(exponent, int) or not 0 <= exponent <= 8:
        raise UndecidedError(f"{base} to the power of {exponent} is no arithmetic of sizes")
    numerator, denominator = fraction(base)
    return ratio(product([numerator] * exponent), denominator**exponent)


POW.example(([1, 2, 3], [2]), ([1, 4, 9],))
POW.example(([4, 9, 10], [0.5]), ([2, 3, 3],))
