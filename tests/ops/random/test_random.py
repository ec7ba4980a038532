from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ir import DType
from onnx_explorer.ops.random.bernoulli import BERNOULLI
from onnx_explorer.ops.random.distributions import (
    RANDOM_NORMAL,
    RANDOM_NORMAL_LIKE,
    RANDOM_UNIFORM,
    RANDOM_UNIFORM_LIKE,
)
from onnx_explorer.ops.random.multinomial import MULTINOMIAL
from onnx_explorer.ops.random.source import source
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor

FLOAT_TYPES = [DType.FLOAT16, DType.FLOAT32, DType.FLOAT64]
INPUT = np.zeros((400, 50), np.int32)


class Run:
    """A site of a run: its random numbers, the same at every visit."""

    def __init__(self, seed):
        self.seed = seed

    @property
    def rng(self):
        return np.random.default_rng(self.seed)


def draw(op, like, **attributes):
    if like:
        return kernel(op, 22, INPUT, seed=7.0, **attributes)
    return kernel(op, 22, shape=INPUT.shape, seed=7.0, **attributes)


@pytest.mark.parametrize("dtype", [*FLOAT_TYPES, DType.BFLOAT16], ids=lambda d: d.label)
@pytest.mark.parametrize("like", [False, True])
def test_moments_and_bounds(dtype, like):
    normal = draw(
        RANDOM_NORMAL_LIKE if like else RANDOM_NORMAL, like, dtype=dtype.value, mean=3.0, scale=2.0
    )
    uniform = draw(
        RANDOM_UNIFORM_LIKE if like else RANDOM_UNIFORM, like, dtype=dtype.value, low=-1.0, high=5.0
    )
    for values, mean, deviation in ((normal, 3, 2), (uniform, 2, 6 / 12**0.5)):
        assert (values.dtype, values.shape) == (dtype.numpy, INPUT.shape)
        wide = values.astype(float)
        # Six standard errors of 20000 draws.
        assert abs(wide.mean() - mean) < 6 * deviation / 20000**0.5 + 0.01
        assert abs(wide.std() - deviation) < 0.1
    assert uniform.min() >= -1
    assert uniform.max() <= 5


@pytest.mark.parametrize("version", [1, 22])
def test_a_seed_gives_what_the_reference_of_the_standard_gives(version):
    for seed in (0.0, 7.5):
        wanted = np.random.RandomState(int(seed)).randn(3, 2)
        got = kernel(RANDOM_NORMAL, version, shape=(3, 2), seed=seed, dtype=DType.FLOAT64.value)
        assert (got == wanted).all()
        got = kernel(RANDOM_NORMAL, version, shape=(3, 2), seed=seed)
        assert (got == wanted.astype(np.float32)).all()
        wanted = np.random.RandomState(int(seed)).rand(3, 2)
        got = kernel(RANDOM_UNIFORM_LIKE, version, np.zeros((3, 2)), seed=seed)
        assert (got == wanted).all()


def test_without_a_seed_the_run_decides():
    assert source(None, Run(1)).random() == source(None, Run(1)).random()
    assert source(None, Run(1)).random() != source(None, Run(2)).random()
    assert source(float("nan"), Run(1)).random() == source(None, Run(1)).random()
    assert source(3.0, Run(1)).random() == source(3.0, Run(2)).random()
    assert source(-3.0, Run(1)).random() == source(-3.0, Run(2)).random()


def test_shape_and_type_come_from_the_attributes():
    (output,) = rule(RANDOM_NORMAL, 1, shape=(2, 3)).outputs
    assert str(output) == "float32[2, 3]"
    (output,) = rule(RANDOM_UNIFORM, 22, shape=(), dtype=DType.BFLOAT16.value).outputs
    assert str(output) == "bfloat16[]"
    assert kernel(RANDOM_UNIFORM, 1, shape=(), seed=1.0).shape == ()
    assert kernel(RANDOM_NORMAL, 1, shape=(0, 3), seed=1.0).shape == (0, 3)
    for said in (
        lambda: rule(RANDOM_NORMAL, 1, shape=(2, -1)),
        lambda: kernel(RANDOM_NORMAL, 1, shape=(2, -1)),
    ):
        with pytest.raises(Violation, match=r"shape = \[2, -1\], but sizes are 0 or more"):
            said()
    with pytest.raises(Violation, match="dtype = 16, but expected one of 1, 10, 11"):
        rule(RANDOM_NORMAL, 1, shape=(2,), dtype=DType.BFLOAT16.value)


@pytest.mark.parametrize("op", [RANDOM_NORMAL_LIKE, RANDOM_UNIFORM_LIKE], ids=lambda op: op.name)
def test_like_takes_shape_and_type_of_its_input(op):
    (output,) = rule(op, 1, tensor("B", 3)).outputs
    assert str(output) == "float32[B, 3]"
    (output,) = rule(op, 1, UNKNOWN, dtype=DType.FLOAT16.value).outputs
    assert str(output) == "float16[...]"
    whole = replace(tensor("B"), dtype=DType.INT64)
    with pytest.raises(Violation, match="the type int64, but random numbers are floats"):
        rule(op, 1, whole)
    with pytest.raises(Violation, match="the type int64, but random numbers are floats"):
        kernel(op, 1, np.zeros(2, np.int64), seed=1.0)
    assert kernel(op, 22, np.zeros(2, ml_dtypes.bfloat16), seed=1.0).dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("version", BERNOULLI.versions)
def test_coins_fall_as_often_as_their_chance_says(version):
    chances = np.repeat(np.array([[0], [0.25], [1]], np.float32), 10000, axis=1)
    got = kernel(BERNOULLI, version, chances, seed=5.0)
    assert (got.dtype, got.shape) == (np.float32, chances.shape)
    assert set(got[1].tolist()) == {0, 1}
    assert got[0].max() == 0
    assert got[2].min() == 1
    assert abs(got[1].mean() - 0.25) < 0.03
    for dtype in (DType.BOOL, DType.UINT8, DType.BFLOAT16):
        other = kernel(BERNOULLI, version, chances, seed=5.0, dtype=dtype.value)
        assert other.dtype == dtype.numpy
        assert (other.astype(float) == got).all()


def test_chances_outside_of_0_to_1_are_a_violation():
    for wrong in (1.5, -0.25, np.nan):
        with pytest.raises(Violation, match=f"the element {wrong}, but a probability from 0 to 1"):
            kernel(BERNOULLI, 15, np.array([0.5, wrong]), seed=1.0)
    (output,) = rule(BERNOULLI, 15, tensor("B", 3), dtype=DType.BOOL.value).outputs
    assert str(output) == "bool[B, 3]"
    (output,) = rule(BERNOULLI, 15, tensor("B", 3)).outputs
    assert str(output) == "float32[B, 3]"


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_classes_are_drawn_in_proportion_to_their_exponentials(dtype):
    # Weights 1 : 2 : 0 : 5, far down the exponential in the second row.
    with np.errstate(divide="ignore"):
        row = np.log(np.array([1, 2, 0, 5]))
    got = kernel(
        MULTINOMIAL, 7, np.stack([row, row - 900]).astype(dtype), sample_size=20000, seed=1.0
    )
    assert (got.dtype, got.shape) == (np.int32, (2, 20000))
    for samples in got:
        shares = np.bincount(samples, minlength=4) / 20000
        assert shares == pytest.approx([1 / 8, 2 / 8, 0, 5 / 8], abs=0.02)
        assert shares[2] == 0
    assert (got[0] != got[1]).any()


def test_samples_have_a_row_for_each_row():
    (output,) = rule(MULTINOMIAL, 22, tensor("B", "C"), sample_size=4, dtype=7).outputs
    assert str(output) == "int64[B, 4]"
    assert rule(MULTINOMIAL, 7, UNKNOWN).shape == "[N_0, 1]"
    got = kernel(MULTINOMIAL, 22, np.zeros((2, 1), ml_dtypes.bfloat16), dtype=7, seed=1.0)
    assert got.dtype == np.int64
    assert got.tolist() == [[0], [0]]
    for said in (
        lambda: rule(MULTINOMIAL, 7, tensor(2, 3, 4)),
        lambda: kernel(MULTINOMIAL, 7, np.zeros((2, 3, 4))),
    ):
        with pytest.raises(Violation, match=r"rank 3, but \(N, C\) has rank 2"):
            said()
    with pytest.raises(Violation, match="sample_size = -1"):
        rule(MULTINOMIAL, 7, tensor(2, 3), sample_size=-1)
    with pytest.raises(Violation, match="0 classes, but expected 1 or more"):
        kernel(MULTINOMIAL, 7, np.zeros((2, 0)), seed=1.0)
