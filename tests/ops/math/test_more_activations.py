import ml_dtypes
import numpy as np
import pytest
from scipy import special

from onnx_explorer.ops.math.exponential_units import CELU, ELU, SELU
from onnx_explorer.ops.math.linear_units import LEAKY_RELU, PRELU, SHRINK, THRESHOLDED_RELU
from onnx_explorer.ops.math.soft import MISH, SOFTPLUS, SOFTSIGN
from onnx_explorer.ops.math.swish import HARD_SWISH, SWI_GLU, SWISH
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor

X = np.linspace(-9, 9, 20010)
FORMULAS = [
    (ELU, lambda x: np.where(x > 0, x, np.exp(x) - 1)),
    (CELU, lambda x: np.where(x > 0, x, np.exp(x) - 1)),
    (LEAKY_RELU, lambda x: np.where(x > 0, x, 0.01 * x)),
    (THRESHOLDED_RELU, lambda x: np.where(x > 1, x, 0)),
    (SHRINK, lambda x: np.where(abs(x) > 0.5, x, 0)),
    (SOFTPLUS, lambda x: np.log(1 + np.exp(x))),
    (MISH, lambda x: x * np.tanh(np.log(1 + np.exp(x)))),
    (SOFTSIGN, lambda x: x / (1 + abs(x))),
    (SWISH, lambda x: x * special.expit(x)),
    (HARD_SWISH, lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
]
OPERATORS = [op for op, _ in FORMULAS] + [SELU]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
@pytest.mark.parametrize(("op", "formula"), FORMULAS, ids=lambda v: getattr(v, "name", ""))
def test_every_version_computes_the_formula_and_rounds_once(op, formula, dtype):
    x = X.astype(dtype).reshape(10, 1, -1)
    wanted = formula(x.astype(float))
    step = float(ml_dtypes.finfo(dtype).eps) * np.abs(wanted)
    for version in op.versions:
        got = kernel(op, version, x)
        assert (got.dtype, got.shape) == (dtype, x.shape)
        assert (np.abs(got.astype(float) - wanted) <= 0.51 * step + 3e-6).all()


# By hand, with e^-1 = 0.367879 and e^2 = 7.389056.
@pytest.mark.parametrize(
    ("op", "version", "x", "attributes", "y"),
    [
        (ELU, 1, -1, {"alpha": 2.0}, -1.264241),
        (ELU, 6, 3, {"alpha": 2.0}, 3),
        (CELU, 12, -2, {"alpha": 2.0}, -1.264241),
        (SELU, 1, -1, {}, 1.0507 * 1.6732 * -0.632121),
        (SELU, 6, -1, {}, -1.111331),
        (SELU, 22, 2, {}, 2.101402),
        (SELU, 22, -1, {"alpha": 1.0, "gamma": 3.0}, -1.896362),
        (LEAKY_RELU, 1, -2, {"alpha": 0.5}, -1),
        (LEAKY_RELU, 16, 2, {"alpha": 1.5}, 2),
        (LEAKY_RELU, 16, -2, {"alpha": 1.5}, -3),
        (LEAKY_RELU, 16, -2, {"alpha": -1.0}, 2),
        (THRESHOLDED_RELU, 10, 2, {"alpha": 2.0}, 0),
        (SHRINK, 9, -2, {"lambd": 1.5, "bias": 1.5}, -0.5),
        (SWISH, 24, 1, {"alpha": 0.0}, 0.5),
        (SWISH, 24, -1, {"alpha": 2.0}, -0.119203),
    ],
)
def test_attributes(op, version, x, attributes, y):
    got = kernel(op, version, np.array([x], np.float32), **attributes)
    assert got.dtype == np.float32
    assert got == pytest.approx([y], rel=1e-5)


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
def test_scalars_empty_tensors_and_shapes(op):
    x = np.array(-0.5, np.float32)
    x.flags.writeable = False
    got = np.asarray(kernel(op, op.versions[-1], x))
    assert (got.dtype, got.shape) == (np.float32, ())
    assert kernel(op, op.versions[0], np.zeros((0, 3), np.float32)).shape == (0, 3)
    assert rule(op, op.versions[0], tensor("B", 3)).shape == "[B, 3]"
    assert rule(op, op.versions[-1], UNKNOWN).shape == "[...]"


def test_infinity_and_large_numbers():
    x = np.array([np.inf, 1e30], np.float32)
    for op in (ELU, CELU, LEAKY_RELU, THRESHOLDED_RELU, SHRINK, SOFTPLUS, MISH, SWISH, HARD_SWISH):
        assert kernel(op, op.versions[-1], x).tolist() == x.tolist()
    with np.errstate(invalid="ignore"):
        assert kernel(LEAKY_RELU, 16, x, alpha=0.0).tolist() == x.tolist()
    assert kernel(SOFTPLUS, 22, -x).tolist() == [0, 0]
    assert kernel(ELU, 22, -x).tolist() == [-1, -1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_small_results_keep_their_digits(dtype):
    # To the last digits, not only to as many as a 1 next to them would leave.
    near = np.array([-1e-30, -1e-9, -1e-4, -0.5, -3, -80], dtype)
    below = np.array([-1e-3, -1, -9, -20, -60], dtype)
    tolerance = 8 * float(np.finfo(dtype).eps)
    exact = near.astype(np.longdouble)
    assert kernel(ELU, 22, near).astype(np.longdouble) == pytest.approx(
        np.expm1(exact), rel=tolerance
    )
    assert kernel(CELU, 28, near, alpha=-2.0).astype(float) == pytest.approx(
        np.minimum(-2 * np.expm1(near.astype(float) / -2), 0), rel=1e-5
    )
    exact = below.astype(np.longdouble)
    assert kernel(SOFTPLUS, 22, below).astype(np.longdouble) == pytest.approx(
        np.log1p(np.exp(exact)), rel=tolerance
    )


def test_shrink_cuts_integers():
    for dtype in (np.int8, np.int64):
        got = kernel(SHRINK, 9, np.array([-2, -1, 3], dtype), lambd=1.5, bias=1.5)
        assert got.dtype == dtype
        assert got.tolist() == [0, 0, 1]
    assert kernel(SHRINK, 9, np.array([0, 9], np.uint8), lambd=2.0, bias=1.0).tolist() == [0, 8]


def test_swiglu_is_the_swish_of_a_times_b():
    a, b = X.astype(np.float16).reshape(2, -1), np.flip(X).astype(np.float16).reshape(2, -1)
    wanted = a.astype(float) * special.expit(2 * a.astype(float)) * b.astype(float)
    got = kernel(SWI_GLU, 28, a, b, alpha=2.0)
    assert got.dtype == np.float16
    assert got.astype(float) == pytest.approx(wanted, rel=1e-3, abs=1e-6)


def test_swiglu_wants_equal_shapes():
    ruled = rule(SWI_GLU, 28, tensor("B", "S", 8), tensor("B", "T", 8))
    assert ruled.shape == "[B, S, 8]"
    assert ruled.assumptions == ["S = T"]
    assert rule(SWI_GLU, 28, tensor("B"), tensor(4)).shape == "[4]"
    assert rule(SWI_GLU, 28, UNKNOWN, tensor("B")).shape == "[B]"
    with pytest.raises(Violation, match=r"shape \[2, 1\], but A has shape \[2, 3\]"):
        rule(SWI_GLU, 28, tensor(2, 3), tensor(2, 1))
    with pytest.raises(Violation, match=r"shape \[3\], but A has shape \[2, 3\]"):
        kernel(SWI_GLU, 28, np.ones((2, 3)), np.ones(3), alpha=1.0)


@pytest.mark.parametrize("version", [1, 6])
def test_prelu_before_version_7_takes_one_slope_per_channel(version):
    x = -np.ones((1, 2, 3), np.float32)
    assert kernel(PRELU, version, x, np.array([2, 3], np.float32)).tolist() == [
        [[-2, -2, -2], [-3, -3, -3]]
    ]
    assert (kernel(PRELU, version, x, np.array([5], np.float32)) == -5).all()
    assert rule(PRELU, version, tensor("N", 2, "W"), tensor(2)).shape == "[N, 2, W]"
    ruled = rule(PRELU, version, tensor("N", "C", "W"), tensor("K"))
    assert ruled.assumptions == ["K = C, or K = 1"]
    with pytest.raises(Violation, match=r"shape \[3, 1\], but it must broadcast .* \[1, 2, 3\]"):
        rule(PRELU, version, tensor(1, 2, 3), tensor(3))


@pytest.mark.parametrize("version", [7, 9, 16])
def test_prelu_broadcasts_its_slopes_one_way(version):
    x = np.array([[-1, 2], [-3, 4]], np.float32)
    got = kernel(PRELU, version, x, np.array([10, 100], np.float32))
    assert got.tolist() == [[-10, 2], [-30, 4]]
    got = kernel(PRELU, version, x, np.array([[10], [100]], np.float32))
    assert got.tolist() == [[-10, 2], [-300, 4]]
    assert rule(PRELU, version, tensor("N", 2), tensor(1, 2)).shape == "[N, 2]"
    for slope in ((3,), (1, 1, 2)):
        with pytest.raises(Violation, match=r"X's shape \[2, 2\]"):
            rule(PRELU, version, tensor(2, 2), tensor(*slope))
        with pytest.raises(Violation, match=r"X's shape \[2, 2\]"):
            kernel(PRELU, version, x, np.ones(slope, np.float32))


def test_prelu_keeps_integers_and_16_bit_floats():
    for dtype in (np.int32, np.uint64, np.float16, ml_dtypes.bfloat16):
        got = kernel(PRELU, 16, np.array([3, 0], dtype), np.array([2], dtype))
        assert got.dtype == dtype
        assert got.tolist() == [3, 0]
    assert kernel(PRELU, 9, np.array([-3], np.int64), np.array(2)).tolist() == [-6]
