import math

import ml_dtypes
import numpy as np
import pytest
from scipy import special

from onnx_explorer.dims import parse
from onnx_explorer.ops.math.activations import HARD_SIGMOID, RELU, SIGMOID, TANH
from onnx_explorer.ops.math.erf import ERF
from onnx_explorer.ops.math.gelu import GELU
from onnx_explorer.schema import UNKNOWN
from tests.ops.page_driver import kernel, on_sizes, rule, tensor

X = np.linspace(-9, 9, 20010)


def exact_gelu(x):
    return x * special.ndtr(x)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize(
    ("op", "function"),
    [(SIGMOID, special.expit), (TANH, np.tanh), (ERF, special.erf), (GELU, exact_gelu)],
    ids=lambda v: getattr(v, "name", ""),
)
def test_16_bit_floats_are_rounded_once(op, function, dtype):
    x = X.astype(dtype)
    with np.errstate(over="ignore"):
        got = kernel(op, op.versions[-1], x)
    wanted = function(x.astype(float))
    assert got.dtype == dtype
    # Half a step of the type, and a little for float32 on the way.
    step = float(ml_dtypes.finfo(dtype).eps) * np.abs(wanted)
    assert (np.abs(got.astype(float) - wanted) <= 0.51 * step + 3e-6).all()


@pytest.mark.parametrize("version", ERF.versions)
def test_erf_in_float32_is_within_5e_7_and_never_beyond_1(version):
    got = kernel(ERF, version, X.astype(np.float32))
    assert got.dtype == np.float32
    assert np.abs(got - special.erf(X)).max() < 5e-7
    assert np.abs(got).max() == 1


def test_erf_of_what_is_not_finite():
    got = kernel(ERF, 13, np.array([np.inf, -np.inf, np.nan], np.float32))
    assert got[:2].tolist() == [1, -1]
    assert np.isnan(got[2])


@pytest.mark.parametrize("size", [0, 3, 40_000])
def test_erf_of_small_and_of_large_numbers(size):
    given = np.resize(np.array([1e-30, 3e38, -3e38], np.float32), size)
    with np.errstate(over="ignore"):
        got = kernel(ERF, 13, given)
    expected = np.resize(np.array([2 / math.sqrt(math.pi) * 1e-30, 1, -1]), size)
    np.testing.assert_allclose(got, expected, rtol=5e-7)


def test_erf_of_integers_is_cut():
    # erf(5) is 1 - 1.5e-12, erf(6) is 1 in float64.
    got = kernel(ERF, 9, np.array([-6, -1, 0, 5, 6], np.int32))
    assert got.dtype == np.int32
    assert got.tolist() == [-1, 0, 0, 0, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gelu_is_x_times_the_share_of_the_normal_distribution_below_it(dtype):
    x = X.astype(dtype).reshape(10, 1, 2001)
    with np.errstate(over="ignore"):
        got = kernel(GELU, 20, x)
    assert got.dtype == dtype
    assert got.shape == x.shape
    assert np.abs(got - exact_gelu(x.astype(float))).max() < 1e-6


def test_gelu_by_tanh_follows_its_formula():
    # 0.5 × (1 + tanh(0.7978845608 × 1.044715)) = 0.5 × (1 + tanh(0.833562)) = 0.841192
    assert kernel(GELU, 20, np.array([1.0]), approximate="tanh") == pytest.approx([0.841192])


def test_sigmoid_saturates_without_nan():
    with np.errstate(over="ignore"):
        got = kernel(SIGMOID, 13, np.array([-1000, 0, 1000], np.float32))
    assert got.tolist() == [0, 0.5, 1]


@pytest.mark.parametrize("version", HARD_SIGMOID.versions)
def test_hard_sigmoid_by_default_and_by_attributes(version):
    x = np.array([-3, 0, 1, 9], np.float32)
    assert kernel(HARD_SIGMOID, version, x) == pytest.approx([0, 0.5, 0.7, 1])
    assert kernel(HARD_SIGMOID, version, x, alpha=0.5, beta=0.25) == pytest.approx(
        [0, 0.25, 0.75, 1]
    )


def test_relu_keeps_nan_and_works_on_signed_integers():
    got = kernel(RELU, 1, np.array([-2, 3, np.nan], np.float32))
    assert got[:2].tolist() == [0, 3]
    assert math.isnan(got[2])
    assert kernel(RELU, 14, np.array([-2, 3], np.int8)).dtype == np.int8
    assert kernel(RELU, 13, np.array([-2, 3], ml_dtypes.bfloat16)).tolist() == [0, 3]


def test_relu_of_sizes():
    sizes = on_sizes(RELU, 14, ["B", -3, "B - 2"]).tolist()
    assert [str(size) for size in sizes] == ["B", "0", "max(B - 2, 0)"]
    assert sizes[0] is parse("B")


def test_kernels_do_not_write_into_their_inputs_and_take_scalars():
    for op in (RELU, SIGMOID, TANH, HARD_SIGMOID, ERF, GELU):
        x = np.array(-0.5, np.float32)
        x.flags.writeable = False
        got = np.asarray(kernel(op, op.versions[-1], x))
        assert (got.dtype, got.shape) == (np.float32, ())


@pytest.mark.parametrize(
    "op", [RELU, SIGMOID, TANH, HARD_SIGMOID, ERF, GELU], ids=lambda op: op.name
)
def test_the_shape_stays_as_far_as_it_is_known(op):
    assert rule(op, op.versions[0], tensor("B", 3)).shape == "[B, 3]"
    assert rule(op, op.versions[-1], UNKNOWN).shape == "[...]"
