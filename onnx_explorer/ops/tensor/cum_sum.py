"""CumSum: running sums along one axis.

`y[i] = x[0] + ... + x[i]`; with `exclusive` = 1 the element itself is left out, so the first sum
is 0; with `reverse` = 1 the sums run from the end. Integers wrap around on overflow.

Spec: ai.onnx CumSum-14
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.contents import ints_in, ints_of
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import Floats, Values
from onnx_explorer.ops.elementwise import Array, in_float32
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, Violation
from onnx_explorer.schema.typesets import BF16, FLOAT16, FLOAT32, FLOAT64, INDICES, WIDE_INTEGERS

CUM_SUM = Operator(
    "CumSum",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(
                Port("x", "T", "what to add up", differentiable=True),
                Port(
                    "axis",
                    "T2",
                    "a scalar: the axis that the sums run along; negative ones count from the end",
                    differentiable=False,
                ),
            ),
            outputs=(Port("y", "T", "the sums, in the shape of `x`", differentiable=True),),
            attributes=(
                Attr(
                    "exclusive",
                    "int",
                    0,
                    one_of=(0, 1),
                    doc="1: a sum does not include the element at its own position",
                ),
                Attr("reverse", "int", 0, one_of=(0, 1), doc="1: the sums run from the end"),
            ),
            types={"T": WIDE_INTEGERS | FLOAT32 | FLOAT64, "T2": INDICES},
        ),
        Change(14, "16-bit floats", widen={"T": FLOAT16 | BF16}),
    ),
)


@CUM_SUM.infer(since=11)
def infer(x: Abstract, axis: Abstract) -> Abstract:
    check_axis(x, axis)
    return Abstract(None, x.shape)


CUM_SUM.cost(since=11)(per_output())


@CUM_SUM.kernel(since=11, sizes=True)
def cum_sum(x: Array, axis: Array, *, exclusive: int, reverse: int) -> Array:
    return running(x, axis, np.add, exclusive, reverse)


@CUM_SUM.vjp(since=11)
def vjp(
    cotangents: Values,
    inputs: tuple[Floats, Array],
    outputs: Values,
    *,
    exclusive: int,
    reverse: int,
) -> Array:
    return cum_sum(cotangents[0], inputs[1], exclusive=exclusive, reverse=1 - reverse)


def check_axis(x: Abstract, axis: Abstract) -> None:
    """Whether an axis, as far as it is known, is one of x.

    Raises:
        Violation: it is not.
    """
    given = ints_in(axis)
    if x.shape is not None and given is not None:
        axis_in(_only(given), len(x.shape))


def running(x: Array, axis: Array, step: np.ufunc, exclusive: int, reverse: int) -> Array:
    """The results of `step` on all elements up to each one, along an axis."""
    along = axis_in(_only(ints_of(axis)), x.ndim)
    return _accumulated(x, along, step, bool(exclusive), bool(reverse))


@in_float32
def _accumulated(x: Array, axis: int, step: np.ufunc, exclusive: bool, reverse: bool) -> Array:
    turned = np.flip(x, axis) if reverse else x
    # Without the dtype, results of small integers would become int64.
    results = step.accumulate(turned, axis=axis, dtype=x.dtype)
    if exclusive:
        head = (slice(None),) * axis
        shifted = np.full_like(results, step.identity)
        shifted[(*head, slice(1, None))] = results[(*head, slice(None, -1))]
        results = shifted
    return np.flip(results, axis) if reverse else results


def _only(given: tuple[int, ...]) -> int:
    # Some exporters write [0] for a scalar.
    if len(given) != 1:
        raise Violation(
            f"{len(given)} elements {list(given)}",
            "1 axis, a scalar",
            port="axis",
            code="wrong-count",
        )
    return given[0]


CUM_SUM.example(([1, 2, 3], 0), ([1, 3, 6],))
CUM_SUM.example(([1, 2, 3], 0), ([0, 1, 3],), exclusive=1)
CUM_SUM.example(([1, 2, 3], 0), ([6, 5, 3],), reverse=1)
CUM_SUM.example(([1, 2, 3], 0), ([5, 3, 0],), exclusive=1, reverse=1)
