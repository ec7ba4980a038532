"""What the functions that run models are given by mistake, and what they answer."""

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.ir import Function, Graph, Model, Tensor

FEEDS = {"x": np.float32([3, -1])}


def chain():
    g = graph("chain", opset=20)
    x = g.input("x", "float32[2]")
    (root,) = g.ops("Sqrt", x, name="root", outputs=["root"])
    g.output(g.Add(root, np.float32([1, 1]), name="plus"), "out")
    return g.model()


def twisted():
    g = graph("twisted", opset=20)
    x = g.op("Twist", g.input("x", "float32[2]"), domain="com.acme")
    g.output(g.Sqrt(g.Add(x, np.float32([1, 1]))), "out")
    return g.model()


def test_a_predicate_that_raises_ends_the_run_with_its_place_and_the_state_is_kept():
    stepper = ox.Stepper(chain(), FEEDS)
    stepper.add_breakpoint("root", when=lambda a: a.hue)
    with pytest.raises(
        ox.EvaluationError, match=r"at node 'root' .*'root' \(float32\[2\]\) of node 'root'.*'hue'"
    ):
        stepper.run()
    assert stepper.completed == ("root",)
    stepper.run()
    assert stepper.done
    stepper.back()
    assert stepper.current.id == "plus"


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"larger_than": "a"}, "larger_than = 'a'; expected a number"),
        ({"node": 3}, "node = 3; expected a name"),
        ({"node": "root", "skip": "a"}, "skip = 'a'; expected 0 or more"),
    ],
)
def test_a_breakpoint_of_the_wrong_types_is_refused(given, found):
    with pytest.raises(ox.EvaluationError, match=found):
        ox.Stepper(chain(), FEEDS).add_breakpoint(**given)


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (
            lambda: ox.Stepper(chain(), FEEDS).run_to(None),
            "run to is given as None; expected its name",
        ),
        (lambda: ox.Stepper(chain(), FEEDS).watch(None), "None is no expression"),
        (lambda: ox.Stepper(chain(), FEEDS).record(None), "the path None: expected"),
        (lambda: ox.replay(None), "the path None: expected"),
        (
            lambda: ox.compare(chain(), FEEDS, "float64", rtol="a"),
            "rtol = 'a'; expected a number, 0 or more",
        ),
        (lambda: ox.compare(chain(), FEEDS, {"out": [[1], [2, 3]]}), "'out' is no array"),
        (
            lambda: ox.compare(chain(), {"x": [[1], [2, 3]]}, "float64"),
            "not all of the same length",
        ),
    ],
)
def test_what_is_of_the_wrong_type_is_named(call, found):
    with pytest.raises(ox.EvaluationError, match=found):
        call()


@pytest.mark.parametrize(
    ("key", "found"),
    [
        (("", "Sqr"), r"\('', 'Sqr'\), of which the model has no node; it has \('', 'Sqrt'\)"),
        (("com.acme", "Twsit"), r"\('com.acme', 'Twsit'\).*; it has \('com.acme', 'Twist'\)"),
        (("", "Twist"), r"\('', 'Twist'\).*; it has \('com.acme', 'Twist'\)"),
        (("com.acmee", "Twist"), r"\('com.acmee', 'Twist'\).*; it has \('com.acme', 'Twist'\)"),
    ],
)
def test_a_kernel_or_a_rule_whose_operator_is_misspelt_is_refused(key, found):
    with pytest.raises(ox.EvaluationError, match=found):
        ox.run(twisted(), FEEDS, kernels={key: np.add})
    with pytest.raises(ox.InferenceError, match=found):
        ox.infer(twisted(), rules={key: lambda *a: a})


def test_kernels_and_rules_may_be_for_operators_that_the_model_does_not_have():
    every = [("com.acme", "Twist"), ("com.acme", "Twist2"), ("com.acme", "Add")]
    every += [("", "Exp"), ("com.other", "Add")]
    assert ox.infer(twisted(), rules=dict.fromkeys(every, lambda x: x))["out"].shape == (2,)
    out = ox.run(twisted(), FEEDS, kernels=dict.fromkeys(every, lambda x: x[::-1]))
    assert out["out"].tolist() == [0, 2]


def test_a_kernel_for_a_node_inside_a_function_or_a_subgraph_is_used():
    g = graph("inner", opset=20, imports={"local": 1})
    x = g.input("x", "float32[2]")
    then, other = g.subgraph("then"), g.subgraph("other")
    then.output(then.Neg(x))
    other.output(other.Abs(x))
    kept = g.If(g.input("yes", "bool[]"), then_branch=then, else_branch=other)
    h = graph("halves", opset=20)
    a = h.input("a", "float32[2]")
    h.output(h.Floor(a), "b")
    nodes = h.model().graph.nodes
    floors = Function("Floors", "local", ("a",), ("b",), nodes, {"": 20})
    g.output(g.op("Floors", kept, domain="local"), "out")
    model = g.model(functions=[floors])
    kernels = {("", "Neg"): lambda x: x + 1, ("", "Floor"): lambda x: x * 10}
    results = ox.run(model, FEEDS | {"yes": np.array(True)}, kernels=kernels)
    assert results["out"].tolist() == [40, 0]


def test_only_what_the_outputs_need_has_to_be_fed():
    g = graph("two", opset=20)
    x, y = g.input("x", "float32[1]"), g.input("y", "float32[1]")
    weight = g.initializer("weight", np.float32([5]))
    g.ops("Neg", weight, outputs=["minus"])
    g.ops("Add", x, weight, outputs=["sum"])
    g.output(g.Mul(x, y), "out")
    model = g.model()
    assert ox.run(model, {}, ["weight", "minus"])["minus"] == [-5]
    assert ox.run(model, {"x": [1.0]}, ["sum"])["sum"] == [6]
    with pytest.raises(ox.EvaluationError, match=r"input 'x'.* is missing"):
        ox.run(model, {"y": [1.0]}, ["sum"])
    with pytest.raises(ox.EvaluationError, match=r"input 'y'.* is missing"):
        ox.run(model, {"x": [1.0]})


def test_a_comparison_lists_only_nodes_that_differ():
    model = chain()
    feeds = {"x": np.float32([4, 9])}  # whose roots are whole numbers
    same = ox.compare(model, feeds, {"root": np.float32([2, 3]), "out": np.float32([3, 4])})
    assert "'root'" not in str(same)
    assert "<tr>" not in same._repr_html_()
    other = ox.compare(model, feeds, {"root": np.float32([2, 7]), "out": np.float32([3, 8])})
    assert "'root' of node 'root'" in str(other)


def test_text_that_no_file_can_hold_is_named_and_leaves_no_half_of_a_recording(tmp_path):
    g = graph("text", opset=20)
    g.output(g.Identity(g.input("x", "string[1]")), "y")
    stepper = ox.Stepper(g.model(), {"x": ["a\ud800"]})
    with pytest.raises(ox.ModelError, match=r"'a\\ud800', which is no Unicode"):
        stepper.record(tmp_path / "run.oxrun")
    assert not (tmp_path / "run.oxrun").exists()


def test_an_array_that_changes_afterwards_changes_no_model():
    ours = np.float32([1, 2])
    view = ours.view()
    view.flags.writeable = False
    given = [Tensor.of(ours), Tensor.of(view), Tensor.of(memoryview(ours))]
    ours[:] = 9
    assert [tensor.numpy().tolist() for tensor in given] == [[1, 2]] * 3


@pytest.mark.parametrize(
    ("place", "hint"),
    [
        ({"node": "normalised"}, "node 'norm' makes a value of this name: value='normalised'"),
        ({"node": "norn"}, "did you mean 'norm'"),
        ({"node": "less/body/x"}, "no node 'loop/body/less/body/x' to stop at: Sub-14 is not"),
        ({"value": "x"}, "no node makes it: it is given to the graph"),
        ({"value": "normalise"}, "did you mean 'normalised'"),
        ({"operator": "LayerNormalisation"}, "did you mean 'LayerNormalization'"),
        ({"group": "lop"}, "did you mean 'loop'"),
    ],
)
def test_a_breakpoint_that_fits_nothing_says_what_would(place, hint):
    g = graph("g", opset=20)
    x = g.input("x", "float32[4]")
    body = g.subgraph("body")
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    carried = body.input("carried", "float32[4]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(body.Sub(carried, 1.0, name="less"), "next", "float32[4]")
    end = g.Loop(np.int64(2), np.bool_(True), x, body=body, name="loop")
    ones = np.ones(4, np.float32)
    g.output(g.LayerNormalization(end, ones, name="norm"), "normalised")
    stepper = ox.Stepper(g.model(), {"x": ones})
    with pytest.raises(ox.EvaluationError, match=hint):
        stepper.add_breakpoint(**place)


def test_a_condition_in_a_model_without_nodes_is_refused():
    stepper = ox.Stepper(Model(Graph("g"), {"": 20}, ir_version=10), {})
    with pytest.raises(ox.EvaluationError, match="the model has no node to stop at"):
        stepper.add_breakpoint(condition="nan")
