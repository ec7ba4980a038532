"""Attention: each query takes a mean of the values, weighted by how well their keys match it.

`Y = softmax(Q · Kᵀ × scale + bias) · V`, for each sample and each head; `scale` is 1 / sqrt(head size)
unless given. Inputs have the shape (batch, heads, length, size), or they come packed as (batch,
length, heads × size), and then `q_num_heads` and `kv_num_heads` are needed; Y comes packed as well.
With fewer heads of keys and values than of queries, neighbouring query heads share one. With
`softcap` > 0 the products become `softcap × tanh(product / softcap)` before the bias.

The bias says which keys a query may see. A boolean `attn_mask` is true where it may, a mask of numbers
is added. It broadcasts to (batch, query heads, query length, key length); if its last axis is shorter,
the keys beyond are hidden. A query that may see nothing gives zeros.

Queries stand at positions `offset`, `offset + 1`, ... among the keys. `offset` is the length of `past_key`;
or `nonpad_kv_seqlen - query length`, for each sample; else 0. With `is_causal` = 1 keys behind the
query's position are hidden; `left_window_size` and `right_window_size` hide those further away than that, -1
sets no limit.

Keys and values may grow from step to step: `present_key` is `past_key` followed by K, and all of it
is seen. Or a cache of fixed size comes in as K and V, and `nonpad_kv_seqlen` says how much of it is
filled.

`qk_matmul_output` shows the products: 0 as they are (scaled), 1 after softcap, 2 with the bias, 3 after
softmax. 16-bit floats are computed in float32; `softmax_precision` names the type for softmax.

Spec: ai.onnx Attention-25
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, known_different
from onnx_explorer.ir import DType, shape_text
from onnx_explorer.ops.costs import input_at, sizes_at
from onnx_explorer.ops.nn.attention_body import attention_body
from onnx_explorer.ops.nn.dot_product import Frame, Head
from onnx_explorer.ops.nn.heads import (
    by_heads,
    check_heads,
    infer_heads,
    split_heads,
)
from onnx_explorer.ops.nn.rms_normalization import float_type
from onnx_explorer.ops.precision import Floats, narrowed
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Cost,
    Operator,
    Port,
    RuleSite,
    RunSite,
    Shape,
    Shapes,
    Violation,
)
from onnx_explorer.schema.typesets import BOOL, FLOATS_BF16, NUMBERS_BF16

INPUTS = (
    Port("Q", "T1", "queries, (B, Hq, Sq, D) or (B, Sq, Hq × D)"),
    Port("K", "T1", "keys, (B, Hkv, S, D) or (B, S, Hkv × D)"),
    Port("V", "T2", "values, (B, Hkv, S, Dv) or (B, S, Hkv × Dv)"),
    Port(
        "attn_mask",
        "U",
        "which keys are seen (boolean), or what is added; broadcasts to (B, Hq, Sq, P + S)",
        option="optional",
    ),
    Port("past_key", "T1", "keys of earlier steps, (B, Hkv, P, D)", option="optional"),
    Port("past_value", "T2", "values of earlier steps, (B, Hkv, P, Dv)", option="optional"),
)

ATTENTION = Operator(
    "Attention",
    doc=__doc__,
    history=(
        Change(
            23,
            "first version",
            inputs=INPUTS,
            outputs=(
                Port("Y", "T1", "weighted means, (B, Hq, Sq, Dv) or (B, Sq, Hq × Dv) like Q"),
                Port("present_key", "T1", "past_key and K, (B, Hkv, P + S, D)", option="optional"),
                Port(
                    "present_value",
                    "T2",
                    "past_value and V, (B, Hkv, P + S, Dv)",
                    option="optional",
                ),
                Port(
                    "qk_matmul_output",
                    "T1",
                    "the products at the stage named, (B, Hq, Sq, P + S)",
                    option="optional",
                ),
            ),
            attributes=(
                Attr("is_causal", "int", 0, one_of=(0, 1), doc="1 hides keys behind the query"),
                Attr("kv_num_heads", "int", doc="heads of keys and values; for packed inputs"),
                Attr("q_num_heads", "int", doc="heads of queries; for packed inputs"),
                Attr(
                    "qk_matmul_output_mode",
                    "int",
                    0,
                    one_of=(0, 1, 2, 3),
                    doc="stage of qk_matmul_output: 0 products, 1 capped, 2 with bias, 3 softmax",
                ),
                Attr("scale", "float", doc="factor of the products; default 1 / sqrt(head size)"),
                Attr("softcap", "float", 0.0, doc="bound of the products; 0: none"),
                Attr(
                    "softmax_precision",
                    "int",
                    as_=float_type,
                    doc="number of the type for softmax: 1 float32, 10 float16, 11 float64, "
                    "16 bfloat16",
                ),
            ),
            types={"T1": FLOATS_BF16, "T2": FLOATS_BF16, "U": NUMBERS_BF16 | BOOL},
        ),
        Change(
            24,
            "a cache of fixed size, filled in part",
            inputs=(
                *INPUTS,
                Port(
                    "nonpad_kv_seqlen",
                    "tensor(int64)",
                    "how many keys of each sample are filled, (B,)",
                    option="optional",
                ),
            ),
        ),
        Change(
            25,
            "windows",
            attributes=(
                Attr("left_window_size", "int", -1, doc="keys seen before the query; -1: all"),
                Attr("right_window_size", "int", -1, doc="keys seen after the query; -1: all"),
            ),
        ),
    ),
)


@ATTENTION.infer(since=23)
def infer(
    Q: Abstract,
    K: Abstract,
    V: Abstract,
    attn_mask: Abstract | None = None,
    past_key: Abstract | None = None,
    past_value: Abstract | None = None,
    nonpad_kv_seqlen: Abstract | None = None,
    *,
    kv_num_heads: int | None,
    q_num_heads: int | None,
    left_window_size: int = -1,
    right_window_size: int = -1,
    at: RuleSite,
) -> tuple[Abstract, ...]:
    _check_use(
        past_key is not None,
        past_value is not None,
        nonpad_kv_seqlen is not None,
        (left_window_size, right_window_size),
    )
    q, k, v = _unpacked((Q.shape, K.shape, V.shape), q_num_heads, kv_num_heads)
    batch = q[0] if q else k[0] if k else v[0] if v else at.fresh("batch")
    q_heads, length = (q[1], q[2]) if q else (at.fresh("q_heads"), at.fresh("q_length"))
    size = v[3] if v else at.fresh("v_size")
    kv_heads = k[1] if k else v[1] if v else at.fresh("kv_heads")
    keys = _total(k or v, past_key or past_value, past_key is not None, at)
    k_size = k[3] if k else q[3] if q else at.fresh("k_size")
    packed = None if Q.shape is None else len(Q.shape) == 3
    result: Shape | None = (batch, q_heads, length, size)
    if packed:
        result = (batch, length, _packed_size(V.shape, q_heads, size, kv_num_heads))
    outputs = (
        Q.like(None if packed is None else result),
        K.like((batch, kv_heads, keys, k_size)),
        V.like((batch, kv_heads, keys, size)),
        Q.like((batch, q_heads, length, keys)),
    )
    at.keep(outputs)
    infer_heads(q, k, v, at)
    _check_past(k, past_key and past_key.shape, "past_key")
    _check_past(v, past_value and past_value.shape, "past_value")
    _check_mask((batch, q_heads, length, keys), attn_mask and attn_mask.shape)
    return outputs


def _unpacked(
    shapes: tuple[Shape | None, Shape | None, Shape | None],
    q_num_heads: int | None,
    kv_num_heads: int | None,
) -> tuple[Shape | None, Shape | None, Shape | None]:
    """Shapes of Q, K and V as (batch, heads, length, size)."""
    q, k, v = shapes
    ranks = {len(shape) for shape in shapes if shape is not None}
    if len(ranks) > 1:
        text = ", ".join("?" if shape is None else shape_text(shape) for shape in shapes)
        raise Violation(f"Q, K and V of shapes {text}", "all have rank 3, or all have rank 4")
    return (
        q and by_heads(q, q_num_heads, port="Q", attribute="q_num_heads"),
        k and by_heads(k, kv_num_heads, port="K", attribute="kv_num_heads"),
        v and by_heads(v, kv_num_heads, port="V", attribute="kv_num_heads"),
    )


def _packed_size(V: Shape | None, q_heads: Dim, size: Dim, kv_num_heads: int | None) -> Dim:
    """The last axis of a packed Y."""
    if V is not None and isinstance(q_heads, int) and q_heads == kv_num_heads:
        return V[2]
    return q_heads * size


def _total(kv: Shape | None, past: Abstract | None, has_past: bool, at: RuleSite) -> Dim:
    if kv is None or (has_past and (past is None or past.shape is None or len(past.shape) != 4)):
        return at.fresh("total_length")
    if past is None or past.shape is None:
        return kv[2]
    return past.shape[2] + kv[2]


def _check_use(past_key: bool, past_value: bool, nonpad: bool, windows: tuple[int, int]) -> None:
    if past_key != past_value:
        given, missing = ("past_key", "past_value") if past_key else ("past_value", "past_key")
        raise Violation(f"{given} without {missing}", "the two are given together")
    if nonpad and past_key:
        raise Violation(
            "nonpad_kv_seqlen and past_key", "it describes a cache that K and V already are"
        )
    for name, size in zip(("left_window_size", "right_window_size"), windows, strict=True):
        if size < -1:
            raise Violation(
                f"{name} = {size}", "-1 for no limit, or 0 and more", code="attribute-value"
            )


def _check_past(new: Shape | None, past: Shape | None, port: str) -> None:
    if past is None:
        return
    if len(past) != 4 or (
        new is not None and any(known_different(past[axis], new[axis]) for axis in (0, 1, 3))
    ):
        expected = (
            "(batch, heads, past length, size)"
            if new is None
            else (f"apart from its length it is {shape_text(new)}")
        )
        raise Violation(f"shape {shape_text(past)}", expected, port=port, code="wrong-shape")


def _check_mask(products: Shape, mask: Shape | None) -> None:
    """The mask's last axis may be shorter than that of the products."""
    if mask is None or not mask:
        return
    aligned = products[max(4 - len(mask), 0) :]
    last, keys = mask[len(mask) - 1], products[3]
    too_long = isinstance(last, int) and isinstance(keys, int) and last > keys
    if len(mask) > 4 or too_long or any(map(_cannot_spread, mask[:-1], aligned[:-1])):
        raise Violation(
            f"shape {shape_text(mask)}",
            f"it must broadcast to {shape_text(products)}",
            port="attn_mask",
            code="wrong-shape",
        )


def _cannot_spread(size: Dim, to: Dim) -> bool:
    return known_different(size, 1) and known_different(size, to)


@ATTENTION.cost(since=23)
def cost(inputs: Shapes, outputs: Shapes, *, q_num_heads: int | None) -> Cost:
    """Each query meets each key and each value in every head; the softmax of the products."""
    Q, K, Y = sizes_at(inputs, 0), sizes_at(inputs, 1), sizes_at(outputs, 0)
    past = input_at(inputs, 4)
    batch, *heads, queries, size = Q
    keys = K[len(K) - 2] + (past[2] if past else 0)
    # Packed, the last axis holds all heads.
    n_heads: Dim = heads[0] if heads else q_num_heads or 1
    pairs = batch * queries * keys
    products = (size + Y[len(Y) - 1]) * (n_heads if heads else 1)
    return Cost(pairs * products, 5 * pairs * n_heads)


@ATTENTION.kernel(since=23)
def attention(
    Q: Floats,
    K: Floats,
    V: Floats,
    attn_mask: NDArray[np.generic] | None = None,
    past_key: Floats | None = None,
    past_value: Floats | None = None,
    nonpad_kv_seqlen: NDArray[np.int64] | None = None,
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
    at: RunSite,
) -> tuple[Floats | None, ...]:
    _check_use(
        past_key is not None,
        past_value is not None,
        nonpad_kv_seqlen is not None,
        (left_window_size, right_window_size),
    )
    check_heads(*_unpacked((Q.shape, K.shape, V.shape), q_num_heads, kv_num_heads))
    q = cast("Floats", split_heads(Q, q_num_heads))
    k = cast("Floats", split_heads(K, kv_num_heads))
    v = cast("Floats", split_heads(V, kv_num_heads))
    if past_key is not None and past_value is not None:
        _check_past(k.shape, past_key.shape, "past_key")
        _check_past(v.shape, past_value.shape, "past_value")
        k = np.concatenate((past_key, k), axis=2)
        v = np.concatenate((past_value, v), axis=2)
    products = (q.shape[0], q.shape[1], q.shape[2], k.shape[2])
    _check_mask(products, None if attn_mask is None else attn_mask.shape)
    past = 0 if past_key is None else past_key.shape[2]
    frame = Frame(past, nonpad_kv_seqlen, bool(is_causal), left_window_size, right_window_size)
    head = Head(
        1 / np.sqrt(max(q.shape[3], 1)) if scale is None else scale, softcap, softmax_precision
    )
    hidden = frame.hidden(products[0], products[2], products[3])
    if at.wanted[3:] == (True,):
        shown = np.empty(products, Q.dtype)
        result = head.attend(q, k, v, attn_mask, hidden, (qk_matmul_output_mode, shown))
    else:
        shown = None
        result = head.by_blocks(q, k, v, attn_mask, hidden)
    result = narrowed(result, Q)
    if Q.ndim == 3:
        heads, width = result.shape[1], result.shape[3]
        result = result.transpose(0, 2, 1, 3).reshape(Q.shape[0], Q.shape[1], heads * width)
    return result, k, v, shown


ATTENTION.body(since=23)(attention_body)

# Both keys match the query equally.
ATTENTION.example(([[[[0.0]]]], [[[[5.0], [7.0]]]], [[[[1.0], [3.0]]]]), ([[[[2.0]]]],))
# The first query sees the first key alone.
ATTENTION.example(
    ([[[[0.0], [0.0]]]], [[[[5.0], [7.0]]]], [[[[1.0], [3.0]]]]), ([[[[1.0], [2.0]]]],), is_causal=1
)
ATTENTION.example(
    ([[[[0.0]]]], [[[[5.0], [7.0]]]], [[[[1.0], [3.0]]]], [[False, False]]), ([[[[0.0]]]],)
)
