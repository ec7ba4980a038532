"""BitShift: the bits of every element of X moved by as many places as Y says, with broadcasting.

To the left, `Z[i] = X[i] × 2^Y[i]`; bits that leave the type are lost. To the right,
`Z[i] = floor(X[i] / 2^Y[i])`: negative numbers stay negative. Moving by the width of the type or
more, or by a negative number of places, leaves nothing of X but its sign: -1 for negative numbers
moved right, else 0.

Spec: ai.onnx BitShift-28
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import Dim, floordiv
from onnx_explorer.ops.broadcast import broadcast_rule, broadcasting
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.schema import Attr, Change, Operator, Port
from onnx_explorer.schema.typesets import SIGNED, UNSIGNED

BIT_SHIFT = Operator(
    "BitShift",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(
                Port("X", "T", "what to shift", differentiable=False),
                Port("Y", "T", "by how many places, broadcast against X", differentiable=False),
            ),
            outputs=(
                Port(
                    "Z",
                    "T",
                    "the shifted numbers, in the common shape of X and Y",
                    differentiable=False,
                ),
            ),
            attributes=(
                Attr(
                    "direction",
                    "string",
                    required=True,
                    one_of=("LEFT", "RIGHT"),
                    doc="where the bits move: LEFT makes numbers larger, RIGHT smaller",
                ),
            ),
            types={"T": UNSIGNED},
        ),
        Change(28, "signed integers; any number of places", widen={"T": SIGNED}),
    ),
)

BIT_SHIFT.infer(since=11)(broadcast_rule)


def shift_sizes(X: Array, Y: Array, *, direction: str) -> object:
    """Sizes shifted by known numbers of places."""
    return np.frompyfunc(_left if direction == "LEFT" else _right, 2, 1)(X, Y)


BIT_SHIFT.cost(since=11)(per_output())


@BIT_SHIFT.kernel(since=11, sizes=shift_sizes)
@broadcasting
def bit_shift(X: Array, Y: Array, *, direction: str) -> Array:
    # numpy does as is asked for numbers of places that are out of range, too.
    return np.left_shift(X, Y) if direction == "LEFT" else np.right_shift(X, Y)


def _left(size: Dim, places: Dim) -> Dim:
    return size * (1 << int(places))


def _right(size: Dim, places: Dim) -> Dim:
    return floordiv(size, 1 << int(places))


BIT_SHIFT.example(([16, 4, 1], [1, 2, 3]), ([8, 1, 0],), direction="RIGHT")
BIT_SHIFT.example(([16, 4, 1], [1, 2, 3]), ([32, 16, 8],), direction="LEFT")
BIT_SHIFT.example(([-5, 5], [1]), ([-3, 2],), direction="RIGHT")
