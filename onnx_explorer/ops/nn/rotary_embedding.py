"""RotaryEmbedding: turns pairs of features by angles that grow with the position of their token, so that
products of queries and keys depend on how far apart they stand.

A pair (a, b) of position p and pair i becomes `(a cos - b sin, a sin + b cos)` with cos and sin from the
caches, row p, column i. Feature i pairs with feature i + half, or with `interleaved` = 1 its neighbours
2 i and 2 i + 1 form pair i. With `rotary_embedding_dim` > 0 only so many of the first features of each
head are turned; the rest stays.

X is (batch, heads, length, size), or (batch, length, heads × size) and then `num_heads` is needed. The
caches have one row for each position, which `position_ids`, (batch, length), pick; without
them the caches are (batch, length, half), one row for each token.

Spec: ai.onnx RotaryEmbedding-23
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, known_different
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.nn.heads import by_heads, split_heads
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Operator,
    Port,
    RuleSite,
    Shape,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOAT16, FLOAT32, INT64

ROTARY_EMBEDDING = Operator(
    "RotaryEmbedding",
    doc=__doc__,
    history=(
        Change(
            23,
            "first version",
            inputs=(
                Port("X", "T", "(batch, heads, length, size) or (batch, length, heads × size)"),
                Port("cos_cache", "T", "cosines, (positions, half) or (batch, length, half)"),
                Port("sin_cache", "T", "sines, shaped like cos_cache"),
                Port(
                    "position_ids",
                    "M",
                    "which row of the caches each token takes, (batch, length)",
                    option="optional",
                ),
            ),
            outputs=(Port("Y", "T", "X with its features turned, same shape"),),
            attributes=(
                Attr("interleaved", "int", 0, one_of=(0, 1), doc="1: neighbours form pairs"),
                Attr("num_heads", "int", doc="number of heads; for packed X"),
                Attr("rotary_embedding_dim", "int", 0, doc="features that are turned; 0: all"),
            ),
            types={"T": FLOAT32 | FLOAT16 | BF16, "M": INT64},
        ),
    ),
)


@ROTARY_EMBEDDING.infer(since=23)
def infer(
    X: Abstract,
    cos_cache: Abstract,
    sin_cache: Abstract,
    position_ids: Abstract | None = None,
    *,
    num_heads: int | None,
    rotary_embedding_dim: int,
    at: RuleSite,
) -> Abstract:
    at.keep(X.like(X.shape))
    if X.shape is not None:
        heads = by_heads(X.shape, num_heads or None, port="X", attribute="num_heads")
        positions = position_ids and position_ids.shape
        for port, cache in (("cos_cache", cos_cache), ("sin_cache", sin_cache)):
            _check(heads, cache.shape, position_ids is not None, rotary_embedding_dim, port)
        if positions is not None and (
            len(positions) != 2 or any(map(known_different, positions, (heads[0], heads[2])))
        ):
            raise _misplaced(positions, heads)
    return X.like(X.shape)


def _misplaced(positions: Shape, heads: Shape) -> Violation:
    return Violation(
        f"shape {shape_text(positions)}",
        f"one for each token: {shape_text((heads[0], heads[2]))}",
        port="position_ids",
        code="wrong-shape",
    )


def _check(heads: Shape, cache: Shape | None, by_position: bool, turned: int, port: str) -> None:
    """Check a cache against X's shape (batch, heads, length, size)."""
    size: Dim = turned or heads[3]
    if turned < 0 or (isinstance(size, int) and size % 2):
        raise Violation(f"{size} features to turn", "they form pairs, so their number is even")
    if turned and isinstance(heads[3], int) and turned > heads[3]:
        raise Violation(
            f"rotary_embedding_dim = {turned}",
            f"a head has size {heads[3]}",
            code="attribute-value",
        )
    if cache is None:
        return
    rank = 2 if by_position else 3
    if len(cache) != rank:
        expected = (
            "(positions, half)" if by_position else "without position_ids: (batch, length, half)"
        )
        raise Violation(f"shape {shape_text(cache)}", expected, port=port, code="wrong-shape")
    if known_different(2 * cache[rank - 1], size):
        raise Violation(
            f"{cache[rank - 1]} columns", f"half of {size} features that are turned", port=port
        )
    if not by_position and any(map(known_different, cache[:2], (heads[0], heads[2]))):
        raise Violation(
            f"shape {shape_text(cache)}",
            f"one row for each token of {shape_text((heads[0], heads[2]))}",
            port=port,
            code="wrong-shape",
        )


ROTARY_EMBEDDING.cost(since=23)(per_output(3))


@ROTARY_EMBEDDING.kernel(since=23)
def rotary_embedding(
    X: Floats,
    cos_cache: Floats,
    sin_cache: Floats,
    position_ids: NDArray[np.int64] | None = None,
    *,
    interleaved: int,
    num_heads: int | None,
    rotary_embedding_dim: int,
) -> Floats:
    heads = by_heads(X.shape, num_heads or None, port="X", attribute="num_heads")
    for port, cache in (("cos_cache", cos_cache), ("sin_cache", sin_cache)):
        _check(heads, cache.shape, position_ids is not None, rotary_embedding_dim, port)
    cos, sin = widened(cos_cache), widened(sin_cache)
    if position_ids is not None:
        if position_ids.shape != (heads[0], heads[2]):
            raise _misplaced(position_ids.shape, heads)
        cos, sin = _rows(cos, position_ids), _rows(sin, position_ids)
    cos, sin = cos[:, None], sin[:, None]
    seen = widened(cast("Floats", split_heads(X, num_heads)))
    result = np.empty(X.shape, seen.dtype)
    turned = cast("Floats", split_heads(result, num_heads))
    turned[...] = seen
    n = rotary_embedding_dim or seen.shape[3]
    first, second = (
        (slice(0, n, 2), slice(1, n, 2)) if interleaved else (slice(0, n // 2), slice(n // 2, n))
    )
    a, b = seen[..., first], seen[..., second]
    turned[..., first] = a * cos - b * sin
    turned[..., second] = a * sin + b * cos
    return narrowed(result, X)


def _rows(cache: Floats, position_ids: NDArray[np.int64]) -> Floats:
    try:
        return cache[position_ids]
    except IndexError:
        raise Violation(
            f"positions from {position_ids.min()} to {position_ids.max()}",
            f"the caches have {len(cache)} rows",
            port="position_ids",
        ) from None


@ROTARY_EMBEDDING.body(since=23)
def body(
    f: Body,
    X: BodyValue,
    cos_cache: BodyValue,
    sin_cache: BodyValue,
    position_ids: BodyValue | None = None,
    *,
    interleaved: int,
    num_heads: int | None,
    rotary_embedding_dim: int,
) -> BodyValue | None:
    """None where the rank of X is not known."""
    rank = f.rank(X)
    if rank is None:
        return None
    # The heads of a packed X come after the tokens: there they stay, and the caches get an axis.
    heads_axis = f.constant([1 if rank == 4 else 2])
    heads = X if rank == 4 else f.Reshape(X, f.constant([0, 0, num_heads or 1, -1]))

    def factors(cache: BodyValue) -> BodyValue:
        rows = cache if position_ids is None else f.Gather(cache, position_ids)
        return f.Unsqueeze(rows, heads_axis)

    def features(start: int, end: int, step: int = 1) -> BodyValue:
        return f.Slice(heads, *(f.constant([number]) for number in (start, end, 3, step)))

    last = 2**63 - 1
    end = rotary_embedding_dim or last
    if interleaved:
        a, b = features(0, end, 2), features(1, end, 2)
    elif rotary_embedding_dim:
        a, b = features(0, end // 2), features(end // 2, end)
    else:
        a, b = f.node("Split", heads, axis=3, num_outputs=2, outputs=2)
    cos, sin = factors(cos_cache), factors(sin_cache)
    first = f.Sub(f.Mul(a, cos), f.Mul(b, sin))
    second = f.Add(f.Mul(a, sin), f.Mul(b, cos))
    if interleaved:
        axis = f.constant([4])
        pairs = f.Concat(f.Unsqueeze(first, axis), f.Unsqueeze(second, axis), axis=4)
        parts = [f.Reshape(pairs, f.constant([0, 0, 0, -1]))]
    else:
        parts = [first, second]
    if rotary_embedding_dim:
        parts.append(features(end, last))
    turned = f.Concat(*parts, axis=3) if len(parts) > 1 else parts[0]
    return turned if rank == 4 else f.Reshape(turned, f.Shape(X))


# Quarter turns, which make (-b, a) of a pair (a, b).
ROTARY_EMBEDDING.example(
    ([[[[1.0, 2.0, 3.0, 4.0]]]], [[[0.0, 0.0]]], [[[1.0, 1.0]]]), ([[[[-3.0, -4.0, 1.0, 2.0]]]],)
)
ROTARY_EMBEDDING.example(
    ([[[[1.0, 2.0, 3.0, 4.0]]]], [[[0.0, 0.0]]], [[[1.0, 1.0]]]),
    ([[[[-2.0, 1.0, -4.0, 3.0]]]],),
    interleaved=1,
)
