import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.nn.group_normalization import GROUP_NORMALIZATION
from onnx_explorer.ops.nn.hardmax import HARDMAX
from onnx_explorer.ops.nn.lp_normalization import LP_NORMALIZATION
from onnx_explorer.ops.nn.mean_variance_normalization import MEAN_VARIANCE_NORMALIZATION
from onnx_explorer.ops.nn.rms_normalization import RMS_NORMALIZATION
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import complaint, kernel, rule, tensor


def test_rms_normalization_divides_by_the_root_mean_square():
    got = kernel(RMS_NORMALIZATION, 23, [[1.0, 7]], [10.0, 100], epsilon=0.0)
    np.testing.assert_allclose(got, [[2, 140]])
    got = kernel(RMS_NORMALIZATION, 23, [[[1.0], [7]]], [[10.0]], axis=1, epsilon=0.0)
    np.testing.assert_allclose(got, [[[2], [14]]])


def test_rms_normalization_returns_the_type_of_its_scale():
    X = np.array([[300, 300]], np.float16)  # whose squares float16 cannot hold
    got = kernel(RMS_NORMALIZATION, 23, X, np.ones(2, np.float32), epsilon=0.0)
    assert (got.dtype, got.tolist()) == (np.float32, [[1, 1]])
    got = kernel(RMS_NORMALIZATION, 23, X.astype("f4"), np.ones(2, ml_dtypes.bfloat16))
    assert got.dtype == ml_dtypes.bfloat16
    got = kernel(RMS_NORMALIZATION, 23, np.array([[1e30]]), np.ones(1), epsilon=0.0, stash_type=11)
    assert got.tolist() == [[1]]  # in float32 the square would be infinite


def test_rms_normalization_checks_its_scale():
    assert rule(RMS_NORMALIZATION, 23, tensor("B", "S", 8), tensor(8)).shape == "[B, S, 8]"
    said = complaint(RMS_NORMALIZATION, 23, tensor("B", 8), tensor(4))
    assert said == "shape [4], but it must broadcast to X's [B, 8]"
    with pytest.raises(Violation, match=r"stash_type = 7, but expected the number of a float"):
        rule(RMS_NORMALIZATION, 23, tensor(2), tensor(2), stash_type=7)


def test_group_normalization_scales_channels_since_version_21_and_groups_before():
    X = np.array([[[1.0], [3], [10], [30]]])
    got = kernel(GROUP_NORMALIZATION, 21, X, [1.0, 1, 1, 2], np.zeros(4), num_groups=2, epsilon=0.0)
    np.testing.assert_allclose(got, [[[-1], [1], [-1], [2]]], rtol=1e-6)
    got = kernel(GROUP_NORMALIZATION, 18, X, [1.0, 2], [0.0, 5], num_groups=2, epsilon=0.0)
    np.testing.assert_allclose(got, [[[-1], [1], [3], [7]]], rtol=1e-6)


@pytest.mark.parametrize("version", GROUP_NORMALIZATION.versions)
def test_group_normalization_of_an_empty_batch_stays_empty(version):
    X, ones = np.zeros((0, 2, 3), np.float16), np.ones(2, np.float16)
    got = kernel(GROUP_NORMALIZATION, version, X, ones, ones, num_groups=2)
    assert (got.shape, got.dtype) == (X.shape, X.dtype)


def test_group_normalization_of_halves_is_computed_in_float32():
    X = np.array([[[1000], [1002]]], np.float16)
    ones, zeros = np.ones(2, np.float16), np.zeros(2, np.float16)
    got = kernel(GROUP_NORMALIZATION, 21, X, ones, zeros, num_groups=1, epsilon=0.0)
    assert (got.dtype, got.tolist()) == (np.float16, [[[-1], [1]]])


def test_group_normalization_checks_channels_and_groups():
    X = tensor("B", 4, "h")
    assert rule(GROUP_NORMALIZATION, 21, X, tensor(4), tensor("C"), num_groups=2).assumptions == [
        "C = 4"
    ]
    got = rule(GROUP_NORMALIZATION, 18, X, tensor(4), tensor(2), num_groups=2)
    assert got.violations == ["shape [4], but there are 2 groups: expected [2]"]
    assert got.shape == "[B, 4, h]"
    got = rule(GROUP_NORMALIZATION, 21, X, tensor(2), tensor(4), num_groups=2)
    assert got.violations == ["shape [2], but there are 4 channels: expected [4]"]
    with pytest.raises(Violation, match=r"num_groups = 3, but X has 4 channels"):
        rule(GROUP_NORMALIZATION, 21, X, tensor(4), tensor(4), num_groups=3)
    assert rule(GROUP_NORMALIZATION, 21, UNKNOWN, tensor(4), tensor(4), num_groups=3).shape == (
        "[...]"
    )


@pytest.mark.parametrize("version", LP_NORMALIZATION.versions)
def test_lp_normalization_makes_the_norm_1(version):
    assert kernel(LP_NORMALIZATION, version, [[3.0, -4]]).tolist() == [[0.6, -0.8]]
    got = kernel(LP_NORMALIZATION, version, [[1.0, 0], [-3, 0]], p=1, axis=0)
    assert got.tolist() == [[0.25, 0], [-0.75, 0]]
    with pytest.raises(Violation, match=r"axis = 2, but .* rank 2"):
        rule(LP_NORMALIZATION, version, tensor("N", 2), axis=2)


@pytest.mark.parametrize("version", MEAN_VARIANCE_NORMALIZATION.versions)
def test_mean_variance_normalization_over_the_axes_named(version):
    X = np.array([[1.0, 5, 7], [3, 5, 11]])
    got = kernel(MEAN_VARIANCE_NORMALIZATION, version, X, axes=(0,))
    np.testing.assert_allclose(got, [[-1, 0, -1], [1, 0, 1]])
    assert rule(MEAN_VARIANCE_NORMALIZATION, version, tensor("N", 3, "h", "w")).shape == (
        "[N, 3, h, w]"
    )
    with pytest.raises(Violation, match=r"axes = 2, but .* rank 2"):
        rule(MEAN_VARIANCE_NORMALIZATION, version, tensor("N", 3))


def test_hardmax_marks_the_first_maximum_along_an_axis_or_of_a_matrix():
    X = np.array([[[3, 1], [3, 2]]], np.float16)
    assert kernel(HARDMAX, 13, X).tolist() == [[[1, 0], [1, 0]]]
    assert kernel(HARDMAX, 13, X, axis=1).tolist() == [[[1, 0], [0, 1]]]
    for version in (1, 11):
        got = kernel(HARDMAX, version, X)
        assert (got.tolist(), got.dtype) == ([[[1, 0], [0, 0]]], np.float16)
        assert kernel(HARDMAX, version, X, axis=2).tolist() == [[[1, 0], [1, 0]]]
    assert kernel(HARDMAX, 13, np.empty((0, 3), np.float32)).shape == (0, 3)
    with pytest.raises(Violation, match=r"axis = 1, but .* rank 1"):
        rule(HARDMAX, 1, tensor("N"))
