"""Operators that choose elements, or say where they are."""

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.dims import UndecidedError, bounds, parse
from onnx_explorer.ir import DType
from onnx_explorer.ops.tensor.compress import COMPRESS
from onnx_explorer.ops.tensor.eye_like import EYE_LIKE
from onnx_explorer.ops.tensor.non_max_suppression import NON_MAX_SUPPRESSION
from onnx_explorer.ops.tensor.non_zero import NON_ZERO
from onnx_explorer.ops.tensor.one_hot import ONE_HOT
from onnx_explorer.ops.tensor.trilu import TRILU
from onnx_explorer.ops.tensor.unique import UNIQUE
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import ints, kernel, on_sizes, rule, tensor


def test_non_zero_has_a_row_for_each_axis():
    assert rule(NON_ZERO, 13, tensor("B", "S")).shape == "[2, count_0]"
    assert rule(NON_ZERO, 13, UNKNOWN).shape == "[rank_0, count_1]"
    assert bounds(rule(NON_ZERO, 9, tensor(2, 3)).outputs[0].shape[1]) == (0, None)
    assert rule(NON_ZERO, 13, ints(0, 4, -1)).shape == "[1, 2]"
    assert rule(NON_ZERO, 13, ints(0, "B")).shape == "[1, count_0]"
    assert rule(NON_ZERO, 13, ints(0, "B + 1")).shape == "[1, 1]"


def test_non_zero_of_scalars_has_no_rows():
    assert kernel(NON_ZERO, 13, np.array(3.0)).shape == (0, 1)
    assert kernel(NON_ZERO, 13, np.array(0)).shape == (0, 0)
    assert rule(NON_ZERO, 13, tensor(content=(7,))).shape == "[0, 1]"


def test_non_zero_of_other_types():
    assert kernel(NON_ZERO, 13, np.array(["", "a"], object)).tolist() == [[1]]
    assert kernel(NON_ZERO, 13, np.array([0, 1j])).tolist() == [[1]]
    assert kernel(NON_ZERO, 13, np.array([np.nan, -0.0], ml_dtypes.bfloat16)).tolist() == [[0]]
    assert on_sizes(NON_ZERO, 13, [0, "B + 1"]).tolist() == [[1]]
    with pytest.raises(UndecidedError):
        on_sizes(NON_ZERO, 13, ["B"])


def test_unique_keeps_the_order_of_first_appearance_when_asked():
    words = np.array(["b", "a", "b", "c"], object)
    found = kernel(UNIQUE, 11, words, n_outputs=4, sorted=0)
    assert [list(f) for f in found] == [["b", "a", "c"], [0, 1, 3], [0, 1, 0, 2], [2, 1, 1]]
    assert [f.dtype for f in found[1:]] == [np.int64] * 3


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.complex64, object, ml_dtypes.bfloat16])
def test_unique_slices_are_put_together_again_by_the_inverse(dtype):
    data = np.random.default_rng(0).integers(0, 2, (3, 6, 2))
    data = np.where(data, "x", "y").astype(object) if dtype is object else data.astype(dtype)
    for order in (0, 1):
        Y, indices, inverse, counts = kernel(UNIQUE, 28, data, n_outputs=4, axis=1, sorted=order)
        np.testing.assert_array_equal(Y.take(inverse, 1), data)
        np.testing.assert_array_equal(data.take(indices, 1), Y)
        assert counts.sum() == 6
        assert Y.dtype == data.dtype


def test_unique_of_slices_is_sorted_by_their_first_difference():
    Y, *_ = kernel(UNIQUE, 28, np.array([[2, 0], [1, 9], [1, 3]]), n_outputs=4, axis=0)
    assert Y.tolist() == [[1, 3], [1, 9], [2, 0]]


def test_unique_knows_how_many_there_are_at_most_and_of_constants_exactly():
    ruled = rule(UNIQUE, 11, tensor("B", 4), n_outputs=4)
    assert ruled.shapes == ["[count_0]", "[count_0]", "[4*B]", "[count_0]"]
    ruled = rule(UNIQUE, 11, tensor("B", 4), n_outputs=4, axis=-1)
    assert ruled.shapes == ["[B, count_0]", "[count_0]", "[4]", "[count_0]"]
    assert rule(UNIQUE, 28, ints(3, 1, 3), n_outputs=4).shapes == ["[2]", "[2]", "[3]", "[2]"]
    twice = tensor(2, 2, content=(1, 2, 1, 2))
    assert rule(UNIQUE, 28, twice, n_outputs=4, axis=0).shapes == ["[1, 2]", "[1]", "[2]", "[1]"]
    assert kernel(UNIQUE, 28, np.empty((0, 2)), n_outputs=4)[0].shape == (0,)


def test_one_hot_of_version_9_leaves_rows_of_negative_indices_off():
    inputs = ([0, -1, 3], np.array([3]), np.array([0, 1], np.int8))
    assert kernel(ONE_HOT, 9, *inputs).tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    later = kernel(ONE_HOT, 11, *inputs)
    assert (later.tolist(), later.dtype) == ([[1, 0, 0], [0, 0, 1], [0, 0, 0]], np.int8)


def test_one_hot_takes_floats_strings_and_scalars():
    words = np.array(["off", "on"], object)
    assert kernel(ONE_HOT, 11, np.array(1.9), np.array(2.5), words).tolist() == ["off", "on"]
    assert kernel(ONE_HOT, 11, np.zeros((0, 2), int), np.array(3), words).shape == (0, 2, 3)
    columns = kernel(ONE_HOT, 28, [1, 0, 1], np.array(2), np.array([0, 5]), axis=0)
    assert columns.tolist() == [[0, 5, 0], [5, 0, 5]]
    assert on_sizes(ONE_HOT, 11, [1], 2, [1, "B"]).tolist() == [[1, parse("B")]]


def test_one_hot_puts_the_new_axis_where_it_is_asked_for():
    assert rule(ONE_HOT, 11, tensor("B", "S"), ints("V"), tensor(2)).shape == "[B, S, V]"
    assert rule(ONE_HOT, 9, tensor("B", "S"), ints(7), tensor(2), axis=1).shape == "[B, 7, S]"
    assert rule(ONE_HOT, 9, tensor("B"), tensor(), tensor(2), axis=0).shape == "[depth_0, B]"
    with pytest.raises(Violation, match=r"shape \[3\], but \[off, on\] has shape \[2\]"):
        rule(ONE_HOT, 9, tensor("B"), tensor(), tensor(3))
    with pytest.raises(Violation, match="depth = -1, but 0 or more"):
        kernel(ONE_HOT, 11, [0], np.array(-1), np.array([0, 1]))


def test_compress_counts_what_is_known():
    yes = tensor(3, content=(True, False, True))
    assert rule(COMPRESS, 11, tensor("B", 4), yes, axis=0).shape == "[2, 4]"
    assert rule(COMPRESS, 9, tensor("B", 4), yes).shape == "[2]"
    assert rule(COMPRESS, 11, tensor("B", 4), tensor(3), axis=1).shape == "[B, kept_0]"
    assert rule(COMPRESS, 28, UNKNOWN, tensor(3)).shape == "[kept_0]"
    message = "true at position 2, but the axis has only 2 positions"
    with pytest.raises(Violation, match=message):
        rule(COMPRESS, 11, tensor(2, 4), yes, axis=0)
    with pytest.raises(Violation, match=message):
        kernel(COMPRESS, 11, np.ones((2, 4)), [True, False, True], axis=0)


def test_compress_drops_what_lies_behind_a_short_condition():
    assert kernel(COMPRESS, 11, [[1, 2], [3, 4]], [False, True, True]).tolist() == [2, 3]
    assert on_sizes(COMPRESS, 11, ["B", "S", 3], [True, False]).tolist() == [parse("B")]


def test_trilu_of_types_that_numpy_does_not_have_and_far_diagonals():
    data = np.array([[1, 2], [3, 4]], ml_dtypes.bfloat16)
    assert kernel(TRILU, 14, data, np.array(2**62)).tolist() == [[0, 0], [0, 0]]
    assert kernel(TRILU, 14, data, np.array(-(2**62))).tolist() == [[1, 2], [3, 4]]
    assert kernel(TRILU, 14, data, [-1], upper=0).tolist() == [[0, 0], [3, 0]]
    words = np.array([["a", "b"], ["c", "d"]], object)
    assert kernel(TRILU, 14, words).tolist() == [["a", "b"], ["", "d"]]
    assert on_sizes(TRILU, 14, [["B", 1], [2, "S"]]).tolist() == [[parse("B"), 1], [0, parse("S")]]
    with pytest.raises(Violation, match="rank 1, but matrices have rank 2 or more"):
        rule(TRILU, 14, tensor(3))
    with pytest.raises(Violation, match=r"shape \[2\], but k is one number"):
        kernel(TRILU, 14, data, [0, 1])


def test_eye_like_takes_over_shape_and_dtype():
    assert rule(EYE_LIKE, 22, tensor("B", 3)).outputs[0].dtype is DType.FLOAT32
    ruled = rule(EYE_LIKE, 9, tensor("B", 3), dtype=DType.INT8.value)
    assert (ruled.shape, ruled.outputs[0].dtype) == ("[B, 3]", DType.INT8)
    made = kernel(EYE_LIKE, 22, np.empty((2, 3)), dtype=DType.BFLOAT16.value, k=-1)
    assert (made.tolist(), made.dtype) == ([[0, 0, 0], [1, 0, 0]], ml_dtypes.bfloat16)
    assert not kernel(EYE_LIKE, 9, np.empty((2, 3)), k=-(2**62)).any()
    with pytest.raises(Violation, match=r"shape \[2\], but a matrix has rank 2"):
        rule(EYE_LIKE, 9, tensor(2))


def test_non_max_suppression_knows_the_most_rows_that_there_can_be():
    boxes, scores, empty = tensor(2, 9, 4), tensor(2, 3, 9), ints(0)
    assert rule(NON_MAX_SUPPRESSION, 11, boxes, scores, ints(5)).shape == "[kept_0, 3]"
    assert rule(NON_MAX_SUPPRESSION, 10, boxes, scores, empty).shape == "[0, 3]"
    assert rule(NON_MAX_SUPPRESSION, 10, boxes, scores).shape == "[0, 3]"
    with pytest.raises(Violation, match="8 boxes, but boxes has 9"):
        rule(NON_MAX_SUPPRESSION, 10, boxes, tensor(2, 3, 8))
    with pytest.raises(Violation, match=r"shape \[2, 9, 5\], but \(batch, box, 4\)"):
        rule(NON_MAX_SUPPRESSION, 10, tensor(2, 9, 5), scores)


def test_non_max_suppression_without_a_limit_keeps_nothing_and_takes_scores_above():
    boxes = np.array([[[0, 0, 1, 1], [2, 2, 3, 3], [4, 4, 4, 4], [4, 4, 4, 4]]], "f4")
    scores = np.array([[[0.5, 0.7, 0.6, 0.6]]], "f4")
    assert kernel(NON_MAX_SUPPRESSION, 10, boxes, scores).shape == (0, 3)
    kept = kernel(NON_MAX_SUPPRESSION, 10, boxes, scores, [9], None, np.array([0.5], "f4"))
    # Boxes without area overlap nothing, not even each other.
    assert kept.tolist() == [[0, 0, 1], [0, 0, 2], [0, 0, 3]]


@pytest.mark.parametrize("limits", [(), (1, 2)])
def test_non_max_suppression_takes_one_limit(limits):
    boxes, scores = tensor(1, 4, 4), tensor(1, 2, 4)
    with pytest.raises(Violation, match=f"{len(limits)} elements, but one number"):
        rule(NON_MAX_SUPPRESSION, 11, boxes, scores, ints(*limits))
