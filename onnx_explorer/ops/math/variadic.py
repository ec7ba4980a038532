"""Max, Min, Sum and Mean of any number of tensors, element by element.

The inputs are broadcast to a common shape, as numpy does; before version 8 they all had to have
the same one. One input comes out as it is. Max and Min give NaN wherever one of the inputs has it.

Spec: ai.onnx Max-13, Min-13, Sum-13, Mean-13
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from inspect import signature

import numpy as np

from onnx_explorer.ops.broadcast import broadcast_rule, broadcasting
from onnx_explorer.ops.costs import variadic_cost
from onnx_explorer.ops.cotangents import Floats, Values, summed_to
from onnx_explorer.ops.elementwise import CONSUMED, Array, Kernel, in_float32
from onnx_explorer.ops.precision import widened
from onnx_explorer.ops.sizes import larger, smaller
from onnx_explorer.schema import (
    Abstract,
    Change,
    Cotangents,
    Operator,
    Port,
    RuleSite,
    Shape,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOATS, INTEGERS


def variadic(
    name: str,
    what: str,
    kernel: Kernel,
    *,
    sizes: Callable[..., object] | None = None,
    integers: bool = False,
) -> Operator:
    """One of the four: they share ports, history, rule and broadcasting."""
    port = name.lower()
    in_12 = (Change(12, "integers", widen={"T": INTEGERS}),) if integers else ()
    op = Operator(
        name,
        doc=f"{name}: {what} of any number of tensors.\n\n{__doc__}",
        history=(
            Change(
                1,
                "inputs of one shape",
                inputs=(Port("data_0", "T", "one or more tensors", option="variadic"),),
                outputs=(Port(port, "T", f"{what}, in the common shape of the inputs"),),
                attributes=(CONSUMED,),
                types={"T": FLOATS},
            ),
            Change(6, "the hint for in-place execution goes", drop=("consumed_inputs",)),
            Change(8, "broadcasting, as numpy does"),
            *in_12,
            Change(13, "bfloat16", widen={"T": BF16}, differentiable={"data_0": True, port: True}),
        ),
    )
    op.infer(since=1)(equal_shapes_rule)
    op.infer(since=8)(broadcast_rule)
    op.cost(since=1)(variadic_cost)
    op.kernel(since=1)(_of_equal_shapes(kernel))
    inplace = ("data_0",) if "out" in signature(kernel).parameters else ()
    op.kernel(since=8, sizes=sizes or False, inplace=inplace)(broadcasting(kernel))
    return op


def equal_shapes_rule(*data_0: Abstract, at: RuleSite) -> Abstract:
    """The rule before version 8: all inputs have one shape."""
    shape: Shape | None = None
    for value in data_0:
        if value.shape is None:
            continue
        if shape is None:
            shape = value.shape
            continue
        merged = [at.same(a, b) for a, b in zip(shape, value.shape, strict=False)]
        found = tuple(size for size in merged if size is not None)
        if len(shape) != len(value.shape) or len(found) != len(shape):
            raise _unequal(shape, value.shape)
        shape = found
    return Abstract(None, shape)


def _of_equal_shapes(kernel: Kernel) -> Kernel:
    def strict(*data_0: Array) -> Array:
        for value in data_0:
            if value.shape != data_0[0].shape:
                raise _unequal(data_0[0].shape, value.shape)
        return kernel(*data_0)

    return strict


def _unequal(first: Shape, other: Shape) -> Violation:
    return Violation(
        f"an input has shape {list(other)}",
        f"the first has shape {list(first)}, and before version 8 all must be equal",
        port="data_0",
    )


def _folded(function: Callable[..., Array]) -> Kernel:
    def kernel(*data_0: Array, out: Array | None = None) -> Array:
        if len(data_0) == 1 or all(value is not out for value in data_0[:2]):
            return reduce(function, data_0)
        result = function(*data_0[:2], out=out)
        for value in data_0[2:]:
            result = function(result, value, out=result if value.shape == result.shape else None)
        return result

    return kernel


_sum = _folded(np.add)


def _rounded_once(*data_0: Floats, out: Floats | None = None) -> Array:
    """The sum; of more than two floats of 16 bits each partial one would be rounded."""
    if len(data_0) > 2 and widened(data_0[0]) is not data_0[0]:
        return _sum(*map(widened, data_0)).astype(data_0[0].dtype)
    return _sum(*data_0, out=out)


def mean(*data_0: Array) -> Array:
    return _mean_of(data_0[0], *data_0[1:])


@in_float32
def _mean_of(first: Array, *others: Array) -> Array:
    return np.divide(_sum(first, *others), len(others) + 1)


def _of_first_best(cotangents: Values, inputs: Values, outputs: Values) -> Cotangents:
    """The cotangents of Max and Min: the first of several that are equal gets all."""
    (c,), (best,) = cotangents, outputs
    found: list[Floats] = []
    left = np.ones(best.shape, np.bool_)
    for x in inputs:
        chosen = left & (x == best)
        left &= ~chosen
        found.append(summed_to(np.where(chosen, c, 0), x.shape))
    return tuple(found)


def _of_sum(cotangents: Values, inputs: Values, outputs: Values) -> Cotangents:
    (c,) = cotangents
    return tuple(summed_to(c, x.shape) for x in inputs)


def _of_mean(cotangents: Values, inputs: Values, outputs: Values) -> Cotangents:
    return _of_sum((cotangents[0] / len(inputs),), inputs, outputs)


MAX = variadic(
    "Max", "the largest elements", _folded(np.maximum), sizes=_folded(larger), integers=True
)
MIN = variadic(
    "Min", "the smallest elements", _folded(np.minimum), sizes=_folded(smaller), integers=True
)
SUM = variadic("Sum", "the sum", _rounded_once, sizes=_sum)
MEAN = variadic("Mean", "the mean", mean)

MAX.vjp(since=1)(_of_first_best)
MIN.vjp(since=1)(_of_first_best)
SUM.vjp(since=1)(_of_sum)
MEAN.vjp(since=1)(_of_mean)

MAX.example(([1, 5], [3]), ([3, 5],))
MIN.example(([1, 5], [3]), ([1, 3],))
SUM.example(([1.0, 5.0], [3.0], [10.0]), ([14.0, 18.0],))
MEAN.example(([1.0, 5.0], [3.0]), ([2.0, 4.0],))
