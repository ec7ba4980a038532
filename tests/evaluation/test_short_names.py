"""Places and values of a run by the last parts of their names, the same wherever one is asked for."""

from __future__ import annotations

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph

X = np.float32([[1, 2, 3, 6], [1, 0, 0, 3]])
MEANS = [[3], [1]]  # of the rows
MEAN = "norm/body/reducemean_1"


def normalising_rounds(rounds=2):
    """A loop that normalises rows, and a node behind it."""
    g = graph("rounds", opset=20)
    x = g.input("x", "float32[2, 4]")
    body = g.subgraph("body")
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    rows = body.input("rows", "float32[2, 4]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(body.LayerNormalization(rows, np.ones(4, np.float32), name="norm"), "next")
    last = g.Loop(np.int64(rounds), None, x, body=body, name="loop")
    g.output(g.Neg(last, name="behind"), "y")
    return g.model()


def twice():
    """Two branches with a node of one name."""
    g = graph("twice", opset=20)
    x = g.input("x", "float32[2, 4]")
    branches = []
    for operator in ("Relu", "Neg"):
        branch = g.subgraph(operator)
        branch.output(getattr(branch, operator)(x, name="act"), f"out of {operator}")
        branches.append(branch)
    chosen = g.If(
        g.input("which", "bool[]"), then_branch=branches[0], else_branch=branches[1], name="if"
    )
    g.output(chosen, "y")
    return g.model()


@pytest.fixture
def stepper():
    return ox.Stepper(normalising_rounds(), {"x": X})


@pytest.mark.parametrize("target", [MEAN, f"loop/body/{MEAN}", f"value:{MEAN}", "body/" + MEAN])
def test_run_to_goes_into_the_operator_of_a_node_in_a_loop(stepper, target):
    stepper.run_to(target)
    assert stepper.frames[-1].path == "loop/body/norm/body/"
    np.testing.assert_allclose(stepper.values["reducemean_1"], MEANS)


def test_run_to_a_node_inside_an_operator_stops_before_it(stepper):
    stepper.run_to(f"node:{MEAN}")
    assert stepper.current.id == f"loop/body/{MEAN}"
    assert "reducemean_1" not in stepper.values


def test_run_to_steps_over_what_does_not_lead_there(stepper):
    stepper.run_to("node:behind")
    assert (stepper.position, len(stepper.frames)) == (1, 1)
    stepper.back()
    assert stepper.position == 0


def test_run_to_the_last_value_of_a_body_ends_with_the_first_round_that_makes_it(stepper):
    stepper.run_to("value:next")
    assert [frame.iteration for frame in stepper.iterations("loop/body")] == [0, 1]
    assert stepper.current.id.startswith("loop/body/")


@pytest.mark.parametrize("name", [MEAN, f"body/{MEAN}", f"loop/body/{MEAN}"])
def test_a_breakpoint_is_set_on_the_node_that_a_short_name_means(stepper, name):
    made = stepper.add_breakpoint(name)
    assert made.node == f"loop/body/{MEAN}"
    stepper.run()
    assert (stepper.stopped_at, stepper.current.id) == (made, f"loop/body/{MEAN}")


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: s.add_breakpoint("act"),
        lambda s: s.run_to("act"),
        lambda s: s.run_to("node:act"),
    ],
)
def test_a_short_name_of_several_nodes_is_refused_with_all_of_them(ask):
    stepper = ox.Stepper(twice(), {"x": X, "which": np.bool_(True)})
    text = (
        "'act' may be one of 2 nodes: 'if/then_branch/act', 'if/else_branch/act'; give more of it"
    )
    with pytest.raises(ox.EvaluationError, match=text):
        ask(stepper)


def test_more_of_an_ambiguous_name_is_enough():
    stepper = ox.Stepper(twice(), {"x": X, "which": np.bool_(False)})
    stepper.run_to("node:else_branch/act")
    assert stepper.current.id == "if/else_branch/act"


def test_values_are_read_watched_and_set_by_their_full_names_and_by_the_ends_of_these(stepper):
    stepper.run_to(MEAN)
    for name in ("reducemean_1", MEAN, f"loop/body/{MEAN}"):
        np.testing.assert_allclose(stepper.values[name], MEANS)
        assert stepper.watch(f'sum("{name}")') == 4
    stepper.set(f"body/{MEAN}", np.zeros((2, 1), np.float32))
    assert stepper.watched['sum("reducemean_1")'] == 0


def test_a_value_inside_an_operator_can_be_watched_before_anybody_has_looked_into_it(stepper):
    assert stepper.watch(f'sum("{MEAN}")') is None
    stepper.run_to(MEAN)
    assert stepper.watched[f'sum("{MEAN}")'] == 4


def test_a_function_does_not_see_what_is_around_it(stepper):
    stepper.run_to(MEAN)
    assert "x" not in stepper.values


def attention_of_some():
    """Attention over the keys that a run chooses: how many there are, nobody can foresee."""
    g = graph("some", opset=24)
    q, k, v = (g.input(name, "float32[1, 1, 3, 2]") for name in "qkv")
    chosen = g.input("chosen", "bool[3]")
    mask = g.input("mask", "float32[3, 3]")
    keys, values = (g.Compress(each, chosen, axis=2) for each in (k, v))
    g.output(g.Attention(q, keys, values, mask, name="attention"), "y")
    return g.model()


def test_a_breakpoint_on_a_node_that_only_other_sizes_need_stops_before_the_first_and_says_so():
    ones = np.ones((1, 1, 3, 2), np.float32)
    feeds = {"q": ones, "k": ones, "v": ones, "chosen": np.ones(3, bool)}
    stepper = ox.Stepper(attention_of_some(), {**feeds, "mask": np.zeros((3, 3), np.float32)})
    made = stepper.add_breakpoint("attention/body/pad_1")
    stepper.run()
    assert stepper.stopped_at is made
    assert stepper.frames[-1].path == "attention/body/"
    assert [step for step in stepper.completed if step.startswith("attention/")] == []
    assert "no node 'pad_1'" in made.note
    stepper.run()
    assert stepper.done
    np.testing.assert_allclose(stepper.outputs["y"], ones)  # the mean of ones


def test_an_operator_inside_functions_stops_those_who_step_in_and_the_breakpoint_says_so(stepper):
    stepper.run_to(f"node:{MEAN}")
    made = stepper.add_breakpoint(operator="Sqrt")
    assert "steps into" in made.note
    stepper.run()
    assert stepper.current.node.op_type == "Sqrt"
    stepper.run()
    assert stepper.done


def test_a_breakpoint_on_an_operator_of_the_model_has_nothing_to_say(stepper):
    assert stepper.add_breakpoint(operator="LayerNormalization").note == ""


@pytest.mark.parametrize("start", [lambda s: None, lambda s: s.run(), lambda s: s.step_into()])
def test_goto_a_node_is_before_its_first_round_wherever_the_run_stood(stepper, start):
    start(stepper)
    stepper.goto("body/norm")
    assert stepper.current.id == "loop/body/norm"
    assert stepper.frames[-1].iteration == 0
    np.testing.assert_array_equal(stepper.values["rows"], X)


def test_goto_a_value_is_where_it_was_first_computed(stepper):
    stepper.run()
    stepper.goto("value:body/next")
    assert [frame.iteration for frame in stepper.iterations("loop/body")] == [0, 1]
    stepper.goto(MEAN)
    np.testing.assert_allclose(stepper.values["reducemean_1"], MEANS)
    stepper.goto("x")
    assert (stepper.position, len(stepper.frames), stepper.completed) == (0, 1, ())
    with pytest.raises(KeyError, match="nowhere"):
        stepper.goto("nowhere")


def test_a_graph_on_its_way_is_shown_by_the_end_of_its_path(stepper):
    # What is fed, and the constant number of rounds.
    assert repr(stepper.frames[0]) == "<frame of the model: 2 values>"
    stepper.run_to(f"node:{MEAN}")
    inner = stepper.frames[-1]
    assert repr(inner) == f"<frame 'norm/body', round 0: {len(inner)} values>"
