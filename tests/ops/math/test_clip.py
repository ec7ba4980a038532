import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.math.clip import CLIP
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, on_sizes, rule, tensor


@pytest.mark.parametrize("version", [1, 6])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_bounds_as_attributes(version, dtype):
    x = np.array([-1, 3, 9, np.inf], dtype)
    got = kernel(CLIP, version, x, min=0.0, max=6.0)
    assert got.dtype == dtype
    assert got.tolist() == [0, 3, 6, 6]
    with np.errstate(over="ignore"):  # float16 has no number like the default bounds of version 6
        assert kernel(CLIP, version, x, min=4.0).tolist()[:3] == [4, 4, 9]
        assert kernel(CLIP, version, x, max=4.0).tolist() == [-1, 3, 4, 4]
    assert rule(CLIP, version, tensor("B", 2), min=0.0).shape == "[B, 2]"


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, ml_dtypes.bfloat16])
def test_each_bound_may_be_absent(dtype):
    x, low, high = np.array([1, 3, 9], dtype), np.array(2, dtype), np.array(6, dtype)
    assert kernel(CLIP, 13, x).tolist() == [1, 3, 9]
    assert kernel(CLIP, 13, x, low).tolist() == [2, 3, 9]
    assert kernel(CLIP, 13, x, None, high).tolist() == [1, 3, 6]
    got = kernel(CLIP, 13, x, low, high)
    assert got.dtype == dtype
    assert got.tolist() == [2, 3, 6]


def test_max_wins_where_min_is_above_it():
    assert kernel(CLIP, 13, np.array([0, 5, 9]), np.array(7), np.array(3)).tolist() == [3, 3, 3]


def test_nan_stays_and_a_scalar_is_taken():
    got = kernel(CLIP, 13, np.array([np.nan, 7.0]), np.array(0.0), np.array(6.0))
    assert np.isnan(got[0])
    assert got[1] == 6
    assert float(kernel(CLIP, 13, np.array(7.0), np.array(0.0), np.array([6.0]))) == 6


def test_a_bound_of_several_elements_is_a_violation():
    ruled = rule(CLIP, 13, tensor("B", 2), None, tensor(3))
    assert ruled.violations == ["shape [3], but a bound is a scalar, of shape []"]
    assert ruled.shape == "[B, 2]"
    with pytest.raises(Violation, match=r"shape \[3\], but a bound is a scalar"):
        kernel(CLIP, 13, np.ones(2), np.ones(3))


def test_an_unknown_bound_or_rank_is_no_obstacle():
    assert rule(CLIP, 13, tensor("B"), UNKNOWN).shape == "[B]"
    assert rule(CLIP, 13, UNKNOWN, tensor()).shape == "[...]"


def test_sizes_are_limited_symbolically():
    assert [str(size) for size in on_sizes(CLIP, 13, ["B", 9], 1, 6)] == ["min(max(B, 1), 6)", "6"]
    assert [str(size) for size in on_sizes(CLIP, 13, ["B", -9], 0)] == ["B", "0"]


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.int32, np.float16, np.float32, ml_dtypes.bfloat16])
def test_large_arrays_are_bounded_to_their_last_element(dtype, layout):
    x = np.asarray(np.arange(3 * 10_007).reshape(3, -1) % 101 - 50, dtype, order=layout)
    low, high = np.array(-7, dtype), np.array(40, dtype)
    for bounds in ((low, high), (low, None), (None, high)):
        expected = [
            [
                max(
                    -7 if bounds[0] is not None else -50,
                    min(v, 40 if bounds[1] is not None else 50),
                )
                for v in row
            ]
            for row in x.tolist()
        ]
        assert kernel(CLIP, 13, x, *bounds).tolist() == expected
