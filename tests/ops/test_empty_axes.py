"""Every operator takes tensors without elements, and gives what there is to give."""

import re

import numpy as np
import pytest

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation import run
from onnx_explorer.inference import infer
from onnx_explorer.ops.registry import schema
from tests.soundness.checking import agree, one_node, ran_and_agreed
from tests.soundness.drawing import Draw, Listed
from tests.soundness.table import GENERATORS
from tests.versions.worked import as_input, worked

ML = "ai.onnx.ml"


def empty(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


def nothing(outer):
    inner = outer.subgraph()
    inner.output(inner.op("Constant", value=empty(0, 2)))
    return inner


GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
STATES = {"RNN": 1, "GRU": 1, "LSTM": 2}
RECURRENT = [
    case
    for op, gates in GATES.items()
    for case in (
        # two steps of no batch, and no step of one batch: the state stays 0
        worked(
            op, (22,), (empty(2, 0, 3), empty(1, gates, 3), empty(1, gates, 1)),
            (empty(2, 1, 0, 1), *[empty(1, 0, 1)] * STATES[op]), hidden_size=1,
        ),
        worked(
            op, (22,), (empty(0, 1, 3), empty(1, gates, 3), empty(1, gates, 1)),
            (empty(0, 1, 1, 1), *[empty(1, 1, 1)] * STATES[op]), hidden_size=1,
        ),
    )
]  # fmt: skip
WINDOWS = [
    worked(name, (17,), (0,), (empty(0),))
    for name in ("BlackmanWindow", "HammingWindow", "HannWindow")
]
LAYERS = [
    worked("AveragePool", (22,), (empty(0, 3, 0, 5),), (empty(0, 3, 1, 4),), kernel_shape=[3, 3], strides=[3, 2], pads=[2] * 4),
    worked("LpPool", (22,), (empty(1, 3, 0),), (empty(1, 3, 2),), kernel_shape=[3], pads=[2, 2]),
    worked("MaxPool", (22,), (empty(0, 3, 0),), (empty(0, 3, 2),), kernel_shape=[3], pads=[2, 2]),
    worked("Attention", (25,), (empty(1, 0, 4), empty(1, 2, 2), empty(1, 2, 2)), (empty(1, 0, 4),), q_num_heads=4, kv_num_heads=2),
    worked("ConvInteger", (10,), (empty(1, 0, 4, dtype=np.uint8), empty(2, 0, 2, dtype=np.uint8)), (empty(1, 2, 3, dtype=np.int32),)),
    worked("Attention", (25,), (empty(0, 2, 3, 4),) * 3, (empty(0, 2, 3, 4),)),
    worked(
        "FlexAttention", (1,), (empty(0, 2, 3, 4),) * 3, (empty(0, 2, 3, 4),),
        domain="ai.onnx.preview",
    ),
    worked(
        "LinearAttention", (27,), (empty(0, 3, 4),) * 3, (empty(0, 3, 4), empty(0, 2, 2, 2)),
        q_num_heads=2, kv_num_heads=2, update_rule="linear",
    ),
    worked(
        "RotaryEmbedding", (23,), (empty(0, 2, 3, 4), empty(0, 3, 2), empty(0, 3, 2)),
        (empty(0, 2, 3, 4),),
    ),
    worked("LayerNormalization", (17,), (empty(0, 3), empty(3)), (empty(0, 3),)),
    worked("LayerNormalization", (17,), (empty(2, 0), empty(0)), (empty(2, 0),)),
    worked("RMSNormalization", (23,), (empty(0, 3), empty(3)), (empty(0, 3),)),
    worked("LpNormalization", (22,), (empty(2, 0),), (empty(2, 0),)),
    worked("NegativeLogLikelihoodLoss", (22,), (empty(0, 3), empty(0, dtype=int)), (0.0,), reduction="sum"),
    worked("SoftmaxCrossEntropyLoss", (13,), (empty(0, 3), empty(0, dtype=int)), (empty(0),), reduction="none"),
    worked("QuantizeLinear", (25,), (empty(0, 3), 1.0), (empty(0, 3, dtype=np.uint8),)),
    worked("DequantizeLinear", (25,), (empty(0, 3, dtype=np.uint8), 1.0), (empty(0, 3),)),
    worked("Einsum", (12,), (empty(2, 0), empty(0, 3)), (empty(2, 3),), equation="ij,jk->ik"),
    worked("DFT", (20,), (empty(0, 4, 1),), (empty(0, 4, 2),)),
    worked("STFT", (17,), (empty(0, 8, 1), 2, None, 4), (empty(0, 3, 3, 2),)),
    worked("Resize", (19,), (empty(0, 1, 2), None, [1.0, 1.0, 2.0]), (empty(0, 1, 4),)),
    worked("Upsample", (9,), (empty(0, 1, 2), [1.0, 1.0, 2.0]), (empty(0, 1, 4),)),
    worked("RoiAlign", (22,), (empty(1, 2, 3, 3), empty(0, 4), empty(0, dtype=int)), (empty(0, 2, 1, 1),)),
    worked("RoiAlign", (22,), (empty(1, 0, 3, 3), [[0.0, 0.0, 1.0, 1.0]], [0]), (empty(1, 0, 1, 1),)),
    worked("RoiAlign", (22,), (empty(1, 0, 3, 3), [[0.0, 0.0, 1.0, 1.0]], [0]), (empty(1, 0, 1, 1),), mode="max"),
]  # fmt: skip
MOVERS = [
    worked("ArgMax", (13,), (empty(2, 0),), (empty(1, 0, dtype=int),)),
    worked("ArgMin", (13,), (empty(2, 0),), (empty(1, 0, dtype=int),)),
    worked("Constant", (25,), (), (empty(0, 2),), value=empty(0, 2)),
    worked("If", (25,), (True,), (empty(0, 2),), then_branch=nothing, else_branch=nothing),
    worked("RandomNormal", (22,), (), (empty(0, 2),), shape=[0, 2]),
    worked("RandomUniform", (22,), (), (empty(0, 2),), shape=[0, 2]),
    worked("Range", (11,), (3, 3, 1), (empty(0, dtype=int),)),
    worked("ReverseSequence", (10,), (empty(3, 0), empty(0, dtype=int)), (empty(3, 0),)),
    worked("SequenceEmpty", (11,), (), ([],)),
    worked("SplitToSequence", (24,), (empty(0, 2),), ([empty(0, 1), empty(0, 1)],), axis=1),
    worked("SplitToSequence", (24,), (empty(0, 2),), ([],)),
    worked(
        "TensorScatter", (24,), (empty(0, 1, 4, 2), empty(0, 1, 2, 2), empty(0, dtype=int)),
        (empty(0, 1, 4, 2),),
    ),
    worked(
        "TfIdfVectorizer", (9,), (empty(0, dtype=int),), ([0.0, 0.0],), mode="TF",
        min_gram_length=1, max_gram_length=1, max_skip_count=0, ngram_counts=[0],
        ngram_indexes=[0, 1], pool_int64s=[5, 6],
    ),
    worked("TopK", (24,), (empty(0, 3), [2]), (empty(0, 2), empty(0, 2, dtype=int))),
    worked("Unique", (11,), (empty(0),), (empty(0), *[empty(0, dtype=int)] * 3)),
]  # fmt: skip
LEARNING = [
    worked("ArrayFeatureExtractor", (1,), (empty(0, 3), [1]), (empty(0, 1),), domain=ML),
    worked(
        "FeatureVectorizer", (1,), (empty(0, 2),), (empty(0, 2),), domain=ML, inputdimensions=[2]
    ),
    worked("Imputer", (1,), (empty(0, 2),), (empty(0, 2),), domain=ML, imputed_value_floats=[1.0]),
    worked("Normalizer", (1,), (empty(0, 3),), (empty(0, 3),), domain=ML),
    worked("Scaler", (1,), (empty(0, 3),), (empty(0, 3),), domain=ML, offset=[1.0], scale=[1.0]),
    worked("ZipMap", (1,), (empty(0, 2),), ([],), domain=ML, classlabels_int64s=[0, 1]),
]


WORKED = [*RECURRENT, *WINDOWS, *LAYERS, *MOVERS, *LEARNING]
# Their inputs are maps, numbers, or a file.
WITHOUT_AXES = {"CastMap", "DictVectorizer", "ImageDecoder", "MelWeightMatrix"}
DRAWN = [
    key for key in GENERATORS if key[1] not in WITHOUT_AXES | {each.op for each in WORKED}
]  # fmt: skip


class Sparse(Draw):
    """Draws from a seed; every third axis has no elements."""

    def __init__(self, seed, of):
        super().__init__(None, of)
        self._seeded = np.random.default_rng(seed)

    def size(self, low=0, high=4):
        return int(self._seeded.integers(low, high, endpoint=True))

    def sizes(self, count, low=0, high=4):
        return [
            0 if low == 0 and self._seeded.random() < 1 / 3 else self.size(low, high)
            for _ in range(count)
        ]

    def flag(self):
        return bool(self._seeded.integers(2))

    def rarely(self):
        return False

    def permutation(self, count):
        return self._seeded.permutation(count).tolist()


def has_an_empty_axis(value):
    if isinstance(value, Listed):
        return any(map(has_an_empty_axis, value.items))
    return isinstance(value, np.ndarray) and value.size == 0


@pytest.mark.parametrize("key", DRAWN, ids=lambda key: key[1])
def test_drawn_cases_with_empty_axes_run(key):
    """In the domain that the soundness tests draw from, where inference is compared with runs."""
    newest = schema(key[1], domain=key[0])
    for seed in range(60):
        case = GENERATORS[key](Sparse(seed, newest))
        if any(map(has_an_empty_axis, case.inputs)) and ran_and_agreed(newest, case, shared=False):
            return
    pytest.fail("no case without elements ran")


@pytest.mark.parametrize("each", WORKED, ids=lambda each: each.op)
def test_an_operator_runs_without_elements(each):
    found = schema(each.op, each.versions[0], each.domain)
    model, feeds = one_node(found, each.case())
    types = infer(model)
    assert not types.errors
    for (name, got), wanted in zip(run(model, feeds, seed=0).items(), each.outputs, strict=True):
        agree(found, types[name], got, {}, str(found))
        if not isinstance(wanted, list) or not wanted or isinstance(wanted[0], float):
            np.testing.assert_array_equal(got, as_input(wanted), strict=isinstance(got, np.ndarray))
            continue
        assert [item.shape for item in got] == [item.shape for item in wanted]


@pytest.mark.parametrize(
    ("op", "inputs", "said"),
    [
        ("Pad", ([1.0], [1, 1], empty(0)), "constant_value: shape [0], but one element"),
        ("AffineGrid", (empty(2, 2, 3), empty(0, dtype=int)), "size: 0 sizes, but"),
        (
            "MelWeightMatrix",
            (2, 8, 8000, empty(0), 1.0),
            "lower_edge_hertz: shape [0], but a scalar",
        ),
        ("GlobalMaxPool", (empty(4),), "X: rank 1, but"),
    ],
)
def test_an_input_without_elements_that_needs_one_is_told(op, inputs, said):
    model, feeds = one_node(schema(op), worked(op, (), inputs, (0,)).case())
    with pytest.raises(EvaluationError, match=re.escape(said)):
        run(model, feeds)
