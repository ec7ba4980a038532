"""Overlays that are given in Python."""

from __future__ import annotations

import numpy as np
import pytest

from onnx_explorer import ExplorerError, build, example, explore
from onnx_explorer.view.overlay import Overlay
from onnx_explorer.widgets import Explorer
from tests.widgets.asking import Asker


@pytest.fixture
def explorer() -> Explorer:
    return explore(example("digits"))


def test_an_overlay_of_numbers_is_shown_under_its_name(explorer):
    explorer.overlay("latency", {"conv1": 1.5, "relu1": np.float32(0.25)}, unit="ms")
    assert explorer.overlay_name == "latency"
    assert explorer.overlays["latency"] == {
        "unit": "ms",
        "combine": "sum",
        "values": {"conv1": 1.5, "relu1": 0.25},
    }


def test_one_that_is_known_already_needs_its_name_alone(explorer):
    explorer.overlay("macs", sizes={"batch": 8})
    assert (explorer.overlay_name, explorer.overlay_sizes) == ("macs", {"batch": 8})
    explorer.overlay(Overlay("device", {"conv1": "gpu", "dense": "cpu"}))
    explorer.overlay("parameters")
    explorer.overlay("device")
    assert explorer.overlay_name == "device"
    explorer.overlay(None)
    assert explorer.overlay_name == ""


def test_nodes_that_are_folded_away_and_nan_are_passed_over():
    g = build.graph("net", opset=20)
    c = g.Constant(value=np.float32([1]), name="constant")
    g.output(g.Add(g.input("x", "float32[1]"), c, name="add"), "y")
    explorer = explore(g.model())
    explorer.overlay("t", {"constant": 1.0, "add": float("nan")})
    assert explorer.overlays["t"]["values"] == {}


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("latency", {"conv11": 1.0}, "no node 'conv11'; did you mean 'conv1'"),
        ("latency", {"conv1": 1.0, "dense": "slow"}, "numbers beside words"),
        ("latency", {"conv1": float("inf")}, "expected a finite number"),
        ("latency", {"conv1": [1]}, "found [1], expected a finite number or a text"),
        ("latency", None, "there is no overlay 'latency'"),
        ("mac", None, "did you mean 'macs'"),
        ("", {"conv1": 1.0}, "without a name"),
    ],
)
def test_what_is_wrong_with_an_overlay_is_said(explorer, name, values, message):
    with pytest.raises(ExplorerError) as caught:
        explorer.overlay(name, values)
    assert message in str(caught.value)
    assert explorer.overlay_name == ""


def test_a_size_has_to_be_one(explorer):
    with pytest.raises(ExplorerError, match="size -1 for 'batch'"):
        explorer.overlay("macs", sizes={"batch": -1})


def test_ranges_are_those_of_the_values_that_a_run_has_made(monkeypatch):
    g = build.graph("net", opset=20)
    x = g.input("x", "float32[3]")
    g.output(g.Neg(x, name="neg"), "y")
    asker = Asker(g.model(), {"x": np.float32([1, np.nan, -4])}, monkeypatch)
    assert asker.ask("ranges")["ranges"] == {}
    asker.explorer.run()
    assert asker.ask("ranges")["ranges"]["neg"] == (-1.0, 4.0)


def test_nan_is_found_in_weights_before_a_run_and_in_what_a_run_has_made(monkeypatch):
    g = build.graph("net", opset=20)
    x = g.input("x", "float32[2]")
    h = g.Add(x, np.float32([1, np.nan]), name="add")
    whole = g.Mul(x, np.float32([2, 3]), name="mul")
    g.output(g.Sub(h, whole, name="sub"), "y")
    g.output(g.Log(whole, name="log"), "z")
    asker = Asker(g.model(), {"x": np.float32([1, -1])}, monkeypatch)
    found = asker.ask("nan")
    assert found["nodes"] == ["add"]
    assert found["note"] == "Only weights were looked at, no values of a run."
    asker.explorer.run()
    found = asker.ask("nan")
    assert (found["nodes"], found["note"]) == (["add", "sub", "log"], "")
