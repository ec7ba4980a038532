"""Attention as a function of others, and the steps that it shares with FlexAttention's."""

from __future__ import annotations

from functools import reduce
from math import inf

from onnx_explorer.ir import DType
from onnx_explorer.schema import Body, BodyValue


def attention_body(
    f: Body,
    Q: BodyValue,
    K: BodyValue,
    V: BodyValue,
    attn_mask: BodyValue | None = None,
    past_key: BodyValue | None = None,
    past_value: BodyValue | None = None,
    nonpad_kv_seqlen: BodyValue | None = None,
    *,
    is_causal: int,
    kv_num_heads: int | None,
    q_num_heads: int | None,
    qk_matmul_output_mode: int,
    scale: float | None,
    softcap: float,
    softmax_precision: DType | None,
    left_window_size: int = -1,
    right_window_size: int = -1,
) -> tuple[BodyValue, ...] | None:
    """None where the type of Q or of the mask, or Q's rank, is not known."""
    dtype, rank = f.dtype(Q), f.rank(Q)
    if dtype is None or rank is None or (attn_mask is not None and f.dtype(attn_mask) is None):
        return None
    packed = rank == 3
    q = _by_heads(f, Q, q_num_heads) if packed else Q
    k, v = (_by_heads(f, kv, kv_num_heads) if packed else f.Identity(kv) for kv in (K, V))
    if past_key is not None:
        k, v = f.Concat(past_key, k, axis=2), f.Concat(past_value, v, axis=2)
    right = 0 if is_causal else right_window_size
    seen = _seen(f, (q, k), past_key, nonpad_kv_seqlen, left_window_size, right)

    if packed:
        one_to_one = q_num_heads == kv_num_heads
    else:
        one_to_one = f.size(Q, 1) is not None and f.size(Q, 1) == f.size(K, 1)
    keys, values = (x if one_to_one else for_each_head(f, x, q) for x in (k, v))
    wide = precision(dtype)
    q, keys = cast(f, q, dtype, wide), cast(f, keys, dtype, wide)
    values = cast(f, values, f.dtype(V), wide)
    products = scaled_products(f, q, keys, scale)
    capped = products
    if softcap > 0:
        cap = f.constant(softcap, wide)
        capped = f.Mul(f.Tanh(f.Div(products, cap)), cap)
    biased = capped
    if attn_mask is not None:
        is_long = past_key is None and f.size(attn_mask, -1) == f.size(K, rank - 2) is not None
        longer = None if is_long or f.rank(attn_mask) == 0 else k
        if f.dtype(attn_mask) is DType.BOOL:
            mask = _as_long_as(f, attn_mask, longer, None)
            seen = mask if seen is None else f.And(seen, mask)
        else:
            bias = cast(f, attn_mask, f.dtype(attn_mask), wide)
            biased = f.Add(capped, _as_long_as(f, bias, longer, f.constant(-inf, wide)))
    if seen is not None:
        biased = f.Where(seen, biased, f.constant(-inf, wide))
    # A type with fewer digits rounds what goes into softmax.
    named = softmax_precision or wide
    weights = softmax(f, cast(f, biased, wide, named), named, may_hide=biased != capped)
    weights = cast(f, weights, named, wide)
    result = cast(f, f.MatMul(weights, values), wide, dtype)
    if packed:
        result = f.Reshape(f.Transpose(result, perm=[0, 2, 1, 3]), f.constant([0, 0, -1]))
    shown = (products, capped, biased, weights)[qk_matmul_output_mode]
    return result, k, v, cast(f, shown, wide, dtype)


def precision(dtype: DType) -> DType:
    """The type that attention of this type is computed in."""
    return DType.FLOAT64 if dtype is DType.FLOAT64 else DType.FLOAT32


def cast(f: Body, value: BodyValue, dtype: DType | None, to: DType) -> BodyValue:
    """The value in another type; it has type `dtype`, as far as that is known."""
    return value if dtype is to else f.Cast(value, to=to)


def for_each_head(f: Body, shared: BodyValue, q: BodyValue) -> BodyValue:
    """Keys or values, (batch, heads, length, size), repeated so that each head of q has its own."""
    one = f.constant([1])
    times = f.Div(f.Shape(q, start=1, end=2), f.Shape(shared, start=1, end=2))
    repeated = f.Expand(
        f.Unsqueeze(shared, f.constant([2])), f.Concat(one, one, times, one, one, axis=0)
    )
    return f.Reshape(repeated, f.Concat(f.constant([0, -1]), f.Shape(shared, start=2), axis=0))


def scaled_products(f: Body, q: BodyValue, k: BodyValue, scale: float | None) -> BodyValue:
    """`q · kᵀ × scale`; `scale` is 1 / sqrt(head size) unless given."""
    if scale is None:
        factor = f.Reciprocal(f.Sqrt(f.CastLike(f.Shape(q, start=3), q)))
    else:
        factor = f.CastLike(f.constant(scale), q)
    return f.MatMul(f.Mul(q, factor), f.Transpose(k, perm=[0, 1, 3, 2]))


def softmax(f: Body, logits: BodyValue, dtype: DType, *, may_hide: bool) -> BodyValue:
    """Weights along the last axis. Where all of a row may be hidden, it becomes zeros."""
    if not may_hide:
        return f.Softmax(logits, axis=3)
    zero = f.constant(0.0, dtype)
    largest = f.ReduceMax(logits, f.constant([3]))
    hidden = f.Equal(largest, f.constant(-inf, dtype))
    # The softmax of a hidden row would be NaN: a derivative of 0 times that as well.
    return f.Where(hidden, zero, f.Softmax(f.Where(hidden, zero, logits), axis=3))


def _by_heads(f: Body, packed: BodyValue, heads: int | None) -> BodyValue:
    """(batch, heads, length, size) of (batch, length, heads × size)."""
    return f.Transpose(f.Reshape(packed, f.constant([0, 0, heads or 1, -1])), perm=[0, 2, 1, 3])


def _seen(
    f: Body,
    q_and_k: tuple[BodyValue, BodyValue],
    past_key: BodyValue | None,
    filled: BodyValue | None,
    left: int,
    right: int,
) -> BodyValue | None:
    """Whether a query may see a key, by their places; None where it always may."""
    if filled is None and left < 0 and right < 0:
        return None
    zero, one = f.constant(0), f.constant(1)
    queries, keys = (f.Squeeze(f.Shape(x, start=2, end=3)) for x in q_and_k)
    key = f.Range(zero, keys, one)
    conditions: list[BodyValue] = []
    offset = None if past_key is None else f.Shape(past_key, start=2, end=3)
    if filled is not None:
        filled = f.Unsqueeze(filled, f.constant([1, 2, 3]))
        offset = f.Sub(filled, queries)
        conditions.append(f.Less(key, filled))
    query = f.Unsqueeze(f.Range(zero, queries, one), f.constant([1]))
    distance = f.Sub(key, query if offset is None else f.Add(query, offset))
    if right >= 0:
        conditions.append(f.LessOrEqual(distance, f.constant(right)))
    if left >= 0:
        conditions.append(f.GreaterOrEqual(distance, f.constant(-left)))
    return reduce(f.And, conditions)


def _as_long_as(
    f: Body, mask: BodyValue, keys: BodyValue | None, fill: BodyValue | None
) -> BodyValue:
    """The mask, its last axis filled up so that there is one element for each key."""
    if keys is None:
        return mask
    missing = f.Sub(f.Shape(keys, start=2, end=3), f.Shape(mask, start=-1))
    return f.Pad(mask, f.Concat(f.constant([0]), missing, axis=0), fill, f.constant([-1]))
