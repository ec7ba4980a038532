"""Stepping as one debugs: breakpoints, changes, time travel within a budget."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.evaluation.progress import Progress
from tests.evaluation.chains import FEEDS, chain


def nested():
    """A loop of 3 rounds, in each an If and a random draw, then a layer normalization."""
    g = graph("nested", opset=20)
    x = g.input("x", "float32[4]")
    body = g.subgraph("body")
    i = body.input("i", "int64[]")
    more, carried = body.input("more", "bool[]"), body.input("carried", "float32[4]")
    even = body.Equal(body.Mod(i, np.array(2)), np.array(0))
    then, other = body.subgraph("then"), body.subgraph("other")
    then.output(then.Add(carried, np.float32(1), name="up"))
    other.output(other.Mul(carried, x, name="times_x"))
    decided = body.If(even, then_branch=then, else_branch=other, name="decide")
    noise = body.RandomUniformLike(decided, name="noise")
    body.output(body.Identity(more))
    body.output(body.Add(decided, noise, name="sum"))
    body.output(body.ReduceMax(decided, keepdims=0, name="largest"))
    last, peaks = g.Loop(np.array(3), None, x, body=body, name="loop", outputs=2)
    g.output(g.LayerNormalization(last, np.float32([1, 2, 3, 4]), name="norm"), "out")
    g.output(peaks, "peaks")
    return g.model()


NESTED_FEEDS = {"x": np.float32([0.5, -1, 2, 4])}


# -- breakpoints ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "stops"),
    [
        ({"node": "second/log"}, ["second/log"]),
        ({"node": "*/s*"}, ["first/square"]),
        ({"operator": "Mul"}, ["first/square"]),
        ({"operator": "ai.onnx::Relu"}, ["second/relu"]),
        ({"group": "second"}, ["second/log"]),
        ({"group": "second/"}, ["second/log"]),
        ({"node": "first/plus"}, ["first/plus"]),
    ],
)
def test_a_run_stops_before_a_node_in_place(place, stops):
    stepper = ox.Stepper(chain(), FEEDS)
    made = stepper.add_breakpoint(**place)
    seen = []
    stepper.run()
    while not stepper.done:
        assert stepper.stopped_at is made
        seen.append(stepper.current.id)
        stepper.run()
    assert seen == stops
    assert made.hits == len(stops)
    assert stepper.stopped_at is None


@pytest.mark.parametrize(
    ("condition", "after"),
    [
        ({"condition": "inf"}, "second/log"),
        ({"when": lambda a: (a == 0).any()}, "first/plus"),
        ({"larger_than": 10}, "first/square"),
        ({"value": "*relu*"}, "second/relu"),
        ({"value": "out"}, "minus"),
        ({"operator": "Relu", "larger_than": 1}, "second/relu"),
    ],
)
def test_a_run_stops_after_a_node_that_meets_a_condition(condition, after):
    stepper = ox.Stepper(chain(), FEEDS)
    made = stepper.add_breakpoint(**condition)
    stepper.run()
    assert stepper.stopped_at is made
    assert stepper.completed[-1] == after


def test_a_nan_is_found_where_it_appears_first():
    g = graph("g", opset=20)
    x = g.input("x", "float32[1]")
    y = g.Sqrt(g.Neg(x, name="neg"), name="sqrt")
    g.output(g.Add(y, x), "out")
    stepper = ox.Stepper(g.model(), {"x": [1.0]})
    stepper.add_breakpoint(condition="nan")
    stepper.run()
    assert stepper.completed == ("neg", "sqrt")


def test_a_shape_other_than_inferred_stops_the_run():
    g = graph("g", opset=20)
    hits = g.NonZero(g.input("x", "float32[8]"), name="nonzero")
    g.output(hits, "hits", "int64[1, 5]")  # which inference cannot contradict
    g.output(g.Neg(hits), "out")
    stepper = ox.Stepper(g.model(), {"x": np.float32([1, 0, 1, 0, 0, 0, 0, 0])})
    made = stepper.add_breakpoint(condition="shape")
    stepper.run()
    assert stepper.stopped_at is made
    assert stepper.completed == ("nonzero",)


def test_skipped_hits_are_counted():
    stepper = ox.Stepper(nested(), NESTED_FEEDS, seed=1)
    made = stepper.add_breakpoint("noise", skip=2)
    stepper.run()
    assert made.hits == 3
    assert stepper.frames[-1].iteration == 2
    made.enabled = False
    stepper.run()
    assert stepper.done


def by_run(stepper):
    stepper.run()


def by_moves(stepper):
    for _ in stepper.moves():
        pass


@pytest.mark.parametrize("budget", [None, 0, 40])
@pytest.mark.parametrize("go", [by_run, by_moves])
def test_each_node_is_looked_at_once_whatever_memory_keeps(go, budget):
    stepper = ox.Stepper(nested(), NESTED_FEEDS, seed=1, budget_bytes=budget)
    never = 10**9
    before = stepper.add_breakpoint(operator="Add", skip=never)
    after = stepper.add_breakpoint(operator="Add", when=lambda _: True, skip=never)
    every = stepper.add_breakpoint(when=lambda _: True, skip=never)
    go(stepper)
    assert stepper.done
    ran = [node.rpartition("/")[2] for node in stepper.completed]
    assert before.hits == after.hits == ran.count("up") + ran.count("sum") == 5
    assert every.hits == len(ran)


@pytest.mark.parametrize("budget", [None, 0])
def test_a_run_that_was_stopped_at_each_node_has_stopped_once_at_each(budget):
    stepper = ox.Stepper(nested(), NESTED_FEEDS, seed=1, budget_bytes=budget)
    stepper.add_breakpoint(node="*")
    seen = []
    stepper.run()
    while not stepper.done:
        seen.append(stepper.current.id)
        stepper.run()
    assert sorted(seen) == sorted(stepper.completed)


def test_a_breakpoint_inside_a_branch_of_a_loop_stops_there():
    stepper = ox.Stepper(nested(), NESTED_FEEDS, seed=1)
    stepper.add_breakpoint(operator="Mul")
    stepper.run()
    assert [frame.path for frame in stepper.frames] == [
        "",
        "loop/body/",
        "loop/body/decide/else_branch/",
    ]
    assert stepper.frames[1].iteration == 1
    stepper.run()
    assert stepper.done, "only the odd round goes there"


def test_a_removed_breakpoint_stops_nothing():
    stepper = ox.Stepper(chain(), FEEDS)
    stepper.remove_breakpoint(stepper.add_breakpoint("second/log"))
    stepper.run()
    assert stepper.done
    assert stepper.breakpoints == ()


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, "a place or a condition"),
        ({"condition": "NaN"}, "'nan', 'inf', 'dtype', 'shape'"),
        ({"node": "x", "when": 3}, "expected a function"),
        ({"node": "second/lag"}, "the model has no node 'second/lag'"),
        ({"operator": "Softmx"}, "the model has no operator 'Softmx'"),
        ({"group": "third", "value": "out"}, "the model has no group 'third', value 'out'"),
        ({"node": "x", "skip": -1}, "skip = -1"),
    ],
)
def test_a_breakpoint_that_makes_no_sense_is_refused(given, found):
    with pytest.raises(ox.EvaluationError, match=found):
        ox.Stepper(chain(), FEEDS).add_breakpoint(**given)


# -- changes ----------------------------------------------------------------------------------


def test_nodes_to_come_read_a_value_that_was_set():
    stepper = ox.Stepper(chain(), FEEDS)
    stepper.run_to("minus")
    stepper.set("x", [1, 1])
    stepper.run()
    np.testing.assert_array_equal(stepper.outputs["out"][1:], [0 - 1])
    stepper.back()
    stepper.back()
    stepper.run()
    np.testing.assert_array_equal(stepper.outputs["out"][1:], [0 + 1])


def test_a_failing_node_is_tried_with_other_inputs():
    model = ox.example("shape_error")
    stepper = ox.Stepper(model, {"image": np.zeros((1, 1, 8, 8), np.float32)})
    stepper.run()
    where, inputs = stepper.failure.id, stepper.failure.inputs
    a, b, *_ = stepper.current.node.inputs
    stepper.retry({b: np.zeros((inputs[a].shape[1], 4), np.float32)})
    assert stepper.failure is None
    assert stepper.completed[-1] == where
    stepper.back()
    stepper.back()
    stepper.step()
    assert stepper.failure.id == where


def test_a_failing_node_is_tried_with_another_attribute():
    g = graph("g", opset=20)
    a, b = g.input("a", "float32[2, 3]"), g.input("b", "float32[2, 4]")
    g.output(g.Gemm(a, b, name="gemm"), "out")
    stepper = ox.Stepper(
        g.model(),
        {"a": np.ones((2, 3)), "b": np.ones((2, 4))}
        | {"a": np.ones((2, 3), np.float32), "b": np.ones((2, 4), np.float32)},
    )
    stepper.run()
    assert stepper.failure.id == "gemm"
    stepper.retry(attributes={"transA": 1})
    np.testing.assert_array_equal(stepper.outputs["out"], np.full((3, 4), 2))
    stepper.restart()
    stepper.run()
    assert stepper.failure.id == "gemm", "the model itself stays as it was"


def test_attributes_that_were_tried_in_vain_are_gone():
    g = graph("g", opset=20)
    a, b = g.input("a", "float32[2, 3]"), g.input("b", "float32[2, 4]")
    g.output(g.Gemm(a, b, name="gemm"), "out")
    feeds = {"a": np.ones((2, 3), np.float32), "b": np.ones((2, 4), np.float32)}
    stepper = ox.Stepper(g.model(), feeds)
    stepper.run()
    stepper.retry(attributes={"transB": 1})
    assert stepper.failure is not None
    stepper.retry({"b": np.ones((3, 5), np.float32)})
    assert stepper.outputs["out"].shape == (2, 5)


@pytest.mark.parametrize(
    ("given", "error", "found"),
    [
        ({"inputs": {"q": 1}}, ox.EvaluationError, "does not read 'q'; it reads 'x'"),
        ({"attributes": {"axis": 1}}, ox.ModelError, "no attribute 'axis'"),
    ],
)
def test_what_cannot_be_tried_is_told(given, error, found):
    with pytest.raises(error, match=found):
        ox.Stepper(chain(), FEEDS).retry(**given)


def test_only_values_that_are_there_can_be_set():
    with pytest.raises(KeyError, match="value 'out' is not there; node 'minus' makes it"):
        ox.Stepper(chain(), FEEDS).set("out", [1.0])
    with pytest.raises(ox.EvaluationError, match="value 'x'"):
        ox.Stepper(chain(), FEEDS).set("x", ["a"])
    with pytest.raises(ox.EvaluationError, match=r"float32, and float64.*astype\('float32'\)"):
        ox.Stepper(chain(), FEEDS).set("x", np.zeros(2))


# -- going about ------------------------------------------------------------------------------


def test_looking_into_an_operator_does_not_change_what_it_gives():
    plain = ox.run(nested(), NESTED_FEEDS, seed=1)
    stepper = ox.Stepper(nested(), NESTED_FEEDS, seed=1)
    stepper.run_to("norm")
    stepper.step_into()
    assert stepper.frames[-1].path == "norm/body/"
    assert len(stepper.frames[-1]) == 2, "it sees its inputs"
    while len(stepper.frames) > 1:
        before = stepper.frames[-1]
        stepper.step_into()
    np.testing.assert_allclose(
        before["Y"] if "Y" in before else plain["out"], plain["out"], rtol=1e-5
    )
    np.testing.assert_array_equal(stepper.outputs["out"], plain["out"])


def test_every_iteration_can_be_looked_at_afterwards():
    stepper = ox.Stepper(nested(), NESTED_FEEDS, seed=1)
    stepper.run()
    rounds = stepper.iterations("loop/body")
    assert [each.iteration for each in rounds] == [0, 1, 2]
    np.testing.assert_array_equal(rounds[0]["carried"], NESTED_FEEDS["x"])
    assert [int(each["i"]) for each in rounds] == [0, 1, 2]


def test_goto_goes_forward_and_back():
    stepper = ox.Stepper(chain(), FEEDS)
    for position in (3, 1, 5, 0, 2):
        stepper.goto(position)
        assert stepper.position == position
    for nowhere in (6, -1, 1.5):
        with pytest.raises(
            ox.EvaluationError, match=f"position {nowhere!r}; expected a number from 0 to 5"
        ):
            stepper.goto(nowhere)


def test_run_to_a_group_stops_at_its_first_node():
    stepper = ox.Stepper(chain(), FEEDS)
    stepper.run_to("second")
    assert stepper.current.id == "second/log"


def test_events_tell_what_happened():
    stepper = ox.Stepper(chain(), FEEDS)
    stepper.add_breakpoint("second/log")
    stepper.run()
    stepper.back()
    assert [str(event) for event in stepper.events] == [
        "ran first/plus",
        "ran first/square",
        "breakpoint second/log",
        "back first/square",
    ]


# -- memory -----------------------------------------------------------------------------------


def wide(n):
    """A chain of additions to vectors of 8000 bytes; the sum of all is wanted at the end."""
    g = graph("wide", opset=20)
    x = first = g.input("x", "float64[1000]")
    for i in range(n):
        x = g.Add(x, np.float64([i]), name=f"add{i}")
    g.output(g.Add(x, first), "out")
    return g.model()


def kept_bytes(stepper):
    return sum(v.nbytes for v in stepper.walk.frame.values.values() if v.size == 1000)


def test_values_beyond_the_budget_go_and_come_back_when_asked_for():
    model, feeds = wide(40), {"x": np.zeros(1000)}
    stepper = ox.Stepper(model, feeds, budget_bytes=100_000)
    stepper.run()
    assert kept_bytes(stepper) <= 100_000 + 2 * 8000, "the feed and the latest come on top"
    everything = ox.Stepper(model, feeds)
    everything.run()
    assert kept_bytes(everything) > 300_000
    assert stepper.values.keys() == everything.values.keys()
    for name, value in everything.values.items():
        np.testing.assert_array_equal(stepper.values[name], value)


def test_the_way_back_goes_past_what_was_dropped():
    model, feeds = wide(40), {"x": np.zeros(1000)}
    stepper = ox.Stepper(model, feeds, budget_bytes=50_000)
    stepper.run()
    stepper.goto(3)
    stepper.step()
    (name,) = stepper._plan.steps[3].node.outputs
    assert stepper.values[name][0] == 0 + 1 + 2 + 3
    stepper.run()
    assert stepper.outputs["out"][0] == sum(range(40))


def test_a_changed_value_stays_changed_when_the_way_is_made_again():
    stepper = ox.Stepper(wide(40), {"x": np.zeros(1000)}, budget_bytes=50_000)
    stepper.goto(2)
    stepper.set("x", np.full(1000, 7.0))
    stepper.run()
    stepper.goto(1)
    stepper.goto(20)
    stepper.run()
    (early,) = stepper._plan.steps[5].node.outputs
    assert stepper.values[early][0] == sum(range(6))
    assert stepper.outputs["out"][0] == sum(range(40)), "the change was taken back on the way"


def test_a_budget_that_is_none_is_refused():
    for budget in (-1, "a lot"):
        with pytest.raises(ox.EvaluationError, match=f"budget_bytes = {budget!r}; expected"):
            ox.Stepper(chain(), FEEDS, budget_bytes=budget)


# -- any order --------------------------------------------------------------------------------

CONTROLS = {
    "step": lambda s, _: s.step(),
    "into": lambda s, _: s.step_into(),
    "into_graphs": lambda s, _: s.step_into(operators=False),
    "out": lambda s, _: s.step_out(),
    "back": lambda s, _: s.back(),
    "goto": lambda s, n: s.goto(n % (s.total + 1)),
    "restart": lambda s, _: s.restart(),
    "run_to": lambda s, n: s.run_to(("noise", "decide", "norm", "sum", "peaks")[n % 5]),
    "look": lambda s, n: list(s.values.values())[n % len(s.values)],
}


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(
    st.lists(st.tuples(st.sampled_from(sorted(CONTROLS)), st.integers(0, 20)), max_size=14),
    st.sampled_from([None, 0, 60]),
)
def test_any_order_of_controls_ends_in_the_values_of_a_run(moves, budget):
    model = nested()
    wanted = ox.run(model, NESTED_FEEDS, seed=5)
    stepper = ox.Stepper(model, NESTED_FEEDS, seed=5, budget_bytes=budget)
    for name, number in moves:
        CONTROLS[name](stepper, number)
        assert stepper.failure is None
    stepper.run()
    assert stepper.done
    for name, value in wanted.items():
        np.testing.assert_array_equal(stepper.outputs[name], value)


def test_an_interrupted_run_stands_between_two_nodes():
    sums = []

    def add(a, b):
        sums.append(a + b)
        if len(sums) == 4:
            raise KeyboardInterrupt
        return sums[-1]

    stepper = ox.Stepper(wide(10), {"x": np.zeros(1000)}, kernels={("", "Add"): add})
    with pytest.raises(KeyboardInterrupt):
        stepper.run()
    assert stepper.position == len(stepper.completed) == 3
    stepper.run()
    assert stepper.outputs["out"][0] == sum(range(10))


def test_progress_tells_nodes_and_time_left(monkeypatch):
    clock = iter([0.0, 0.5, 2.0, 4.0, 4.01])
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    out = io.StringIO()
    with Progress(4, True, out) as progress:
        for done in (1, 2, 3, 4):
            progress.at(done)
    lines = out.getvalue().split("\r")[1:]
    assert len(lines) == 3, "nothing in the first second"
    assert "2 of 4 nodes, 2 s left" in lines[0]
    assert "4 of 4 nodes, 0 s left" in lines[2]
    assert out.getvalue().endswith("\n")
