"""What runs use again: results that depend on constants and sizes, and buffers of dead values."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.evaluation import Stepper
from onnx_explorer.evaluation.plan import plan_of
from onnx_explorer.evaluation.reuse import quickest
from onnx_explorer.ir import DType, TensorType, Value

BIG = np.linspace(-1, 1, 20_000, dtype=np.float32).reshape(100, 200)


def test_what_depends_on_constants_alone_is_left_to_the_first_run():
    g = graph("constants", opset=20)
    x = g.input("x", "float32[2]")
    weight = g.Exp(g.Mul(np.float32([1, 2]), np.float32([2, 2])))
    g.output(g.Add(x, weight), "y")
    model = g.model()
    for _ in range(3):
        results = ox.run(model, {"x": np.float32([0, 1])})
        np.testing.assert_allclose(results["y"], [np.exp(2), np.exp(4) + 1], rtol=1e-6)
    assert [step.node.op_type for step in plan_of(model, ("y",)).lean.steps] == ["Add"]


def test_a_stepper_shows_such_nodes_and_their_values():
    g = graph("constants", opset=20)
    x = g.input("x", "float32[1]")
    (minus,) = g.ops("Neg", np.float32([3]), outputs=["minus"])
    g.output(g.Add(x, minus), "y")
    model = g.model()
    for _ in range(2):
        ox.run(model, {"x": np.float32([0])})
        stepper = Stepper(model, {"x": np.float32([0])})
        stepper.run_to("minus")
        assert stepper.values["minus"] == [-3]
        assert stepper.position == 1
        assert stepper.total == 2


def overridable():
    """An initializer that is an input too: it is the default of what may be fed."""
    g = graph("overridable", opset=20)
    x = g.input("x", "float32[1]")
    g.output(g.Add(x, g.Neg(g.initializer("w", np.float32([10])))), "y")
    model = g.model()
    w = Value("w", TensorType(DType.FLOAT32, (1,)))
    return replace(model, graph=replace(model.graph, inputs=(*model.graph.inputs, w)))


@pytest.mark.parametrize("order", [(10, 20, 10, 30), (20, 10, 20, 10)])
def test_what_is_fed_instead_of_a_constant_counts_in_this_run_alone(order):
    model = overridable()
    for w in order:
        feeds = {"x": np.float32([0])} | ({} if w == 10 else {"w": np.float32([w])})
        assert ox.run(model, feeds)["y"] == [-w]


def test_what_depends_on_sizes_follows_them():
    g = graph("sizes", opset=20)
    x = g.input("x", "float32[n, m]")
    swapped = g.Gather(g.Shape(x), np.array([1, 0]))
    g.output(g.Reshape(x, swapped), "y")
    model = g.model()
    for shape in [(2, 3), (2, 3), (4, 1), (2, 3), (1, 4)]:
        fed = np.zeros(shape, np.float32)
        assert ox.run(model, {"x": fed})["y"].shape == shape[::-1]


def scaled_by_sizes():
    """`x` over the number of its rows, beside `|x|`, over the number of columns that there are then."""
    g = graph("sizes", opset=20)
    x = g.input("x", "float32[n, m]")
    rows = g.Cast(g.Gather(g.Shape(x), np.array(0)), to=DType.FLOAT32)
    wide = g.Concat(g.Div(x, rows), g.Abs(x), axis=1)
    columns = g.Cast(g.Gather(g.Shape(wide), np.array(1)), to=DType.FLOAT32)
    g.output(g.Div(wide, columns), "y")
    return g.model()


def test_what_follows_from_shapes_is_left_out_while_they_stay():
    model = scaled_by_sizes()

    def left():
        lean = plan_of(model, ("y",)).lean
        return [step.node.op_type for step in quickest(lean).steps]

    def check(shape):
        fed = np.ones(shape, np.float32)
        wide = np.concatenate([fed / shape[0], fed], 1) / (2 * shape[1])
        np.testing.assert_allclose(ox.run(model, {"x": fed})["y"], wide, rtol=1e-6)

    for _ in range(3):
        check((2, 3))
    assert left() == ["Shape", "Div", "Abs", "Concat", "Shape", "Div"]
    # The first shape that is looked at is another one; the second; both; none.
    for shape in [(4, 3), (2, 3), (2, 5), (2, 5), (2, 5), (2, 3), (2, 3), (2, 3), (7, 1), (7, 1)]:
        check(shape)
    check((7, 1))
    assert left() == ["Shape", "Div", "Abs", "Concat", "Shape", "Div"]


def test_threads_may_run_one_model_on_other_sizes():
    g = graph("sizes", opset=20)
    x = g.input("x", "float32[n]")
    value = g.Shape(x)
    for _ in range(20):
        value = g.Add(g.Mul(value, np.array([1])), np.array([0]))
    g.output(value, "y")
    model = g.model()

    def sizes(n):
        fed = {"x": np.zeros(n, np.float32)}
        return {int(ox.run(model, fed)["y"][0]) for _ in range(30)}

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(sizes, range(1, 9))) == [{n} for n in range(1, 9)]


def test_threads_that_agree_on_sizes_now_and_then_get_their_own():
    model = scaled_by_sizes()

    def check(start):
        for turn in range(60):
            n = 1 + (start + turn // 5) % 3
            fed = np.ones((n, n), np.float32)
            wide = np.concatenate([fed / n, fed], 1) / (2 * n)
            np.testing.assert_allclose(ox.run(model, {"x": fed})["y"], wide, rtol=1e-6)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(check, range(8)))


def test_a_loop_follows_the_sizes_of_each_round():
    g = graph("growing", opset=20)
    x = g.input("x", "float32[n]")
    body = g.subgraph("body")
    body.input("i", "int64[]")
    go_on = body.input("go_on", "bool[]")
    carried = body.input("carried", "float32[k]")
    body.output(body.Identity(go_on))
    size = body.Cast(body.Squeeze(body.Shape(carried)), to=DType.FLOAT32)
    # Every other round is as long as the one before it.
    longer = body.Concat(carried, body.Unsqueeze(size, np.array([0])), axis=0)
    body.output(body.Slice(longer, np.array([0]), body.Expand(np.array(6), np.array([1]))))
    (y,) = g.Loop(np.array(8), None, x, body=body, outputs=1)
    g.output(y, "y")
    model = g.model()
    for n in (1, 1, 1, 4, 4, 1):
        expected = [0.0] * n + [float(k) for k in range(n, 6)]
        assert ox.run(model, {"x": np.zeros(n, np.float32)})["y"].tolist() == expected


def test_random_numbers_are_drawn_anew():
    g = graph("random", opset=22)
    g.output(g.Bernoulli(np.full(1000, 0.5, np.float32)), "y")
    model = g.model()
    first, second, again = (ox.run(model, {}, seed=seed)["y"] for seed in (1, 2, 1))
    assert (first != second).any()
    np.testing.assert_array_equal(first, again)


def test_a_chain_of_large_values_takes_the_room_of_one():
    g = graph("chain", opset=20)
    value = g.input("x", "float32[n]")
    for _ in range(6):
        value = g.Relu(g.Sigmoid(g.Neg(g.Add(value, np.float32(1)))))
        value = g.Gelu(g.Reshape(value, np.array([-1])))
    g.output(value, "y")
    model, feeds = g.model(), {"x": np.ones(1_000_000, np.float32)}
    ox.run(model, feeds)
    tracemalloc.start()
    ox.run(model, feeds)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.3 * feeds["x"].nbytes


def held_by_a_view(g, h):
    return g.Reshape(h, np.array([-1])), g.Neg(h)


def held_by_another_name(g, h):
    return g.Identity(h), g.Neg(h)


def held_by_a_list(g, h):
    sequence = g.SequenceConstruct(h)
    return g.Neg(h), g.SequenceAt(sequence, np.array(0))


def held_by_a_later_reader(g, h):
    return g.Neg(h), g.Mul(h, h)


def held_by_the_outputs(g, h):
    return h, g.Neg(h)


def held_as_both_inputs(g, h):
    return (g.Add(h, h),)


def held_by_a_smaller_view(g, h):
    return g.Slice(h, np.array([0]), np.array([1])), g.Sub(h, np.float32(1))


def held_by_a_view_of_a_view(g, h):
    flat = g.Reshape(h, np.array([-1]))
    return g.Neg(g.Reshape(flat, np.array([200, 100]))), g.Reshape(flat, np.array([50, 400]))


def held_by_a_repetition(g, h):
    row = g.Slice(h, np.array([0]), np.array([1]))
    return (g.Neg(g.Expand(row, np.array([100, 200]))),)


@pytest.mark.parametrize(
    "write",
    [
        held_by_a_view,
        held_by_a_view_of_a_view,
        held_by_a_repetition,
        held_by_another_name,
        held_by_a_list,
        held_by_a_later_reader,
        held_by_the_outputs,
        held_as_both_inputs,
        held_by_a_smaller_view,
    ],
)
def test_nothing_is_written_over_that_somebody_still_holds(write):
    g = graph("held", opset=20)
    h = g.Exp(g.input("x", "float32[100, 200]"))
    for i, value in enumerate(write(g, h)):
        g.output(value, f"y{i}")
    model = g.model()
    stepper = Stepper(model, {"x": BIG})
    stepper.run()
    for _ in range(2):
        results = ox.run(model, {"x": BIG})
        for name, wanted in stepper.outputs.items():
            np.testing.assert_array_equal(results[name], wanted)


def test_feeds_and_weights_are_never_written_over():
    g = graph("own", opset=20)
    x = g.input("x", "float32[100, 200]")
    weight = BIG.copy()
    g.output(g.Add(g.Neg(x), g.Neg(weight)), "y")
    model, fed = g.model(), BIG.copy()
    for _ in range(3):
        np.testing.assert_array_equal(ox.run(model, {"x": fed})["y"], -2 * BIG)
    np.testing.assert_array_equal(fed, BIG)


def test_what_a_loop_carries_and_captures_is_not_written_over():
    g = graph("loop", opset=20)
    start = g.Exp(g.input("x", "float32[100, 200]"))
    around = g.Neg(start)
    body = g.subgraph("body")
    body.input("i", "int64[]")
    go_on = body.input("go_on", "bool[]")
    carried = body.input("carried", "float32[100, 200]")
    body.output(body.Identity(go_on), "still")
    body.output(body.Neg(carried), "next")
    body.output(body.Abs(around), "scanned")
    last, scans = g.Loop(np.array(3), np.array(True), start, body=body, outputs=2)
    g.output(last, "last")
    g.output(scans, "scans")
    g.output(g.Identity(around), "around")
    model = g.model()
    for _ in range(2):
        results = ox.run(model, {"x": BIG})
        np.testing.assert_array_equal(results["last"], -np.exp(BIG))
        np.testing.assert_array_equal(results["around"], -np.exp(BIG))
        np.testing.assert_array_equal(results["scans"], np.stack([np.exp(BIG)] * 3))


def test_shapes_that_clash_are_named_where_a_result_could_be_written_over_one():
    g = graph("g", opset=20)
    a, b = g.input("a", "float32[n, 5000]"), g.input("b", "float32[m, 5000]")
    g.output(g.Add(g.Relu(a), g.Relu(b), name="join"), "y")
    feeds = {"a": np.ones((2, 5000), np.float32), "b": np.ones((8, 5000), np.float32)}
    with pytest.raises(ox.EvaluationError, match="have 2 and 8 at axis 0"):
        ox.run(g.model(), feeds)


def test_memory_that_a_supplied_kernel_lends_is_not_written_over():
    g = graph("g", opset=20)
    lent = g.op("Lend", g.input("x", "float32[n]"), domain="com.acme")
    g.output(g.Sub(lent, np.float32(1)), "y")
    memory = bytearray(np.full(5000, 10, np.float32).tobytes())
    kernels = {("com.acme", "Lend"): lambda x: np.frombuffer(memory, np.float32).reshape(5000)}
    for _ in range(3):
        y = ox.run(g.model(), {"x": np.ones(1, np.float32)}, kernels=kernels)["y"]
        assert y[0] == 9


def test_a_result_stays_when_what_was_fed_changes():
    g = graph("g", opset=20)
    g.output(g.Identity(g.input("x", "float32[2]")), "y")
    x = np.ones(2, np.float32)
    y = ox.run(g.model(), {"x": x})["y"]
    x[:] = 99
    assert y.tolist() == [1, 1]


@pytest.mark.parametrize("declared", [False, True])
def test_dtypes_are_checked_where_a_branch_may_give_another(declared):
    g = graph("g", opset=20)
    cond, x = g.input("cond", "bool[]"), g.input("x", "float32[1]")
    then, other = g.subgraph("then"), g.subgraph("other")
    then.output(then.Identity(x), "a", "float32[1]" if declared else None)
    other.output(other.Cast(x, to="int64"), "b", "int64[1]" if declared else None)
    either = g.If(cond, then_branch=then, else_branch=other)
    g.output(g.Add(x, g.Neg(either), name="join"), "y")
    model = g.model()
    for _ in range(3):
        assert ox.run(model, {"cond": True, "x": [2.0]})["y"] == [0]
        with pytest.raises(ox.EvaluationError, match="'join'"):
            ox.run(model, {"cond": False, "x": [2.0]})


def sizes_around(kernel):
    """Sizes computed before and after a node that a person supplies; what kernels to run it with."""
    g = graph("sizes", opset=20)
    x = g.input("x", "float32[n]")
    first = g.Shape(x, name="shape")
    g.output(g.op("Between", x, domain="com.acme", name="between"), "between")
    both = g.Concat(first, g.Add(first, np.array([1]), name="one_more"), axis=0, name="both")
    g.output(g.Mul(both, np.array([10, 100]), name="tens"), "y")
    return g.model(), {("com.acme", "Between"): kernel}


def test_a_run_that_ends_in_the_middle_leaves_no_sizes_of_its_own_behind():
    def between(x):
        if x[0] < 0:
            raise ValueError("no more")
        return x

    model, kernels = sizes_around(between)
    for n, sign in [(2, 1), (2, 1), (5, -1), (5, 1), (5, 1), (2, -1), (5, 1), (2, 1)]:
        feeds = {"x": np.full(n, sign, np.float32)}
        if sign < 0:
            with pytest.raises(ox.EvaluationError, match="no more"):
                ox.run(model, feeds, kernels=kernels)
        else:
            assert ox.run(model, feeds, kernels=kernels)["y"].tolist() == [10 * n, 100 * (n + 1)]


def test_runs_of_other_sizes_inside_a_run_do_not_change_what_it_gives():
    def between(x):
        if x.size == 2:
            ox.run(model, {"x": np.zeros(7, np.float32)}, kernels=kernels)
        return x

    model, kernels = sizes_around(between)
    for _ in range(3):
        y = ox.run(model, {"x": np.zeros(2, np.float32)}, kernels=kernels)["y"]
        assert y.tolist() == [20, 300]


def test_sizes_that_a_person_sets_count_until_they_are_taken_back():
    model, kernels = sizes_around(lambda x: x)
    feeds = {"x": np.zeros(2, np.float32)}
    for _ in range(2):
        stepper = Stepper(model, feeds, kernels=kernels)
        stepper.run()
        assert stepper.outputs["y"].tolist() == [20, 300]
        stepper.goto(2)
        assert stepper.current.id == "one_more"
        stepper.set(stepper.current.node.inputs[0], np.array([7]))
        stepper.run()
        assert stepper.outputs["y"].tolist() == [70, 800]
        stepper.goto(1)
        stepper.run()
        assert stepper.outputs["y"].tolist() == [20, 300]


def test_another_attribute_of_a_constant_node_counts_until_it_is_taken_back():
    g = graph("constant", opset=20)
    swapped = g.Transpose(np.float32([[1, 2], [3, 4]]), perm=[1, 0], name="swap")
    g.output(g.Mul(swapped, np.float32(10), name="tens"), "tens")
    g.output(g.Neg(g.input("x", "float32[1]")), "y")
    model, feeds = g.model(), {"x": np.zeros(1, np.float32)}
    for _ in range(2):
        stepper = Stepper(model, feeds)
        stepper.retry(attributes={"perm": [0, 1]})
        stepper.run()
        assert stepper.outputs["tens"].tolist() == [[10, 20], [30, 40]]
        stepper.restart()
        stepper.run()
        assert stepper.outputs["tens"].tolist() == [[10, 30], [20, 40]]


def test_a_stepper_computes_what_depends_on_constants_once():
    g = graph("constants", opset=20)
    weight = g.Exp(g.Mul(np.float32([1, 2]), np.float32([2, 2])), name="exp")
    g.output(g.Add(g.input("x", "float32[2]"), weight), "y")
    model, feeds = g.model(), {"x": np.float32([0, 1])}
    shown = []
    for _ in range(2):
        stepper = Stepper(model, feeds)
        stepper.goto(2)
        (name,) = stepper.walk.latest.outputs
        shown.append(stepper.frames[0][name])
        assert stepper.completed[-1] == "exp"
    assert np.shares_memory(*shown)


def test_a_weight_that_is_written_in_a_few_bytes_is_spelled_out_once():
    n = 5_000_000  # 20 MB
    g = graph("short", opset=20)
    x = g.input("x", "float32[1]")
    weight = g.ConstantOfShape(np.array([n]), value=np.float32([3]))
    g.output(g.Mul(x, g.ReduceMax(weight, keepdims=0)), "y")
    g.output(weight, "weight")
    model = g.model()
    ox.run(model, {"x": [1]})
    tracemalloc.start()
    outputs = ox.run(model, {"x": [2]})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert outputs["y"] == [6]
    assert outputs["weight"].shape == (n,)
    assert peak < 1_000_000


def test_plans_for_many_outputs_do_not_pile_up():
    g = graph("many", opset=20)
    value, names = g.input("x", "float32[1]"), []
    for place in range(100):
        (value,) = g.ops("Neg", value, outputs=[f"neg{place}"])
        names.append(f"neg{place}")
    g.output(g.Abs(value), "y")
    model = g.model()
    whole, first = plan_of(model, ("y",)), plan_of(model, ("neg0",))
    assert plan_of(model, ("neg0",)) is first
    for name in names:
        ox.run(model, {"x": np.float32([1])}, [name])
        assert plan_of(model, ("y",)) is whole, "what is used all the while stays"
    assert plan_of(model, ("neg0",)) is not first
