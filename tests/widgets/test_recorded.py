"""Runs written into pages, and a step over a long loop that can be paused."""

from __future__ import annotations

import asyncio
import json
import time

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.widgets import recorded as module
from onnx_explorer.widgets.inputs import Inputs
from onnx_explorer.widgets.interiors import Interiors
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
    (x,), (y,) = found["values"]["x"], found["values"]["y"]
    assert (x["at"], y["at"], y["numbers"]) == (0, 2, [-2, -4])
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
    (large,) = found["values"]["y"]
    assert "numbers" not in large
    assert large["views"]["heat"]["rows"] == 50
    monkeypatch.setattr(module, "MOST_CHARACTERS", 10)
    found = recorded(session(g.model()))
    (large,) = found["values"]["y"]
    assert (large["views"], large["statistics"]["elements"]) == ({}, 10_000)
    assert "elements of 1 values are left out" in found["message"]


def rounds(count, start=0.0):
    """A loop that adds 1 `count` times, between two nodes."""
    g = ox.build.graph("rounds")
    body = g.subgraph()
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    x = body.input("x", "float32[]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(body.Sqrt(body.Sub(x, 1.0, name="less"), name="root"), "next", "float32[]")
    before = g.Neg(g.input("start", "float32[]"), name="before")
    end = g.Loop(np.int64(count), None, before, body=body, name="loop")
    g.output(g.Neg(end, name="after"), "y", "float32[]")
    return session(g.model(), {"start": np.float32(start)})


def stacks(found) -> list[list[str]]:
    """The paths of the graphs on their way, at each step."""
    made = []
    for step in found["steps"]:
        stack, frame = [], step["frame"]
        while frame >= 0:
            stack.insert(0, found["frames"][frame]["path"])
            frame = found["frames"][frame]["around"]
        made.append(stack)
    return made


def test_a_record_goes_into_each_round_of_a_loop():
    found = recorded(rounds(2, -5))
    assert [(step["current"], step["position"]) for step in found["steps"]] == [
        ("before", 0),
        ("loop", 1),
        ("loop/body/identity_1", 1),
        ("loop/body/less", 1),
        ("loop/body/root", 1),
        ("loop/body/identity_1", 1),
        ("loop/body/less", 1),
        ("loop/body/root", 1),
        ("after", 2),
        (None, 3),
    ]
    assert [len(stack) for stack in stacks(found)] == [1, 1, 2, 2, 2, 2, 2, 2, 1, 1]
    assert [(f["path"], f["number"], f["first"]) for f in found["frames"][1:]] == [
        ("loop/body/", 0, 2),
        ("loop/body/", 1, 5),
    ]
    # sqrt(5 - 1) = 2, sqrt(2 - 1) = 1: each round has its own, from its own step on.
    values = [(v["frame"], v["at"], v["numbers"]) for v in found["values"]["loop/body/next"]]
    assert values == [(1, 5, [2]), (2, 8, [1])]
    assert [v["numbers"] for v in found["values"]["loop/body/x"]] == [[5], [2]]
    assert found["values"]["y"][0]["numbers"] == [-1]


def test_rounds_beyond_the_limit_are_left_out_and_told(monkeypatch):
    monkeypatch.setattr(module, "MOST_ROUNDS", 3)
    found = recorded(rounds(9, -5))
    assert [frame["number"] for frame in found["frames"]] == [0, 0, 1, 2]
    assert found["rounds_left_out"] == [{"path": "loop/body/", "first": 3, "last": 8}]
    assert "Rounds 3 to 8 of body of loop are left out" in found["message"]
    assert [step["current"] for step in found["steps"][-2:]] == ["after", None]
    assert found["steps"][-1]["position"] == 3


def test_beyond_the_limit_of_size_bodies_are_stepped_over_and_that_is_told(monkeypatch):
    monkeypatch.setattr(module, "MOST_INSIDE", 3000)
    found = recorded(rounds(9, -5))
    assert 1 < len(found["frames"]) < 10
    assert "left out" in found["message"]
    assert "Later bodies are stepped over" in found["message"]
    assert found["values"]["y"][0]["numbers"]


def test_a_failure_in_a_round_that_is_left_out_is_where_it_is(monkeypatch):
    monkeypatch.setattr(module, "MOST_ROUNDS", 2)
    g = ox.build.graph("picking")
    body = g.subgraph()
    i = body.input("i", "int64[]")
    body.input("going", "bool[]")
    body.output(body.Identity(True), "go_on", "bool[]")
    table = g.input("table", "float32[5]")
    body.output(body.Gather(table, i, name="pick"), "picked", "float32[]")
    g.output(g.Loop(np.int64(9), None, body=body, name="loop"), "y", "float32[r]")
    found = recorded(session(g.model(), {"table": np.ones(5, np.float32)}))
    # There is no element 5: the round of this number fails.
    assert found["failed"] == "loop/body/pick"
    assert [frame["number"] for frame in found["frames"]] == [0, 0, 1, 5]
    assert found["rounds_left_out"] == [{"path": "loop/body/", "first": 2, "last": 4}]


def test_a_record_goes_into_the_branch_that_runs():
    g = ox.build.graph("choice")
    x = g.input("x", "float32[]")
    yes, no = g.subgraph(), g.subgraph()
    yes.output(yes.Neg(x, name="turn"), "turned", "float32[]")
    no.output(no.Abs(x, name="keep"), "kept", "float32[]")
    chosen = g.If(g.Greater(x, 0.0, name="ask"), then_branch=yes, else_branch=no, name="if")
    g.output(chosen, "y", "float32[]")
    found = recorded(session(g.model(), {"x": np.float32(3)}))
    assert ["", "if/then_branch/"] in stacks(found)
    assert [v["numbers"] for v in found["values"]["if/then_branch/turned"]] == [[-3]]
    assert "if/else_branch/kept" not in found["values"]


def test_a_record_goes_into_functions_and_into_loops_inside_loops(monkeypatch):
    found = recorded(session(ox.example("loop_if"), {"start": np.int64(6), "limit": np.int64(100)}))
    deepest = max(stacks(found), key=len)
    assert deepest[0:2] == ["", "collatz/body/"]
    assert deepest[2] in {"collatz/body/choose/then_branch/", "collatz/body/choose/else_branch/"}
    # From 6: 3, 10, 5, 16, 8, 4, 2, 1.
    halved = [v["numbers"] for v in found["values"]["collatz/body/choose/then_branch/halved"]]
    assert halved == [[3], [5], [8], [4], [2], [1]]


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


def norm(scale, count=4) -> Session:
    """Layer normalization of rows between two nodes; operators are gone into."""
    g = ox.build.graph("norm", opset=17)
    x = g.Neg(g.input("x", f"float32[rows, {count}]"), name="before")
    normed = g.LayerNormalization(x, scale, name="home")
    g.output(g.Abs(normed, name="behind"), "y")
    types = ox.infer(g.model())
    fed = Inputs(types, {"x": np.arange(count, dtype=np.float32)[None]})
    return Session(g.model(), ox.view.scene_of(types), fed.values, "", Interiors(types))


def test_a_record_goes_into_operators_and_the_scene_has_what_is_inside():
    session = norm(np.ones(4, np.float32))
    found = recorded(session)
    paths = [frame["path"] for frame in found["frames"]]
    # And into one that is inside of it.
    assert paths == ["", "home/body/", "home/body/castlike_1/body/"]
    inside = [step["current"] for step in found["steps"] if step["frame"] == 1]
    assert {*inside} <= {box.id for box in session.scene.boxes}
    assert len(inside) > 10
    # The mean of -0, -1, -2 and -3.
    (mean,) = found["values"]["home/body/reducemean_1"]
    assert (mean["numbers"], mean["frame"]) == ([-1.5], 1)
    after = found["steps"][-2]
    assert (after["current"], after["position"]) == ("behind", 2)
    assert found["message"] == ""


def test_beyond_the_limit_of_size_operators_are_stepped_over_and_that_is_told(monkeypatch):
    monkeypatch.setattr(module, "MOST_IN_OPERATORS", 0)
    found = recorded(norm(np.ones(4, np.float32)))
    assert [step["current"] for step in found["steps"]] == ["before", "home", "behind", None]
    assert "From 'home' on operators are stepped over" in found["message"]


def test_large_values_inside_operators_are_there_as_statistics():
    found = recorded(norm(np.ones(5000, np.float32), 5000))
    (large,) = found["values"]["home/body/sub_1"]
    assert (large["views"], large["statistics"]["elements"]) == ({}, 5000)
    (mean,) = found["values"]["home/body/reducemean_1"]
    assert mean["numbers"] == [-2499.5]


def test_an_operator_that_fails_says_so_itself():
    found = recorded(norm(np.ones(3, np.float32)))
    assert (found["failed"], found["steps"][-1]["current"]) == ("home", "home")
    assert [frame["path"] for frame in found["frames"]] == [""]


def scans_in_a_loop() -> Session:
    """Twice: the running sums of three numbers, from a start that grows."""
    g = ox.build.graph("sums", opset=20)
    step = g.subgraph()
    total = step.Add(step.input("total", "float32[]"), step.input("item", "float32[]"), name="plus")
    step.output(total, "next", "float32[]")
    step.output(step.Identity(total), "sum", "float32[]")
    body = g.subgraph()
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    start = body.input("start", "float32[]")
    items = g.input("items", "float32[3]")
    end, _ = body.ops(
        "Scan", start, items, body=step, num_scan_inputs=1, name="scan", outputs=["end", "sums"]
    )
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(end, "ended", "float32[]")
    last = g.Loop(np.int64(2), None, np.float32(0), body=body, name="loop")
    g.output(last, "y", "float32[]")
    return session(g.model(), {"items": np.float32([1, 2, 3])})


def test_a_record_goes_into_a_scan_inside_a_loop():
    found = recorded(scans_in_a_loop())
    path = "loop/body/scan/body/"
    runs = [frame for frame in found["frames"] if frame["path"] == path]
    assert [(run["around"], run["number"]) for run in runs] == [
        (1, 0), (1, 1), (1, 2), (5, 0), (5, 1), (5, 2),
    ]  # fmt: skip
    totals = [value["numbers"] for value in found["values"][f"{path}next"]]
    # 1, 1 + 2, 1 + 2 + 3, and on from there.
    assert totals == [[1], [3], [6], [7], [9], [12]]
    assert found["values"]["y"][-1]["numbers"] == [12]


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
    # Of this thread: it does not go on while others have the machine.
    clock, longest = time.thread_time, 0.0
    for move in ("step", "step_out", "back", "run"):
        before = clock()
        for _ in getattr(session, move)():
            longest, before = max(longest, clock() - before), clock()
        longest = max(longest, clock() - before)
    # 50 ms, and what one node may take.
    assert longest < 0.2


@pytest.mark.parametrize("kind", ["step", "back"])
def test_a_step_over_an_inner_loop_and_the_way_back_are_paused_and_keep_their_state(
    nested, monkeypatch, kind
):
    at_inner_loop(nested)
    if kind == "back":
        nested.ask("step")

    async def scenario() -> None:
        nested.ask(kind)
        await asyncio.sleep(0.02)
        assert nested.state["running"] is True
        nested.ask("pause")
        await nested.explorer._task

    with monkeypatch.context() as patch:
        patch.setattr("onnx_explorer.widgets.session.BREATH_S", 0)
        asyncio.run(scenario())
    path = "outer/body/inner/body/"
    assert [frame["path"] for frame in nested.state["frames"]] == ["outer/body/", path]
    # Each round so far has added 1 to 0.
    stepper = nested.explorer.stepper
    made = [float(frame["more"]) for frame in stepper.iterations(path) if "more" in frame]
    assert made == [float(i + 1) for i in range(len(made))]
    assert 0 < len(made) < 300
    nested.ask("run")
    assert nested.state["position"] == nested.state["total"] == 1
