"""The numbers of a tensor at a glance."""

import json

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.errors import ExplorerError
from onnx_explorer.widgets import statistics as module
from onnx_explorer.widgets.statistics import picture, statistics


def test_counts_and_moments_of_a_small_tensor():
    found = statistics(np.array([[1, 2, 3, 4], [0, 0, np.nan, np.inf]], np.float32))
    assert (found["type"], found["elements"], found["bytes"]) == ("float32[2, 4]", 8, 32)
    assert (found["zeros"], found["nan"], found["infinite"]) == (2, 1, 1)
    # Of 1, 2, 3, 4, 0, 0: the mean is 10/6, the mean of squares 30/6.
    assert found["std"] == pytest.approx((5 - (10 / 6) ** 2) ** 0.5)
    json.dumps(found, allow_nan=False)


def test_the_histogram_holds_every_finite_element():
    values = np.arange(48, dtype=np.float32)
    histogram = statistics(values)["histogram"]
    assert (histogram["low"], histogram["high"]) == (0, 47)
    assert histogram["counts"] == [2] * 24


def test_equal_elements_have_no_histogram():
    assert "histogram" not in statistics(np.ones(5, np.float32))


def test_a_large_tensor_is_sampled_and_says_so(monkeypatch):
    monkeypatch.setattr(module, "MOST", 100)
    found = statistics(np.zeros((30, 30), np.float32))
    assert (found["elements"], found["type"]) == (900, "float32[30, 30]")
    assert found["looked_at"] == 100
    assert found["zeros"] == 100


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint64, ml_dtypes.bfloat16])
def test_all_kinds_of_numbers_are_counted(dtype):
    found = statistics(np.array([0, 1, 1, 1], dtype))
    assert (found["zeros"], found["looked_at"]) == (1, 4)
    json.dumps(found, allow_nan=False)


def test_what_holds_no_numbers_has_no_statistics():
    assert "zeros" not in statistics(np.array(["a", "b"], object))
    assert statistics([np.zeros(2, np.float32)])["type"] == "list of 1 (float32[2], …)"


def test_a_picture_spans_the_slice_from_black_to_white():
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    shown = picture(array, [1])
    assert (shown["rows"], shown["columns"], shown["at"]) == (3, 4, [1])
    assert (shown["low"], shown["high"]) == (12, 23)
    assert (shown["shades"][0], shown["shades"][-1]) == (0, 255)
    assert shown["shades"] == sorted(shown["shades"])


def test_a_picture_of_a_large_slice_shows_evenly_spaced_rows():
    array = np.repeat(np.arange(200.0)[:, None], 10, axis=1)
    shown = picture(array, [])
    assert (shown["rows"], shown["columns"], shown["every"]) == (50, 10, [4, 1])
    assert (shown["low"], shown["high"]) == (0, 196)


def test_vectors_and_scalars_are_one_row_and_nan_has_no_shade():
    shown = picture(np.array([0.0, np.nan, 2.0]), [])
    assert (shown["rows"], shown["shades"]) == (1, [0, -1, 255])
    assert picture(np.array(3.0), [])["shades"] == [0]


def test_indices_beyond_an_axis_are_drawn_in():
    assert picture(np.zeros((2, 3, 1, 1)), [7, -1])["at"] == [1, 0]


def test_there_is_no_picture_of_nothing_or_of_texts():
    with pytest.raises(ExplorerError, match="without elements"):
        picture(np.zeros((0, 2)), [])
    with pytest.raises(ExplorerError, match="without numbers"):
        picture(np.array(["a"], object), [])
