"""Values at the size of a label."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.widgets.miniatures import BARS, miniature
from tests.widgets.asking import Asker


def test_a_histogram_counts_every_element():
    small = miniature(np.arange(120, dtype=np.float32))
    assert (small["low"], small["high"]) == (0, 119)
    assert small["counts"] == [10] * BARS


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(0.25), "0.25"),
        (np.array([7]), "7"),
        (np.array(True), "true"),
        (np.zeros((3, 4)), "=0"),
        (np.array(["word"], object), "word"),
        (np.array(-1234567.5), "-1.23e+06"),
    ],
)
def test_what_is_one_number_is_written(value, text):
    assert miniature(np.asarray(value))["text"] == text


def test_what_is_no_number_is_counted_and_the_rest_drawn():
    small = miniature(np.array([np.nan, np.inf, -np.inf, 1, 2, 3], np.float16))
    assert (small["nan"], small["infinite"]) == (1, 2)
    assert sum(small["counts"]) == 3
    assert miniature(np.full(5, np.nan)) == {"nan": 5, "infinite": 0}


@pytest.mark.parametrize("value", [None, [], {}, np.zeros((0, 3)), np.zeros(2, complex)])
def test_some_values_have_none(value):
    assert miniature(value) is None


def test_a_single_nan_in_a_large_tensor_is_found():
    large = np.zeros(1 << 19, np.float32)
    large[1] = np.nan
    assert miniature(large)["nan"] == 1


def test_they_are_asked_for_by_name_and_come_for_what_has_run(monkeypatch):
    g = ox.build.graph("two")
    a = g.input("a", "float32[2]")
    b = g.Neg(a, name="first")
    g.output(g.Neg(b, name="second"), "y")
    asker = Asker(g.model(), {"a": np.array([1, 1], np.float32)}, monkeypatch)
    asker.ask("step")
    found = asker.ask("miniatures", names=["a", "y", "nothing"])["miniatures"]
    assert {name: small["text"] for name, small in found.items()} == {"a": "=1"}


def test_what_was_seen_counts_as_old_after_a_new_run_and_a_changed_value(monkeypatch):
    g = ox.build.graph("one")
    g.output(g.Neg(g.input("a", "float32[2]"), name="neg"), "y")
    asker = Asker(g.model(), None, monkeypatch)
    seen = []
    for ask in ({"kind": "run"}, {"kind": "begin"}, {"kind": "set", "name": "a", "text": "[1, 2]"}):
        asker.ask(**ask)
        seen.append(asker.state["turns"])
    assert len(set(seen)) == 3


@pytest.mark.parametrize("dtype", [np.float32, np.int8, ml_dtypes.bfloat16])
def test_a_large_tensor_is_the_same_everywhere_only_if_all_of_it_is(dtype):
    large = np.zeros(1 << 21, dtype)
    assert miniature(large)["text"] == "=0"
    large[1] = 7
    small = miniature(large)
    assert (small["low"], small["high"]) == (0, 7)


def test_the_range_is_that_of_more_than_is_drawn():
    value = np.arange(100_000, dtype=np.float32)
    small = miniature(value)
    assert (small["low"], small["high"], "sampled" in small) == (0, 99_999, False)
    assert miniature(np.tile(value, 20))["sampled"]
