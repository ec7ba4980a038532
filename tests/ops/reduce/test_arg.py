import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.reduce.arg import ARG_MAX, ARG_MIN
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor

BOTH = pytest.mark.parametrize("op", [ARG_MAX, ARG_MIN], ids=lambda op: op.name)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float16, np.float32, ml_dtypes.bfloat16])
def test_of_equal_elements_the_first_or_the_last_counts(dtype):
    data = np.array([[1, 5, 5, 1]], dtype)
    for op, first, last in ((ARG_MAX, 1, 2), (ARG_MIN, 0, 3)):
        for version in op.versions:
            got = kernel(op, version, data, axis=1)
            assert got.dtype == np.int64
            assert got.tolist() == [[first]]
        assert kernel(op, 12, data, axis=-1, select_last_index=1).tolist() == [[last]]
        assert kernel(op, 13, data, axis=1, keepdims=0).tolist() == [first]


@BOTH
def test_the_axis_is_0_by_default_and_stays_with_size_1(op):
    assert rule(op, 1, tensor("B", 3)).shape == "[1, 3]"
    assert rule(op, 13, tensor("B", 3), axis=-1, keepdims=0).shape == "[B]"
    assert rule(op, 13, UNKNOWN).shape == "[...]"
    assert kernel(op, 1, np.ones((2, 3), np.float32)).shape == (1, 3)


@BOTH
def test_an_axis_outside_or_empty_is_a_violation(op):
    with pytest.raises(Violation, match="axis = 2, but the tensor has rank 2: expected -2 to 1"):
        rule(op, 13, tensor("B", 3), axis=2)
    for run, data in ((rule, tensor("B", 0)), (kernel, np.ones((2, 0)))):
        with pytest.raises(Violation, match="0 elements along axis 1, but 1 or more"):
            run(op, 13, data, axis=1)
