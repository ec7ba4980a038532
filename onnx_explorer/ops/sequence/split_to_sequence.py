"""SplitToSequence: a tensor cut along one axis into a list of tensors.

Without `split` every part has size 1, and with `keepdims` = 0 the axis is then taken away. A scalar
`split` is the size of every part; the last one may be smaller. A 1-D `split` lists the sizes,
which sum up to the size of the axis. `keepdims` counts only where there is no `split`.

Spec: ai.onnx SplitToSequence-24
"""

from __future__ import annotations

from collections.abc import Sequence

from onnx_explorer.dims import Dim, ceildiv, known_different, known_equal, less, mod, total
from onnx_explorer.ir.types import UNKNOWN_DIM
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.contents import dims_in, ints_of
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.sequence.items import sequence_of
from onnx_explorer.schema import (
    CONTENT_LIMIT,
    Abstract,
    AbstractSequence,
    Attr,
    Change,
    Operator,
    Port,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, EVERY_V1, INDICES, SEQUENCES_V1, sequences

SPLIT_TO_SEQUENCE = Operator(
    "SplitToSequence",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(
                Port("input", "T", "the tensor to cut"),
                Port(
                    "split",
                    "I",
                    "a scalar: the size of every part; or 1-D: the size of each; default: 1",
                    option="optional",
                ),
            ),
            outputs=(Port("output_sequence", "S", "the parts in order, as a list"),),
            attributes=(
                Attr(
                    "axis",
                    "int",
                    0,
                    doc="the axis to cut along; negative values count from the end",
                ),
                Attr(
                    "keepdims",
                    "int",
                    1,
                    one_of=(0, 1),
                    doc="0: parts of size 1 lose the axis; only where `split` is left out",
                ),
            ),
            types={"T": EVERY_V1, "I": INDICES, "S": SEQUENCES_V1},
        ),
        Change(24, "bfloat16", widen={"T": BF16, "S": sequences(BF16)}),
    ),
)


@SPLIT_TO_SEQUENCE.infer(since=11)
def infer(
    input: Abstract, split: Abstract | None = None, *, axis: int, keepdims: int
) -> AbstractSequence:
    if input.shape is None:
        return AbstractSequence(input.like(None))
    along = axis_in(axis, len(input.shape))
    size = input.shape[along]
    if split is None:
        part = (1,) if keepdims else ()
        return AbstractSequence(_part(input, along, part), size)
    known = dims_in(split)
    if split.shape is None or (known is None and not split.shape):
        return AbstractSequence(_part(input, along, (UNKNOWN_DIM,)))
    if known is None:
        return AbstractSequence(_part(input, along, (UNKNOWN_DIM,)), split.shape[0])
    if split.shape:
        _check_sizes(known, size, along)
        return sequence_of([_part(input, along, (part,)) for part in known])
    return _chunks(input, along, size, known[0])


def _part(input: Abstract, axis: int, size: tuple[Dim, ...]) -> Abstract:
    shape = input.shape or ()
    return input.like((*shape[:axis], *size, *shape[axis + 1 :]))


def _chunks(input: Abstract, axis: int, size: Dim, part: Dim) -> AbstractSequence:
    """Parts of one size, of which the last one may be smaller."""
    _check_chunk(part)
    if known_equal(mod(size, part), 0):
        return AbstractSequence(_part(input, axis, (part,)), ceildiv(size, part))
    if isinstance(size, int) and isinstance(part, int) and size // part < CONTENT_LIMIT:
        sizes = [part] * (size // part) + [size % part]
        return sequence_of([_part(input, axis, (each,)) for each in sizes])
    return AbstractSequence(_part(input, axis, (UNKNOWN_DIM,)), ceildiv(size, part))


def _check_chunk(part: Dim) -> None:
    if less(part, 1) is True:
        raise Violation(
            f"split = {part}", "parts have size 1 or more", port="split", code="input-value"
        )


def _check_sizes(sizes: Sequence[Dim], size: Dim, axis: int) -> None:
    if any(less(part, 0) is True for part in sizes):
        raise Violation(
            f"split = {list(sizes)}", "sizes are 0 or more", port="split", code="input-value"
        )
    if known_different(total(sizes), size):
        raise Violation(
            f"split = {list(sizes)} sums up to {total(sizes)}",
            f"axis {axis} of the input has size {size}",
            port="split",
            code="input-value",
        )


@SPLIT_TO_SEQUENCE.kernel(since=11)
def split_to_sequence(
    input: Array, split: Array | None = None, *, axis: int, keepdims: int
) -> list[Array]:
    along = axis_in(axis, input.ndim)
    size = input.shape[along]
    before = (slice(None),) * along
    if split is None and not keepdims:
        return [input[(*before, place, ...)] for place in range(size)]
    if split is None or split.ndim == 0:
        part = 1 if split is None else ints_of(split)[0]
        _check_chunk(part)
        sizes = [min(part, size - start) for start in range(0, size, part)]
    else:
        sizes = ints_of(split)
        _check_sizes(sizes, size, along)
    parts: list[Array] = []
    end = 0
    for part in sizes:
        start, end = end, end + part
        parts.append(input[(*before, slice(start, end))])
    return parts


SPLIT_TO_SEQUENCE.example(([1, 2, 3, 4, 5], 2), (([1, 2], [3, 4], [5]),))
SPLIT_TO_SEQUENCE.example(([1, 2, 3, 4, 5], [2, 3]), (([1, 2], [3, 4, 5]),))
