"""Split: a tensor cut into consecutive parts along one axis.

`split` lists the size of each part on `axis`; they sum up to the size of the axis. Without it the
parts are equal, and there are as many as the node has outputs. Until version 13 the axis must
then be divisible by their number. From version 18 `num_outputs` says how many: each part gets
ceil(size / num_outputs), and the last ones what is left. Concat is the way back.

Spec: ai.onnx Split-18
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import (
    Dim,
    bounds,
    ceildiv,
    floordiv,
    known_different,
    known_equal,
    maximum,
    minimum,
    total,
)
from onnx_explorer.ops.again import Again, is_small
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.contents import dims_in, ints_of, length_of
from onnx_explorer.ops.cotangents import Values, moved_vjp
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Operator,
    Port,
    RuleSite,
    RunSite,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, BOOL, COMPLEX, FLOATS, INTEGERS, STRING

INPUT = Port("input", "T", "the tensor to cut")
FLOAT_SPLIT = Port("split", "T", "1-D; the size of each part, in floats", option="optional")
SPLIT_SIZES = Port("split", "tensor(int64)", "1-D; the size of each part", option="optional")
PARTS_V1 = Port("outputs...", "T", "the parts, in order", option="variadic")
PARTS = Port("outputs", "T", "the parts, in order", option="variadic")

SPLIT = Operator(
    "Split",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(INPUT, FLOAT_SPLIT),
            outputs=(PARTS_V1,),
            attributes=(
                Attr("axis", "int", doc="the axis to cut; default: 0"),
                Attr("split", "ints", doc="the size of each part, where the input is absent"),
            ),
            types={"T": FLOATS},
        ),
        Change(
            2,
            "sizes are an attribute only; every dtype of the time",
            inputs=(INPUT,),
            outputs=(PARTS,),
            attributes=(
                Attr("axis", "int", 0, doc="the axis to cut; negative values count from the end"),
            ),
            widen={"T": INTEGERS | COMPLEX | BOOL | STRING},
        ),
        Change(11, "a negative axis counts from the end"),
        Change(
            13,
            "sizes become an input; bfloat16",
            inputs=(INPUT, SPLIT_SIZES),
            drop=("split",),
            widen={"T": BF16},
            differentiable={"input": True, "split": False, "outputs": True},
        ),
        Change(
            18,
            "the last part may be smaller",
            attributes=(
                Attr("num_outputs", "int", doc="the number of parts, where `split` is absent"),
            ),
        ),
    ),
)


def part_sizes(size: Dim, parts: int, *, uneven: bool) -> tuple[Dim, ...]:
    """The sizes of that many parts of one axis, equal as far as it goes.

    Raises:
        Violation: there is no part, or a remainder although it may not be `uneven`.
    """
    if parts < 1:
        raise Violation(f"{parts} parts", "1 or more", code="wrong-count")
    if isinstance(size, int) and size % parts and not uneven:
        raise Violation(
            f"size {size} on the axis",
            f"it must be divisible by the number of outputs, {parts}",
            code="split-uneven",
        )
    part = ceildiv(size, parts) if uneven else floordiv(size, parts)
    if not uneven or known_equal(part * parts, size):
        return (part,) * parts
    return part, *(maximum(minimum(part, size - part * i), 0) for i in range(1, parts))


@lru_cache(1 << 10)
def _equal_parts(size: int, parts: int, *, uneven: bool) -> tuple[int, ...]:
    """The same of an axis whose size is a number."""
    return tuple(int(part) for part in part_sizes(size, parts, uneven=uneven))


def _check(sizes: Sequence[Dim], n_outputs: int, size: Dim, axis: int) -> None:
    if len(sizes) != n_outputs:
        raise Violation(
            f"{len(sizes)} sizes in split = {list(sizes)}",
            f"the node has {n_outputs} outputs",
            port="split",
            code="wrong-count",
        )
    if any(isinstance(part, int) and part < 0 for part in sizes):
        raise Violation(
            f"split = {list(sizes)}", "sizes are 0 or more", port="split", code="input-value"
        )
    if known_different(total(sizes), size):
        raise Violation(
            f"split = {list(sizes)} sums up to {total(sizes)}",
            f"axis {axis} of the input has size {size}",
            port="split",
            code="split-sum",
        )


@SPLIT.infer(since=1)
def infer_v1(
    input: Abstract,
    sizes: Abstract | None = None,
    *,
    axis: int | None = None,
    split: tuple[int, ...] | None = None,
    at: RuleSite,
) -> tuple[Abstract, ...]:
    if sizes is None:
        return _infer(input, axis or 0, split, at)
    return infer(input, sizes, axis=axis or 0, at=at)


@SPLIT.infer(since=2)
def infer_from_attribute(
    input: Abstract, *, axis: int, split: tuple[int, ...] | None = None, at: RuleSite
) -> tuple[Abstract, ...]:
    return _infer(input, axis, split, at)


@SPLIT.infer(since=13)
def infer(
    input: Abstract,
    split: Abstract | None = None,
    *,
    axis: int,
    num_outputs: int | None = None,
    at: RuleSite,
) -> tuple[Abstract, ...]:
    _check_num_outputs(split is not None, num_outputs, at)
    if split is None:
        return _infer(input, axis, None, at)
    sizes = dims_in(split)
    if sizes is not None:
        return _infer(input, axis, sizes, at)
    n_outputs = len(at.wanted)
    count = length_of(split)
    if count is not None and count != n_outputs:
        raise Violation(
            f"{count} sizes", f"the node has {n_outputs} outputs", port="split", code="wrong-count"
        )
    if input.shape is None:
        return (input.like(None),) * n_outputs
    axis = axis_in(axis, len(input.shape))
    high = bounds(input.shape[axis])[1]
    return tuple(_part(input, axis, at.fresh(f"part{i}", high=high)) for i in range(n_outputs))


def _infer(
    input: Abstract, axis: int, sizes: Sequence[Dim] | None, at: RuleSite
) -> tuple[Abstract, ...]:
    n_outputs = len(at.wanted)
    if input.shape is None:
        return (input.like(None),) * n_outputs
    axis = axis_in(axis, len(input.shape))
    size = input.shape[axis]
    if sizes is None:
        sizes = part_sizes(size, n_outputs, uneven=at.version >= 18)
    _check(sizes, n_outputs, size, axis)
    at.assume(total(sizes), size)
    return tuple(_part(input, axis, part) for part in sizes)


def _part(input: Abstract, axis: int, size: Dim) -> Abstract:
    shape = input.shape or ()
    return input.like((*shape[:axis], size, *shape[axis + 1 :]))


def _check_num_outputs(has_sizes: bool, num_outputs: int | None, at: RuleSite) -> None:
    if at.version < 18:
        return
    if has_sizes and num_outputs is not None:
        at.fail(f"split and num_outputs = {num_outputs}", "only one of the two may be given")
    elif not has_sizes and num_outputs is None:
        at.fail("neither split nor num_outputs", "one of the two must be given")
    elif num_outputs is not None and num_outputs != len(at.wanted):
        at.fail(
            f"num_outputs = {num_outputs}",
            f"the node has {len(at.wanted)} outputs",
            code="attribute-value",
        )


@SPLIT.kernel(since=1)
def split_v1(
    input: NDArray[np.generic],
    sizes: NDArray[np.generic] | None = None,
    *,
    axis: int | None = None,
    split: tuple[int, ...] | None = None,
    at: RunSite,
) -> tuple[NDArray[np.generic], ...]:
    return _cut(input, split if sizes is None else ints_of(sizes), axis or 0, at)


@SPLIT.kernel(since=2)
def split_by_attribute(
    input: NDArray[np.generic], *, axis: int, split: tuple[int, ...] | None = None, at: RunSite
) -> tuple[NDArray[np.generic], ...]:
    return _cut(input, split, axis, at)


@SPLIT.kernel(since=13, sizes=True)
def split(
    input: NDArray[np.generic], split: NDArray[np.generic] | None = None, *, axis: int, at: RunSite
) -> tuple[NDArray[np.generic], ...]:
    return _cut(input, None if split is None else ints_of(split), axis, at)


def _cut(
    input: NDArray[np.generic], sizes: Sequence[int] | None, axis: int, at: RunSite
) -> tuple[NDArray[np.generic], ...]:
    axis = axis_in(axis, input.ndim)
    size, n_outputs = input.shape[axis], len(at.wanted)
    if sizes is None:
        sizes = _equal_parts(size, n_outputs, uneven=at.version >= 18)
    elif len(sizes) != n_outputs or sum(sizes) != size or min(sizes) < 0:
        _check(sizes, n_outputs, size, axis)
    before = (slice(None),) * axis
    parts: list[NDArray[np.generic]] = []
    end = 0
    for part in sizes:
        start, end = end, end + part
        parts.append(input[(*before, slice(start, end))])
    return tuple(parts)


@SPLIT.again(since=1)
@SPLIT.again(since=2)
@SPLIT.again(since=13)
def again(inputs: Values, outputs: Values, *, axis: int | None = None) -> Again | None:
    (input, *sizes), parts = inputs, outputs
    if len(parts) < 2 or not is_small(*sizes):
        return None
    shape, known = input.shape, sizes[0] if sizes else None
    before = (slice(None),) * axis_in(axis or 0, input.ndim)
    ends = list(accumulate(part.shape[len(before)] for part in parts))
    cut = itemgetter(*((*before, slice(*span)) for span in pairwise((0, *ends))))

    def call(input: NDArray[np.generic], sizes: NDArray[np.generic] | None = None) -> object:
        return cut(input) if input.shape == shape and sizes is known else NotImplemented

    return call


SPLIT.vjp(since=1)(moved_vjp(split_v1))
SPLIT.vjp(since=2)(moved_vjp(split_by_attribute))
SPLIT.vjp(since=13)(moved_vjp(split))

SPLIT.example(([1, 2, 3, 4, 5], [2, 3]), ([1, 2], [3, 4, 5]))
SPLIT.example(([1, 2, 3, 4, 5],), ([1, 2, 3], [4, 5]), num_outputs=2)
