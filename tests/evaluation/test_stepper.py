"""Stepping: forward, into, out, back, to a place, and up to a failure."""

from dataclasses import replace

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.evaluation.frames import Control
from onnx_explorer.ir import Value


def chain():
    g = graph("chain", opset=20)
    x = g.input("x", "float32[2]")
    y = g.Add(x, np.float32([1, 1]), name="plus")
    z = g.Mul(y, y, name="square")
    g.output(g.Sub(z, x, name="minus"), "out")
    return g.model()


def doubling(trips):
    """A Loop that doubles a carried value `trips` times and scans it."""
    g = graph("doubling", opset=20)
    x = g.input("x", "float32[]")
    body = g.subgraph("body")
    body.input("i", "int64[]")
    cond = body.input("cond", "bool[]")
    carried = body.input("carried", "float32[]")
    twice = body.Add(carried, carried, name="double")
    body.output(body.Identity(cond, name="go_on"), "cond_out")
    body.output(twice, "next")
    body.output(body.Identity(twice, name="show"), "scanned")
    last, scans = g.Loop(np.array(trips), np.array(True), x, body=body, name="loop", outputs=2)
    g.output(last, "last")
    g.output(scans, "scans")
    return g.model()


FEEDS = {"x": np.float32([3, 4])}


def test_steps_go_node_by_node_and_values_stay():
    stepper = ox.Stepper(chain(), FEEDS)
    assert stepper.current.id == "plus"
    stepper.step()
    assert (stepper.position, stepper.total) == (1, 3)
    (made,) = set(stepper.values) - {"x", *chain().graph.initializers}
    np.testing.assert_array_equal(stepper.values[made], [4, 5])
    stepper.run()
    assert stepper.done
    np.testing.assert_array_equal(stepper.outputs["out"], [13, 21])


def test_back_takes_one_step_back_and_the_way_forward_is_the_same():
    stepper = ox.Stepper(chain(), FEEDS)
    stepper.run()
    for expected in ("minus", "square", "plus"):
        stepper.back()
        assert stepper.current.id == expected
    assert "out" not in stepper.values
    stepper.back()
    assert stepper.current.id == "plus"
    stepper.run()
    np.testing.assert_array_equal(stepper.values["out"], [13, 21])


def test_values_are_read_only():
    stepper = ox.Stepper(chain(), FEEDS)
    stepper.step()
    with pytest.raises(ValueError, match="read-only"):
        stepper.values["x"][0] = 0


def test_run_to_stops_before_a_node_and_after_a_value():
    stepper = ox.Stepper(chain(), FEEDS)
    stepper.run_to("minus")
    assert stepper.current.id == "minus"
    stepper.restart()
    assert stepper.position == 0
    stepper.run_to("out")
    assert stepper.done
    with pytest.raises(KeyError, match="nowhere"):
        stepper.run_to("nowhere")


def test_step_runs_a_loop_whole_and_step_into_enters_it():
    stepper = ox.Stepper(doubling(3), {"x": np.float32(1)})
    stepper.step()
    assert stepper.done
    np.testing.assert_array_equal(stepper.values["scans"], [2, 4, 8])
    stepper.restart()
    stepper.step_into()
    assert stepper.frames[-1].path == "loop/body/"
    assert stepper.current.id == "loop/body/double"
    while stepper.frames[-1].iteration == 0:
        stepper.step()
    assert stepper.current.id == "loop/body/double", "the next iteration"
    assert stepper.values["carried"] == 2
    stepper.step_out()
    assert stepper.done


def test_what_was_stepped_into_can_be_walked_back_node_by_node():
    stepper = ox.Stepper(doubling(2), {"x": np.float32(1)})
    seen = []
    while not stepper.done:
        stepper.step_into()
        seen.append((stepper.frames[-1].path, stepper.position, stepper.completed))
    assert len(seen) == 7, "into the loop, and three nodes in each of two iterations"
    for expected in reversed(seen[:-1]):
        stepper.back()
        assert (stepper.frames[-1].path, stepper.position, stepper.completed) == expected
    stepper.run()
    assert stepper.values["last"] == 4


def test_going_back_over_a_loop_that_was_stepped_over_leaves_it():
    stepper = ox.Stepper(doubling(2), {"x": np.float32(1)})
    stepper.step()
    stepper.back()
    assert len(stepper.frames) == 1
    assert stepper.current.id == "loop"
    assert stepper.completed == ()
    stepper.step()
    assert stepper.values["last"] == 4


def test_a_failure_is_a_place_and_what_was_computed_stays():
    g = graph("fails", opset=20)
    x = g.input("x", "float32[n]")
    y = g.Add(x, x, name="twice")
    g.output(g.Reshape(y, np.array([2, 3]), name="six"), "out")
    stepper = ox.Stepper(g.model(), {"x": np.zeros(4, np.float32)})
    stepper.run()
    assert not stepper.done
    assert stepper.failure.id == "six"
    assert "4 elements" in stepper.failure.message
    assert "6" in stepper.failure.message
    (name,) = [n for n in stepper.failure.inputs if n != stepper.current.node.inputs[1]]
    assert stepper.values[name].shape == (4,)
    stepper.back()
    assert stepper.failure is None
    assert stepper.current.id == "six"


def test_a_loop_of_no_trips_gives_what_it_was_given_and_an_empty_scan():
    results = ox.run(doubling(0), {"x": np.float32(5)})
    assert results["last"] == 5
    assert results["scans"].shape == (0,)
    assert results["scans"].dtype == np.float32


def again_and_again(move):
    for _ in range(10):
        move()


def interrupted_once(function, at):
    """A kernel that a person interrupts during its call of this number."""
    calls = []

    def kernel(*inputs):
        calls.append(inputs)
        if len(calls) == at:
            raise KeyboardInterrupt
        return function(*inputs)

    return kernel


@pytest.mark.parametrize("move", ["step", "step_out", "step_into", "run"])
def test_an_interrupted_step_can_be_taken_back_and_run_again(move):
    kernels = {("", "Add"): interrupted_once(np.add, 2)}
    stepper = ox.Stepper(doubling(3), {"x": np.float32(1)}, kernels=kernels)
    if move == "step_out":
        stepper.step_into()
    with pytest.raises(KeyboardInterrupt):
        again_and_again(getattr(stepper, move))
    assert stepper.completed, "some nodes of the loop's body"
    for _ in range(7):
        stepper.back()
    assert stepper.completed == ()
    assert stepper.current.id == "loop"
    stepper.run()
    assert stepper.completed.count("loop/body/double") == 3
    np.testing.assert_array_equal(stepper.values["scans"], [2, 4, 8])


def test_what_was_fed_may_change_without_changing_the_way_back():
    fed = np.float32([3, 4])
    stepper = ox.Stepper(chain(), {"x": fed})
    stepper.run()
    fed[:] = 0
    stepper.restart()
    stepper.run()
    np.testing.assert_array_equal(stepper.outputs["out"], [13, 21])


def test_what_a_failed_node_read_is_read_only():
    g = graph("fails", opset=20)
    g.output(g.Reshape(g.input("x", "float32[n]"), np.array([5]), name="five"), "out")
    stepper = ox.Stepper(g.model(), {"x": np.zeros(4, np.float32)})
    stepper.run()
    with pytest.raises(ValueError, match="read-only"):
        stepper.failure.inputs["x"][0] = 1


def nameless():
    """Two nodes without names: each one's id is the name of its output."""
    g = graph("nameless", opset=20)
    x = g.input("x", "float32[2]")
    y = g.Add(x, x, outputs=["y"])[0]
    g.output(g.Mul(y, y, outputs=["z"])[0])
    return unnamed(g.model())


def unnamed(model):
    nodes = tuple(replace(node, name="") for node in model.graph.nodes)
    return replace(model, graph=replace(model.graph, nodes=nodes))


@pytest.mark.parametrize(
    ("target", "position"),
    [("y", 1), ("value:y", 1), ("node:y", 0), ("z", 2), ("node:z", 1), ("x", 0)],
)
def test_a_name_of_a_node_and_a_value_is_the_values_unless_it_is_said(target, position):
    stepper = ox.Stepper(nameless(), FEEDS)
    stepper.run_to(target)
    assert stepper.position == position
    assert ("y" in stepper.values) is (position > 0)


@pytest.mark.parametrize(
    ("target", "last"),
    [
        ("node:loop/body/show", "loop/body/go_on"),
        ("show", "loop/body/go_on"),
        ("loop/body/go_on", "loop/body/double"),
        ("value:cond_out", "loop/body/go_on"),
    ],
)
def test_run_to_goes_into_bodies(target, last):
    stepper = ox.Stepper(doubling(2), {"x": np.float32(1)})
    stepper.run_to(target)
    assert stepper.frames[-1].path == "loop/body/"
    assert stepper.completed[-1] == last


@pytest.mark.parametrize("target", ["node:nowhere", "value:nowhere", "node:out", ""])
def test_run_to_a_node_or_a_value_that_is_not_there_is_refused(target):
    with pytest.raises(KeyError, match=f"{target!r} is neither"):
        ox.Stepper(chain(), FEEDS).run_to(target)


def test_an_output_that_nothing_produces_is_a_failure_at_the_end():
    model = chain()
    outputs = (*model.graph.outputs, Value("zz"))
    stepper = ox.Stepper(replace(model, graph=replace(model.graph, outputs=outputs)), FEEDS)
    stepper.step()
    assert stepper.failure is None
    stepper.run()
    assert stepper.done
    assert str(stepper.failure) == "nothing produces 'zz'"
    np.testing.assert_array_equal(stepper.outputs["out"], [13, 21])
    stepper.back()
    assert stepper.failure is None
    stepper.run()
    assert stepper.failure is not None
    stepper.back()
    stepper.back()
    assert stepper.current.id == "minus"


def test_an_interruption_between_iterations_loses_nothing(monkeypatch):
    stepper = ox.Stepper(doubling(3), {"x": np.float32(1)})
    send, calls = Control.send, []

    def interrupted(control, results):
        calls.append(results)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return send(control, results)

    monkeypatch.setattr(Control, "send", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stepper.run()
    monkeypatch.undo()
    stepper.run()
    assert stepper.values["last"] == 8
    stepper.restart()
    stepper.run()
    assert stepper.values["last"] == 8


def test_a_subgraph_output_that_nothing_produces_is_named():
    g = graph("holes", opset=20)
    x = g.input("x", "float32[2]")
    flag = g.input("flag", "bool[]")
    then, other = g.subgraph("then"), g.subgraph("other")
    then.output(then.Relu(x), "a")
    other.output(other.Abs(x), "b")
    g.output(g.If(flag, then_branch=then, else_branch=other, name="if"), "y")
    model = g.model()
    (node,) = model.graph.nodes
    branch = node.attributes["then_branch"]
    empty = replace(branch, value=replace(branch.value, nodes=()))
    hole = replace(node, attributes={**node.attributes, "then_branch": empty})
    model = replace(model, graph=replace(model.graph, nodes=(hole,)))
    with pytest.raises(ox.EvaluationError, match=r"nothing produces 'a', an output of 'if/then_br"):
        ox.run(model, {"x": np.zeros(2, np.float32), "flag": np.array(True)})
