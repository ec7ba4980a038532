import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import parse
from onnx_explorer.ops.tensor.scatter_elements import SCATTER, SCATTER_ELEMENTS
from onnx_explorer.ops.tensor.scatter_nd import SCATTER_ND
from onnx_explorer.ops.tensor.tensor_scatter import TENSOR_SCATTER
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import ints, kernel, on_sizes, rule, tensor

COMBINE = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


@pytest.mark.parametrize("version", SCATTER.versions)
def test_scatter_is_scatter_elements_by_its_first_name(version):
    data = np.array([[1, 2], [3, 4]])
    out = kernel(SCATTER, version, data, [[0], [-1]], [[7], [8]], axis=1)
    assert out.tolist() == [[7, 2], [3, 8]]
    assert data.tolist() == [[1, 2], [3, 4]]
    assert rule(SCATTER, version, tensor("B", 2), tensor("k", 1), tensor("k", 1)).shape == "[B, 2]"


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, ml_dtypes.bfloat16])
@pytest.mark.parametrize("reduction", COMBINE)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_scatter_elements_combines_in_order(axis, reduction, dtype):
    rng = np.random.default_rng(0)
    data = rng.integers(1, 3, (3, 4, 2)).astype(dtype)
    updates = rng.integers(1, 3, (2, 3, 2)).astype(dtype)
    indices = rng.integers(-2, 2, (2, 3, 2))
    wanted = data.copy()
    for place in np.ndindex(indices.shape):
        at = list(place)
        at[axis] = indices[place]
        wanted[tuple(at)] = COMBINE[reduction](wanted[tuple(at)], updates[place])
    out = kernel(
        SCATTER_ELEMENTS, 18, data, indices, updates, axis=axis, reduction=reduction.encode()
    )
    np.testing.assert_array_equal(out, wanted)
    assert out.dtype == data.dtype


def test_scatter_elements_refuses_what_does_not_fit():
    data, ones = np.ones((2, 3)), np.ones((1, 3))
    message = r"index 2, but axis 0 of data has size 2: expected -2 to 1"
    with pytest.raises(Violation, match=message):
        kernel(SCATTER_ELEMENTS, 11, data, [[0, 1, 2]], ones)
    index = tensor(1, 1, content=(2,))
    with pytest.raises(Violation, match=message):
        rule(SCATTER_ELEMENTS, 11, tensor(2, 3), index, tensor(1, 1))
    with pytest.raises(Violation, match=r"shape \[1, 2\], but indices have shape \[1, 3\]"):
        kernel(SCATTER_ELEMENTS, 11, data, [[0, 1, 1]], np.ones((1, 2)))
    with pytest.raises(Violation, match=r"size 4 on axis 1, but data has only 3 there"):
        rule(SCATTER_ELEMENTS, 11, tensor(2, 3), tensor(1, 4), tensor(1, 4))
    with pytest.raises(Violation, match="reduction = 'max', but expected one of"):
        kernel(SCATTER_ELEMENTS, 16, data, [[0, 1, 1]], ones, reduction=b"max")


def test_scatter_elements_of_nothing_strings_and_sizes():
    none = np.empty((0, 2), int)
    assert kernel(SCATTER_ELEMENTS, 13, np.ones((3, 2)), none, none * 1.0).shape == (3, 2)
    words = np.array(["a", "b"], object)
    assert kernel(SCATTER_ELEMENTS, 13, words, [1], np.array(["c"], object)).tolist() == ["a", "c"]
    assert on_sizes(SCATTER_ELEMENTS, 18, [1, 2], [0], ["B"]).tolist() == [parse("B"), 2]
    assert rule(SCATTER_ELEMENTS, 18, UNKNOWN, tensor(2), tensor("k")).assumptions == ["k = 2"]


@pytest.mark.parametrize("reduction", ["none", *COMBINE])
@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_scatter_nd_writes_slices(length, reduction):
    rng = np.random.default_rng(1)
    data = rng.integers(1, 4, (3, 2, 2))
    indices = rng.integers(-2, 2, (2, 2, length))
    if reduction == "none":
        indices = indices[:1, :1]
    updates = rng.integers(1, 4, (*indices.shape[:-1], *data.shape[length:]))
    wanted = data.copy()
    for place in np.ndindex(indices.shape[:-1]):
        at = tuple(indices[place])
        new = updates[place]
        wanted[at] = new if reduction == "none" else COMBINE[reduction](wanted[at], new)
    out = kernel(SCATTER_ND, 18, data, indices, updates, reduction=reduction.encode())
    np.testing.assert_array_equal(out, wanted)


def test_scatter_nd_knows_the_shape_that_updates_have():
    data, indices = tensor("B", "S", 8), tensor("n", 1)
    good = rule(SCATTER_ND, 13, data, indices, tensor("n", "S", 8))
    assert (good.shape, good.assumptions) == ("[B, S, 8]", [])
    assert rule(SCATTER_ND, 11, data, indices, tensor("m", "S", 8)).assumptions == ["m = n"]
    message = r"shape \[n, S, 7\], but data and indices call for shape \[n, S, 8\]"
    with pytest.raises(Violation, match=message):
        rule(SCATTER_ND, 16, data, indices, tensor("n", "S", 7))
    with pytest.raises(Violation, match="tuples of 4 coordinates, but data has rank 3"):
        rule(SCATTER_ND, 16, data, tensor("n", 4), tensor("n"))
    with pytest.raises(Violation, match="index -3, but axis 1 of data has size 2"):
        kernel(SCATTER_ND, 18, np.ones((2, 2)), [[0, -3]], [1.0])
    assert on_sizes(SCATTER_ND, 18, [1, 2, 3], [[-1]], ["B"]).tolist() == [1, 2, parse("B")]


def test_tensor_scatter_goes_on_at_the_beginning_in_circular_mode_only():
    cache = np.zeros((2, 1, 4, 1), np.float16)
    new = np.array([[1, 2, 3], [4, 5, 6]], np.float16).reshape(2, 1, 3, 1)
    out = kernel(TENSOR_SCATTER, 24, cache, new, [3, 1], mode=b"circular")
    assert out.reshape(2, 4).tolist() == [[2, 3, 0, 1], [0, 4, 5, 6]]
    message = "3 entries from 3 on, but the cache ends at 4"
    with pytest.raises(Violation, match=message):
        kernel(TENSOR_SCATTER, 24, cache, new, [3, 1])
    with pytest.raises(Violation, match=message):
        rule(TENSOR_SCATTER, 24, tensor(2, 1, 4, 1), tensor(2, 1, 3, 1), ints(3, 1))


def test_tensor_scatter_checks_sizes():
    cache = tensor("B", 8, "T", 64)
    assert rule(TENSOR_SCATTER, 24, cache, tensor("B", 8, 1, 64)).shape == "[B, 8, T, 64]"
    with pytest.raises(Violation, match="size 4 on axis 1, but the cache has 8 there"):
        rule(TENSOR_SCATTER, 24, cache, tensor("B", 4, 1, 64))
    with pytest.raises(Violation, match="5 entries on axis 1, but the cache has room for 4"):
        rule(TENSOR_SCATTER, 24, tensor(2, 4, 8), tensor(2, 5, 8))
    with pytest.raises(Violation, match="axis = 0 of rank 3, but the first axis is the batch"):
        rule(TENSOR_SCATTER, 24, tensor(2, 4, 8), tensor(2, 4, 8), axis=0)
    with pytest.raises(Violation, match=r"shape \[3\], but one for each of 2 batches"):
        rule(TENSOR_SCATTER, 24, tensor(2, 4, 8), tensor(2, 4, 8), tensor(3))
