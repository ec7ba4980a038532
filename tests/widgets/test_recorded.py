"""Runs written into pages, and a step over a long loop that can be paused."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.widgets import recorded as module
from onnx_explorer.widgets.inputs import Inputs
from onnx_explorer.widgets.recorded import recorded
from onnx_explorer.widgets.session import Session
from tests.widgets.asking import Asker


def session(model, feeds=None) -> Session:
    asked = Inputs(ox.infer(model), feeds)
    scene = ox.view.scene_of(ox.infer(model))
    return Session(model, scene, asked.values, asked.message)


def chain():
    g = ox.build.graph("chain")
    x = g.input("x", "float32[2]")
    doubled = g.Mul(x, 2.0, name="double")
    g.output(g.Neg(doubled, name="negate"), "y")
    return g.model()


def test_a_record_says_where_the_run_stands_after_each_node():
    found = recorded(session(chain(), {"x": np.array([1, 2], np.float32)}))
    assert [step["current"] for step in found["steps"]] == ["double", "negate", None]
    assert [step["ran"] for step in found["steps"]] == [[], ["double"], ["negate"]]
    assert found["values"]["x"]["at"] == 0
    assert found["values"]["y"]["at"] == 2
    assert found["values"]["y"]["numbers"] == [-2, -4]
    assert found["failed"] is None
    json.dumps(found, allow_nan=False)


def test_a_record_ends_where_the_run_fails():
    g = ox.build.graph("clash")
    a, b = g.input("a", "float32[2, 3]"), g.input("b", "float32[z, w]")
    g.output(g.Gemm(g.Relu(a, name="first"), b, name="product"), "y")
    feeds = {"a": np.ones((2, 3), np.float32), "b": np.ones((2, 4), np.float32)}
    found = recorded(session(g.model(), feeds))
    assert (len(found["steps"]), found["failed"]) == (2, "product")
    assert "2 rows" in found["clash"]["expected"]


def test_large_tensors_are_there_as_windows_and_beyond_the_limit_as_statistics(monkeypatch):
    g = ox.build.graph("large")
    g.output(g.Relu(g.input("x", "float32[100, 100]"), name="relu"), "y")
    found = recorded(session(g.model()))
    large = found["values"]["y"]
    assert "numbers" not in large
    assert large["views"]["heat"]["rows"] == 50
    monkeypatch.setattr(module, "MOST_CHARACTERS", 10)
    found = recorded(session(g.model()))
    assert found["values"]["y"]["views"] == {}
    assert found["values"]["y"]["statistics"]["elements"] == 10_000
    assert "elements of 1 values are left out" in found["message"]


@pytest.fixture
def counting(monkeypatch):
    """A loop of many rounds between two nodes."""
    g = ox.build.graph("counting")
    start = g.input("start", "float32[]")
    body = g.subgraph()
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    x = body.input("x", "float32[]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(body.Add(x, 1.0, name="add"), "next", "float32[]")
    end = g.Loop(
        np.int64(3000), np.bool_(True), g.Neg(start, name="before"), body=body, name="loop"
    )
    g.output(g.Neg(end, name="after"), "y", "float32[]")
    return Asker(g.model(), {"start": np.float32(0)}, monkeypatch)


def test_a_step_over_a_loop_rests_now_and_then_and_stands_in_it_meanwhile(counting, monkeypatch):
    monkeypatch.setattr("onnx_explorer.widgets.session.BREATH_S", 0)
    steps = counting.explorer._started()
    for _ in steps.step():
        pass
    assert steps.is_long
    moves = steps.step()
    next(moves)
    assert len(steps.stepper.frames) == 2
    for _ in moves:
        pass
    assert (len(steps.stepper.frames), steps.stepper.current.id) == (1, "after")
    assert not steps.is_long


def test_a_step_over_a_loop_gives_what_a_run_gives_and_is_taken_back_whole(counting):
    for _ in range(3):
        counting.ask("step")
    assert counting.ask("value", name="y")["head"] == ["-3000"]
    counting.ask("goto", position=2)
    counting.ask("back")
    assert (counting.state["current"], counting.state["position"]) == ("loop", 1)


def test_a_breakpoint_inside_stops_a_step_over_a_loop(counting):
    counting.ask("step")
    counting.ask("break", node="loop/body/add", when="always")
    counting.ask("step")
    assert counting.state["current"] == "loop/body/add"


@pytest.fixture
def nested(monkeypatch):
    """A loop of 300 rounds in each of 4 rounds of another."""
    g = ox.build.graph("nested")
    outer = g.subgraph()
    outer.input("i", "int64[]")
    outer.input("going", "bool[]")
    x = outer.input("x", "float32[]")
    inner = outer.subgraph()
    inner.input("j", "int64[]")
    inner.input("on", "bool[]")
    z = inner.input("z", "float32[]")
    inner.output(inner.Identity(True), "on_too", "bool[]")
    inner.output(inner.Add(z, 1.0, name="add"), "more", "float32[]")
    outer.output(outer.Identity(True), "go_on", "bool[]")
    done = outer.Loop(np.int64(300), None, x, body=inner, name="inner")
    outer.output(outer.Neg(done, name="turn"), "next", "float32[]")
    start = g.input("start", "float32[]")
    g.output(g.Loop(np.int64(4), None, start, body=outer, name="outer"), "y", "float32[]")
    return Asker(g.model(), {"start": np.float32(0)}, monkeypatch)


def at_inner_loop(nested):
    nested.ask("step_into")
    while nested.state["current"] != "outer/body/inner":
        nested.ask("step")
    return nested.explorer._started()


def test_a_step_over_a_loop_inside_a_loop_rests_too(nested, monkeypatch):
    steps = at_inner_loop(nested)
    monkeypatch.setattr("onnx_explorer.widgets.session.BREATH_S", 0)
    moves = steps.step()
    for _ in range(100):
        next(moves)
    # Paused: it stands in the inner loop, and what was computed is there.
    moves.close()
    assert [frame.path for frame in steps.stepper.frames] == [
        "",
        "outer/body/",
        "outer/body/inner/body/",
    ]
    assert len(steps.stepper.iterations("outer/body/inner/body")) > 20
    for _ in steps.step_out():
        pass
    assert nested.ask("value", name="outer/body/inner")["head"] == ["300"]


def test_the_way_back_over_long_loops_rests_and_is_whole(nested, monkeypatch):
    steps = at_inner_loop(nested)
    nested.ask("step")
    assert steps.stepper.current.id == "outer/body/turn"
    monkeypatch.setattr("onnx_explorer.widgets.session.BREATH_S", 0)
    rests = sum(1 for _ in steps.back())
    assert rests > 100
    assert (len(steps.stepper.frames), steps.stepper.current.id) == (2, "outer/body/inner")
    for _ in steps.run():
        pass
    rests = sum(1 for _ in steps.goto(0))
    assert rests > 1000
    assert (len(steps.stepper.frames), steps.stepper.current.id) == (1, "outer")


def test_every_long_way_rests_about_twenty_times_a_second(nested):
    """From any depth, for any move."""
    session = at_inner_loop(nested)
    clock, longest = time.perf_counter, 0.0
    for move in ("step", "step_out", "back", "run"):
        before = clock()
        for _ in getattr(session, move)():
            longest, before = max(longest, clock() - before), clock()
        longest = max(longest, clock() - before)
    # 50 ms, and what one node may take on a busy machine.
    assert longest < 0.2
