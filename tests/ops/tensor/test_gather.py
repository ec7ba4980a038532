import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import UndecidedError, parse
from onnx_explorer.ops.tensor.gather import GATHER
from onnx_explorer.ops.tensor.gather_elements import GATHER_ELEMENTS
from onnx_explorer.ops.tensor.gather_nd import GATHER_ND
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import ints, kernel, on_sizes, rule, tensor


def test_gather_replaces_the_axis_by_those_of_the_indices():
    assert rule(GATHER, 13, tensor("V", 8), tensor("B", "S")).shape == "[B, S, 8]"
    assert rule(GATHER, 1, tensor("B", 5, 8), tensor(), axis=1).shape == "[B, 8]"
    assert rule(GATHER, 13, UNKNOWN, tensor(2)).shape == "[...]"
    assert rule(GATHER, 13, tensor(2), UNKNOWN).shape == "[...]"


@pytest.mark.parametrize("version", GATHER.versions)
def test_gather_of_a_scalar_index_is_an_array_of_lower_rank(version):
    picked = kernel(GATHER, version, np.array([3, 4], np.int8), np.array(-1))
    assert isinstance(picked, np.ndarray)
    assert (picked.shape, picked.dtype, picked.item()) == ((), np.int8, 4)
    word = kernel(GATHER, version, np.array(["a", "bc"], object), np.array(1, np.int32))
    assert (word.shape, word.item()) == ((), "bc")


def test_gather_refuses_positions_outside_of_the_axis():
    message = "index 3, but axis 0 of data has size 3: expected -3 to 2"
    with pytest.raises(Violation, match=message):
        rule(GATHER, 13, tensor(3, 2), ints(0, 3))
    with pytest.raises(Violation, match=message):
        kernel(GATHER, 13, np.ones((3, 2)), [0, 3])
    with pytest.raises(Violation, match="index -4, but axis 0 of data has size 3"):
        kernel(GATHER, 13, np.ones((3, 2)), [-4])
    with pytest.raises(Violation, match=message):
        kernel(GATHER, 13, np.ones((3, 0)), [0, 3])
    assert rule(GATHER, 13, tensor("V", 2), ints(7)).shape == "[1, 2]"


def test_gather_carries_sizes_but_not_along_symbolic_positions():
    assert on_sizes(GATHER, 13, ["B", "S", 4], [1]).tolist() == [parse("S")]
    assert on_sizes(GATHER, 13, ["B", "S", 4], -2).item() == parse("S")
    with pytest.raises(UndecidedError):
        on_sizes(GATHER, 13, [1, 2], ["B"])


def test_gather_from_empty_and_with_empty():
    assert kernel(GATHER, 13, np.ones((2, 0)), [1, 1, 0]).shape == (3, 0)
    assert kernel(GATHER, 13, np.ones((0, 2)), np.zeros((0, 4), int)).shape == (0, 4, 2)


def test_gather_elements_has_the_shape_of_the_indices():
    assert rule(GATHER_ELEMENTS, 13, tensor("B", 9), tensor("B", "k"), axis=1).shape == "[B, k]"
    assert rule(GATHER_ELEMENTS, 11, tensor("B", 9), UNKNOWN).shape == "[dim0_0, dim1_1]"
    assert rule(GATHER_ELEMENTS, 11, UNKNOWN, tensor(2, 3)).shape == "[2, 3]"


def test_gather_elements_may_look_at_a_part_of_the_other_axes():
    data = np.arange(6).reshape(3, 2)
    picked = kernel(GATHER_ELEMENTS, 11, data, [[0, -1], [1, 0]], axis=1)
    assert picked.tolist() == [[0, 1], [3, 2]]
    with pytest.raises(Violation, match="size 4 on axis 0, but data has only 3 there"):
        kernel(GATHER_ELEMENTS, 11, data, np.zeros((4, 1), int), axis=1)
    with pytest.raises(Violation, match="size 4 on axis 0, but data has only 3 there"):
        rule(GATHER_ELEMENTS, 11, tensor(3, 2), tensor(4, 1), axis=1)
    with pytest.raises(Violation, match="rank 1, but data has rank 2"):
        rule(GATHER_ELEMENTS, 11, tensor(3, 2), tensor(4))


def test_gather_nd_before_batches():
    data = np.array([[0, 1], [2, 3]], ml_dtypes.bfloat16)
    picked = kernel(GATHER_ND, 11, data, [[1], [-2]])
    assert (picked.tolist(), picked.dtype) == ([[2, 3], [0, 1]], data.dtype)
    assert kernel(GATHER_ND, 11, data, [1, 0]).shape == ()


def test_gather_nd_adds_what_lies_behind_the_tuples():
    assert rule(GATHER_ND, 13, tensor("B", "S", 8), tensor("n", 2)).shape == "[n, 8]"
    batched = rule(GATHER_ND, 13, tensor("B", "S", 8), tensor("A", "n", 1), batch_dims=1)
    assert (batched.shape, batched.assumptions) == ("[A, n, 8]", ["B = A"])
    assert rule(GATHER_ND, 13, tensor("B", 8), tensor("n", "k")).shape == "[...]"


def test_gather_nd_refuses_tuples_that_are_too_long_and_other_batches():
    with pytest.raises(Violation, match="tuples of 3 coordinates, but data has 2 axes"):
        rule(GATHER_ND, 13, tensor(2, 2), tensor(1, 3))
    with pytest.raises(Violation, match="size 3 on batch axis 0, but data has 2 there"):
        kernel(GATHER_ND, 13, np.ones((2, 2)), np.zeros((3, 1), int), batch_dims=1)
    with pytest.raises(Violation, match="index 2, but axis 1 of data has size 2"):
        kernel(GATHER_ND, 13, np.ones((2, 2)), [[0, 2]])
