"""Debugging through the widget: into bodies and out, breakpoints, iterations, other values."""

from __future__ import annotations

import numpy as np
import pytest

import onnx_explorer as ox
from tests.widgets.asking import Asker


@pytest.fixture
def counting(monkeypatch):
    """A loop of four rounds that adds 1 to a number, and a node before and behind it."""
    g = ox.build.graph("counting")
    start = g.input("start", "float32[]")
    body = g.subgraph()
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    x = body.input("x", "float32[]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(body.Add(x, 1.0, name="add"), "next", "float32[]")
    doubled = g.Mul(start, 2.0, name="double")
    end = g.Loop(np.int64(4), np.bool_(True), doubled, body=body, name="loop")
    g.output(g.Neg(end, name="negate"), "negative", "float32[]")
    return Asker(g.model(), {"start": np.float32(5)}, monkeypatch)


def test_into_a_loop_and_out_again(counting):
    counting.ask("step")
    counting.ask("step_into")
    (frame,) = counting.state["frames"]
    assert (frame["path"], frame["owner"], frame["count"]) == ("loop/body/", "loop", 1)
    assert counting.state["current"].startswith("loop/body/")
    counting.ask("step")
    counting.ask("step")
    # What the last node made, inside too: 10 and 1.
    assert counting.state["values"]["loop/body/next"]["head"] == ["11"]
    counting.ask("step_out")
    assert counting.state["frames"] == []
    assert counting.state["current"] == "negate"


def test_only_what_has_run_in_this_round_of_a_loop_is_done(counting):
    counting.ask("step")
    counting.ask("step_into")
    assert counting.state["done"] == ["double"]
    counting.ask("step")
    counting.ask("step")
    assert counting.state["frames"][0]["count"] == 2
    assert counting.state["done"] == ["double"]
    counting.ask("step")
    assert len(counting.state["done"]) == 2
    assert counting.state["current"] not in counting.state["done"]
    counting.ask("step_out")
    assert {"double", "loop/body/add", "loop"} <= set(counting.state["done"])


def test_of_an_if_in_a_loop_the_branch_of_an_earlier_round_is_not_done(monkeypatch):
    """6 is halved in the first round; 3 is odd, so that the second one takes the other branch."""
    asker = Asker(ox.example("loop_if"), {"start": 6, "limit": 100}, monkeypatch)
    branches = {"choose/then_branch/half", "choose/else_branch/threefold"}
    asker.ask("step_into")
    seen: list[set[str]] = []
    while len(seen) < 2:
        asker.ask("step")
        if asker.state["current"] == "collatz/body/is_one":
            done = {node.removeprefix("collatz/body/") for node in asker.state["done"]}
            seen.append(done & branches)
    assert seen == [{"choose/then_branch/half"}, {"choose/else_branch/threefold"}]


def test_back_over_a_loop_is_before_it_and_not_inside(counting):
    counting.ask("goto", position=1)
    counting.ask("step_into")
    counting.ask("step_out")
    counting.ask("back")
    assert (counting.state["current"], counting.state["frames"]) == ("loop", [])


def test_out_of_the_main_graph_is_the_end(counting):
    counting.ask("step_out")
    assert counting.state["position"] == counting.state["total"] == 3


def test_each_iteration_has_its_own_values(counting):
    counting.ask("run")
    (frame,) = counting.ask("iterations", name="loop/body/add")["frames"]
    assert (frame["count"], frame["shown"], frame["live"]) == (4, 3, False)
    seen = []
    for i in range(4):
        counting.ask("iteration", path="loop/body/", iteration=i)
        seen.append(counting.ask("value", name="loop/body/next")["head"])
    # 5 doubled is 10, and each round adds 1.
    assert seen == [["11"], ["12"], ["13"], ["14"]]


def test_what_an_iteration_has_not_computed_yet_is_not_taken_from_the_one_before(counting):
    counting.ask("step")
    counting.ask("break", node="loop/body/add", when="always")
    counting.ask("run")
    counting.ask("run")
    assert counting.state["frames"][0]["count"] == 2
    assert "has not been computed" in counting.ask("value", name="loop/body/next")["error"]
    counting.ask("iteration", path="loop/body/", iteration=0)
    assert counting.ask("value", name="loop/body/next")["head"] == ["11"]
    # The next move shows again where the run is.
    counting.ask("step")
    assert counting.state["frames"][0]["shown"] == counting.state["frames"][0]["count"] - 1


def test_inside_an_iteration_branches_show_what_ran_during_it(monkeypatch):
    feeds = {"start": np.int64(6), "limit": np.int64(100)}
    asker = Asker(ox.example("loop_if"), feeds, monkeypatch)
    asker.ask("run")
    halved = "collatz/body/choose/then_branch/halved"
    seen = []
    # From 6: 3, 10, 5, 16, 8, 4, 2, 1; where a number is odd the branch that halves did not run.
    for i in range(8):
        asker.ask("iteration", path="collatz/body/", iteration=i)
        seen.append(asker.ask("value", name=halved).get("head"))
    assert seen == [["3"], None, ["5"], None, ["8"], ["4"], ["2"], ["1"]]


def test_an_iteration_of_what_was_never_entered_is_refused(counting):
    assert "not been entered" in counting.ask("iteration", path="loop/body/", iteration=0)["error"]


def test_a_run_stops_at_breakpoints_and_says_at_which(counting):
    counting.ask("break", node="negate", when="always")
    counting.ask("run")
    assert (counting.state["current"], counting.state["stopped"]) == ("negate", 0)
    assert counting.state["breakpoints"] == [
        {"node": "negate", "when": "always", "place": "", "hits": 1, "note": ""}
    ]
    counting.ask("unbreak", index=0)
    assert counting.state["breakpoints"] == []


def test_a_run_stops_behind_the_node_that_makes_nan(monkeypatch):
    g = ox.build.graph("roots")
    x = g.input("x", "float32[2]")
    g.output(g.Neg(g.Sqrt(x, name="root"), name="negate"), "y")
    asker = Asker(g.model(), {"x": np.array([4, -1], np.float32)}, monkeypatch)
    asker.ask("break", node="", when="nan")
    asker.ask("run")
    assert (asker.state["done"], asker.state["current"]) == (["root"], "negate")
    assert asker.state["note"] == "'root' made a NaN"
    asker.ask("back")
    assert asker.state["note"] == "", "it stands where it stood before"


def test_the_timeline_goes_back_and_forward_to_the_same_values(counting):
    counting.ask("goto", position=2)
    assert (counting.state["position"], counting.state["current"]) == (2, "negate")
    counting.ask("goto", position=1)
    assert (counting.state["position"], counting.state["current"]) == (1, "loop")
    counting.ask("step_into")
    counting.ask("goto", position=3)
    # -(2 * 5 + 4)
    assert counting.ask("value", name="negative")["head"] == ["-14"]
    counting.ask("goto", position=0)
    assert counting.state["done"] == []


def test_a_name_goes_where_its_node_comes_next_or_its_value_is_there(counting):
    explorer = counting.explorer
    explorer.goto("node:negate")
    assert (counting.state["position"], counting.state["current"]) == (2, "negate")
    explorer.goto("node:loop")
    assert (counting.state["position"], counting.state["current"]) == (1, "loop")
    explorer.goto("negative")
    # -(2 * 5 + 4)
    assert counting.ask("value", name="negative")["head"] == ["-14"]
    with pytest.raises(KeyError, match="'elsewhere' is neither a node, a value nor a group"):
        explorer.goto("elsewhere")
    assert counting.state["position"] == 3


def test_another_value_changes_what_comes(counting):
    counting.ask("step")
    double = counting.state["done"][-1]
    assert double == "double"
    name = next(n for n in counting.state["values"])
    counting.ask("set", name=name, text="0")
    counting.ask("run")
    assert counting.ask("value", name="negative")["head"] == ["-4"]
    assert "expected a number" in counting.ask("set", name="negative", text="four")["error"]


@pytest.fixture
def clash(monkeypatch):
    """A product whose sides do not fit unless the left one is transposed."""
    g = ox.build.graph("clash")
    a, b = g.input("a", "float32[x, y]"), g.input("b", "float32[z, w]")
    g.output(g.Gemm(a, b, name="product"), "y")
    feeds = {"a": np.ones((2, 3), np.float32), "b": np.ones((2, 4), np.float32)}
    return Asker(g.model(), feeds, monkeypatch)


def test_a_failure_tells_what_it_found_and_what_it_expected(clash):
    clash.ask("run")
    assert clash.state["failed"] == "product"
    assert "[2, 3]" in clash.state["clash"]["found"]
    assert "2 rows" in clash.state["clash"]["expected"]
    assert clash.state["values"]["a"]["type"] == "float32[2, 3]"


def test_a_failed_node_runs_with_another_attribute(clash):
    clash.ask("run")
    clash.ask("retry", attributes={"transA": "1"})
    assert clash.state["failed"] is None
    assert clash.ask("value", name="y")["type"] == "float32[3, 4]"


def test_a_failed_node_runs_with_another_value(clash):
    clash.ask("run")
    clash.ask("set", name="b", text="zeros[3, 5]")
    assert clash.state["failed"] is None
    clash.ask("run")
    assert clash.ask("value", name="y")["type"] == "float32[2, 5]"


def test_an_attribute_that_does_not_help_is_told(clash):
    clash.ask("run")
    assert "transC" in clash.ask("retry", attributes={"transC": "1"})["error"]
    clash.ask("retry", attributes={"alpha": "2.0"})
    assert clash.state["failed"] == "product"


def test_a_failure_inside_a_loop_is_mended_there(monkeypatch):
    g = ox.build.graph("inner")
    weight = g.input("weight", "float32[r, c]")
    start = g.input("start", "float32[n, m]")
    body = g.subgraph()
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    x = body.input("x", "float32[n, m]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(body.Gemm(x, weight, name="product"), "next", "float32[n, m]")
    end = g.Loop(np.int64(2), np.bool_(True), start, body=body, name="loop")
    g.output(end, "end", "float32[n, m]")
    feeds = {"weight": np.ones((2, 3), np.float32), "start": np.ones((1, 3), np.float32)}
    asker = Asker(g.model(), feeds, monkeypatch)
    asker.ask("run")
    assert asker.state["failed"] == "loop/body/product"
    read = asker.state["values"]
    assert read["loop/body/x"]["type"] == "float32[1, 3]"
    assert read["weight"]["type"] == "float32[2, 3]"
    # Each iteration reads the value from around the loop anew.
    for _ in range(2):
        assert asker.state["failed"] == "loop/body/product"
        asker.ask("set", name="weight", text="ones[3, 3]")
        asker.ask("run")
    # Ones times ones over 3 columns, twice.
    assert asker.ask("value", name="end")["head"] == ["9", "9", "9"]
