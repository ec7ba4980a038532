"""Floats of 16 bits are computed as if exactly and rounded once: the result is the float64 one
rounded, or in rare cases its neighbour, where float32 lies in the middle of two of them.
"""

from dataclasses import replace

import numpy as np
import pytest

from onnx_explorer.evaluation import run
from onnx_explorer.ir import DType
from onnx_explorer.ops.registry import schema
from tests.soundness.checking import one_node
from tests.soundness.table import GENERATORS
from tests.versions.seeded import Seeded

OPERATORS = """
    Acos Acosh Add Asin Asinh Atan Atanh AveragePool BatchNormalization Celu Conv ConvTranspose Cos
    Cosh CumSum Div Einsum Elu Erf Exp Gelu Gemm GlobalAveragePool GlobalLpPool HardSigmoid
    HardSwish LRN LeakyRelu Log LogSoftmax LpNormalization LpPool MatMul Mean
    MeanVarianceNormalization Mish Mul PRelu Pow Reciprocal ReduceL1 ReduceL2 ReduceLogSum
    ReduceLogSumExp ReduceMean ReduceProd ReduceSum ReduceSumSquare Resize Selu Shrink Sigmoid Sin
    Sinh Softmax Softplus Softsign Sqrt Sub Sum Swish Tan Tanh ThresholdedRelu
"""
CASES = 6
OF_16_BITS = [
    (name, half)
    for name in OPERATORS.split()
    for half in (DType.FLOAT16, DType.BFLOAT16)
    if any(half.notation in c.allowed for c in schema(name).type_constraints.values())
]


class Half(Seeded):
    """Draws floats of 16 bits that fill their mantissa, in more elements than the others."""

    def __init__(self, seed, schema, half):
        super().__init__(seed, schema, schema)
        self._half = half
        self._random_bits = np.random.default_rng(seed)

    def pick(self, *choices):
        return self._half if self._half in choices else super().pick(*choices)

    def array(self, dtype, shape, low=-3, high=3):
        if dtype is not self._half:
            return super().array(dtype, shape, low, high)
        return np.asarray(self._random_bits.uniform(low, high, shape)).astype(dtype.numpy)

    def shape(self, low=0, high=5, least=0, most=4):
        return tuple(4 * size for size in super().shape(low, min(high, max(low, 3)), least, most))


def in_float64(value):
    is_half = (
        isinstance(value, np.ndarray) and value.dtype.itemsize == 2 and value.dtype.kind in "fV"
    )
    return value.astype(np.float64) if is_half else value


def places(values):
    """Floats of 16 bits as whole numbers, such that neighbours differ by 1."""
    bits = values.view(np.int16).astype(np.int32)
    return np.where(bits < 0, -(bits & 0x7FFF), bits)


@pytest.mark.parametrize(("name", "half"), OF_16_BITS, ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_results_are_rounded_once(name, half):
    newest = schema(name)
    steps = []
    for seed in range(CASES):
        case = GENERATORS["", name](Half(seed, newest, half))
        model, feeds = one_node(newest, case)
        ours = next(iter(run(model, feeds).values()))
        exact = replace(case, inputs=tuple(map(in_float64, case.inputs)))
        model, feeds = one_node(newest, exact)
        rounded = next(iter(run(model, feeds).values())).astype(half.numpy)
        assert ours.dtype == rounded.dtype
        known = ~np.isnan(rounded.astype(np.float32))
        np.testing.assert_array_equal(np.isnan(ours.astype(np.float32)), ~known)
        steps.extend(np.abs(places(ours) - places(rounded))[known].tolist())
    assert len(steps) > 8
    assert max(steps) <= 1
    assert np.mean(steps) < 0.02
