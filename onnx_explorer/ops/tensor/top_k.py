"""TopK: the k largest elements along an axis, or the k smallest, and where they were.

`Values` and `Indices` have the shape of `X` with `axis` cut down to k. They come in order, the
largest first (with `largest` = 0 the smallest first); among equal elements the one with the lower
index comes first. `sorted` = 0 leaves the order open; here it is the same. Asking for more
elements than the axis has is an error. NaN counts as larger than every number.

Spec: ai.onnx TopK-24
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, known_different, less, product
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.contents import dims_in, ints_of
from onnx_explorer.ops.cotangents import Floats, Values
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.precision import widened
from onnx_explorer.ops.tensor.positions import whole_numbers
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import BF16, FLOATS, INT64, INTEGERS

X = Port("X", "T", "the tensor to look through, of rank 1 or more")

TOP_K = Operator(
    "TopK",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(X,),
            outputs=(
                Port("Values", "T", "the k elements"),
                Port("Indices", "I", "where on `axis` each of them was"),
            ),
            attributes=(
                Attr(
                    "axis",
                    "int",
                    -1,
                    doc="the axis to look along; negative values count from the end",
                ),
                Attr("k", "int", required=True, doc="how many elements to find"),
            ),
            types={"T": FLOATS, "I": INT64},
        ),
        Change(
            10,
            "k becomes an input",
            inputs=(X, Port("K", "tensor(int64)", "one element: how many to find")),
            drop=("k",),
        ),
        Change(
            11,
            "the smallest can be asked for; integers",
            attributes=(
                Attr("largest", "int", 1, doc="1: the largest elements; 0: the smallest"),
                Attr("sorted", "int", 1, doc="0: the order of the results does not matter"),
            ),
            widen={"T": INTEGERS},
            differentiable={"X": True, "K": False, "Values": True, "Indices": False},
        ),
        Change(24, "bfloat16", widen={"T": BF16}),
    ),
)


@TOP_K.infer(since=1)
def infer_v1(X: Abstract, *, axis: int, k: int) -> tuple[Abstract, Abstract]:
    return _found(X, axis, k)


@TOP_K.infer(since=10)
def infer(X: Abstract, K: Abstract, *, axis: int, at: RuleSite) -> tuple[Abstract, Abstract]:
    if K.shape is not None and known_different(product(K.shape), 1):
        raise Violation(f"shape {list(K.shape)}", "K has 1 element", port="K", code="wrong-shape")
    counts = dims_in(K)
    if counts is not None:
        return _found(X, axis, counts[0])
    if X.shape is None:
        return X.like(None), Abstract()
    size = X.shape[axis_in(axis, len(X.shape))]
    return _found(X, axis, at.fresh("k", high=size if isinstance(size, int) else None))


def _found(X: Abstract, axis: int, k: Dim) -> tuple[Abstract, Abstract]:
    if X.shape is None:
        return X.like(None), Abstract()
    along = axis_in(axis, len(X.shape))
    size = X.shape[along]
    if less(k, 0) is True or less(size, k) is True:
        raise _out_of_range(k, along, size)
    shape = (*X.shape[:along], k, *X.shape[along + 1 :])
    return X.like(shape), Abstract(None, shape)


def _out_of_range(k: Dim, axis: int, size: Dim) -> Violation:
    return Violation(
        f"k = {k}",
        f"axis {axis} of X has size {size}: expected 0 to {size}",
        code="attribute-value",
    )


@TOP_K.kernel(since=1)
def top_k_v1(X: Array, *, axis: int, k: int) -> tuple[Array, Array]:
    return _top_k(X, k, axis, largest=True)


@TOP_K.kernel(since=10)
def top_k(X: Array, K: Array, *, axis: int, largest: int = 1) -> tuple[Array, Array]:
    counts = ints_of(K)
    if len(counts) != 1:
        raise Violation(f"shape {list(K.shape)}", "K has 1 element", port="K", code="wrong-shape")
    return _top_k(X, counts[0], axis, largest=bool(largest))


def _top_k(X: Array, k: int, axis: int, *, largest: bool) -> tuple[Array, Array]:
    along = axis_in(axis, X.ndim)
    size = X.shape[along]
    if not 0 <= k <= size:
        raise _out_of_range(k, along, size)
    rows = np.moveaxis(X, along, -1)
    keys = widened(rows)  # pyright: ignore[reportArgumentType]  integers keep their type
    few = 0 < 8 * k < size and not (keys.dtype.kind == "f" and np.isnan(keys).any())
    if not few:
        places = _order(keys, largest=largest)[..., :k]
    elif k == 1:
        places = np.expand_dims((np.argmax if largest else np.argmin)(keys, -1), -1)
    else:
        places = _select(keys, k, largest=largest)
    values = np.take_along_axis(rows, places, -1)
    return (
        np.ascontiguousarray(np.moveaxis(values, -1, along)),
        np.ascontiguousarray(np.moveaxis(places.astype(np.int64, copy=False), -1, along)),
    )


def _order(keys: Array, *, largest: bool) -> NDArray[np.intp]:
    """Positions along the last axis, best first, the lower one first among equals."""
    if not largest:
        return np.argsort(keys, -1, kind="stable")
    # Read backwards, a stable ascending order of the reversed row puts lower positions first.
    backwards = np.argsort(keys[..., ::-1], -1, kind="stable")
    return keys.shape[-1] - 1 - backwards[..., ::-1]


def _select(keys: Array, k: int, *, largest: bool) -> NDArray[np.intp]:
    """The same for a few out of many, without NaN: only what reaches the k-th best key is put in
    order.
    """
    size = keys.shape[-1]
    nth = size - k if largest else k - 1
    limit = np.partition(keys, nth, -1)[..., nth, None]
    ahead = np.greater(keys, limit) if largest else np.less(keys, limit)
    equal = np.equal(keys, limit)
    room = k - np.count_nonzero(ahead, -1)[..., None]
    chosen = ahead | (equal & (np.cumsum(equal, -1) <= room))
    places = np.nonzero(chosen)[-1].reshape(*keys.shape[:-1], k)
    order = _order(np.take_along_axis(keys, places, -1), largest=largest)
    return np.take_along_axis(places, order, -1)


@TOP_K.vjp(since=1)
def vjp(
    cotangents: Values, inputs: Values, outputs: object, *, axis: int, largest: int = 1
) -> Floats:
    c, X = cotangents[0], inputs[0]
    # The node need not have an output for the places.
    _, places = _top_k(X, c.shape[axis], axis, largest=bool(largest))
    total = np.zeros_like(X)
    np.put_along_axis(total, whole_numbers(places), c, axis)
    return total


TOP_K.example(([3, 1, 3, 2], [3]), ([3, 3, 2], [0, 2, 3]))
TOP_K.example(([3, 1, 3, 2], [3]), ([1, 2, 3], [1, 3, 0]), largest=0)
