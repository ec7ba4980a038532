"""Unique: the different elements of a tensor, or its different slices along an axis.

Without `axis` the tensor is flattened first. `Y` lists each element once: in ascending order, or
with `sorted` = 0 in the order of first appearance. For each of them `indices` tells where it
appears first and `counts` how often it does; `inverse_indices` tells for each element of the
(flattened) input which of `Y` it is, so that `Y[inverse_indices]` is the input again. With `axis`
the same holds for slices, which are ordered by their first difference. How many there are is
known only when the model runs. All NaN count as one.

Spec: ai.onnx Unique-28
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Expr, product
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.precision import widened
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite
from onnx_explorer.schema.typesets import BF16, EVERY_V1

UNIQUE = Operator(
    "Unique",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(Port("X", "T", "the tensor to look through", differentiable=False),),
            outputs=(
                Port("Y", "T", "each element, or slice, once", differentiable=False),
                Port(
                    "indices",
                    "tensor(int64)",
                    "1-D: where each of `Y` is found first",
                    option="optional",
                    differentiable=False,
                ),
                Port(
                    "inverse_indices",
                    "tensor(int64)",
                    "1-D: which of `Y` each element or slice of `X` is",
                    option="optional",
                    differentiable=False,
                ),
                Port(
                    "counts",
                    "tensor(int64)",
                    "1-D: how often each of `Y` is found",
                    option="optional",
                    differentiable=False,
                ),
            ),
            attributes=(
                Attr(
                    "axis",
                    "int",
                    doc="the axis of the slices, negative values count from the end; default: "
                    "flatten first",
                ),
                Attr("sorted", "int", 1, one_of=(0, 1), doc="1: ascending; 0: by first appearance"),
            ),
            types={"T": EVERY_V1},
        ),
        Change(28, "bfloat16", widen={"T": BF16}),
    ),
)


@UNIQUE.infer(since=11)
def infer(
    X: Abstract, *, axis: int | None = None, at: RuleSite
) -> tuple[Abstract, Abstract, Abstract, Abstract]:
    if X.shape is None:
        found = Abstract(None, (at.fresh("count"),))
        each = Abstract(None, (at.fresh("size"),))
        return X.like(found.shape if axis is None else None), found, each, found
    along = 0 if axis is None else axis_in(axis, len(X.shape))
    size = product(X.shape) if axis is None else X.shape[along]
    count = _count(X, None if axis is None else along)
    if count is None:
        known = size if isinstance(size, int) else None
        count = at.fresh("count", low=1 if known else 0, high=known)
    shape = (count,) if axis is None else (*X.shape[:along], count, *X.shape[along + 1 :])
    found = Abstract(None, (count,))
    return X.like(shape), found, Abstract(None, (size,)), found


def _count(X: Abstract, axis: int | None) -> int | None:
    """How many there are, where the elements are known numbers."""
    if X.content is None or X.shape is None or any(isinstance(c, Expr) for c in X.content):
        return None
    sizes = [size for size in X.shape if isinstance(size, int)]
    if axis is None:
        return len(set(X.content))
    places = np.moveaxis(np.arange(prod(sizes)).reshape(sizes), axis, 0)
    rows = places.reshape(sizes[axis], -1 if places.size else 0).tolist()
    return len({tuple(X.content[place] for place in row) for row in rows})


@UNIQUE.kernel(since=11)
def unique(
    X: Array, *, axis: int | None = None, sorted: int
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    data = X.reshape(-1) if axis is None else X
    along = 0 if axis is None else axis_in(axis, X.ndim)
    _, first, inverse, counts = np.unique(
        _keys(data),
        return_index=True,
        return_inverse=True,
        return_counts=True,
        axis=along if data.ndim > 1 else None,
    )
    inverse = inverse.reshape(-1)
    if not sorted:
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        first, counts, inverse = first[order], counts[order], rank[inverse]
    indices, inverse, counts = (a.astype(np.int64, copy=False) for a in (first, inverse, counts))
    return data.take(indices, along), indices, inverse, counts


def _keys(data: Array) -> Array:
    """Numbers in the same order as the elements, of a type that numpy compares slices of."""
    if data.dtype.kind == "O":
        words, codes = np.unique(data.reshape(-1), return_inverse=True)
        return codes.reshape(data.shape) if words.size else np.zeros(data.shape, np.int64)
    return widened(data)  # pyright: ignore[reportArgumentType]  integers keep their type


UNIQUE.example(([2, 1, 1, 3],), ([1, 2, 3], [1, 0, 3], [1, 0, 0, 2], [2, 1, 1]))
UNIQUE.example(([2, 1, 1, 3],), ([2, 1, 3],), sorted=0)
