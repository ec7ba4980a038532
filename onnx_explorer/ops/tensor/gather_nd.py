"""GatherND: slices of a tensor, each picked by a tuple of coordinates.

The last axis of `indices` holds the tuples, of k coordinates each: they address the first k axes
of `data`, and what lies behind those is the slice. So the shape of the result is
`indices.shape[:-1] + data.shape[k:]`; with k = rank(data) the slices are single elements. The
first `batch_dims` = b axes are common to both inputs: each batch picks from its own part of the
data, the coordinates then address the axes from b on, and the shape becomes
`indices.shape[:-1] + data.shape[b + k:]`. Negative coordinates count from the end.

Spec: ai.onnx GatherND-13
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import known_different
from onnx_explorer.ops.cotangents import moved_vjp
from onnx_explorer.ops.tensor.positions import outside, whole_numbers
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Shape, Violation
from onnx_explorer.schema.typesets import BF16, EVERY_V1

DATA = Port("data", "T", "the tensor to pick from, of rank 1 or more")
TUPLES = Port("indices", "tensor(int64)", "tuples of coordinates along the last axis")
OUTPUT = Port("output", "T", "one slice of `data` for each tuple")

GATHER_ND = Operator(
    "GatherND",
    doc=__doc__,
    history=(
        Change(
            11, "first version", inputs=(DATA, TUPLES), outputs=(OUTPUT,), types={"T": EVERY_V1}
        ),
        Change(
            12,
            "leading axes may be batches",
            attributes=(
                Attr("batch_dims", "int", 0, doc="how many leading axes the two inputs share"),
            ),
        ),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable={"data": True, "indices": False, "output": True},
        ),
    ),
)


@GATHER_ND.infer(since=11)
def infer(data: Abstract, indices: Abstract, *, batch_dims: int = 0, at: RuleSite) -> Abstract:
    if data.shape is None or indices.shape is None:
        return data.like(None)
    _check(data.shape, indices.shape, batch_dims)
    for axis in range(batch_dims):
        at.assume(data.shape[axis], indices.shape[axis])
    length = indices.shape[-1]
    if not isinstance(length, int):
        return data.like(None)
    return data.like((*indices.shape[:-1], *data.shape[batch_dims + length :]))


@GATHER_ND.kernel(since=11, sizes=True)
def gather_nd(
    data: NDArray[np.generic], indices: NDArray[np.generic], *, batch_dims: int = 0
) -> NDArray[np.generic]:
    _check(data.shape, indices.shape, batch_dims)
    length = indices.shape[-1]
    inner = data.shape[batch_dims:]
    batches = prod(data.shape[:batch_dims])
    tuples = whole_numbers(indices).reshape(batches, prod(indices.shape[batch_dims:-1]), length)
    coordinates = [tuples[..., k] for k in range(length)]
    try:
        picked = data.reshape(batches, *inner)[(np.arange(batches)[:, None], *coordinates)]
    except IndexError as error:
        raise _outside(coordinates, inner, batch_dims) from error
    return picked.reshape((*indices.shape[:-1], *inner[length:]))


def _outside(
    coordinates: Sequence[NDArray[np.int64]], sizes: Sequence[int], batch_dims: int
) -> Violation:
    k = next(
        k
        for k, (places, size) in enumerate(zip(coordinates, sizes, strict=False))
        if places.size and not -size <= places.min() <= places.max() < size
    )
    return outside(coordinates[k], sizes[k], batch_dims + k)


def _check(data: Shape, indices: Shape, batch_dims: int) -> None:
    for name, shape in (("data", data), ("indices", indices)):
        if len(shape) <= batch_dims or not shape:
            raise Violation(
                f"rank {len(shape)}",
                f"rank {max(batch_dims, 0) + 1} or more is needed with batch_dims = {batch_dims}",
                port=name,
                code="wrong-rank",
            )
    if batch_dims < 0:
        raise Violation(f"batch_dims = {batch_dims}", "0 or more", code="attribute-value")
    for axis, (size, wanted) in enumerate(
        zip(indices[:batch_dims], data[:batch_dims], strict=True)
    ):
        if known_different(size, wanted):
            raise Violation(
                f"size {size} on batch axis {axis}", f"data has {wanted} there", port="indices"
            )
    length, room = indices[-1], len(data) - batch_dims
    if isinstance(length, int) and not 1 <= length <= room:
        raise Violation(
            f"tuples of {length} coordinates",
            f"data has {room} axes behind its {batch_dims} batch axes: expected 1 to {room}",
            port="indices",
        )


GATHER_ND.vjp(since=11)(moved_vjp(gather_nd))

GATHER_ND.example(([[7, 8], [9, 6]], [[1, 0], [0, 1]]), ([9, 8],))
GATHER_ND.example(([[7, 8], [9, 6]], [[1], [1]]), ([[9, 6], [9, 6]],))
GATHER_ND.example(([[7, 8], [9, 6]], [[1], [0]]), ([8, 9],), batch_dims=1)
