"""Concat: tensors joined end to end along one axis.

All inputs have the same rank and, except on `axis`, the same sizes; nothing broadcasts. The size
on `axis` is the sum of theirs, and an input that is empty there adds nothing. Version 1 joins on
axis 1 unless told otherwise; later versions have no default.

Spec: ai.onnx Concat-13
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, total
from onnx_explorer.ops.again import Again
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.cotangents import Values
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Operator,
    Port,
    RuleSite,
    Shape,
    Side,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, BOOL, COMPLEX, FLOATS, INTEGERS, STRING

INPUTS = Port("inputs", "T", "the tensors to join, in this order", option="variadic")
RESULT = Port("concat_result", "T", "all elements of the inputs")

CONCAT = Operator(
    "Concat",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(INPUTS,),
            outputs=(RESULT,),
            attributes=(Attr("axis", "int", doc="the axis to join on; default: 1"),),
            types={"T": FLOATS},
        ),
        Change(
            4,
            "the axis must be given; every dtype of the time",
            attributes=(
                Attr(
                    "axis",
                    "int",
                    required=True,
                    doc="the axis to join on; negative values count from the end",
                ),
            ),
            widen={"T": INTEGERS | COMPLEX | BOOL | STRING},
        ),
        Change(11, "a negative axis counts from the end"),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable={"inputs": True, "concat_result": True},
        ),
    ),
)


@CONCAT.infer(since=1)
def infer(
    *inputs: Abstract, axis: int | None = None, at: RuleSite
) -> Abstract | tuple[Abstract, ...] | None:
    known = [(i, value.shape) for i, value in enumerate(inputs) if value.shape is not None]
    if not known:
        return inputs[0].like(None)
    first, reference = known[0]
    joined = axis_in(1 if axis is None else axis, len(reference))
    sizes = list(reference)
    for i, shape in known[1:]:
        if len(shape) != len(reference):
            raise _different_ranks(first, reference, i, shape)
        for k, size in enumerate(shape):
            if k != joined:
                same = at.same(sizes[k], size)
                if same is None:
                    at.fail(
                        f"size {size} on axis {k} of input {i}",
                        f"input {first} has {sizes[k]} there, and only axis {joined} may differ",
                        port="inputs",
                        code="concat-mismatch",
                        sides=(Side(sizes[k], first, k), Side(size, i, k)),
                    )
                else:
                    sizes[k] = same
    sizes[joined] = (
        total(shape[joined] for _, shape in known)
        if len(known) == len(inputs)
        else at.fresh(f"dim{joined}")
    )
    return inputs[0].like(tuple(sizes))


@CONCAT.kernel(since=1, sizes=True)
def concat(*inputs: NDArray[np.generic], axis: int | None = None) -> NDArray[np.generic]:
    joined = axis_in(1 if axis is None else axis, inputs[0].ndim)
    try:
        return np.concatenate(inputs, joined)
    except ValueError as error:
        raise _mismatch([value.shape for value in inputs], joined) from error


def _mismatch(shapes: list[tuple[int, ...]], joined: int) -> Violation:
    reference = shapes[0]
    for i, shape in enumerate(shapes):
        if len(shape) != len(reference):
            return _different_ranks(0, reference, i, shape)
        for k, (size, wanted) in enumerate(zip(shape, reference, strict=True)):
            if k != joined and size != wanted:
                return Violation(
                    f"size {size} on axis {k} of input {i}",
                    f"input 0 has {wanted} there, and only axis {joined} may differ",
                    port="inputs",
                    code="concat-mismatch",
                )
    return Violation(
        f"shapes {shapes}",
        f"they must fit together on axis {joined}",
        port="inputs",
        code="wrong-shape",
    )


def _different_ranks(first: int, reference: Shape, i: int, shape: tuple[Dim, ...]) -> Violation:
    return Violation(
        f"rank {len(shape)} of input {i}",
        f"input {first} has rank {len(reference)}, and all must have the same",
        port="inputs",
        code="wrong-rank",
    )


@CONCAT.again(since=1)
def again(inputs: Values, outputs: Values, *, axis: int | None = None) -> Again:
    joined = 1 if axis is None else axis
    return lambda *inputs: np.concatenate(inputs, joined)


@CONCAT.vjp(since=1)
def vjp(cotangents: Values, inputs: Values, outputs: Values, *, axis: int | None = None) -> Values:
    joined = axis_in(1 if axis is None else axis, inputs[0].ndim)
    ends = np.cumsum([x.shape[joined] for x in inputs])
    return tuple(np.split(cotangents[0], ends[:-1], joined))


CONCAT.example(([[1, 2]], [[3, 4], [5, 6]]), ([[1, 2], [3, 4], [5, 6]],), axis=0)
CONCAT.example(([[1, 2]], [[3]]), ([[1, 2, 3]],), axis=-1)
