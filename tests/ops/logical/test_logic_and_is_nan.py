import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.ops.logical.is_nan import IS_NAN
from onnx_explorer.ops.logical.logic import AND, NOT, OR, XOR
from onnx_explorer.schema import Violation
from tests.ops.page_driver import kernel, on_sizes, rule, tensor

A, B = [False, False, True, True], [False, True, False, True]
TABLE = {AND: [0, 0, 0, 1], OR: [0, 1, 1, 1], XOR: [0, 1, 1, 0]}


@pytest.mark.parametrize("op", TABLE, ids=lambda op: op.name)
def test_the_truth_table_holds_in_every_version_and_on_sizes(op):
    for version in op.versions:
        got = kernel(op, version, A, B)
        assert got.dtype == bool
        assert got.tolist() == TABLE[op]
    assert on_sizes(op, 7, A, B).tolist() == TABLE[op]


@pytest.mark.parametrize("op", TABLE, ids=lambda op: op.name)
def test_version_1_broadcasts_from_an_axis_and_only_on_request(op):
    a = np.array([[False, True], [False, True]])
    got = kernel(op, 1, a, np.array([False, True]), broadcast=1, axis=0)
    rows = TABLE[op]
    assert got.tolist() == [[rows[0], rows[2]], [rows[1], rows[3]]]
    with pytest.raises(Violation, match=r"B has shape \[2\], but A has shape \[2, 2\]"):
        kernel(op, 1, a, np.array([False, True]))
    assert rule(op, 7, tensor("B", 1), tensor(2)).shape == "[B, 2]"


def test_not_turns_bools_around():
    assert kernel(NOT, 1, np.array([[True], [False]])).tolist() == [[False], [True]]
    assert on_sizes(NOT, 1, [True, False]).tolist() == [False, True]
    assert rule(NOT, 1, tensor("B", 3)).shape == "[B, 3]"


@pytest.mark.parametrize(
    "dtype",
    [
        np.float16,
        np.float64,
        ml_dtypes.bfloat16,
        ml_dtypes.float8_e4m3fn,
        ml_dtypes.float8_e5m2fnuz,
    ],
)
def test_only_nan_is_nan(dtype):
    got = kernel(IS_NAN, 20, np.array([1, np.nan, 0], dtype))
    assert got.dtype == bool
    assert got.tolist() == [False, True, False]
    assert rule(IS_NAN, 9, tensor("B", 3)).shape == "[B, 3]"
