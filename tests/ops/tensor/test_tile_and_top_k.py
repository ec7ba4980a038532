import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import parse
from onnx_explorer.ops.tensor.tile import TILE
from onnx_explorer.ops.tensor.top_k import TOP_K
from onnx_explorer.schema import UNKNOWN, Abstract, Violation
from tests.ops.page_driver import ints, kernel, on_sizes, rule, tensor


def test_tile_multiplies_sizes():
    assert rule(TILE, 13, tensor("B", 3), ints(2, "n")).shape == "[2*B, 3*n]"
    assert rule(TILE, 6, tensor("B", 3), Abstract()).shape == "[dim0_0, dim1_1]"
    assert rule(TILE, 13, UNKNOWN, tensor(2)).shape == "[dim0_0, dim1_1]"
    assert rule(TILE, 13, UNKNOWN, UNKNOWN).shape == "[...]"


def test_tile_of_version_1_repeats_one_axis():
    tiled = kernel(
        TILE, 1, np.array([[1, 2], [3, 4]], "f4"), np.array([2], "f4"), np.array([1], "f4")
    )
    assert (tiled.tolist(), tiled.dtype) == ([[1, 2, 1, 2], [3, 4, 3, 4]], np.float32)
    assert rule(TILE, 1, tensor("B", 3), ints(2), ints(-1)).shape == "[B, 6]"
    assert rule(TILE, 1, tensor("B", 3), Abstract(), ints(0)).shape == "[B*tiles_0, 3]"
    assert rule(TILE, 1, tensor("B", 3), ints(2), Abstract()).shape == "[dim0_0, dim1_1]"


@pytest.mark.parametrize("shape", [(3, 1, 2), (1, 1, 1), (0, 1, 2), (2, 3, 1)])
@pytest.mark.parametrize("repeats", [(1, 1, 1), (2, 1, 3), (1, 4, 0), (3, 2, 2)])
def test_tile_is_numpys(shape, repeats):
    data = np.arange(np.prod(shape)).reshape(shape)
    np.testing.assert_array_equal(
        kernel(TILE, 13, data, list(repeats)), np.tile(data, repeats), strict=True
    )


def test_tile_of_narrow_types_strings_sizes_and_scalars():
    four = np.array([[1, -2]], ml_dtypes.int4)
    assert kernel(TILE, 13, four, [2, 1]).dtype == four.dtype
    assert kernel(TILE, 13, np.array(["a"], object), [2]).tolist() == ["a", "a"]
    assert kernel(TILE, 13, np.array(5), np.empty(0, int)).item() == 5
    assert on_sizes(TILE, 13, ["B", 4], [2]).tolist() == [parse("B"), 4, parse("B"), 4]


def test_tile_refuses_a_wrong_number_of_repeats_and_negative_ones():
    with pytest.raises(Violation, match="3 repeats, but the input has rank 2"):
        rule(TILE, 13, tensor(2, 2), ints(1, 1, 1))
    with pytest.raises(Violation, match="3 repeats, but the input has rank 2"):
        kernel(TILE, 13, np.ones((2, 2)), [1, 1, 1])
    with pytest.raises(Violation, match=r"repeats = \[1, -2\], but each is 0 or more"):
        kernel(TILE, 13, np.ones((2, 2)), [1, -2])
    with pytest.raises(Violation, match=r"repeats = \[1, -2\], but each is 0 or more"):
        rule(TILE, 13, tensor(2, 2), ints(1, -2))


def best(data, k, axis, largest):
    """By Python's stable sort, row by row."""
    rows = np.moveaxis(data, axis, -1)
    order = np.empty((*rows.shape[:-1], k), np.int64)
    for place in np.ndindex(rows.shape[:-1]):
        row = rows[place].tolist()
        order[place] = sorted(range(len(row)), key=lambda i: -row[i] if largest else row[i])[:k]
    return np.moveaxis(np.take_along_axis(rows, order, -1), -1, axis), np.moveaxis(order, -1, axis)


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint64, ml_dtypes.bfloat16])
@pytest.mark.parametrize(
    ("shape", "axis", "k"), [((4, 50), 1, 3), ((40, 3), 0, 1), ((5, 4), -1, 4)]
)
def test_top_k_prefers_the_lower_index_among_equals(shape, axis, k, dtype, largest):
    data = np.random.default_rng(0).integers(0, 12, shape).astype(dtype)
    values, indices = kernel(TOP_K, 24, data, [k], n_outputs=2, axis=axis, largest=largest)
    wanted, places = best(data, k, axis, largest)
    assert (values.dtype, indices.dtype) == (data.dtype, np.int64)
    np.testing.assert_array_equal(values, wanted)
    np.testing.assert_array_equal(indices, places)


@pytest.mark.parametrize("k", [1, 2])
def test_top_k_takes_nan_for_the_largest(k):
    data = np.array([1, np.nan, 3, *[0] * 30], "f4")
    values, indices = kernel(TOP_K, 11, data, [k], n_outputs=2)
    assert indices.tolist() == [1, 2][:k]
    assert np.isnan(values[0])
    _, indices = kernel(TOP_K, 11, np.array([np.nan, np.inf], "f4"), [1], n_outputs=2, largest=0)
    assert indices.tolist() == [1]


def test_top_k_cuts_the_axis_down_to_k():
    ruled = rule(TOP_K, 11, tensor("B", "S"), ints(5), n_outputs=2, axis=0)
    assert ruled.shapes == ["[5, S]", "[5, S]"]
    assert rule(TOP_K, 1, tensor("B", 9), n_outputs=2, k=2).shapes == ["[B, 2]"] * 2
    assert rule(TOP_K, 10, tensor("B", 9), tensor(1), n_outputs=2).shapes == ["[B, k_0]"] * 2
    assert rule(TOP_K, 10, UNKNOWN, ints(1), n_outputs=2).shapes == ["[...]"] * 2


def test_top_k_refuses_to_find_more_than_there_are():
    message = "k = 4, but axis 1 of X has size 3: expected 0 to 3"
    with pytest.raises(Violation, match=message):
        rule(TOP_K, 11, tensor(2, 3), ints(4), n_outputs=2)
    with pytest.raises(Violation, match=message):
        kernel(TOP_K, 1, np.ones((2, 3), "f4"), n_outputs=2, k=4)
    with pytest.raises(Violation, match=r"shape \[2\], but K has 1 element"):
        rule(TOP_K, 11, tensor(2, 3), ints(1, 1), n_outputs=2)


def test_top_k_of_nothing():
    values, indices = kernel(TOP_K, 11, np.ones((0, 3), "f4"), [2], n_outputs=2)
    assert values.shape == indices.shape == (0, 2)
    values, _ = kernel(TOP_K, 11, np.ones((2, 3), "f4"), [0], n_outputs=2)
    assert values.shape == (2, 0)
