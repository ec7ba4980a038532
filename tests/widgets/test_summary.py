"""Values in a few numbers."""

from __future__ import annotations

import json

import ml_dtypes
import numpy as np
import pytest

from onnx_explorer.widgets.summary import summary


def test_numbers_of_a_float_array():
    found = summary(np.array([[1.0, -2.5], [3.0, 0.0]], np.float32))
    assert found == {
        "type": "float32[2, 2]",
        "min": -2.5,
        "max": 3.0,
        "mean": 0.375,
        "nan": 0,
        "head": ["1", "-2.5", "3", "0"],
    }


def test_nan_is_counted_and_left_out_of_the_rest():
    found = summary(np.array([np.nan, 1.0, 3.0], np.float32))
    assert (found["nan"], found["min"], found["max"], found["mean"]) == (1, 1.0, 3.0, 2.0)


def test_what_json_cannot_hold_comes_as_text():
    found = summary(np.array([np.inf, -np.inf]))
    assert (found["max"], found["min"], found["mean"]) == ("inf", "-inf", "nan")
    json.dumps(found, allow_nan=False)


def test_integers_beyond_the_browsers_come_as_text():
    assert summary(np.array([2**60]))["max"] == str(2**60)
    assert summary(np.array([2**50]))["max"] == 2**50


def test_small_integers_do_not_overflow_the_mean():
    assert summary(np.full(1000, 200, np.uint8))["mean"] == 200


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn])
def test_narrow_floats_have_their_numbers_in_full(dtype):
    found = summary(np.array([1.0, 2.0, 4.0], dtype))
    assert (found["min"], found["max"]) == (1.0, 4.0)
    assert found["mean"] == pytest.approx(7 / 3)


def test_only_the_first_elements_are_shown():
    assert summary(np.arange(100))["head"] == ["0", "1", "2", "3", "4", "5", "6", "7"]


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (np.zeros((0, 3), np.float32), "float32[0, 3]"),
        (np.array(True), "bool[]"),
        (np.array(["a", "b"], object), "string[2]"),
        ([np.zeros(2, np.float32)], "list of 1 (float32[2], …)"),
        ({1: 0.5}, "map of 1"),
        (None, "nothing"),
    ],
)
def test_any_kind_of_value_has_a_type(value, type_):
    found = summary(value)
    assert found["type"] == type_
    json.dumps(found, allow_nan=False)
