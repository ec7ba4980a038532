"""The numbers of a tensor at a glance."""

import json

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.widgets import statistics as module
from onnx_explorer.widgets.statistics import statistics


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


def test_a_sample_is_for_counts_and_neither_hides_a_nan_nor_the_first_elements(monkeypatch):
    monkeypatch.setattr(module, "MOST", 100)
    value = np.arange(400, dtype=np.float32)
    value[399] = np.nan
    found = statistics(value)
    assert (found["min"], found["max"], found["nan"]) == (0, 398, 1)
    assert found["head"] == ["0", "1", "2", "3", "4", "5", "6", "7"]


def test_text_has_no_bytes():
    assert "bytes" not in statistics(np.array(["a" * 1000], object))
