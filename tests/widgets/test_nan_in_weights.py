"""Weights with NaN are found without reading gigabytes for it, and what may be missed is told."""

from __future__ import annotations

import json
import re
from functools import partial

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer import build
from onnx_explorer.ir import Model
from onnx_explorer.view import scene_of
from onnx_explorer.widgets.page import html_page
from onnx_explorer.widgets.ranges import SAMPLE, constants_with_nan

ROWS, COLUMNS = 32, SAMPLE


def scene(at: int | None):
    return scene_of(ox.infer(model(at)))


def model(at: int | None) -> Model:
    weights = np.zeros(ROWS * COLUMNS, np.float32)
    if at is not None:
        weights[at] = np.nan
    g = build.graph("weights")
    x = g.input("x", f"float32[{COLUMNS}]")
    g.output(g.Add(x, weights.reshape(ROWS, COLUMNS), name="add"), "y")
    return g.model()


@pytest.mark.parametrize("at", [0, 12_345, ROWS * COLUMNS // 2 + 7, ROWS * COLUMNS - 1])
def test_a_nan_is_found_anywhere_where_all_is_looked_at(at):
    found = constants_with_nan(scene(at))
    assert len(found.names) == 1
    assert (found.looked_at, found.bytes, found.note(has_run=True)) == (ROWS * COLUMNS * 4,) * 2 + (
        "",
    )


@pytest.mark.parametrize("at", [0, SAMPLE - 1, ROWS * COLUMNS - SAMPLE, ROWS * COLUMNS - 1])
def test_of_more_than_the_limit_the_first_and_the_last_pieces_are_looked_at(at):
    found = constants_with_nan(scene(at), most=4 * SAMPLE * 4)
    assert len(found.names) == 1
    assert found.looked_at == 4 * SAMPLE * 4
    assert "Of 8.39 MB of weights 1.05 MB were looked at" in found.note(has_run=True)


def test_what_was_not_looked_at_is_told_where_nothing_was_found():
    found = constants_with_nan(scene(SAMPLE * 5), most=2 * SAMPLE * 4)
    assert found.names == frozenset()
    assert "a NaN between them is not found" in found.note(has_run=True)


def test_a_page_says_so_too(monkeypatch):
    bounded = partial(constants_with_nan, most=4 * SAMPLE * 4)
    monkeypatch.setattr("onnx_explorer.widgets.page.constants_with_nan", bounded)
    page = html_page(scene(0))
    answers = re.search(r'id="onnx-explorer-answers">(.*?)</script>', page)
    assert answers
    nan = json.loads(answers[1])["nan"]
    assert nan["nodes"] == ["add"]
    assert "were looked at" in nan["note"]
