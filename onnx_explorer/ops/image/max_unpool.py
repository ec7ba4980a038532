"""MaxUnpool: puts the maxima that MaxPool found back to where it found them, with zeros around.

X and I are the two outputs of MaxPool, and the attributes are that node's: each spatial axis gets the size
`(size - 1) × stride - pads + kernel`, which is what MaxPool's input had if its windows fitted exactly.
I counts positions in that output flattened. Where windows did not fit, several input sizes give the same
pooled size; `output_shape` then names the one wanted: the output so far is put at its beginning, with more
zeros behind.

Spec: ai.onnx MaxUnpool-22
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, known_different, less
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.contents import dims_in, ints_of, length_of
from onnx_explorer.ops.cotangents import moved_vjp
from onnx_explorer.ops.nn.windows import Window
from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Shape, Violation
from onnx_explorer.schema.typesets import BF16, FLOATS, INT64

MAX_UNPOOL = Operator(
    "MaxUnpool",
    doc=__doc__,
    history=(
        Change(
            9,
            "first version",
            inputs=(
                Port("X", "T1", "maxima, (N, C, *spatial)"),
                Port("I", "T2", "where in the output, flattened, each belongs; shaped like X"),
                Port(
                    "output_shape", "T2", "shape of the output, all axes of it", option="optional"
                ),
            ),
            outputs=(Port("output", "T1", "X spread out, (N, C, *spatial)"),),
            attributes=(
                Attr("kernel_shape", "ints", required=True, doc="sizes of MaxPool's window"),
                Attr("pads", "ints", doc="MaxPool's pads: all begins, then all ends; default 0"),
                Attr("strides", "ints", doc="MaxPool's steps between windows; default 1"),
            ),
            types={"T1": FLOATS, "T2": INT64},
        ),
        Change(
            11,
            "says what is differentiable",
            differentiable={"X": True, "I": False, "output_shape": False, "output": True},
        ),
        Change(22, "bfloat16", widen={"T1": BF16}),
    ),
)


@MAX_UNPOOL.infer(since=9)
def infer(
    X: Abstract,
    I: Abstract,  # noqa: E741  (the port's name)
    output_shape: Abstract | None = None,
    *,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
    at: RuleSite,
) -> Abstract:
    rank = len(kernel_shape) + 2
    least = None if X.shape is None else _least(X.shape, kernel_shape, pads, strides)
    given = None if output_shape is None else dims_in(output_shape)
    if given is not None:
        result = X.like(given)
    elif output_shape is not None:
        length = length_of(output_shape) or rank
        result = X.like(tuple(at.fresh(f"dim{axis}") for axis in range(length)))
    elif least is not None:
        result = X.like(least)
    else:
        result = X.like(tuple(at.fresh(f"dim{axis}") for axis in range(rank)))
    at.keep(result)
    if X.shape is not None and I.shape is not None:
        _check_positions(X.shape, I.shape)
    if least is not None and given is not None:
        _check_room(least, given)
    return result


def _least(
    X: Shape,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> tuple[Dim, ...]:
    """The shape that `I` counts in, the smallest that MaxPool's input can have had."""
    if len(X) != len(kernel_shape) + 2:
        raise Violation(
            f"rank {len(X)}",
            f"kernel_shape = {list(kernel_shape)} needs rank {len(kernel_shape) + 2}",
            port="X",
            code="wrong-rank",
        )
    window = Window.of(kernel_shape, pads=pads, strides=strides)
    return (
        *X[:2],
        *(
            (size - 1) * stride - (begin + end) + kernel
            for size, stride, begin, end, kernel in zip(
                X[2:], window.strides, window.begins, window.ends, kernel_shape, strict=True
            )
        ),
    )


def _check_positions(X: Shape, positions: Shape) -> None:
    if len(X) != len(positions) or any(map(known_different, X, positions)):
        raise Violation(
            f"shape {shape_text(positions)}",
            f"X has shape {shape_text(X)}",
            port="I",
            code="wrong-shape",
        )


def _check_room(least: Shape, given: Shape) -> None:
    if len(given) != len(least) or any(
        less(a, b) is True for a, b in zip(given, least, strict=True)
    ):
        raise Violation(
            f"output_shape = {shape_text(given)}",
            f"{shape_text(least)} or more is needed",
            port="output_shape",
            code="input-value",
        )


@MAX_UNPOOL.kernel(since=9)
def max_unpool(
    X: Floats,
    I: NDArray[np.int64],  # noqa: E741  (the port's name)
    output_shape: NDArray[np.int64] | None = None,
    *,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Floats:
    _check_positions(X.shape, I.shape)
    least = tuple(int(size) for size in _least(X.shape, kernel_shape, pads, strides))
    spread = np.zeros(least, X.dtype)
    if I.size and (I.min() < 0 or I.max() >= spread.size):
        raise Violation(
            f"positions from {I.min()} to {I.max()}",
            f"{shape_text(least)} has {spread.size} elements",
            port="I",
        )
    spread.reshape(-1)[I.reshape(-1)] = X.reshape(-1)
    if output_shape is None:
        return spread
    wanted = ints_of(output_shape)
    _check_room(least, wanted)
    result = np.zeros(wanted, X.dtype)
    result[tuple(slice(size) for size in least)] = spread
    return result


MAX_UNPOOL.vjp(since=9)(moved_vjp(max_unpool))

MAX_UNPOOL.example(
    ([[[4.0, 2.0]]], [[[1, 2]]]), ([[[0.0, 4.0, 2.0, 0.0]]],), kernel_shape=[2], strides=[2]
)
