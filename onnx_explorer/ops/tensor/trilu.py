"""Trilu: the upper or the lower triangle of matrices, zeros elsewhere.

The last two axes are the matrix, those before are batches. With `upper` = 1 the element in row i
and column j stays where j ≥ i + k; with `upper` = 0 it stays where j ≤ i + k. So k = 0 keeps the
main diagonal either way, and a positive k moves the boundary to the right: it takes diagonals away
from the upper triangle and adds them to the lower one.

Spec: ai.onnx Trilu-14
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import known_different, product
from onnx_explorer.ops.contents import ints_of
from onnx_explorer.ops.cotangents import moved_vjp
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, Shape, Violation
from onnx_explorer.schema.typesets import EVERY_V4

TRILU = Operator(
    "Trilu",
    doc=__doc__,
    history=(
        Change(
            14,
            "first version",
            inputs=(
                Port("input", "T", "matrices, of rank 2 or more", differentiable=True),
                Port(
                    "k",
                    "tensor(int64)",
                    "one number: the diagonal at which the triangle ends; default: 0, the main one",
                    option="optional",
                    differentiable=False,
                ),
            ),
            outputs=(Port("output", "T", "the triangles, of the same shape", differentiable=True),),
            attributes=(
                Attr("upper", "int", 1, doc="1: keep the upper triangle; 0: keep the lower one"),
            ),
            types={"T": EVERY_V4},
        ),
    ),
)


@TRILU.infer(since=14)
def infer(input: Abstract, k: Abstract | None = None) -> Abstract:
    if input.shape is not None:
        _check(input.shape)
    if k is not None and k.shape is not None and known_different(product(k.shape), 1):
        raise Violation(
            f"shape {list(k.shape)}", "k is one number, of shape []", port="k", code="wrong-shape"
        )
    return input.like(input.shape)


def _check(shape: Shape) -> None:
    if len(shape) < 2:
        raise Violation(
            f"rank {len(shape)}", "matrices have rank 2 or more", port="input", code="wrong-rank"
        )


def triangle_of_sizes(input: Array, k: Array | None = None, *, upper: int) -> Array:
    """The same on sizes, of which an array looks like one of strings."""
    return _triangle(input, k, upper, np.array(0, object))


@TRILU.kernel(since=14, sizes=triangle_of_sizes)
def triangle(input: Array, k: Array | None = None, *, upper: int) -> Array:
    zero = np.array("", object) if input.dtype.kind == "O" else np.zeros((), input.dtype)
    return _triangle(input, k, upper, zero)


def _triangle(input: Array, k: Array | None, upper: int, zero: Array) -> Array:
    _check(input.shape)
    if k is not None and k.size != 1:
        raise Violation(
            f"shape {list(k.shape)}", "k is one number, of shape []", port="k", code="wrong-shape"
        )
    n_rows, n_columns = input.shape[-2:]
    # Beyond the corners nothing changes any more, and numpy's integers stay small.
    diagonal = 0 if k is None else min(max(ints_of(k)[0], -n_rows - 1), n_columns + 1)
    below = np.tri(n_rows, n_columns, diagonal - 1 if upper else diagonal, dtype=np.bool_)
    return np.where(below, zero, input) if upper else np.where(below, input, zero)


TRILU.vjp(since=14)(moved_vjp(triangle))

TRILU.example(([[1, 2], [3, 4]],), ([[1, 2], [0, 4]],))
TRILU.example(([[1, 2], [3, 4]], 1), ([[0, 2], [0, 0]],))
TRILU.example(([[1, 2], [3, 4]],), ([[1, 0], [3, 4]],), upper=0)
