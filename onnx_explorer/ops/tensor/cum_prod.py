"""CumProd: running products along one axis.

`y[i] = x[0] × ... × x[i]`; with `exclusive` = 1 the element itself is left out, so the first product
is 1; with `reverse` = 1 the products run from the end. Integers wrap around on overflow.

Spec: ai.onnx CumProd-26
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import Floats, Values
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.tensor.cum_sum import check_axis, running
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port
from onnx_explorer.schema.typesets import BF16, INDICES, WIDE_NUMBERS

CUM_PROD = Operator(
    "CumProd",
    doc=__doc__,
    history=(
        Change(
            26,
            "first version",
            inputs=(
                Port("x", "T", "what to multiply", differentiable=True),
                Port(
                    "axis",
                    "T2",
                    "a scalar: the axis that the products run along; negative ones count from "
                    "the end",
                    differentiable=False,
                ),
            ),
            outputs=(Port("y", "T", "the products, in the shape of `x`", differentiable=True),),
            attributes=(
                Attr(
                    "exclusive",
                    "int",
                    0,
                    one_of=(0, 1),
                    doc="1: a product does not include the element at its own position",
                ),
                Attr("reverse", "int", 0, one_of=(0, 1), doc="1: the products run from the end"),
            ),
            types={"T": WIDE_NUMBERS | BF16, "T2": INDICES},
        ),
    ),
)


@CUM_PROD.infer(since=26)
def infer(x: Abstract, axis: Abstract) -> Abstract:
    check_axis(x, axis)
    return Abstract(None, x.shape)


CUM_PROD.cost(since=26)(per_output())


@CUM_PROD.kernel(since=26, sizes=True)
def cum_prod(x: Array, axis: Array, *, exclusive: int, reverse: int) -> Array:
    return running(x, axis, np.multiply, exclusive, reverse)


@CUM_PROD.vjp(since=26)
def vjp(
    cotangents: Values,
    inputs: tuple[Floats, Array],
    outputs: Values,
    *,
    exclusive: int,
    reverse: int,
) -> Array:
    (c,), (x, axis), (y,) = cotangents, inputs, outputs

    def of_elements(products: Array) -> Array:
        """The cotangents times the products that an element is a factor of, added up."""
        return running(np.multiply(c, products), axis, np.add, exclusive, 1 - reverse)

    # What comes after the first zero is of no account. That zero itself counts as a 1: its
    # derivatives are the products of all others.
    zeros = np.equal(x, 0)
    first = zeros & np.equal(running(zeros.astype(np.int64), axis, np.add, 0, reverse), 1)
    of_first = of_elements(
        cum_prod(np.where(first, 1, x), axis, exclusive=exclusive, reverse=reverse)
    )
    return np.where(first, of_first, np.divide(of_elements(y), np.where(zeros, 1, x)))


CUM_PROD.example(([1, 2, 3], 0), ([1, 2, 6],))
CUM_PROD.example(([1, 2, 3], 0), ([1, 1, 2],), exclusive=1)
CUM_PROD.example(([1, 2, 3], 0), ([6, 6, 3],), reverse=1)
