"""Cases that the specification decides and others read otherwise: what arithmetic gives, and what
onnx's ReferenceEvaluator and onnxruntime give instead. The documentation lists them in this order.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, nan

import numpy as np

from tests.versions.worked import Worked, worked

ML = "ai.onnx.ml"
LOWEST = np.finfo(np.float32).min


@dataclass(frozen=True)
class Disagreement:
    """A worked case, and the outputs of those who differ; None: agrees, or does not run it."""

    case: Worked
    reference: tuple[object, ...] | None = None
    onnxruntime: tuple[object, ...] | None = None

    def __str__(self):
        return "-".join([self.case.op, *map(str, self.case.versions)])


def row(op, version, inputs, outputs, *, reference=None, onnxruntime=None, **attributes):
    case = worked(op, (version,), inputs, outputs, **attributes)
    return Disagreement(case, reference, onnxruntime)


def stopping(outer):
    """Doubles what is carried, and asks to stop."""
    inner = outer.subgraph()
    inner.input("iteration", "int64[]")
    inner.input("on", "bool[]")
    carried = inner.input("carried", "float32[1]")
    inner.output(inner.op("Constant", value=np.array(False)))
    inner.output(inner.op("Add", carried, carried))
    return inner


STUMP = {
    "nodes_treeids": [0, 0, 0],
    "nodes_nodeids": [0, 1, 2],
    "nodes_featureids": [0, 0, 0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_values": [0.5, 0.0, 0.0],
    "nodes_truenodeids": [1, 0, 0],
    "nodes_falsenodeids": [2, 0, 0],
    "class_treeids": [0, 0],
    "class_nodeids": [1, 2],
    "class_ids": [0, 1],
    "class_weights": [1.0, 2.0],
}
LINE = [[[1.0, 3.0]]]
TWO_PICTURES = [[[[1.0, 2.0], [3.0, 4.0]]], [[[5.0, 6.0], [7.0, 8.0]]]]
TWO_STEPS = [[[1.0], [1.0]], [[1.0], [1.0]]]
ONES = [[[[1.0], [1.0]]]]

DISAGREEMENTS = (
    row(
        "AffineGrid",
        20,
        (np.array([[[1.0, 0.0, 0.5], [0.0, 1.0, 0.25]]]), [1, 1, 1, 1]),
        (np.array([[[[0.5, 0.25]]]]),),
        reference=([[[[0.5, 0.25]]]],),
    ),
    row(
        "Attention",
        23,
        (ONES, ONES, ONES),
        (ONES, None, None, [[[[1.0, -inf], [1.0, 1.0]]]]),
        onnxruntime=(ONES, [[[[1.0, LOWEST], [1.0, 1.0]]]]),
        is_causal=1,
        qk_matmul_output_mode=2,
    ),
    row(
        "AveragePool",
        1,
        (LINE,),
        ([[[1.0, 2.0, 3.0]]],),
        reference=([[[0.5, 2.0, 1.5]]],),
        kernel_shape=[2],
        pads=[1, 1],
    ),
    # (5 − 1) / √4 × 3 + 1; the peer mixes the batch in: mean 1.4, variance 3.6
    row(
        "BatchNormalization",
        9,
        ([[5.0]], [3.0], [1.0], [1.0], [4.0]),
        ([[7.0]],),
        reference=([[3.6 / 3.6**0.5 * 3 + 1]],),
        epsilon=0.0,
    ),
    row("Bernoulli", 15, ([0.0, 1.0],), ([0.0, 1.0],), onnxruntime=([1.0, 0.0],)),
    # Size 2 × 3; the padding of −1 is one more element, at the end.
    row(
        "ConvTranspose",
        11,
        ([[[1.0, 1.0]]], [[[1.0, 1.0]]]),
        ([[[1.0, 1.0, 0.0, 1.0, 1.0, 0.0]]],),
        reference=([[[0.0, 1.0, 1.0, 0.0, 1.0, 1.0]]],),
        onnxruntime=([[[1.0, 1.0, 0.0, 1.0, 1.0]]],),
        strides=[3],
        auto_pad="SAME_UPPER",
    ),
    row(
        "DictVectorizer",
        1,
        ({"a": np.float32(4.0)},),
        ([4.0, 0.0],),
        reference=(np.array([4.0, 0.0]),),
        onnxruntime=([[4.0, 0.0]],),
        domain=ML,
        string_vocabulary=["a", "b"],
    ),
    row("Dropout", 10, ([2.0],), ([2.0], [True]), onnxruntime=([2.0], [False])),
    row("GlobalMaxPool", 1, (LINE,), ([[[3.0]]],), reference=([[3.0]],)),
    # z is 1/2 and the new state relu(4); the peer takes tanh(4) all the same
    row(
        "GRU",
        14,
        ([[[1.0]]], [[[0.0], [0.0], [4.0]]], [[[0.0], [0.0], [0.0]]]),
        ([[[[2.0]]]],),
        reference=([[[[np.tanh(4.0) / 2]]]],),
        hidden_size=1,
        activations=["Sigmoid", "Relu"],
    ),
    row(
        "LabelEncoder",
        4,
        ([nan, 1.0],),
        ([7, 8],),
        reference=([-1, 8],),
        domain=ML,
        keys_floats=[nan, 1.0],
        values_int64s=[7, 8],
    ),
    # Both elements are 1 in float32. In float64 their variance is epsilon: ±1 / √2.
    row(
        "LayerNormalization",
        17,
        (np.array([[1 - 2.0**-27, 1 + 2.0**-27]]), np.ones(2)),
        (np.zeros((1, 2)),),
        reference=(np.array([[-(0.5**0.5), 0.5**0.5]]),),
        onnxruntime=(np.array([[-(0.5**0.5), 0.5**0.5]]),),
        epsilon=2.0**-54,
    ),
    row(
        "LinearRegressor",
        1,
        ([[1.0, 2.0]],),
        ([[3.0]],),
        reference=([[nan]],),
        domain=ML,
        coefficients=[1.0, 1.0],
    ),
    row(
        "Loop",
        16,
        (3, None, [1.0]),
        ([8.0],),
        reference=([1.0],),
        onnxruntime=([2.0],),
        body=stopping,
    ),
    row(
        "LpNormalization",
        22,
        ([3.0, -4.0],),
        ([3 / 7, -4 / 7],),
        reference=([-3.0, 4.0],),
        axis=0,
        p=1,
    ),
    # x / (1 + the squares of the channel and its neighbours)
    row(
        "LRN",
        13,
        ([[[[1.0]], [[2.0]], [[3.0]]]],),
        ([[[[1 / 6]], [[2 / 15]], [[3 / 14]]]],),
        reference=([[[[1 / 6]], [[2.0]], [[3.0]]]],),
        size=3,
        alpha=3.0,
        beta=1.0,
    ),
    row(
        "MaxPool",
        11,
        ([[[1.0, 2.0, 3.0, 4.0, 5.0]]],),
        ([[[2.0, 3.0, 4.0, 5.0, 4.0]]],),
        onnxruntime=([[[3.0, 4.0, 5.0, 4.0]]],),
        kernel_shape=[2],
        dilations=[2],
        auto_pad="SAME_UPPER",
    ),
    row(
        "MaxPool",
        22,
        ([[[[1.0, 2.0], [3.0, 4.0]]]],),
        ([[[[1.0, 2.0, 2.0], [3.0, 4.0, 4.0], [3.0, 4.0, 4.0]]]],),
        reference=(
            [
                [
                    [
                        [1.0, 2.0, 2.0, 0.0, 0.0],
                        [3.0, 4.0, 4.0, 0.0, 0.0],
                        [3.0, 4.0, 4.0, 0.0, 0.0],
                        [0.0] * 5,
                        [0.0] * 5,
                    ]
                ]
            ],
        ),
        kernel_shape=[2, 2],
        pads=[1, 1, 1, 1],
        ceil_mode=1,
    ),
    # Two rows of two without an output shape: 3 is the last of the second.
    row(
        "MaxUnpool",
        11,
        ([[[[5.0], [6.0]]]], [[[[0], [3]]]], [1, 1, 2, 3]),
        ([[[[5.0, 0.0, 0.0], [0.0, 6.0, 0.0]]]],),
        onnxruntime=([[[[5.0, 0.0, 0.0], [6.0, 0.0, 0.0]]]],),
        kernel_shape=[1, 2],
        strides=[1, 2],
    ),
    row(
        "MeanVarianceNormalization",
        13,
        ([[1.5, 1.5]],),
        ([[0.0, 0.0]],),
        onnxruntime=([[nan, nan]],),
        axes=[1],
    ),
    row(
        "NonZero",
        13,
        (2.0,),
        (np.zeros((0, 1), np.int64),),
        onnxruntime=([[0]],),
    ),
    row(
        "Normalizer",
        1,
        ([[-4.0, 2.0]],),
        ([[-2.0, 1.0]],),
        reference=([[-1.0, 0.5]],),
        domain=ML,
        norm="MAX",
    ),
    row(
        "OneHot",
        9,
        ([0.0, -1.0], 3.0, [0.0, 1.0]),
        ([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],),
        reference=([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],),
        onnxruntime=([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],),
    ),
    row(
        "OneHot",
        11,
        ([0.5, 1.0], 2.0, [0.0, 1.0]),
        ([[1.0, 0.0], [0.0, 1.0]],),
        reference=([[0.0, 0.0], [0.0, 1.0]],),
    ),
    row(
        "OneHotEncoder",
        1,
        ([[0.5]],),
        ([[[1.0, 0.0]]],),
        reference=([[[0.0, 0.0]]],),
        domain=ML,
        cats_int64s=[0, 1],
    ),
    row(
        "Range",
        11,
        (0.0, 1.0, 0.1),
        ((np.arange(10, dtype=np.float32) * np.float32(0.1)),),
        onnxruntime=(np.cumsum([0.0, *[np.float32(0.1)] * 9], dtype=np.float32),),
    ),
    row(
        "ReduceMean",
        18,
        (np.zeros((1, 0), np.float32), [1]),
        ([[nan]],),
        onnxruntime=([[0.0]],),
    ),
    row(
        "ReduceSumSquare",
        11,
        (np.array([1, 2], np.int32),),
        (np.array([5], np.int32),),
        reference=([5],),
    ),
    # The second of two columns stands at (4 − 1) / (4 × 0.6 − 1) of the input, not at its end.
    row(
        "Resize",
        19,
        ([[[[1.0, 2.0, 3.0, 4.0]]]], None, [1.0, 1.0, 1.0, 0.6]),
        ([[[[1.0, 1 + 3 / 1.4]]]],),
        onnxruntime=([[[[1.0, 4.0]]]],),
        mode="linear",
        coordinate_transformation_mode="align_corners",
    ),
    row(
        "RNN",
        14,
        (TWO_STEPS, [[[log(2)]]], [[[0.0]]], None, np.array([1, 2], np.int32)),
        ([[[[0.6], [0.6]]], [[[0.0], [0.6]]]],),
        reference=([[[[0.6], [0.6]]], [[[0.6], [0.6]]]],),
        hidden_size=1,
    ),
    # Between the four pixels of the second picture; half a pixel further up is the first of them.
    row(
        "RoiAlign",
        10,
        (TWO_PICTURES, [[0.0, 0.0, 1.0, 1.0]], [1]),
        ([[[[6.5]]]],),
        reference=([[[[5.0]]]],),
    ),
    row(
        "Scaler",
        1,
        ([[1, 2]],),
        ([[0.5, 1.5]],),
        reference=([[0, 1]],),
        domain=ML,
        offset=[0.5],
        scale=[1.0],
    ),
    row(
        "Slice",
        13,
        ([1.0, 2.0], [-3], [-5], [0], [-1]),
        ([1.0],),
        reference=(np.float32([]),),
    ),
    row(
        "Softmax",
        11,
        ([[[0.0, 0.0], [0.0, 0.0]]],),
        ([[[0.25, 0.25], [0.25, 0.25]]],),
        reference=([[[0.5, 0.5], [0.5, 0.5]]],),
    ),
    row(
        "SplitToSequence",
        11,
        ([3.0], 1),
        ([np.array([3.0], np.float32)],),
        onnxruntime=([np.array(3.0, np.float32)],),
        keepdims=0,
    ),
    row(
        "Squeeze",
        11,
        ([[1.0, 2.0]],),
        ([[1.0, 2.0]],),
        reference=([1.0, 2.0],),
        onnxruntime=([1.0, 2.0],),
        axes=[],
    ),
    row("StringNormalizer", 10, (["a", "", "b"],), (["a", "", "b"],), reference=(["a", "b"],)),
    row(
        "StringSplit",
        20,
        (["", "a,b"],),
        ([["", ""], ["a", "b"]], [1, 2]),
        onnxruntime=([["", ""], ["a", "b"]], [0, 2]),
        delimiter=",",
    ),
    row(
        "TreeEnsembleClassifier",
        3,
        ([[0.0], [1.0]],),
        ([0, 1], [[1.0, 0.0], [0.0, 2.0]]),
        onnxruntime=([1, 1], [[-1.0, 1.0], [0.0, 2.0]]),
        domain=ML,
        classlabels_int64s=[0, 1],
        **STUMP,
    ),
    row(
        "Unique",
        11,
        ([2.0, 1.0, 2.0],),
        ([2.0, 1.0],),
        reference=([1.0, 2.0],),
        sorted=0,
    ),
    row(
        "Unsqueeze",
        11,
        ([1.0, 2.0],),
        ([[[1.0]], [[2.0]]],),
        reference=([[[1.0], [2.0]]],),
        axes=[-2, 2],
    ),
)
