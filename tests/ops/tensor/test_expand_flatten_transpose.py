import numpy as np
import pytest

from onnx_explorer.dims import parse
from onnx_explorer.ops.tensor.expand import EXPAND
from onnx_explorer.ops.tensor.flatten import FLATTEN
from onnx_explorer.ops.tensor.transpose import TRANSPOSE
from onnx_explorer.schema import UNKNOWN, Abstract, Violation
from tests.ops.page_driver import ints, kernel, on_sizes, rule, tensor


def test_expand_takes_the_larger_claim_on_each_axis():
    assert rule(EXPAND, 13, tensor("B", 1, 4), ints("S", 1)).shape == "[B, S, 4]"
    assert rule(EXPAND, 8, tensor(3), ints(2, 1)).shape == "[2, 3]"
    assert kernel(EXPAND, 8, [5, 6], [2, 1]).tolist() == [[5, 6], [5, 6]]


def test_expand_with_an_unknown_target_of_known_length_keeps_sizes_that_cannot_change():
    target = tensor(3)
    assert rule(EXPAND, 13, tensor(1, 4), target).shape == "[dim0_0, dim1_1, 4]"
    assert rule(EXPAND, 13, tensor(1, 4), tensor("n")).shape == "[...]"
    assert rule(EXPAND, 13, UNKNOWN, ints(2, 3)).shape == "[...]"


def test_expand_refuses_sizes_that_do_not_broadcast():
    with pytest.raises(Violation, match=r"have 2 and 3 at axis 0"):
        rule(EXPAND, 13, tensor(2), ints(3))
    with pytest.raises(Violation, match=r"shape \[2\], but 2 does not broadcast against 3 of"):
        kernel(EXPAND, 13, [1, 2], [3])
    with pytest.raises(Violation, match=r"-1 in shape \[2, -1\], but sizes are 0 or more"):
        rule(EXPAND, 13, tensor(2, 1), ints(2, -1))


def test_expand_does_not_write_into_its_input_and_carries_sizes():
    x = np.zeros(2)
    assert np.shares_memory(kernel(EXPAND, 13, x, [3, 2]), x)
    assert on_sizes(EXPAND, 13, ["B"], [2]).tolist() == [parse("B")] * 2


@pytest.mark.parametrize(
    ("axis", "shape"), [(0, "[1, 4*B*S]"), (1, "[B, 4*S]"), (-1, "[B*S, 4]"), (3, "[4*B*S, 1]")]
)
def test_flatten_multiplies_the_sizes_on_each_side(axis, shape):
    assert rule(FLATTEN, 11, tensor("B", "S", 4), axis=axis).shape == shape


def test_flatten_of_unknown_rank_is_a_matrix_all_the_same():
    assert rule(FLATTEN, 25, UNKNOWN).shape == "[dim0_0, dim1_1]"
    assert rule(FLATTEN, 25, UNKNOWN, axis=0).shape == "[1, dim1_0]"


def test_flatten_of_a_scalar_and_of_empty_axes():
    assert kernel(FLATTEN, 25, np.float32(3).reshape(()), axis=0).tolist() == [[3]]
    assert kernel(FLATTEN, 1, np.ones((2, 0, 3), np.float32), axis=2).shape == (0, 3)
    with pytest.raises(Violation, match="axis = 3, but the tensor has rank 2: expected -2 to 2"):
        kernel(FLATTEN, 9, np.ones((2, 2)), axis=3)


def test_transpose_reverses_by_default_and_keeps_symbols():
    assert rule(TRANSPOSE, 1, tensor("B", "S", 4)).shape == "[4, S, B]"
    assert rule(TRANSPOSE, 25, tensor("B", "S", 4), perm=(1, 0, 2)).shape == "[S, B, 4]"
    assert rule(TRANSPOSE, 25, UNKNOWN, perm=(1, 0)).shape == "[dim0_0, dim1_1]"
    assert rule(TRANSPOSE, 25, Abstract()).shape == "[...]"


def test_transpose_refuses_what_is_no_permutation_of_the_axes():
    with pytest.raises(Violation, match=r"perm = \[0, 1\] of 2 axes, but data has rank 3"):
        rule(TRANSPOSE, 13, tensor(1, 2, 3), perm=(0, 1))
    with pytest.raises(Violation, match=r"perm = \[0, 0\], but each axis from 0 to 1"):
        kernel(TRANSPOSE, 13, np.ones((1, 2)), perm=(0, 0))


def test_transpose_moves_strings_and_sizes():
    words = np.array([["a", "b"]], object)
    assert kernel(TRANSPOSE, 1, words).tolist() == [["a"], ["b"]]
    assert on_sizes(TRANSPOSE, 13, [["B", 2]]).tolist() == [[parse("B")], [2]]
