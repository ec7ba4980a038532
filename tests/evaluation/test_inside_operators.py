"""The stepper inside the function that the standard gives for an operator."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph

FEEDS = {"x": np.float32([3, -1])}


def softsign(**options):
    """x / (1 + |x|) of [-3, 1] is [-0.75, 0.5]."""
    g = graph("softsign", opset=20)
    (start,) = g.ops("Neg", g.input("x", "float32[2]"), name="before", outputs=["start"])
    g.output(g.Abs(g.Softsign(start, name="home"), name="behind"), "y")
    stepper = ox.Stepper(g.model(), FEEDS, **options)
    stepper.step()
    return stepper


def inside_softsign(**options):
    stepper = softsign(**options)
    stepper.step_into()
    return stepper


def assert_softsign(stepper):
    stepper.run()
    assert stepper.done
    np.testing.assert_array_equal(stepper.outputs["y"], np.float32([0.75, 0.5]))


def node_of(stepper, op_type):
    """The full id of the first node of an operator in the innermost graph."""
    return next(s.id for s in stepper.walk.frame.plan.steps if s.node.op_type == op_type)


def test_the_nodes_inside_an_operator_are_those_of_the_standard():
    stepper = inside_softsign()
    assert stepper.frames[-1].path == "home/body/"
    seen = []
    while len(stepper.frames) > 1:
        seen.append(stepper.current.node.op_type)
        stepper.step()
    standard = [node.op_type for node in onnx.defs.get_schema("Softsign").function_body.node]
    # How the 1 gets its type is a matter of writing.
    small = {"Constant", "CastLike", "Cast"}
    assert [op for op in seen if op not in small] == [op for op in standard if op not in small]
    assert stepper.current.id == "behind"
    assert_softsign(stepper)


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_out_of_an_operator_its_result_is_there(steps):
    stepper = inside_softsign()
    for _ in range(steps):
        stepper.step()
    stepper.step_out()
    assert (len(stepper.frames), stepper.current.id) == (1, "behind")
    np.testing.assert_array_equal(stepper.values["home"], np.float32([-0.75, 0.5]))


def test_the_way_back_leads_out_of_an_operator():
    stepper = inside_softsign()
    stepper.step()
    stepper.back()
    assert len(stepper.frames) == 2
    stepper.back()
    assert (len(stepper.frames), stepper.current.id) == (1, "home")
    assert_softsign(stepper)


@pytest.mark.parametrize("position", [0, 1, 2, 3])
def test_goto_leads_out_of_an_operator(position):
    stepper = inside_softsign()
    stepper.step()
    stepper.goto(position)
    assert (len(stepper.frames), stepper.position) == (1, position)
    assert_softsign(stepper)


@pytest.mark.parametrize("by", ["node", "operator", "value", "larger_than", "when"])
def test_a_breakpoint_inside_an_operator_stops_one_who_is_in_there(by):
    stepper = inside_softsign()
    place = {
        "node": {"node": node_of(stepper, "Div")},
        "operator": {"operator": "Div"},
        "value": {"value": stepper.walk.frame.plan.steps[-2].node.outputs[0]},
        "larger_than": {"larger_than": 3.5},
        "when": {"when": lambda a: a.tolist() == [4, 2]},
    }[by]
    made = stepper.add_breakpoint(**place)
    stepper.run()
    assert stepper.stopped_at is made
    assert stepper.current.node.op_type == "Div"
    assert_softsign(stepper)
    stepper.restart()
    assert_softsign(stepper)


def test_a_place_inside_an_operator_can_be_run_to_and_watched():
    stepper = inside_softsign()
    (divisor,) = {*stepper.walk.frame.plan.steps[-1].node.inputs} - {"input"}
    assert stepper.watch(f"max({divisor})") is None
    stepper.run_to(f"node:{node_of(stepper, 'Div')}")
    assert stepper.current.node.op_type == "Div"
    # 1 + |-3|.
    assert stepper.watched == {f"max({divisor})": 4}
    stepper.step_out()
    assert stepper.watched == {f"max({divisor})": None}


def test_what_is_set_inside_an_operator_is_read_there_and_leaves_its_result_alone():
    stepper = inside_softsign()
    stepper.run_to(f"node:{node_of(stepper, 'Div')}")
    (divisor,) = {*stepper.current.node.inputs} - {"input"}
    stepper.set(divisor, np.float32([3, 2]))
    stepper.step()
    (shown,) = stepper.iterations("home/body")
    # [-3, 1] / [3, 2].
    assert [-1, 0.5] in [value.tolist() for value in shown.values()]
    assert_softsign(stepper)


def test_random_values_inside_an_operator_are_those_that_it_gives():
    g = graph("draw", opset=20)
    p = g.input("p", "float32[64]")
    g.output(g.Identity(g.Bernoulli(p, name="home")), "y")
    feeds = {"p": np.full(64, 0.5, np.float32)}
    whole = ox.run(g.model(), feeds, seed=3)["y"]
    stepper = ox.Stepper(g.model(), feeds, seed=3)
    stepper.step_into()
    assert stepper.frames[-1].path == "home/body/"
    stepper.step_out()
    stepper.back()
    stepper.step_into()
    stepper.run()
    np.testing.assert_array_equal(stepper.outputs["y"], whole)
    assert 0 < whole.sum() < 64
