import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import parse
from onnx_explorer.ops.tensor.concat import CONCAT
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, on_sizes, rule, tensor


def test_version_1_joins_on_axis_1_by_default():
    a, b = np.ones((2, 1), np.float32), np.zeros((2, 2), np.float32)
    assert kernel(CONCAT, 1, a, b).tolist() == [[1, 0, 0], [1, 0, 0]]
    assert rule(CONCAT, 1, tensor(2, 1), tensor(2, 2)).shape == "[2, 3]"


def test_sizes_on_the_axis_add_up_and_others_are_assumed_equal():
    ruled = rule(CONCAT, 13, tensor("B", "S", 4), tensor("B", 3, "D"), axis=1)
    assert ruled.shape == "[B, S + 3, 4]"
    assert ruled.assumptions == ["4 = D"]


def test_an_input_of_unknown_rank_leaves_only_the_axis_open():
    assert rule(CONCAT, 13, tensor("B", 2), UNKNOWN, axis=-1).shape == "[B, dim1_0]"
    assert rule(CONCAT, 13, UNKNOWN, UNKNOWN, axis=0).shape == "[...]"


def test_another_size_is_reported_with_both_numbers():
    ruled = rule(CONCAT, 13, tensor(2, 3), tensor(2, 4), axis=0)
    assert ruled.violations == [
        "size 4 on axis 1 of input 1, but input 0 has 3 there, and only axis 0 may differ"
    ]
    assert ruled.shape == "[4, 3]"
    with pytest.raises(Violation, match="size 4 on axis 1 of input 1, but input 0 has 3 there"):
        kernel(CONCAT, 13, np.ones((2, 3)), np.ones((2, 4)), axis=0)


def test_another_rank_and_an_axis_outside_are_violations():
    with pytest.raises(Violation, match="rank 1 of input 1, but input 0 has rank 2"):
        rule(CONCAT, 13, tensor(2, 3), tensor(2), axis=0)
    with pytest.raises(Violation, match="rank 1 of input 1, but input 0 has rank 2"):
        kernel(CONCAT, 13, np.ones((2, 3)), np.ones(2), axis=0)
    with pytest.raises(Violation, match="axis = 2, but the tensor has rank 2: expected -2 to 1"):
        rule(CONCAT, 13, tensor(2, 3), axis=2)


def test_content_is_carried_along():
    assert on_sizes(CONCAT, 13, ["B"], [2, "S"], axis=0).tolist() == [parse("B"), 2, parse("S")]


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, object, bool, np.complex64])
def test_dtypes_stay(dtype):
    a = np.array([["a", "b"]], object) if dtype is object else np.ones((1, 2), dtype)
    joined = kernel(CONCAT, 13, a, a[:, :0], a, axis=1)
    assert joined.dtype == a.dtype
    assert joined.tolist() == [[*a[0].tolist(), *a[0].tolist()]]
