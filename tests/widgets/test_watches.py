"""Watched expressions in the widget: what they come to, and their curves over a run."""

from __future__ import annotations

import math

import numpy as np
import pytest

import onnx_explorer as ox
from tests.widgets.asking import Asker


@pytest.fixture
def halving(monkeypatch):
    """A number halved four times in a loop, then negated."""
    g = ox.build.graph("halving")
    start = g.input("start", "float32[]")
    body = g.subgraph()
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    x = body.input("x", "float32[]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(body.Div(x, 2.0, name="half"), "next", "float32[]")
    end = g.Loop(np.int64(4), np.bool_(True), start, body=body, name="loop")
    g.output(g.Neg(end, name="negate"), "negative", "float32[]")
    return Asker(g.model(), {"start": np.float32(16)}, monkeypatch)


def watched(asker) -> dict:
    (row,) = asker.state["watches"]
    return row


def test_an_expression_says_nothing_before_its_values_are_there(halving):
    halving.ask("watch", text="negative * 2")
    assert watched(halving) == {"text": "negative * 2", "shown": "", "problem": "", "points": []}
    halving.ask("run")
    # 16 / 2^4 = 1.
    assert watched(halving)["shown"] == "-2"


def test_a_curve_has_a_point_for_every_iteration(halving):
    halving.ask("watch", text="next")
    halving.ask("run")
    assert watched(halving)["points"] == [8, 4, 2, 1]


@pytest.mark.parametrize("text", ["x", '"loop/body/x"'])
def test_what_a_body_is_given_has_a_point_for_every_iteration(halving, text):
    halving.ask("watch", text=text)
    halving.ask("run")
    assert watched(halving)["points"] == [16, 8, 4, 2]


@pytest.mark.parametrize("name", ["loop/body/next", "body/next"])
def test_a_value_of_a_body_is_watched_by_its_full_name_and_the_end_of_that(halving, name):
    halving.ask("watch", text=f'"{name}" + 1')
    halving.ask("run")
    assert watched(halving)["points"] == [9, 5, 3, 2]


def test_a_curve_begins_with_the_iterations_that_are_through(halving):
    halving.ask("break", node="loop/body/half", when="always")
    for _ in range(3):
        halving.ask("run")
    halving.ask("watch", text="next")
    assert watched(halving)["points"] == [8, 4]


def test_going_back_takes_points_away(halving):
    halving.ask("watch", text="next")
    halving.ask("run")
    halving.ask("goto", position=0)
    assert watched(halving)["points"] == []
    halving.ask("run")
    assert watched(halving)["points"] == [8, 4, 2, 1]


def test_what_is_wrong_is_told_and_not_watched(halving):
    assert "no function 'meen'" in halving.ask("watch", text="meen(next)")["error"]
    assert "'next' is one" in halving.ask("watch", text="nxt")["error"]
    assert "expression is expected" in halving.ask("watch", text="  ")["error"]
    assert halving.ask("watch", text="next")["ok"]
    halving.ask("unwatch", text="next")
    assert halving.state["watches"] == []


def test_values_that_do_not_go_together_are_told(monkeypatch):
    g = ox.build.graph("pair")
    a, b = g.input("a", "float32[2]"), g.input("b", "float32[3]")
    g.output(g.Neg(a), "y")
    g.output(g.Neg(b), "z")
    asker = Asker(g.model(), None, monkeypatch)
    asker.ask("watch", text="a + b")
    assert "could not be broadcast" in watched(asker)["problem"]


def test_tensors_are_shown_short(monkeypatch):
    g = ox.build.graph("one")
    g.output(g.Neg(g.input("a", "int64[2, 4]")), "y")
    asker = Asker(g.model(), {"a": np.arange(8).reshape(2, 4)}, monkeypatch)
    asker.ask("watch", text="a")
    assert watched(asker)["shown"] == "int64[2, 4]: 0  1  2  3  4  5 …"
    asker.ask("watch", text="shape(a)")
    assert asker.state["watches"][1]["shown"] == "(2, 4)"


def test_nan_in_a_curve_is_text_as_everywhere(monkeypatch):
    g = ox.build.graph("one")
    g.output(g.Sqrt(g.input("a", "float32[]")), "y")
    asker = Asker(g.model(), {"a": np.float32(-1)}, monkeypatch)
    asker.ask("watch", text="y")
    asker.ask("run")
    (point,) = watched(asker)["points"]
    assert math.isnan(float(point))


def test_a_new_run_keeps_what_is_watched_and_draws_a_new_curve(halving):
    halving.ask("watch", text="next")
    halving.ask("run")
    halving.ask("fill", name="start", how="list", text="32")
    halving.ask("begin")
    assert watched(halving)["points"] == [16, 8, 4, 2]


def test_an_expression_that_was_watched_in_python_is_in_the_list(halving):
    halving.explorer.stepper.watch("start + 1")
    halving.explorer.step()
    assert watched(halving)["shown"] == "17"
