"""Expand: a tensor repeated to a larger shape, by broadcasting.

`input` and `shape` are aligned at their last axes, and each axis of the result has the larger
claim: a 1 on either side gives way to the other size. So, unlike numpy's `broadcast_to`, the
result may be larger than `shape`, and a 1 in `shape` keeps what the input has. No elements are
copied: the result repeats them by looking at the same memory again.

Spec: ai.onnx Expand-13
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim
from onnx_explorer.ops.contents import dims_in, ints_of, length_of
from onnx_explorer.ops.cotangents import Floats, Values, summed_to
from onnx_explorer.ops.tensor.room import check_room
from onnx_explorer.schema import Abstract, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import BF16, EVERY_V1

INPUT = Port("input", "T", "the tensor to repeat")
SHAPE = Port("shape", "tensor(int64)", "1-D; the sizes that the input is broadcast against")
OUTPUT = Port("output", "T", "the input in the common shape")

EXPAND = Operator(
    "Expand",
    doc=__doc__,
    history=(
        Change(8, "first version", inputs=(INPUT, SHAPE), outputs=(OUTPUT,), types={"T": EVERY_V1}),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable={"input": True, "shape": False, "output": True},
        ),
    ),
)


@EXPAND.infer(since=8)
def infer(input: Abstract, shape: Abstract, *, at: RuleSite) -> Abstract:
    target = dims_in(shape)
    if target is None:
        rank = length_of(shape)
        if rank is None:
            return input.like(None)
        target = tuple(at.fresh(f"dim{axis}") for axis in range(rank))
    _check(target)
    return input.like(at.broadcast(input.shape, target))


@EXPAND.kernel(since=8, sizes=True)
def expand(input: NDArray[np.generic], shape: NDArray[np.generic]) -> NDArray[np.generic]:
    target = ints_of(shape)
    _check(target)
    common = _common(input.shape, target)
    check_room(common, input.dtype, port="shape")
    return np.broadcast_to(input, common)


def _common(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that both broadcast to; numpy's own function for it is many times slower."""
    rank = max(len(shape), len(target))
    sizes = (1,) * (rank - len(shape)) + shape
    claims = (1,) * (rank - len(target)) + target
    for size, claim in zip(sizes, claims, strict=True):
        if size != claim and 1 not in {size, claim}:
            raise Violation(
                f"input of shape {list(shape)}",
                f"{size} does not broadcast against {claim} of {list(target)}",
                port="input",
                code="broadcast-mismatch",
            )
    return tuple(claim if size == 1 else size for size, claim in zip(sizes, claims, strict=True))


def _check(target: tuple[Dim, ...]) -> None:
    for size in target:
        if isinstance(size, int) and size < 0:
            raise Violation(
                f"{size} in shape {list(target)}",
                "sizes are 0 or more",
                port="shape",
                code="negative-size",
            )


@EXPAND.vjp(since=8)
def vjp(cotangents: Values, inputs: Values, outputs: Values) -> Floats:
    return summed_to(cotangents[0], inputs[0].shape)


EXPAND.example(([[1], [2]], [2, 1, 3]), ([[[1, 1, 1], [2, 2, 2]], [[1, 1, 1], [2, 2, 2]]],))
EXPAND.example(([1, 2, 3], [1]), ([1, 2, 3],))
