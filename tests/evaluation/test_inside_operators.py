"""The stepper inside the function that the standard gives for an operator."""

from __future__ import annotations

import re

import numpy as np
import onnx
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.evaluation.inside import why_none

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
    if by == "node":
        # The only one that names a place in there: a run goes in for it.
        stepper.remove_breakpoint(made)
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


def layer_norm(opset, **options):
    """Layer normalization of a row between two nodes."""
    g = graph("norm", opset=opset)
    x = g.Neg(g.input("x", "float32[n, 4]"), name="before")
    scale, bias = np.float32([1, 2, 3, 4]), np.float32([0, 0, 1, 1])
    g.output(
        g.Abs(g.LayerNormalization(x, scale, bias, name="home", **options), name="behind"), "y"
    )
    return ox.Stepper(g.model(), {"x": np.float32([[1, 2, 3, 6], [0, 0, 0, 4]])})


def into_home(stepper):
    stepper.run_to("node:home")
    stepper.step_into()
    return stepper


@pytest.mark.parametrize(("opset", "mean"), [(17, "ReduceMean-13"), (23, "ReduceMean-18")])
def test_the_nodes_inside_are_written_for_the_operator_set_of_the_model(opset, mean):
    stepper = into_home(layer_norm(opset))
    operators = [step.operator for step in stepper.walk.frame.plan.steps]
    assert mean in operators
    for name, version in (operator.split("-") for operator in operators):
        # As onnx looks an operator up.
        assert onnx.defs.get_schema(name, opset).since_version == int(version)


def test_what_no_output_of_the_node_needs_is_left_out():
    g = graph("norm", opset=17)
    x, scale = g.input("x", "float32[4]"), np.ones(4, np.float32)
    y, mean, _ = g.ops("LayerNormalization", x, scale, name="home", outputs=["y", "mean", "dev"])
    g.output(y, "y")
    g.output(mean, "mean")
    both = ox.Stepper(g.model(), {"x": np.float32([1, 2, 3, 6])})
    both.step_into()
    one = into_home(layer_norm(17))
    count = len(both.walk.frame.plan.steps)
    # Its other outputs are made by nodes of their own.
    assert len(one.walk.frame.plan.steps) < count


def test_attributes_of_the_node_are_worked_into_its_function():
    stepper = into_home(layer_norm(17, epsilon=0.25, axis=0))
    constants = [
        step.node.attributes["value"].value.numpy().item()
        for step in stepper.walk.frame.plan.steps
        if step.node.op_type == "Constant" and step.node.attributes["value"].value.size == 1
    ]
    assert 0.25 in constants
    # From axis 0 on all axes are one: 8 elements in a single row.
    stepper.step()
    (flat,) = (v for n, v in stepper.frames[-1].items() if n.startswith("flatten"))
    assert flat.shape == (1, 8)


def test_a_run_goes_into_an_operator_with_a_breakpoint_inside():
    stepper = into_home(layer_norm(17))
    inner = node_of(stepper, "Sqrt")
    stepper.step_out()
    made = stepper.add_breakpoint(node=inner)
    stepper.restart()
    stepper.run()
    assert (stepper.stopped_at, stepper.current.id) == (made, inner)
    stepper.run()
    assert (stepper.done, made.hits) == (True, 1)
    # One node of the main graph each, with all that was inside it.
    stepper.back()
    assert stepper.current.id == "behind"
    stepper.back()
    assert stepper.current.id == inner


def test_a_breakpoint_inside_an_operator_of_a_loop_is_met_in_each_round():
    g = graph("rounds", opset=20)
    body = g.subgraph()
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    x = body.input("x", "float32[2]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(body.Softsign(x, name="soft"), "next", "float32[2]")
    last = g.Loop(np.int64(3), None, g.input("start", "float32[2]"), body=body, name="loop")
    g.output(last, "y", "float32[2]")
    feeds = {"start": FEEDS["x"]}
    stepper = ox.Stepper(g.model(), feeds)
    whole = ox.run(g.model(), feeds)["y"]
    stepper.run_to("node:loop/body/soft")
    stepper.step_into()
    assert [frame.path for frame in stepper.frames] == ["", "loop/body/", "loop/body/soft/body/"]
    made = stepper.add_breakpoint(node=node_of(stepper, "Div"))
    stepper.restart()
    seen = []
    while not stepper.done:
        stepper.run()
        if stepper.stopped_at is made:
            seen.append(stepper.frames[1].iteration)
    assert seen == [0, 1, 2]
    np.testing.assert_array_equal(stepper.outputs["y"], whole)


def test_a_value_of_another_shape_than_inferred_inside_an_operator_stops_the_run():
    stepper = inside_softsign()
    made = stepper.add_breakpoint(condition="shape")
    stepper.run()
    assert stepper.done  # what is inferred is what comes
    stepper.restart()
    stepper.step()
    stepper.step_into()
    stepper.run_to(f"node:{node_of(stepper, 'Abs')}")
    stepper.set("input", np.float32([[3], [2]]))
    stepper.run()
    assert (stepper.stopped_at, stepper.walk.latest.node.op_type) == (made, "Abs")


def test_a_value_of_another_dtype_than_inferred_inside_an_operator_stops_the_run():
    stepper = into_home(layer_norm(17))
    made = stepper.add_breakpoint(condition="dtype")
    stepper.run_to(f"node:{node_of(stepper, 'Cast')}")
    stepper.retry(attributes={"to": int(onnx.TensorProto.DOUBLE)})
    stepper.run()
    assert (stepper.stopped_at, stepper.walk.latest.node.op_type) == (made, "ReduceMean")


def test_a_node_inside_an_operator_is_tried_again_with_other_values_and_attributes():
    stepper = into_home(layer_norm(17))
    stepper.run_to(f"node:{node_of(stepper, 'ReduceMean')}")
    mean = stepper.current
    stepper.retry(attributes={"axes": [0]})
    # The rows are -1 -2 -3 -6 and 0 0 0 -4.
    np.testing.assert_array_equal(stepper.values[mean.outputs[0]], [[-0.5, -1, -1.5, -5]])
    stepper.back()
    assert stepper.current.id == mean.id
    stepper.retry(inputs={mean.inputs[0]: np.float32([[2, 4, 2, 4], [1, 1, 1, 5]])})
    np.testing.assert_array_equal(stepper.values[mean.outputs[0]], [[3], [2]])
    stepper.step_out()
    assert stepper.current.id == "behind"


def test_a_failure_inside_an_operator_is_a_place_to_go_on_from():
    stepper = into_home(layer_norm(17))
    stepper.run_to(f"node:{node_of(stepper, 'Mul')}")
    name = stepper.current.inputs[0]
    good = stepper.values[name]
    stepper.set(name, np.float32([[1, 2], [3, 4], [5, 6]]))
    stepper.step()
    stepper.run()
    assert stepper.failure.id.startswith("home/body/")
    while stepper.values[name].shape != good.shape:
        stepper.back()
    np.testing.assert_array_equal(stepper.values[name], good)
    stepper.run()
    assert stepper.done


def test_an_operator_that_may_have_graphs_inside_is_gone_into_where_it_has_none():
    g = graph("attention", opset=24, imports={"ai.onnx.preview": 1})
    q = g.input("q", "float32[1, 1, 2, 4]")
    attended = g.op("FlexAttention", q, q, q, domain="ai.onnx.preview", name="home")
    g.output(attended, "y", "float32[1, 1, 2, 4]")
    feeds = {"q": np.float32(range(8)).reshape(1, 1, 2, 4)}
    whole = ox.run(g.model(), feeds)["y"]
    stepper = ox.Stepper(g.model(), feeds)
    stepper.step_into()
    assert stepper.frames[-1].path == "home/body/"
    stepper.step()
    stepper.back()
    stepper.step_out()
    assert stepper.done
    np.testing.assert_array_equal(stepper.outputs["y"], whole)
    stepper.back()
    assert (len(stepper.frames), stepper.done) == (2, False)


def activation(op_type, opset, *more, **attributes):
    """An activation as the only node, and what it is given."""
    g = graph("activation", opset=opset)
    x = g.input("x", "float32[2, 3]")
    g.output(getattr(g, op_type)(x, *more, name="home", **attributes), "y")
    return ox.Stepper(g.model(), {"x": np.float32([[-1, 0, 2], [3, -4, 5]])})


@pytest.mark.parametrize(
    ("op_type", "opset", "stated"),
    [
        ("Relu", 14, "Relu-14 in opset 18"),
        ("Relu", 6, "Relu-14 in opset 18"),
        ("LeakyRelu", 11, "LeakyRelu-16 in opset 16"),
        ("Clip", 12, "Clip-13 in opset 13"),
        ("Elu", 9, "Elu-6 in opset 18"),
        ("Shrink", 9, "Shrink-9 in opset 18"),
        ("Softplus", 11, "Softplus-1 in opset 18"),
    ],
)
def test_a_function_is_shown_that_the_standard_states_elsewhere_for_the_same(
    op_type, opset, stated
):
    version, _, at = stated.partition(" in opset ")
    schema = onnx.defs.get_schema(op_type, int(version.rpartition("-")[2]))
    known = (*schema.function_opset_versions, *schema.context_dependent_function_opset_versions)
    assert int(at) in known
    stepper = activation(op_type, opset)
    stepper.step_into()
    assert stepper.walk.frame.plan.stated.endswith(stated)
    inside = stepper.frames[-1]
    (output,) = stepper.walk.frame.plan.outputs
    stepper.step_out()
    # What the function comes to is what the kernel of the older version gives.
    np.testing.assert_allclose(inside[output], stepper.outputs["y"], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("op_type", "opset", "why"),
    [
        ("Sin", 20, "Sin-7 is not a function of other operators"),
        ("Softmax", 11, "no function for Softmax-11; that for Softmax-13 means something else"),
        ("ReduceL1", 13, "no function for ReduceL1-13; that for ReduceL1-18 means something else"),
    ],
)
def test_where_there_is_nothing_to_go_into_it_can_be_said_why(op_type, opset, why):
    stepper = activation(op_type, opset)
    assert why in why_none(stepper.current)
    stepper.step_into()
    assert stepper.done


@pytest.mark.parametrize(
    ("place", "where"),
    [
        ({"node": "home/body/sqrt_1"}, "home/body/sqrt_1"),
        ({"node": "home/body/*", "operator": "Sqrt"}, "home/body/sqrt_1"),
        ({"node": "*/body/reducemean_?"}, "home/body/reducemean_1"),
    ],
)
def test_a_breakpoint_in_an_operator_that_nobody_has_looked_into_stops_the_run(place, where):
    stepper = layer_norm(17)
    made = stepper.add_breakpoint(**place)
    stepper.run()
    assert (stepper.stopped_at, stepper.current.id) == (made, where)
    whole = ox.run(stepper.model, stepper.feeds)["y"]
    while not stepper.done:
        stepper.run()
    np.testing.assert_array_equal(stepper.outputs["y"], whole)


def test_a_condition_is_asked_of_what_nodes_inside_operators_give():
    # The variance of the first row: (2² + 1² + 0² + 3²) / 4.
    stepper = layer_norm(17)
    made = stepper.add_breakpoint("home/body/*", when=lambda a: 3.5 in a)
    stepper.run()
    assert stepper.stopped_at is made
    assert stepper.walk.latest.id.startswith("home/body/")
    stepper = layer_norm(17)
    stepper.add_breakpoint(when=lambda a: 3.5 in a)
    stepper.run()
    assert stepper.done


def test_a_breakpoint_in_an_operator_inside_an_operator_stops_the_run():
    g = graph("loss", opset=13)
    scores, targets = g.input("scores", "float32[2, 3]"), g.input("targets", "int64[2]")
    g.output(g.SoftmaxCrossEntropyLoss(scores, targets, name="loss"), "y", "float32[]")
    feeds = {"scores": np.float32([[1, 2, 3], [0, 0, 1]]), "targets": np.int64([2, 0])}
    stepper = ox.Stepper(g.model(), feeds)
    stepper.add_breakpoint("loss/body/*/body/sub_*")
    stepper.run()
    paths = [frame.path for frame in stepper.frames]
    assert (len(paths), paths[1], stepper.current.operator) == (3, "loss/body/", "Sub-13")


@pytest.mark.parametrize(
    ("node", "said"),
    [
        ("home/body/sqrt", "did you mean 'home/body/sqrt_1'"),
        ("behind/body/x", "Abs-13 is not a function of other operators"),
        ("nobody/body/x", "the model has no node 'nobody/body/x'"),
    ],
)
def test_a_place_that_no_operator_has_inside_is_refused(node, said):
    with pytest.raises(ox.EvaluationError, match=re.escape(said)):
        layer_norm(17).add_breakpoint(node)
