import math

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.nn.softmax import LOG_SOFTMAX, SOFTMAX
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor

pytestmark = pytest.mark.filterwarnings("ignore:overflow")  # of what is tried first

BOTH = [SOFTMAX, LOG_SOFTMAX]
CUBE = np.zeros((2, 3, 4))


@pytest.mark.parametrize("version", [1, 11, 13])
def test_probabilities_worked_by_hand(version):
    X = np.array([[0, math.log(3)]])
    assert kernel(SOFTMAX, version, X)[0].tolist() == pytest.approx([0.25, 0.75])
    expected = [math.log(0.25), math.log(0.75)]
    assert kernel(LOG_SOFTMAX, version, X)[0].tolist() == pytest.approx(expected)


@pytest.mark.parametrize("version", [1, 11])
def test_old_versions_sum_over_all_axes_from_axis_on(version):
    assert kernel(SOFTMAX, version, CUBE).ravel().tolist() == pytest.approx([1 / 12] * 24)
    assert kernel(SOFTMAX, version, CUBE, axis=0).ravel().tolist() == pytest.approx([1 / 24] * 24)
    got = kernel(LOG_SOFTMAX, version, CUBE, axis=2)
    assert got.ravel().tolist() == pytest.approx([-math.log(4)] * 24)


def test_new_versions_sum_along_one_axis():
    for axis, size in ((0, 2), (1, 3), (-1, 4)):
        got = kernel(SOFTMAX, 13, CUBE, axis=axis)
        assert got.ravel().tolist() == pytest.approx([1 / size] * 24)


def test_large_numbers_have_probabilities_too():
    X = np.array([[1e4, 1e4]], np.float32)
    assert kernel(SOFTMAX, 13, X).tolist() == [[0.5, 0.5]]
    assert kernel(LOG_SOFTMAX, 13, X)[0].tolist() == pytest.approx([-math.log(2)] * 2)


@pytest.mark.parametrize("op", BOTH, ids=lambda op: op.name)
def test_blocks_of_rows_come_out_as_rows_alone(op):
    X = np.random.default_rng(0).standard_normal((700, 600)).astype(np.float32)
    whole = kernel(op, 13, X)
    for row in (0, 400, 699):
        alone = kernel(op, 13, X[row : row + 1])[0]
        np.testing.assert_allclose(whole[row], alone, rtol=1e-6)  # sums in another order


@pytest.mark.parametrize("op", BOTH, ids=lambda op: op.name)
def test_dtypes_and_empty_axes_are_kept(op):
    for dtype in (np.float16, np.float64, ml_dtypes.bfloat16):
        assert kernel(op, 13, np.ones((2, 3), dtype)).dtype == dtype
    assert kernel(op, 13, np.ones((2, 0))).shape == (2, 0)
    assert kernel(op, 1, np.ones((2, 0, 3))).shape == (2, 0, 3)


@pytest.mark.parametrize("op", BOTH, ids=lambda op: op.name)
def test_the_shape_is_kept_and_the_axis_checked(op):
    assert rule(op, 13, tensor("B", "S")).shape == "[B, S]"
    assert rule(op, 13, UNKNOWN).shape == "[...]"
    for at, X in ((rule, tensor(2, 3)), (kernel, np.ones((2, 3)))):
        with pytest.raises(Violation, match="axis = 2, but the tensor has rank 2"):
            at(op, 13, X, axis=2)


def test_numbers_far_from_0_are_moved_next_to_it_first():
    """Near 0 the exponentials of the numbers themselves are in range, and nothing is moved."""
    near = np.random.default_rng(1).uniform(-39, 39, (4, 50)).astype(np.float32)
    for shift in (0, 100, -100, 3000):
        moved = np.exp(near.astype(np.float64))
        wanted = moved / moved.sum(-1, keepdims=True)
        got = kernel(SOFTMAX, 13, (near.astype(np.float64) + shift))
        np.testing.assert_allclose(got, wanted, rtol=1e-9)
    masked = np.where(near < 0, -np.inf, near)
    assert (kernel(SOFTMAX, 13, masked)[near < 0] == 0).all()
    assert np.isnan(kernel(SOFTMAX, 13, np.float32([[0, np.nan]]))).all()


@pytest.mark.parametrize("rows", [3, 900])
@pytest.mark.parametrize("shift", [-1e4, -30, -10, 0, 30, 1e4])
def test_masked_numbers_have_no_probability_and_leave_those_of_the_others(rows, shift):
    rng = np.random.default_rng(0)
    scores = rng.normal(shift, 2, (rows, 17)).astype(np.float32)
    masked = rng.random(scores.shape) < 0.5
    masked[:, 0], scores[masked] = False, np.finfo(np.float32).min
    got = kernel(SOFTMAX, 13, scores)
    wide = np.exp(scores.astype(np.float64) - scores.max(-1, keepdims=True))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, wide / wide.sum(-1, keepdims=True), rtol=1e-6)


@pytest.mark.parametrize("low", [-12.9, -13.1])
def test_a_row_of_a_single_small_number_keeps_its_digits(low):
    """Around the bound below which the numbers are taken as they are."""
    x = np.zeros((1, 3, 2), np.float32)
    x[0, 0] = [low, 0]
    got = kernel(SOFTMAX, 13, x, axis=2)
    small = np.exp(np.float64(np.float32(low)))
    np.testing.assert_allclose(got[0, 0], [small / (1 + small), 1 / (1 + small)], rtol=1e-6)
    np.testing.assert_allclose(kernel(SOFTMAX, 13, x[:, :1, :1], axis=2), [[[1]]], rtol=1e-6)
