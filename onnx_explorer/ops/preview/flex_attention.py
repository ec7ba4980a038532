"""FlexAttention: attention with two subgraphs that may change scores and weights on the way.

    scores = score_mod(Q · Kᵀ × scale)
    weights = prob_mod(softmax(scores))
    Y = weights · V

Q is (batch, query heads, query length, size), K (batch, heads, length, size), V (batch, heads, length,
value size). The query heads are a multiple of the heads; neighbours share one. A subgraph takes one
tensor (batch, query heads, query length, length) and returns one of the same shape and type; one
left out changes nothing. `score_mod` masks by writing -infinity.

Scores and weights are float64 for float64 inputs, else float32, unless `softmax_precision` names another type.

Spec: ai.onnx.preview FlexAttention-1
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import known_different
from onnx_explorer.ir import DType, Graph, Node, Value, captured_names, shape_text
from onnx_explorer.ops.nn.attention_body import (
    cast,
    for_each_head,
    precision,
    scaled_products,
    softmax,
)
from onnx_explorer.ops.nn.heads import check_heads, infer_heads, scores, softmax_in_place, weighted
from onnx_explorer.ops.nn.rms_normalization import float_type
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import (
    Abstract,
    AbstractValue,
    Attr,
    Body,
    BodyValue,
    Call,
    Change,
    Operator,
    Port,
    RuleSite,
    Shape,
    Steps,
    Subgraph,
    Violation,
)
from onnx_explorer.schema.typesets import FLOATS_BF16

FLEX_ATTENTION = Operator(
    "FlexAttention",
    domain="ai.onnx.preview",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(
                Port("Q", "T1", "queries, (B, Hq, Sq, D)"),
                Port("K", "T1", "keys, (B, Hkv, S, D)"),
                Port("V", "T1", "values, (B, Hkv, S, Dv)"),
            ),
            outputs=(Port("Y", "T1", "weighted means, (B, Hq, Sq, Dv)"),),
            attributes=(
                Attr("prob_mod", "graph", doc="what is done to the weights"),
                Attr("scale", "float", doc="factor of the products; default 1 / sqrt(size)"),
                Attr("score_mod", "graph", doc="what is done to the products"),
                Attr(
                    "softmax_precision",
                    "int",
                    as_=float_type,
                    doc="number of the type of scores and weights: 1 float32, 10 float16, 11 "
                    "float64, 16 bfloat16",
                ),
            ),
            types={"T1": FLOATS_BF16},
        ),
    ),
)


@FLEX_ATTENTION.infer(since=1)
def infer(
    Q: Abstract,
    K: Abstract,
    V: Abstract,
    *,
    prob_mod: Subgraph | None,
    score_mod: Subgraph | None,
    softmax_precision: DType | None,
    at: RuleSite,
) -> Steps[AbstractValue]:
    _check_ranks(Q.shape, K.shape, V.shape)
    batch, heads, length, _ = Q.shape or (
        K.shape[0] if K.shape else at.fresh("batch"),
        at.fresh("q_heads"),
        at.fresh("q_length"),
        0,
    )
    keys = K.shape[2] if K.shape else V.shape[2] if V.shape else at.fresh("length")
    size = V.shape[3] if V.shape else at.fresh("v_size")
    result = Q.like((batch, heads, length, size))
    at.keep(result)
    infer_heads(Q.shape, K.shape, V.shape, at)
    products = Abstract(_precision(Q.dtype, softmax_precision), (batch, heads, length, keys))
    for name, subgraph in (("score_mod", score_mod), ("prob_mod", prob_mod)):
        if subgraph is not None:
            _check_subgraph(name, subgraph)
            (changed,) = yield Call(subgraph, (products,))
            if isinstance(changed, Abstract) and changed.shape is not None:
                _check_kept(name, changed.shape, products.shape or ())
    return (result,)


def _check_ranks(Q: Shape | None, K: Shape | None, V: Shape | None) -> None:
    for port, shape in (("Q", Q), ("K", K), ("V", V)):
        if shape is not None and len(shape) != 4:
            raise Violation(
                f"rank {len(shape)}", "(batch, heads, length, size)", port=port, code="wrong-rank"
            )


def _check_subgraph(name: str, subgraph: Subgraph) -> None:
    if (subgraph.n_inputs, subgraph.n_outputs) != (1, 1):
        raise Violation(
            f"{name} with {subgraph.n_inputs} inputs and {subgraph.n_outputs} outputs",
            "it takes one tensor and returns one",
        )


def _check_kept(name: str, changed: Shape, given: Shape) -> None:
    if len(changed) != len(given) or any(map(known_different, changed, given)):
        raise Violation(
            f"{name} returned shape {shape_text(changed)}",
            f"it keeps the shape {shape_text(given)}",
        )


def _precision(inputs: DType | None, named: DType | None) -> DType | None:
    if named is not None or inputs is None:
        return named
    return DType.FLOAT64 if inputs is DType.FLOAT64 else DType.FLOAT32


@FLEX_ATTENTION.kernel(since=1)
def flex_attention(
    Q: Floats,
    K: Floats,
    V: Floats,
    *,
    prob_mod: Subgraph | None,
    scale: float | None,
    score_mod: Subgraph | None,
    softmax_precision: DType | None,
) -> Steps[object]:
    _check_ranks(Q.shape, K.shape, V.shape)
    check_heads(Q.shape, K.shape, V.shape)
    precision = _precision(DType.from_numpy(Q.dtype), softmax_precision) or DType.FLOAT32
    factor = 1 / np.sqrt(max(Q.shape[3], 1)) if scale is None else scale
    logits = scores(Q, K, factor).astype(precision.numpy, copy=False)
    if score_mod is not None:
        _check_subgraph("score_mod", score_mod)
        (changed,) = yield Call(score_mod, (logits,))
        logits = _same_shape("score_mod", changed, logits)
    # A subgraph's result may be read by others, so softmax works on a copy.
    wide = widened(logits)
    weights = softmax_in_place(wide.copy() if score_mod and wide is logits else wide)
    weights = weights.astype(precision.numpy, copy=False)
    if prob_mod is not None:
        _check_subgraph("prob_mod", prob_mod)
        (changed,) = yield Call(prob_mod, (weights,))
        weights = _same_shape("prob_mod", changed, weights)
    return (narrowed(weighted(widened(weights), V), Q),)


def _same_shape(name: str, changed: object, given: Floats) -> Floats:
    result = np.asarray(changed)
    _check_kept(name, result.shape, given.shape)
    return result.astype(given.dtype, copy=False)


@FLEX_ATTENTION.body(since=1)
def body(
    f: Body,
    Q: BodyValue,
    K: BodyValue,
    V: BodyValue,
    *,
    prob_mod: Graph | None,
    scale: float | None,
    score_mod: Graph | None,
    softmax_precision: DType | None,
) -> BodyValue | None:
    """None where the type of Q is not known, or where a subgraph uses more than its input and the
    default operator set, which a function does not see.
    """
    dtype = f.dtype(Q)
    mods = [graph for graph in (score_mod, prob_mod) if graph is not None]
    if dtype is None or not all(map(_stands_alone, mods)):
        return None
    wide, named = precision(dtype), softmax_precision or precision(dtype)
    one_to_one = f.size(Q, 1) is not None and f.size(Q, 1) == f.size(K, 1)
    k, v = (x if one_to_one else for_each_head(f, x, Q) for x in (K, V))
    q, k, v = (cast(f, x, dtype, wide) for x in (Q, k, v))
    logits = cast(f, scaled_products(f, q, k, scale), wide, named)
    if score_mod is not None:
        (logits,) = f.inline(score_mod, logits)
    weights = softmax(f, logits, named, may_hide=score_mod is not None)
    if prob_mod is not None:
        (weights,) = f.inline(prob_mod, weights)
    return cast(f, f.MatMul(cast(f, weights, named, wide), v), wide, dtype)


def _stands_alone(graph: Graph) -> bool:
    fits = (len(graph.inputs), len(graph.outputs)) == (1, 1)
    return fits and not captured_names(graph) and not any(node.domain for node in graph.nodes)


# Both keys match the query equally.
FLEX_ATTENTION.example(([[[[0.0]]]], [[[[5.0], [7.0]]]], [[[[1.0], [3.0]]]]), ([[[[2.0]]]],))
FLEX_ATTENTION.example(
    ([[[[0.0]]]], [[[[5.0], [7.0]]]], [[[[1.0], [3.0]]]]),
    ([[[[4.0]]]],),
    prob_mod=Graph(
        "doubled",
        (Node("Add", ("weights", "weights"), ("doubled",)),),
        inputs=(Value("weights"),),
        outputs=(Value("doubled"),),
    ),
)
