"""Derivatives through whole graphs: control flow, functions, and what cannot be differentiated."""

from dataclasses import replace

import numpy as np
import pytest

from onnx_explorer.build import graph
from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation import Stepper, run
from tests.derivatives.differences import TRAINING, check

IMPORTS = {TRAINING: 1}


def gradient(g, y, xs, zs=()):
    """The derivatives of a value by others."""
    return g.ops(
        "Gradient",
        *xs,
        *zs,
        outputs=[f"d{x.name}" for x in xs],
        domain=TRAINING,
        xs=[x.name for x in xs],
        zs=[z.name for z in zs],
        y=y.name,
    )


def test_a_value_used_twice_gets_both_derivatives():
    g = graph("g", opset=18, imports=IMPORTS)
    x = g.input("x", "float64[3]")
    g.output(gradient(g, x * x + x, [x])[0])
    np.testing.assert_array_equal(run(g.model(), {"x": [1.0, 2.0, -4.0]})["dx"], [3, 5, -7])


def test_what_does_not_depend_on_an_input_has_derivative_zero():
    g = graph("g", opset=18, imports=IMPORTS)
    x, z = g.input("x", "float32[2]"), g.input("z", "float32[2]")
    g.output(gradient(g, z * z, [x], [z])[0])
    got = run(g.model(), {"x": [1, 2], "z": [3, 4]})["dx"]
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, [0, 0])


def test_what_is_named_may_lie_between_and_then_ends_the_way_back():
    g = graph("g", opset=18, imports=IMPORTS)
    x = g.input("x", "float64[]")
    double = g.Add(x, x)
    g.output(gradient(g, double * double, [double])[0])
    (got,) = run(g.model(), {"x": 3.0}).values()
    assert got == 12


def test_initializers_and_inputs_that_are_not_named_are_constants():
    g = graph("g", opset=18, imports=IMPORTS)
    x, other = g.input("x", "float64[]"), g.input("other", "float64[]")
    w = g.initializer("w", np.array(5.0))
    dead = other * w
    g.output(gradient(g, dead * x, [x])[0])
    assert run(g.model(), {"x": 3.0, "other": 2.0})["dx"] == 10
    assert run(g.model(), {"x": 3.0, "other": 2.0}, ["dx"])["dx"] == 10


def branches(opset=18):
    g = graph("g", opset=opset)
    x, w, cond = g.input("x"), g.input("w"), g.input("cond")
    then, other = g.subgraph("then"), g.subgraph("other")
    then.output(then.Mul(x, then.Mul(w, w)))
    other.output(other.Add(other.Sin(x), w))
    g.output(g.If(cond, then_branch=then, else_branch=other), "y")
    return g.model()


@pytest.mark.parametrize("cond", [True, False])
def test_a_branch_gives_derivatives_to_what_it_captured(cond):
    rng = np.random.default_rng(0)
    feeds = {"x": rng.standard_normal(3), "w": rng.standard_normal(3), "cond": np.array(cond)}
    assert check(branches(), feeds, ["x", "w"], "y", rng=rng) == 6


def rounds():
    g = graph("g", opset=18)
    x, w, n = g.input("x"), g.input("w"), g.input("n")
    body = g.subgraph()
    body.input("i")
    more, carried = body.input("more"), body.input("carried")
    body.output(body.Identity(more))
    after = body.Add(body.Mul(carried, w), body.Mul(carried, carried))
    body.output(after)
    body.output(body.Mul(after, x), type="float64[2]")
    last, scanned = g.ops("Loop", n, None, x, outputs=["last", "scanned"], body=body)
    g.output(last)
    g.output(scanned)
    return g.model()


@pytest.mark.parametrize("y", ["last", "scanned"])
def test_a_loop_gives_derivatives_to_what_it_carries_and_captures(y):
    rng = np.random.default_rng(1)
    feeds = {"x": 0.3 * rng.standard_normal(2), "w": rng.standard_normal(2), "n": np.array(3)}
    assert check(rounds(), feeds, ["x", "w"], y, rng=rng) == 6


def test_a_loop_without_a_round_hands_its_cotangents_on():
    rng = np.random.default_rng(1)
    feeds = {"x": rng.standard_normal(2), "w": rng.standard_normal(2), "n": np.array(0)}
    assert check(rounds(), feeds, ["x", "w"], "last", rng=rng) == 6


@pytest.mark.parametrize("y", ["last", "scanned"])
@pytest.mark.parametrize(("axis", "turned"), [(0, 0), (1, 0), (1, 1), (-1, 1)])
def test_a_scan_gives_derivatives_to_what_it_walks_along(y, axis, turned):
    g = graph("g", opset=18)
    start, xs, w = g.input("start"), g.input("xs"), g.input("w")
    body = g.subgraph()
    carried, x = body.input("carried"), body.input("x")
    after = body.Mul(body.Add(carried, x), w)
    body.output(after)
    body.output(body.Mul(after, after))
    g.ops(
        "Scan",
        start,
        xs,
        outputs=["last", "scanned"],
        body=body,
        num_scan_inputs=1,
        scan_input_axes=[axis],
        scan_input_directions=[turned],
        scan_output_axes=[axis],
        scan_output_directions=[turned],
    )
    rng = np.random.default_rng(2)
    feeds = {"start": rng.standard_normal(3), "xs": rng.standard_normal((3, 3)), "w": np.ones(3)}
    g.output(g.Identity(start), "unused")
    assert check(g.model(), feeds, ["start", "xs", "w"], y, rng=rng) == 9


def test_a_gradient_inside_a_loop_takes_newton_to_the_root():
    g = graph("g", opset=18, imports=IMPORTS)
    body = g.subgraph()
    body.input("i", "int64[]")
    more, x = body.input("more", "bool[]"), body.input("x", "float64[]")
    body.output(body.Identity(more))
    y = body.Sub(body.Mul(x, x), np.array(2.0))
    (slope,) = gradient(body, y, [x])
    body.output(body.Sub(x, body.Div(y, slope)))
    g.output(g.Loop(np.array(6), None, g.input("start", "float64[]"), body=body), "root")
    assert run(g.model(), {"start": 1.0})["root"] == pytest.approx(np.sqrt(2), rel=1e-15)


def test_the_derivative_of_dropout_drops_what_the_forward_pass_dropped():
    g = graph("g", opset=18, imports=IMPORTS)
    x = g.input("x", "float64[100]")
    y = g.Dropout(x, np.array(0.5), np.array(True))
    g.output(y, "y")
    (d,) = gradient(g, y, [x])
    g.output(d)
    out = run(g.model(), {"x": np.ones(100)}, seed=7)
    np.testing.assert_array_equal(out["dx"], out["y"])
    assert 0 < np.count_nonzero(out["y"]) < 100


def test_floats_of_16_bits_are_rounded_once():
    g = graph("g", opset=18, imports=IMPORTS)
    x = g.input("x", "float16[]")
    y = x
    for _ in range(8):
        y = g.Mul(y, np.array(1.001, np.float16))
    g.output(gradient(g, y, [x])[0])
    factor = np.float64(np.float16(1.001)) ** 8
    assert run(g.model(), {"x": np.float16(1)})["dx"] == np.float16(factor)


def test_stepping_gives_the_derivatives_that_running_gives():
    g = graph("g", opset=18, imports=IMPORTS)
    x = g.input("x", "float64[2]")
    g.output(gradient(g, g.Exp(x * x), [x])[0])
    model, feeds = g.model(), {"x": [0.5, -1.0]}
    stepper = Stepper(model, feeds)
    stepper.run()
    stepper.back()
    stepper.run()
    np.testing.assert_array_equal(stepper.values["dx"], run(model, feeds)["dx"])


def test_a_derivative_of_a_derivative_is_refused():
    g = graph("g", opset=18, imports=IMPORTS)
    x = g.input("x", "float64[]")
    (once,) = gradient(g, x * x, [x])
    (twice,) = g.ops("Gradient", x, outputs=["twice"], domain=TRAINING, xs=["x"], y=once.name)
    g.output(twice)
    with pytest.raises(
        EvaluationError, match=r"'gradient_1' is a Gradient; derivatives of derivatives"
    ):
        run(g.model(), {"x": 2.0})


def test_an_operator_without_derivative_is_named():
    g = graph("g", opset=18, imports=IMPORTS)
    x = g.input("x", "float64[2]")
    y = g.SequenceAt(g.SequenceConstruct(x), np.array(0))
    g.output(gradient(g, y, [x])[0])
    with pytest.raises(EvaluationError, match=r"Sequence\w+-11 has no derivative"):
        run(g.model(), {"x": [1.0, 2.0]})


@pytest.mark.parametrize("dtype", ["int64", "bool", "string"])
def test_only_floats_are_differentiated_by(dtype):
    g = graph("g", opset=18, imports=IMPORTS)
    x, z = g.input("x", f"{dtype}[1]"), g.input("z", "float32[1]")
    g.output(gradient(g, z * z, [x], [z])[0])
    fed = np.array(["a"], object) if dtype == "string" else np.ones(1, dtype)
    with pytest.raises(EvaluationError, match=r"'x' is \w+, but derivatives are of tensors of fl"):
        run(g.model(), {"x": fed, "z": [1.0]})


@pytest.mark.parametrize(("xs", "y"), [("x", "nowhere"), ("nowhere", "x")])
def test_a_name_that_nothing_in_the_graph_has_is_told(xs, y):
    g = graph("g", opset=18, imports=IMPORTS)
    x = g.input("x", "float64[]")
    g.output(g.op("Gradient", x, domain=TRAINING, xs=[xs], y=y), "dx")
    with pytest.raises(EvaluationError, match="it names 'nowhere', but the graph has no such val"):
        run(g.model(), {"x": 2.0})


def test_no_zeros_are_guessed_where_the_standard_has_no_derivative():
    g = graph("g", opset=20, imports=IMPORTS)
    x = g.input("x", "float32[1, 4, 1]")
    g.output(gradient(g, g.DFT(x), [x])[0])
    with pytest.raises(EvaluationError, match="DFT-20 has no derivative"):
        run(g.model(), {"x": np.ones((1, 4, 1), np.float32)})


@pytest.mark.parametrize("operator", ["Floor", "Ceil", "Round", "Sign"])
def test_steps_have_derivative_zero(operator):
    g = graph("g", opset=20, imports=IMPORTS)
    x = g.input("x", "float32[2]")
    g.output(gradient(g, g.op(operator, x), [x])[0])
    np.testing.assert_array_equal(run(g.model(), {"x": [0.3, -1.7]})["dx"], [0, 0])


def test_a_value_by_itself_has_derivative_one():
    g = graph("g", opset=18, imports=IMPORTS)
    x = g.input("x", "float32[2]")
    g.output(gradient(g, x, [x])[0])
    np.testing.assert_array_equal(run(g.model(), {"x": [5, 6]})["dx"], [1, 1])


def test_a_long_chain_needs_no_recursion():
    g = graph("g", opset=18, imports=IMPORTS)
    y = x = g.input("x", "float64[]")
    for _ in range(3000):
        y = g.Mul(y, np.array(1.001))
    g.output(gradient(g, y, [x])[0])
    assert run(g.model(), {"x": 1.0})["dx"] == pytest.approx(1.001**3000)


def test_a_supplied_kernel_has_no_derivative():
    g = graph("g", opset=18, imports=IMPORTS)
    x = g.input("x", "float32[2]")
    g.output(gradient(g, g.op("Foo", x, domain="com.acme"), [x])[0])
    with pytest.raises(EvaluationError, match="'foo_1': the kernel supplied for Foo has no deriv"):
        run(g.model(), {"x": [1, 2]}, kernels={("com.acme", "Foo"): lambda x: x})


def test_what_depends_on_its_own_derivatives_is_refused():
    g = graph("g", opset=18, imports=IMPORTS)
    x = g.input("x", "float64[]")
    g.op("Gradient", x, domain=TRAINING, xs=["x"], y="y", name="slope")
    g.output(g.Mul(x, x), "y")
    model = g.model()
    slope, product = model.graph.nodes
    looped = replace(product, inputs=("x", slope.outputs[0]))
    model = replace(model, graph=replace(model.graph, nodes=(slope, looped)))
    with pytest.raises(EvaluationError, match="y = 'y' depends on the derivatives themselves"):
        run(model, {"x": 2.0})
