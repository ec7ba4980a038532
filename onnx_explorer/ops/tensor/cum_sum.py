"""CumSum: running sums along one axis.

`y[i] = x[0] + ... + x[i]`; with `exclusive` = 1 the element itself is left out, so the first sum
is 0; with `reverse` = 1 the sums run from the end. Integers wrap around on overflow.

Example: [1, 2, 3] gives [1, 3, 6], exclusive [0, 1, 3], reverse [6, 5, 3], both [5, 3, 0].

Spec: ai.onnx CumSum-14
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.contents import ints_in, ints_of
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
    given = ints_in(axis)
    if x.shape is not None and given is not None:
        axis_in(_only(given), len(x.shape))
    return Abstract(None, x.shape)


@CUM_SUM.kernel(since=11, sizes=True)
def cum_sum(x: Array, axis: Array, *, exclusive: int, reverse: int) -> Array:
    along = axis_in(_only(ints_of(axis)), x.ndim)
    return _running_sums(x, along, bool(exclusive), bool(reverse))


@in_float32
def _running_sums(x: Array, axis: int, exclusive: bool, reverse: bool) -> Array:
    turned = np.flip(x, axis) if reverse else x
    # Without the dtype, sums of small integers would become int64.
    sums = np.add.accumulate(turned, axis=axis, dtype=x.dtype)
    if exclusive:
        head = (slice(None),) * axis
        shifted = np.zeros_like(sums)
        shifted[(*head, slice(1, None))] = sums[(*head, slice(None, -1))]
        sums = shifted
    return np.flip(sums, axis) if reverse else sums


def _only(given: tuple[int, ...]) -> int:
    # Some exporters write [0] for a scalar.
    if len(given) != 1:
        raise Violation(f"{len(given)} elements {list(given)}", "1 axis, a scalar", port="axis")
    return given[0]
