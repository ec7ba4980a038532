"""Every control of the stepper inside every kind of graph that belongs to a node."""

from __future__ import annotations

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.ir import Function

FEEDS = {"x": np.float32([3, -1])}
PATHS = {
    "loop": "home/body/",
    "if": "home/then_branch/",
    "scan": "home/body/",
    "function": "home/function/",
}
ROUNDS = {"loop": 2, "if": 1, "scan": 2, "function": 1}
# The negated input is [-3, 1]; doubled and squared it is [36, 4], and once more [5184, 64].
DOUBLED = ([-6, 2], [72, 8])
SQUARED = ([36, 4], [5184, 64])

every_kind = pytest.mark.parametrize("kind", PATHS)
in_rounds = pytest.mark.parametrize("kind", ["loop", "scan"])


def doubled_and_squared(g, a):
    (doubled,) = g.ops("Add", a, a, name="part/double", outputs=["doubled"])
    return g.ops("Mul", doubled, doubled, name="part/square", outputs=["squared"])[0]


def model(kind, work=doubled_and_squared, type_="float32[2]"):
    """A node "home" with the work in its graph, between a node before and one behind it."""
    g = graph(kind, opset=20, imports={"local": 1})
    functions = []
    (start,) = g.ops("Neg", g.input("x", type_), name="before", outputs=["start"])
    body = g.subgraph("body")
    match kind:
        case "loop":
            body.input("i", "int64[]")
            more = body.input("more", "bool[]")
            made = work(body, body.input("a", type_))
            body.output(body.Identity(more, name="on"))
            body.output(made)
            end = g.Loop(np.array(2), None, start, body=body, name="home")
        case "if":
            body.output(work(body, start))
            other = g.subgraph("other")
            other.output(other.Identity(start))
            yes = g.input("yes", "bool[]")
            end = g.If(yes, then_branch=body, else_branch=other, name="home")
        case "scan":
            made = work(body, body.input("a", type_))
            body.output(made)
            body.output(body.Identity(body.input("element", "float32[]"), name="on"))
            end, _ = g.Scan(
                start, np.float32([7, 8]), body=body, num_scan_inputs=1, name="home", outputs=2
            )
        case _:
            f = graph("f", opset=20)
            f.output(work(f, f.input("a")))
            made = f.graph()
            outputs = tuple(value.name for value in made.outputs)
            functions = [Function("Home", "local", ("a",), outputs, made.nodes, {"": 20})]
            end = g.op("Home", start, domain="local", name="home")
    g.output(g.Abs(end, name="behind"), "y")
    return g.model(functions=functions)


def stepper_of(kind, work=doubled_and_squared, feeds=FEEDS, type_="float32[2]", **options):
    built = model(kind, work, type_)
    given = {**feeds, "yes": True} if kind == "if" else feeds
    return ox.Stepper(built, given, **options)


def inside(kind, *given, **options):
    """A stepper that stands before the first node in the graph of "home"."""
    stepper = stepper_of(kind, *given, **options)
    stepper.step()
    stepper.step_into()
    return stepper


def result(kind):
    return np.float32(SQUARED[ROUNDS[kind] - 1])


def assert_right_end(stepper, kind):
    stepper.run()
    assert stepper.done
    np.testing.assert_array_equal(stepper.outputs["y"], result(kind))


# -- moves ------------------------------------------------------------------------------------


@every_kind
def test_a_step_runs_the_node_with_all_that_is_inside(kind):
    stepper = stepper_of(kind)
    stepper.step()
    stepper.step()
    assert stepper.current.id == "behind"
    assert stepper.completed[-1] == "home"
    assert stepper.completed.count(f"{PATHS[kind]}part/double") == ROUNDS[kind]


@every_kind
def test_a_step_into_stops_before_the_first_node_inside(kind):
    stepper = inside(kind)
    assert [frame.path for frame in stepper.frames] == ["", PATHS[kind]]
    assert stepper.current.id == f"{PATHS[kind]}part/double"
    stepper.step()
    assert stepper.current.id == f"{PATHS[kind]}part/square"
    np.testing.assert_array_equal(stepper.values["doubled"], DOUBLED[0])
    assert_right_end(stepper, kind)


@every_kind
def test_a_step_out_runs_all_rounds_that_are_left(kind):
    stepper = inside(kind)
    stepper.step_out()
    assert len(stepper.frames) == 1
    assert stepper.current.id == "behind"
    assert len(stepper.iterations(PATHS[kind])) == ROUNDS[kind]
    stepper.step_out()
    assert stepper.done
    np.testing.assert_array_equal(stepper.outputs["y"], result(kind))


@every_kind
def test_the_way_back_leads_out_and_the_way_forward_in_again(kind):
    stepper = inside(kind)
    stepper.step()
    stepper.back()
    assert stepper.current.id == f"{PATHS[kind]}part/double"
    assert "doubled" not in stepper.values
    stepper.back()
    assert len(stepper.frames) == 1
    assert stepper.current.id == "home"
    stepper.step()
    stepper.back()
    assert stepper.current.id == "home", "what was stepped over is taken back at once"
    assert_right_end(stepper, kind)


@every_kind
@pytest.mark.parametrize(
    ("target", "comes"),
    [
        ("node:part/square", "part/square"),
        ("part/double", "part/double"),
        ("value:doubled", "part/square"),
        ("group:{path}part", "part/double"),
    ],
)
def test_run_to_leads_inside(kind, target, comes):
    stepper = stepper_of(kind)
    stepper.run_to(target.format(path=PATHS[kind]))
    assert stepper.frames[-1].path == PATHS[kind]
    assert stepper.current.id == f"{PATHS[kind]}{comes}"
    assert_right_end(stepper, kind)


@every_kind
def test_restart_leaves_the_graph_inside_and_keeps_breakpoints_and_watches(kind):
    stepper = inside(kind)
    stop = stepper.add_breakpoint("part/square")
    stepper.watch("sum(doubled)")
    stepper.run()
    stepper.restart()
    assert (len(stepper.frames), stepper.position, stepper.completed) == (1, 0, ())
    assert stepper.watched == {"sum(doubled)": None}
    stepper.run()
    assert stepper.stopped_at is stop
    assert stepper.watched == {"sum(doubled)": -4}


@every_kind
@pytest.mark.parametrize("position", [0, 1, 2, 3])
def test_goto_leads_from_inside_to_a_place_of_the_main_graph(kind, position):
    stepper = inside(kind)
    stepper.step()
    stepper.goto(position)
    assert (len(stepper.frames), stepper.position) == (1, position)
    assert_right_end(stepper, kind)


@every_kind
def test_single_moves_rest_at_every_node_inside(kind):
    stepper = stepper_of(kind)
    rests = [(len(stepper.frames), stepper.current and stepper.current.id) for _ in stepper.moves()]
    assert (2, f"{PATHS[kind]}part/square") in rests
    np.testing.assert_array_equal(stepper.outputs["y"], result(kind))
    assert stepper.completed == ran(stepper_of(kind)).completed


def ran(stepper):
    stepper.run()
    return stepper


@every_kind
def test_events_tell_the_way_in(kind):
    stepper = inside(kind)
    stepper.step()
    told = [str(event) for event in stepper.events]
    assert told == ["ran before", f"entered {PATHS[kind]}", f"ran {PATHS[kind]}part/double"]


@in_rounds
def test_every_round_is_a_frame_with_its_own_values(kind):
    stepper = ran(stepper_of(kind))
    rounds = stepper.iterations(PATHS[kind])
    assert [each.iteration for each in rounds] == [0, 1]
    for each, doubled, squared in zip(rounds, DOUBLED, SQUARED, strict=True):
        np.testing.assert_array_equal(each["doubled"], doubled)
        np.testing.assert_array_equal(each["squared"], squared)
    stepper.restart()
    stepper.run_to("part/square")
    assert len(stepper.iterations(PATHS[kind])) == 1, "the round on its way, and no old one"


# -- breakpoints and watches ------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize(
    "place",
    [
        {"node": "part/square"},
        {"node": "{path}part/square"},
        {"node": "*square"},
        {"operator": "Mul"},
        {"node": "*square", "operator": "ai.onnx::Mul"},
    ],
)
def test_a_run_stops_before_a_place_inside_in_every_round(kind, place):
    stepper = stepper_of(kind)
    made = stepper.add_breakpoint(**{k: v.format(path=PATHS[kind]) for k, v in place.items()})
    for round_ in range(ROUNDS[kind]):
        stepper.run()
        assert stepper.stopped_at is made
        assert stepper.current.id == f"{PATHS[kind]}part/square"
        np.testing.assert_array_equal(stepper.values["doubled"], DOUBLED[round_])
        assert (stepper.frames[-1].iteration, made.hits) == (round_, round_ + 1)
    assert_right_end(stepper, kind)
    assert stepper.stopped_at is None


@every_kind
def test_a_run_stops_before_the_first_node_of_a_group_inside(kind):
    stepper = stepper_of(kind)
    made = stepper.add_breakpoint(group=f"{PATHS[kind]}part")
    stepper.run()
    assert stepper.stopped_at is made
    assert stepper.current.id == f"{PATHS[kind]}part/double"


@every_kind
@pytest.mark.parametrize(
    ("condition", "after"),
    [
        ({"value": "squared"}, "part/square"),
        ({"value": "doub*"}, "part/double"),
        ({"when": lambda a: a.tolist() == [36, 4]}, "part/square"),
        ({"larger_than": 30}, "part/square"),
        ({"operator": "Add", "larger_than": 5}, "part/double"),
    ],
)
def test_a_run_stops_after_a_node_inside_that_meets_a_condition(kind, condition, after):
    stepper = stepper_of(kind)
    made = stepper.add_breakpoint(**condition)
    stepper.run()
    assert stepper.stopped_at is made
    assert str(stepper.events[-1]) == f"breakpoint {PATHS[kind]}{after}"
    made.enabled = False
    assert_right_end(stepper, kind)


@every_kind
@pytest.mark.parametrize(
    ("x", "condition", "after"),
    [
        ([np.inf, 1], "inf", "before"),
        ([3e38, 1], "inf", "{path}part/double"),
        ([1e30, 1], "inf", "{path}part/square"),
        ([np.nan, 1], "nan", "before"),
    ],
)
def test_what_is_no_number_is_found_where_it_appears_first(kind, x, condition, after):
    stepper = stepper_of(kind, feeds={"x": np.float32(x)})
    stepper.add_breakpoint(condition=condition)
    stepper.run()
    assert str(stepper.events[-1]) == f"breakpoint {after.format(path=PATHS[kind])}"


@in_rounds
def test_hits_inside_are_skipped_by_number(kind):
    stepper = stepper_of(kind)
    made = stepper.add_breakpoint("part/square", skip=1)
    stepper.run()
    assert (stepper.frames[-1].iteration, made.hits) == (1, 2)
    stepper.remove_breakpoint(made)
    assert_right_end(stepper, kind)


@pytest.mark.parametrize("kind", ["loop", "if", "scan"])
@pytest.mark.parametrize("condition", ["dtype", "shape"])
def test_a_type_inside_other_than_declared_stops_the_run(kind, condition):
    g = graph("g", opset=20, imports={"local": 1})
    x, body = g.input("x", "float32[2]"), g.subgraph("body")
    # Of an operator that nobody knows the declaration is all there is.
    wrong = "float16[2]" if condition == "dtype" else "float32[3]"
    match kind:
        case "if":
            a, other = x, g.subgraph("other")
            other.output(other.Identity(x))
        case "loop":
            body.input("i", "int64[]")
            body.output(body.Identity(body.input("more", "bool[]")))
            a = x
        case _:
            a = body.input("a", "float32[2]")
    (made,) = body.ops("Foo", a, domain="local", name="foo", outputs=["made"])
    body.output(made, None, wrong)
    match kind:
        case "if":
            end = g.If(np.array(True), then_branch=body, else_branch=other, name="home")
        case "loop":
            end = g.Loop(np.array(2), None, body=body, name="home")
        case _:
            rows = np.zeros((2, 2), np.float32)
            end = g.Scan(rows, body=body, num_scan_inputs=1, name="home")
    g.output(end, "y")
    kernels = {("local", "Foo"): lambda a: a}
    stepper = ox.Stepper(g.model(), {"x": FEEDS["x"]}, kernels=kernels)
    stepper.add_breakpoint(condition=condition)
    stepper.run()
    assert str(stepper.events[-1]) == f"breakpoint {PATHS[kind]}foo"


@every_kind
def test_a_watch_follows_the_values_inside(kind):
    stepper = stepper_of(kind)
    assert stepper.watch("sum(doubled) + 1") is None
    stepper.run_to("node:part/square")
    assert stepper.watched == {"sum(doubled) + 1": -3}
    stepper.step_out()
    assert stepper.watched == {"sum(doubled) + 1": None}
    stepper.unwatch("sum(doubled) + 1")
    assert stepper.watched == {}


# -- changes ----------------------------------------------------------------------------------


@every_kind
def test_a_value_set_inside_is_read_there_and_in_later_rounds_made_anew(kind):
    stepper = stepper_of(kind)
    stepper.run_to("node:part/square")
    stepper.set("doubled", [2, 3])
    stepper.step_out()
    first = stepper.iterations(PATHS[kind])[0]
    np.testing.assert_array_equal(first["squared"], [4, 9])
    stepper.run()
    # In a second round doubled and squared again: (2 × 4)² and (2 × 9)².
    wanted = [4, 9] if ROUNDS[kind] == 1 else [64, 324]
    np.testing.assert_array_equal(stepper.outputs["y"], wanted)
    stepper.goto(0)
    assert_right_end(stepper, kind)


@every_kind
def test_the_way_back_takes_a_value_that_was_set_inside_back(kind):
    stepper = stepper_of(kind)
    stepper.run_to("node:part/square")
    stepper.set("doubled", [2, 3])
    stepper.back()
    np.testing.assert_array_equal(stepper.values["doubled"], DOUBLED[0])
    assert_right_end(stepper, kind)


def turned(g, a):
    """Fails: a matrix has two axes, and three are named."""
    (doubled,) = g.ops("Add", a, a, name="part/double", outputs=["doubled"])
    return g.Transpose(doubled, perm=[0, 1, 2], name="part/turn")


MATRIX = {"x": np.float32([[1, 2], [3, 4]])}


@every_kind
def test_a_failure_inside_is_a_place_that_can_be_left_again(kind):
    stepper = stepper_of(kind, turned, MATRIX, "float32[2, 2]")
    stepper.run()
    assert stepper.failure.id == f"{PATHS[kind]}part/turn"
    assert stepper.frames[-1].path == PATHS[kind]
    np.testing.assert_array_equal(stepper.failure.inputs["doubled"], [[-2, -4], [-6, -8]])
    assert not stepper.done
    stepper.back()
    assert stepper.failure is None
    assert stepper.current.id == f"{PATHS[kind]}part/turn"
    stepper.run()
    assert stepper.failure.id == f"{PATHS[kind]}part/turn"


@every_kind
def test_a_node_inside_is_tried_with_another_attribute_in_this_round_alone(kind):
    stepper = stepper_of(kind, turned, MATRIX, "float32[2, 2]")
    for round_ in range(ROUNDS[kind]):
        stepper.run()
        assert stepper.failure.id == f"{PATHS[kind]}part/turn"
        assert stepper.frames[-1].iteration == round_
        stepper.retry(attributes={"perm": [1, 0]})
        assert stepper.failure is None
    stepper.run()
    assert stepper.done
    # Turned once, and in a second round doubled and turned back.
    wanted = [[2, 6], [4, 8]] if ROUNDS[kind] == 1 else [[4, 8], [12, 16]]
    np.testing.assert_array_equal(stepper.outputs["y"], wanted)


@every_kind
def test_a_node_inside_is_tried_with_another_input(kind):
    stepper = stepper_of(kind)
    stepper.run_to("node:part/square")
    stepper.retry({"doubled": [1, 10]})
    np.testing.assert_array_equal(stepper.iterations(PATHS[kind])[0]["squared"], [1, 100])
    assert stepper.failure is None


# -- one run, whatever the way ----------------------------------------------------------------


def noisy(g, a):
    (noise,) = g.ops("RandomUniformLike", a, name="part/noise", outputs=["noise"])
    return g.Add(a, noise, name="part/add")


@every_kind
def test_random_values_inside_stay_on_every_way(kind):
    whole = ran(stepper_of(kind, noisy, seed=1)).outputs["y"]
    stepper = inside(kind, noisy, seed=1)
    stepper.step()
    first = stepper.values["noise"]
    stepper.back()
    stepper.step()
    np.testing.assert_array_equal(stepper.values["noise"], first)
    stepper.goto(0)
    stepper.run()
    np.testing.assert_array_equal(stepper.outputs["y"], whole)
    assert not np.array_equal(ran(stepper_of(kind, noisy, seed=2)).outputs["y"], whole)
    if ROUNDS[kind] == 2:
        a, b = stepper.iterations(PATHS[kind])
        assert not np.array_equal(a["noise"], b["noise"])


@every_kind
@pytest.mark.parametrize("budget", [0, 5000])
def test_values_inside_that_had_no_room_come_back(kind, budget):
    feeds = {"x": np.linspace(0, 1, 1000, dtype=np.float32)}
    stepper = ran(stepper_of(kind, feeds=feeds, type_="float32[1000]", budget_bytes=budget))
    first = stepper.iterations(PATHS[kind])[0]
    np.testing.assert_allclose(first["doubled"], -2 * feeds["x"])
    np.testing.assert_allclose(first["squared"], 4 * feeds["x"] ** 2, rtol=1e-6)
    stepper.goto(1)
    stepper.step_into()
    stepper.step()
    np.testing.assert_allclose(stepper.values["doubled"], -2 * feeds["x"])


@every_kind
@pytest.mark.parametrize("move", ["run", "step", "step_out"])
def test_an_interruption_inside_leaves_all_that_was_made(kind, move):
    pressed = []

    def square(a, _):
        if not pressed:
            pressed.append("Ctrl-C")
            raise KeyboardInterrupt
        return a * a

    stepper = inside(kind, kernels={("", "Mul"): square})
    with pytest.raises(KeyboardInterrupt):
        twice(getattr(stepper, move))
    assert stepper.current.id == f"{PATHS[kind]}part/square"
    np.testing.assert_array_equal(stepper.values["doubled"], DOUBLED[0])
    stepper.back()
    assert_right_end(stepper, kind)


def twice(move):
    move()
    move()
