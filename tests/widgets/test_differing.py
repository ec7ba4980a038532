"""Values beside others: another value, another iteration, the run before, a compared runtime."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.errors import EvaluationError, ExplorerError
from onnx_explorer.ir import Tensor
from onnx_explorer.widgets.differing import difference, difference_array
from tests.widgets.asking import Asker


def test_the_largest_differences_come_first_with_their_places():
    ours = np.array([[1, 2], [3, 4]], np.float32)
    theirs = np.array([[1, 2.5], [1, 4]], np.float32)
    found = difference(ours, theirs)
    assert (found["equal"], found["elements"]) == (2, 4)
    assert [(one["at"], one["difference"]) for one in found["largest"]] == [
        ([1, 0], "2"),
        ([0, 1], "-0.5"),
    ]
    assert found["mean_apart"] == (2 + 0.5) / 4


def test_nan_on_both_sides_is_the_same_and_on_one_side_the_largest_difference():
    gap = difference_array(np.array([np.nan, np.nan, np.inf]), np.array([np.nan, 1, np.inf]))
    np.testing.assert_array_equal(gap, [0, np.nan, 0])
    found = difference(np.array([5.0, np.nan]), np.array([0.0, 1.0]))
    assert [one["at"] for one in found["largest"]] == [[1], [0]]


def test_integers_are_not_wrapped():
    gap = difference_array(np.array([0], np.uint8), np.array([1], np.uint8))
    assert gap.tolist() == [-1]


@pytest.mark.parametrize(
    ("theirs", "told"), [(np.zeros(3), "differ in shape"), (np.array(["a"], object), "no tensor")]
)  # fmt: skip
def test_what_cannot_be_taken_from_each_other_is_told(theirs, told):
    with pytest.raises(EvaluationError, match=told):
        difference(np.zeros(1), theirs)


@pytest.fixture
def halving(monkeypatch):
    """A pair of numbers halved in each of three rounds."""
    g = ox.build.graph("halving")
    start = g.input("start", "float32[2]")
    body = g.subgraph()
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    x = body.input("x", "float32[2]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(body.Div(x, 2.0, name="half"), "next", "float32[2]")
    end = g.Loop(np.int64(3), np.bool_(True), start, body=body, name="loop")
    g.output(g.Neg(end, name="negate"), "negative", "float32[2]")
    return Asker(g.model(), {"start": np.array([8, 16], np.float32)}, monkeypatch)


def partners(asker, name) -> list[dict]:
    return asker.ask("partners", name=name)["partners"]


def beside_steps(asker, name) -> list[dict]:
    """What a value can be compared with besides values of other steps."""
    return [one for one in partners(asker, name) if "steps" not in one]


def test_an_iteration_beside_another(halving):
    halving.ask("run")
    name = "loop/body/next"
    (offered,) = beside_steps(halving, name)
    assert (offered["against"], offered["other"]) == ("iteration", 1)
    found = halving.ask("difference", name=name, against="iteration", other=0)
    # After three rounds 1 and 2, after the first 4 and 8.
    assert [one["difference"] for one in found["largest"]] == ["-6", "-3"]
    assert (
        "iteration 7" in halving.ask("difference", name=name, against="iteration", other=7)["error"]
    )


def test_a_value_beside_another_value_in_every_view(halving):
    halving.ask("run")
    asked = {"name": "negative", "against": "value", "other": "start"}
    assert halving.ask("difference", **asked)["theirs"]["max"] == 16
    shown = halving.ask("view", **asked, view="table")
    assert shown["texts"] == ["-9", "-18"]


def test_a_run_beside_the_one_from_the_former_inputs(halving):
    halving.ask("run")
    assert beside_steps(halving, "negative") == []
    halving.ask("fill", name="start", how="list", text="16 16")
    halving.ask("begin")
    (offered,) = beside_steps(halving, "negative")
    assert offered["against"] == "former"
    found = halving.ask("difference", name="negative", against="former", other="")
    assert (found["ours"]["min"], found["theirs"]["max"], found["equal"]) == (-2, -1, 1)


def test_a_value_beside_that_of_another_model(monkeypatch):
    g = ox.build.graph("product")
    x = g.input("x", "float32[1, 2]")
    product = g.MatMul(x, g.initializer("w", np.ones((2, 2), np.float32)), name="product")
    g.output(g.Relu(product, name="positive"), "y")
    model = g.model()
    wrong = Tensor.of(np.array([[1, 1], [1, 5]], np.float32), "w")
    graph = replace(model.graph, initializers={**model.graph.initializers, "w": wrong})
    feeds = {"x": np.array([[1, 2]], np.float32)}
    result = ox.compare(model, feeds, replace(model, graph=graph))
    asker = Asker(model, None, monkeypatch)
    asker.explorer.compare(result)
    asker.ask("run")
    (offered,) = beside_steps(asker, "y")
    assert (offered["against"], offered["label"]) == ("compared", "model 'product'")
    found = asker.ask("difference", name="y", against="compared", other="")
    # 1 + 2 and 1 + 5 * 2.
    assert [(one["ours"], one["theirs"]) for one in found["largest"]] == [("3", "11")]
    assert asker.explorer.overlay_name == "added difference"


def test_an_iteration_that_is_no_number_is_nothing_to_compare_with(halving):
    reply = halving.ask("difference", name="x", against="iteration", other="first")
    assert reply["error"] == "'iteration' is nothing to compare with"


def test_a_run_from_other_inputs_has_nothing_to_be_compared_with(monkeypatch):
    g = ox.build.graph("twice")
    g.output(g.Mul(g.input("x", "float32[n]"), 2.0, name="double"), "y")
    asker = Asker(model := g.model(), None, monkeypatch)
    asker.explorer.compare(ox.compare(model, {"x": np.ones(2, np.float32)}, "float64"))
    asker.explorer.feed("x", np.full(2, 5, np.float32))
    asker.ask("run")
    # The run on its way is still the one that was compared.
    assert asker.ask("difference", name="y", against="compared")["equal"] == 2
    asker.ask("begin")
    assert [one["against"] for one in beside_steps(asker, "y")] == ["former"]
    reply = asker.ask("difference", name="y", against="compared")
    assert "from the inputs of this run" in reply["error"]


def test_the_partner_computes_its_values_again():
    g = ox.build.graph("thirds")
    g.output(g.Mul(g.Div(g.input("x", "float32[]"), 3.0), 3.0), "y")
    model = g.model()
    result = ox.compare(model, {"x": np.float32(1)}, "float64")
    third = result.theirs(model.graph.nodes[0].outputs[0])
    assert third.dtype == np.float64
    assert third == 1 / 3
    with pytest.raises(KeyError, match="float64 has no value 'nothing'"):
        result.theirs("nothing")


def test_a_comparison_of_another_model_is_refused(halving):
    g = ox.build.graph("other")
    g.output(g.Neg(g.input("x", "float32[1]")), "y")
    result = ox.compare(g.model(), {"x": np.ones(1, np.float32)}, "float64")
    with pytest.raises(ExplorerError, match="model 'other'"):
        halving.explorer.compare(result)


def test_a_value_is_compared_with_those_of_other_steps_that_have_its_shape(monkeypatch):
    g = ox.build.graph("steps")
    x = g.input("x", "float32[2]")
    first = g.Neg(x, name="first")
    g.output(g.Concat(first, first, axis=0, name="longer"), "long")
    g.output(g.Abs(g.Mul(first, 3.0, name="second"), name="third"), "y")
    asker = Asker(g.model(), {"x": np.float32([1, 2])}, monkeypatch)
    asker.ask("run")
    (steps,) = partners(asker, "y")
    assert [(one["value"], one["node"]) for one in steps["steps"]] == [
        ("x", "input"),
        ("first", "Neg first"),
        ("second", "Mul second"),
    ]
    # The step before is offered first.
    assert steps["other"] == "second"
    found = asker.ask("difference", name="y", against="value", other="first")
    # 3 and 6 less -1 and -2.
    assert [one["difference"] for one in found["largest"]] == ["8", "4"]


def test_of_an_iteration_it_is_said_how_many_there_are(halving):
    halving.ask("run")
    (found,) = beside_steps(halving, "loop/body/next")
    assert (found["against"], found["count"], found["other"]) == ("iteration", 3, 1)
