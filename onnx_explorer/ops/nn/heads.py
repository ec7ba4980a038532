"""Attention in heads: the sizes that queries, keys and values must agree on, and the products that
they go through. Query heads share the heads of keys and values in equal groups of neighbours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, divide_exactly, floordiv, known_different
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.precision import Floats, widened
from onnx_explorer.schema import RuleSite, Shape, Violation

EQUAL = (("K", "Q", 0, "batch"), ("V", "Q", 0, "batch"), ("V", "K", 1, "heads"))
LENGTHS = (("V", "K", 2, "length"), ("K", "Q", 3, "head size"))


def by_heads(packed: Shape, heads: int | None, *, port: str, attribute: str) -> Shape:
    """(batch, heads, length, size) of an input of that shape, or of shape (batch, length, heads ×
    size), which needs the number of heads.

    Raises:
        Violation: the rank is another, or the last axis does not fall into so many heads.
    """
    if len(packed) == 4:
        return packed
    if len(packed) != 3:
        raise Violation(
            f"rank {len(packed)}",
            "(batch, heads, length, size) or (batch, length, heads × size)",
            port=port,
            code="wrong-rank",
        )
    if heads is None or heads < 1:
        raise Violation(
            f"rank 3 and {attribute} = {heads}", f"{attribute} says how many heads", port=port
        )
    batch, length, hidden = packed
    if isinstance(hidden, int) and hidden % heads:
        raise Violation(f"hidden size {hidden}", f"it falls into {heads} heads", port=port)
    size = floordiv(hidden, heads) if heads > 1 else hidden
    exact = None if isinstance(hidden, int) else divide_exactly(hidden, heads)
    return (batch, heads, length, size if exact is None else exact)


def check_heads(Q: Shape | None, K: Shape | None, V: Shape | None) -> list[tuple[Dim, Dim]]:
    """Pairs of sizes that must be equal; all shapes are (batch, heads, length, size).

    Raises:
        Violation: two of them are known to differ, or the query heads do not fall into groups.
    """
    shapes = {"Q": Q, "K": K, "V": V}
    pairs: list[tuple[Dim, Dim]] = []
    for port, other, axis, what in (*EQUAL, *LENGTHS):
        shape, wanted = shapes[port], shapes[other]
        if shape is None or wanted is None:
            continue
        if known_different(shape[axis], wanted[axis]):
            raise Violation(
                f"{what} {shape[axis]} in {shape_text(shape)}",
                f"{other} of {shape_text(wanted)} has {wanted[axis]}",
                port=port,
            )
        pairs.append((shape[axis], wanted[axis]))
    if Q is not None and K is not None:
        heads, shared = Q[1], K[1]
        if isinstance(heads, int) and isinstance(shared, int) and (not shared or heads % shared):
            raise Violation(f"{heads} query heads", f"they share {shared} heads of keys", port="Q")
    return pairs


def infer_heads(Q: Shape | None, K: Shape | None, V: Shape | None, at: RuleSite) -> None:
    """The checks of `check_heads`, with what they cannot decide recorded as assumptions."""
    for a, b in check_heads(Q, K, V):
        at.assume(a, b)


def split_heads(packed: NDArray[np.generic], heads: int | None) -> NDArray[np.generic]:
    """(batch, heads, length, size) of a checked array: a view."""
    if packed.ndim == 4:
        return packed
    batch, length, hidden = packed.shape
    count = heads or 1
    return packed.reshape(batch, length, count, hidden // count).transpose(0, 2, 1, 3)


def scores(Q: Floats, K: Floats, scale: float) -> Floats:
    """`Q · Kᵀ × scale`, (batch, query heads, length, key length), in float32 or float64."""
    batch, heads, length, size = Q.shape
    shared = K.shape[1]
    wide = widened(Q)
    # Query heads that share keys are rows of one product.
    rows = (wide * wide.dtype.type(scale)).reshape(batch, shared, heads // shared * length, size)
    product = np.matmul(rows, widened(K).swapaxes(2, 3))
    return product.reshape(batch, heads, length, K.shape[2])


def softmax_in_place(logits: Floats) -> Floats:
    """Turn logits into probabilities along the last axis; a row of -infinity alone becomes zeros.
    Returns the array given.
    """
    top = np.maximum.reduce(logits, axis=-1, keepdims=True, initial=-np.inf)
    top[np.isneginf(top)] = 0
    logits -= top
    np.exp(logits, out=logits)
    # Along short rows einsum is three times faster than add.reduce.
    total = np.einsum("...i->...", logits)[..., None]
    total[total == 0] = 1
    logits /= total
    return logits


def weighted(probabilities: Floats, V: Floats) -> Floats:
    """The values, (batch, heads of values, key length, size), mixed as probabilities (batch, query
    heads, length, key length) say: (batch, query heads, length, size).
    """
    batch, heads, length, keys = probabilities.shape
    shared = V.shape[1]
    rows = probabilities.reshape(batch, shared, heads // shared * length, keys)
    return np.matmul(rows, widened(V)).reshape(batch, heads, length, V.shape[3])
