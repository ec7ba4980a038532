"""ReverseSequence: the beginning of each sequence of a batch turned around.

Sequences of different lengths share a tensor and are filled up at the end. For batch b, the first
`sequence_lens[b]` entries along `time_axis` come in reverse order; those behind stay where they
are. Reversing twice gives the input back. The batch and the time axis are the first two, in
either order.

Spec: ai.onnx ReverseSequence-28
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import Dim, known_different, less
from onnx_explorer.ops.contents import dims_in
from onnx_explorer.ops.cotangents import moved_vjp
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.tensor.positions import whole_numbers
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Shape, Violation
from onnx_explorer.schema.typesets import BF16, EVERY_V1

REVERSE_SEQUENCE = Operator(
    "ReverseSequence",
    doc=__doc__,
    history=(
        Change(
            10,
            "first version",
            inputs=(
                Port("input", "T", "the sequences, of rank 2 or more"),
                Port("sequence_lens", "tensor(int64)", "(batch,): how many entries to turn around"),
            ),
            outputs=(Port("Y", "T", "the reversed sequences, of the same shape"),),
            attributes=(
                Attr("batch_axis", "int", 1, one_of=(0, 1), doc="the axis of the batch: 0 or 1"),
                Attr("time_axis", "int", 0, one_of=(0, 1), doc="the axis to reverse: 0 or 1"),
            ),
            types={"T": EVERY_V1},
        ),
        Change(28, "bfloat16", widen={"T": BF16}),
    ),
)


@REVERSE_SEQUENCE.infer(since=10)
def infer(
    input: Abstract, sequence_lens: Abstract, *, batch_axis: int, time_axis: int, at: RuleSite
) -> Abstract:
    if input.shape is None:
        return input.like(None)
    _check(input.shape, sequence_lens.shape, batch_axis, time_axis)
    for length in dims_in(sequence_lens) or ():
        _check_length(length, input.shape[time_axis])
    if sequence_lens.shape is not None:
        at.assume(sequence_lens.shape[0], input.shape[batch_axis])
    return input.like(input.shape)


def _check(shape: Shape, lengths: Shape | None, batch_axis: int, time_axis: int) -> None:
    if len(shape) < 2:
        raise Violation(
            f"rank {len(shape)}",
            "batch and time need rank 2 or more",
            port="input",
            code="wrong-rank",
        )
    if batch_axis == time_axis:
        raise Violation(
            f"batch_axis = time_axis = {batch_axis}",
            "one is 0, the other 1",
            code="attribute-value",
        )
    batch = shape[batch_axis]
    if lengths is not None and (len(lengths) != 1 or known_different(lengths[0], batch)):
        raise Violation(
            f"shape {list(lengths)}",
            f"one for each of {batch} batches",
            port="sequence_lens",
            code="wrong-shape",
        )


def _check_length(length: Dim, size: Dim) -> None:
    if less(length, 0) is True or less(size, length) is True:
        raise Violation(
            f"length {length}",
            f"the time axis has size {size}: expected 0 to {size}",
            port="sequence_lens",
        )


@REVERSE_SEQUENCE.kernel(since=10, sizes=True)
def reverse_sequence(
    input: Array, sequence_lens: Array, *, batch_axis: int, time_axis: int
) -> Array:
    _check(input.shape, sequence_lens.shape, batch_axis, time_axis)
    output = input.copy()
    source, target = (np.moveaxis(array, batch_axis, 0) for array in (input, output))
    for batch, length in enumerate(whole_numbers(sequence_lens).tolist()):
        _check_length(length, input.shape[time_axis])
        target[batch, :length] = source[batch, :length][::-1]
    return output


REVERSE_SEQUENCE.vjp(since=10)(moved_vjp(reverse_sequence))

REVERSE_SEQUENCE.example(
    ([[1, 2, 3], [4, 5, 6]], [2, 3]), ([[2, 1, 3], [6, 5, 4]],), batch_axis=0, time_axis=1
)
