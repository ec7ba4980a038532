"""LinearAttention: attention whose past is one matrix per head, updated with each token, instead of all
keys and values.

For each token t and each head, with the state S of shape (d_k, d_v): the state decays, the value is written under its
key, and the query reads.

    S ← exp(decay_t) × S                         "gated" and "gated_delta" only
    v ← beta_t × (v_t - Sᵀ · k_t)                "delta" and "gated_delta": what S lacks; else v_t
    S ← S + k_t ⊗ v
    output_t = scale × Sᵀ · q_t

All inputs but the state come packed as (batch, length, heads × size). Neighbouring query heads share a head
of keys and values, and with it a state. `decay` has one number for each head, or one for each row of
its state. `scale` = 0 means 1 / sqrt(d_k). States are kept in float32 while they are updated.
`chunk_size` is a hint for parallel machines, without effect on the result.

Spec: ai.onnx LinearAttention-27
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import Dim, floordiv, known_different
from onnx_explorer.ir import DType, shape_text
from onnx_explorer.ops.costs import input_at, sizes_at
from onnx_explorer.ops.nn.heads import by_heads
from onnx_explorer.ops.precision import Floats, narrowed
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Cost,
    Operator,
    Port,
    RuleSite,
    Shape,
    Shapes,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOAT16, FLOAT32

LINEAR_ATTENTION = Operator(
    "LinearAttention",
    doc=__doc__,
    history=(
        Change(
            27,
            "first version",
            inputs=(
                Port("query", "T", "(B, T, Hq × d_k)", differentiable=True),
                Port("key", "T", "(B, T, Hkv × d_k)", differentiable=True),
                Port("value", "T", "(B, T, Hkv × d_v)", differentiable=True),
                Port(
                    "past_state",
                    "S",
                    "state before the first token, (B, Hkv, d_k, d_v); left out: zeros",
                    option="optional",
                    differentiable=False,
                ),
                Port(
                    "decay",
                    "T",
                    "logarithms of what is left of the state, (B, T, Hkv) or (B, T, Hkv × d_k)",
                    option="optional",
                    differentiable=True,
                ),
                Port(
                    "beta",
                    "T",
                    "how much of the difference is written, (B, T, Hkv) or (B, T, 1)",
                    option="optional",
                    differentiable=True,
                ),
            ),
            outputs=(
                Port("output", "T", "what the queries read, (B, T, Hq × d_v)", differentiable=True),
                Port(
                    "present_state",
                    "S",
                    "state after the last token, (B, Hkv, d_k, d_v)",
                    differentiable=False,
                ),
            ),
            attributes=(
                Attr("chunk_size", "int", 64, doc="tokens worked on at once; a hint"),
                Attr("kv_num_heads", "int", required=True, doc="heads of keys and values"),
                Attr("q_num_heads", "int", required=True, doc="heads of queries"),
                Attr("scale", "float", 0.0, doc="factor of the output; 0: 1 / sqrt(d_k)"),
                Attr(
                    "update_rule",
                    "string",
                    "gated_delta",
                    one_of=("linear", "gated", "delta", "gated_delta"),
                    doc="how a token changes the state",
                ),
            ),
            types={"T": FLOAT32 | FLOAT16 | BF16, "S": FLOAT32 | FLOAT16 | BF16},
        ),
    ),
)


@LINEAR_ATTENTION.infer(since=27)
def infer(
    query: Abstract,
    key: Abstract,
    value: Abstract,
    past_state: Abstract | None = None,
    decay: Abstract | None = None,
    beta: Abstract | None = None,
    *,
    kv_num_heads: int,
    q_num_heads: int,
    update_rule: str,
    at: RuleSite,
) -> tuple[Abstract, ...]:
    q, k, v = _unpacked(query.shape, key.shape, value.shape, q_num_heads, kv_num_heads)
    known = q or k or v
    batch, length = (known[0], known[2]) if known else (at.fresh("batch"), at.fresh("length"))
    d_k = q[3] if q else k[3] if k else at.fresh("d_k")
    d_v = v[3] if v else at.fresh("d_v")
    packed: Dim = q_num_heads * d_v
    if value.shape is not None and q_num_heads == kv_num_heads:
        packed = value.shape[2]
    state: Shape = (batch, kv_num_heads, d_k, d_v)
    outputs = (
        query.like((batch, length, packed)),
        Abstract(past_state.dtype if past_state else query.dtype, state),
    )
    at.keep(outputs)
    _check_gates(update_rule, decay is not None, beta is not None)
    if known:
        _check(
            known,
            state,
            past_state and past_state.shape,
            decay and decay.shape,
            beta and beta.shape,
        )
    return outputs


def _unpacked(
    query: Shape | None, key: Shape | None, value: Shape | None, q_heads: int, kv_heads: int
) -> tuple[Shape | None, Shape | None, Shape | None]:
    """Shapes as (batch, heads, length, size), checked against each other."""
    if kv_heads < 1 or q_heads < 1 or q_heads % kv_heads:
        raise Violation(
            f"q_num_heads = {q_heads}",
            f"a multiple of kv_num_heads = {kv_heads}",
            code="attribute-value",
        )
    shapes = {"query": query, "key": key, "value": value}
    for port, shape in shapes.items():
        if shape is not None and len(shape) != 3:
            raise Violation(
                f"rank {len(shape)}", "(batch, length, heads × size)", port=port, code="wrong-rank"
            )
    found = {
        port: shape
        and by_heads(
            shape,
            q_heads if port == "query" else kv_heads,
            port=port,
            attribute="q_num_heads" if port == "query" else "kv_num_heads",
        )
        for port, shape in shapes.items()
    }
    for port, other, axes in (
        ("key", "query", (0, 2, 3)),
        ("value", "query", (0, 2)),
        ("value", "key", (0, 2)),
    ):
        a, b = found[port], found[other]
        if a is None or b is None:
            continue
        if any(known_different(a[axis], b[axis]) for axis in axes):
            raise Violation(
                f"{shape_text(a)} as (batch, heads, length, size)",
                f"{other} is {shape_text(b)}",
                port=port,
            )
    return found["query"], found["key"], found["value"]


def _check_gates(update_rule: str, decay: bool, beta: bool) -> None:
    for port, given, needed in (
        ("decay", decay, "gated" in update_rule),
        ("beta", beta, "delta" in update_rule),
    ):
        if given != needed:
            raise Violation(
                f"update_rule = {update_rule!r} {'with' if given else 'without'} {port}",
                f"it {'needs' if needed else 'has no use for'} {port}",
                port=port,
                code="input-value",
            )


def _check(
    known: Shape, state: Shape, past_state: Shape | None, decay: Shape | None, beta: Shape | None
) -> None:
    batch, length = known[0], known[2]
    heads, d_k = state[1], state[2]
    if past_state is not None and (
        len(past_state) != 4 or any(map(known_different, past_state, state))
    ):
        raise Violation(
            f"shape {shape_text(past_state)}",
            f"the state is {shape_text(state)}",
            port="past_state",
            code="wrong-shape",
        )
    for port, shape, last in (("decay", decay, (heads, heads * d_k)), ("beta", beta, (heads, 1))):
        if shape is None:
            continue
        fits = len(shape) == 3 and not any(map(known_different, shape[:2], (batch, length)))
        if not fits or all(known_different(shape[2], size) for size in last):
            allowed = " or ".join(shape_text((batch, length, size)) for size in last)
            raise Violation(f"shape {shape_text(shape)}", allowed, port=port, code="wrong-shape")


@LINEAR_ATTENTION.cost(since=27)
def cost(
    inputs: Shapes, outputs: Shapes, *, kv_num_heads: int, q_num_heads: int, update_rule: str
) -> Cost:
    """Each token: every query reads the state of its head, and every key writes to its own; what a
    state lacks is read once more, and what decays is multiplied.
    """
    query, value = sizes_at(inputs, 0), sizes_at(inputs, 2)
    states = value[2] * floordiv(query[2], q_num_heads)
    read = query[2] * floordiv(value[2], kv_num_heads)
    macs, other = read + states, sizes_at(outputs, 0)[2]
    if "delta" in update_rule:
        macs, other = macs + states, other + 2 * value[2]
    decay = input_at(inputs, 4)
    if "gated" in update_rule and decay is not None:
        other = other + states + decay[2]
    tokens = query[0] * query[1]
    return Cost(tokens * macs, tokens * other)


@LINEAR_ATTENTION.kernel(since=27)
def linear_attention(
    query: Floats,
    key: Floats,
    value: Floats,
    past_state: Floats | None = None,
    decay: Floats | None = None,
    beta: Floats | None = None,
    *,
    kv_num_heads: int,
    q_num_heads: int,
    scale: float,
    update_rule: str,
) -> tuple[Floats, Floats]:
    _unpacked(query.shape, key.shape, value.shape, q_num_heads, kv_num_heads)
    _check_gates(update_rule, decay is not None, beta is not None)
    batch, length = query.shape[:2]
    group = q_num_heads // kv_num_heads
    # Query heads that share a state stand in an axis of their own: one product reads for all.
    q = _by_token(query, kv_num_heads, group)
    k = _by_token(key, kv_num_heads, 1)
    v = _by_token(value, kv_num_heads, 1)
    d_k, d_v = k.shape[4], v.shape[4]
    state_shape = (batch, kv_num_heads, d_k, d_v)
    _check(
        (batch, kv_num_heads, length, d_k),
        state_shape,
        None if past_state is None else past_state.shape,
        None if decay is None else decay.shape,
        None if beta is None else beta.shape,
    )
    state = np.zeros(state_shape, np.float32)
    if past_state is not None:
        state[...] = past_state
    kept = None if decay is None else _kept(decay, kv_num_heads)
    rate = None if beta is None else beta.astype(np.float32).transpose(1, 0, 2)[..., None, None]
    output = np.empty((length, batch, kv_num_heads, group, d_v), np.float32)
    for t in range(length):
        if kept is not None:
            state *= kept[t]
        written = v[t] if rate is None else rate[t] * (v[t] - np.matmul(k[t], state))
        state += k[t].swapaxes(2, 3) * written
        np.matmul(q[t], state, out=output[t])
    output *= np.float32(scale or 1 / np.sqrt(max(d_k, 1)))
    packed = output.transpose(1, 0, 2, 3, 4).reshape(batch, length, q_num_heads * d_v)
    return narrowed(packed, query), narrowed(state, query if past_state is None else past_state)


def _by_token(packed: Floats, heads: int, group: int) -> Floats:
    """(batch, length, heads × group × size) as float32 (length, batch, heads, group, size)."""
    batch, length, hidden = packed.shape
    parts = packed.reshape(batch, length, heads, group, hidden // (heads * group))
    return parts.astype(np.float32).transpose(1, 0, 2, 3, 4)


def _kept(decay: Floats, heads: int) -> Floats:
    """What is left of the state at each token, (length, batch, heads, 1 or d_k, 1)."""
    batch, length, last = decay.shape
    parts = np.exp(decay.astype(np.float32)).reshape(batch, length, heads, last // heads)
    return parts.transpose(1, 0, 2, 3)[..., None]


@LINEAR_ATTENTION.body(since=27)
def body(
    f: Body,
    query: BodyValue,
    key: BodyValue,
    value: BodyValue,
    past_state: BodyValue | None = None,
    decay: BodyValue | None = None,
    beta: BodyValue | None = None,
    *,
    kv_num_heads: int,
    q_num_heads: int,
    scale: float,
) -> tuple[BodyValue, BodyValue]:
    """A Scan along the tokens, which carries the state."""

    def parts(packed: BodyValue, *sizes: int) -> BodyValue:
        """A packed input in float32, with axes of these sizes after batch and length."""
        return f.Reshape(f.Cast(packed, to=DType.FLOAT32), f.constant([0, 0, *sizes]))

    heads = f.constant([kv_num_heads])
    d_k, d_v = (f.Div(f.Shape(packed, start=2), heads) for packed in (key, value))
    # Query heads that share a state are rows, keys are columns and values rows.
    tokens = {
        "q_t": parts(query, kv_num_heads, q_num_heads // kv_num_heads, -1),
        "k_t": parts(key, kv_num_heads, -1, 1),
        "v_t": parts(value, kv_num_heads, 1, -1),
    }
    if decay is not None:
        tokens["kept_t"] = f.Exp(parts(decay, kv_num_heads, -1, 1))
    if beta is not None:
        tokens["rate_t"] = parts(beta, -1, 1, 1)

    def token(
        g: Body, state: BodyValue, q: BodyValue, k: BodyValue, v: BodyValue, *gates: BodyValue
    ) -> tuple[BodyValue, ...]:
        if decay is not None:
            state = g.Mul(state, gates[0])
        if beta is not None:
            lacking = g.Sub(v, g.MatMul(g.Transpose(k, perm=[0, 1, 3, 2]), state))
            v = g.Mul(gates[-1], lacking)
        state = g.Add(state, g.MatMul(k, v))
        return state, g.MatMul(q, state)

    if past_state is None:
        sizes = f.Concat(f.Shape(query, end=1), heads, d_k, d_v, axis=0)
        state = f.ConstantOfShape(sizes)
    else:
        state = f.Cast(past_state, to=DType.FLOAT32)
    state, read = f.node(
        "Scan",
        state,
        *tokens.values(),
        outputs=2,
        body=f.subgraph(token, "state", *tokens),
        num_scan_inputs=len(tokens),
        scan_input_axes=[1] * len(tokens),
        scan_output_axes=[1],
    )
    if scale:
        read = f.Mul(read, f.constant(scale))
    else:
        read = f.Div(read, f.Sqrt(f.Cast(d_k, to=DType.FLOAT32)))
    output = f.Reshape(read, f.constant([0, 0, -1]))
    return f.CastLike(output, query), f.CastLike(state, past_state or query)


LINEAR_ATTENTION.example(
    ([[[1.0], [1.0]]], [[[1.0], [1.0]]], [[[2.0], [3.0]]]),
    ([[[2.0], [5.0]]], [[[[5.0]]]]),
    q_num_heads=1,
    kv_num_heads=1,
    update_rule="linear",
)
# The second value overwrites the first: their keys are the same.
LINEAR_ATTENTION.example(
    ([[[1.0], [1.0]]], [[[1.0], [1.0]]], [[[2.0], [3.0]]], None, None, [[[1.0], [1.0]]]),
    ([[[2.0], [3.0]]], [[[[3.0]]]]),
    q_num_heads=1,
    kv_num_heads=1,
    update_rule="delta",
)
