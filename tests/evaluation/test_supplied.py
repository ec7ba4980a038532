"""Kernels that a person supplies."""

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph

FOO = ("com.acme", "Foo")


def acme(**attributes):
    g = graph("acme", opset=20, imports={"com.acme": 1})
    x = g.input("x", "float32[2]")
    g.output(g.op("Foo", x, domain="com.acme", **attributes), "y")
    return g.model()


def relu():
    g = graph("relu", opset=20)
    g.output(g.LeakyRelu(g.input("x", "float32[2]"), alpha=0.5), "y")
    return g.model()


FEEDS = {"x": np.float32([-1, 2])}


def test_an_unknown_operator_runs_with_a_function_of_arrays_and_attributes():
    seen = {}

    def foo(x, **attributes):
        seen.update(attributes)
        return x * attributes["scale"]

    model = acme(scale=3, names=["a", "b"], table=np.float32([[1]]))
    np.testing.assert_array_equal(ox.run(model, FEEDS, kernels={FOO: foo})["y"], [-3, 6])
    assert seen["names"] == ("a", "b")
    np.testing.assert_array_equal(seen["table"], [[1]])


def test_several_outputs_come_as_a_tuple():
    g = graph("two", opset=20, imports={"com.acme": 1})
    x = g.input("x", "float32[2]")
    low, high = g.ops("Foo", x, outputs=["low", "high"], domain="com.acme")
    g.output(low)
    g.output(high)
    results = ox.run(g.model(), FEEDS, kernels={FOO: lambda x: (x.min(), x.max())})
    assert (results["low"], results["high"]) == (-1, 2)


def test_a_supplied_function_wins_and_only_in_its_own_run():
    model = relu()

    def other(x, *, alpha):
        return x - np.float32(alpha)

    for _ in range(2):
        np.testing.assert_array_equal(ox.run(model, FEEDS)["y"], [-0.5, 2])
        kernels = {("ai.onnx", "LeakyRelu"): other}
        np.testing.assert_array_equal(ox.run(model, FEEDS, kernels=kernels)["y"], [-1.5, 1.5])
        kernels = {("", "LeakyRelu"): lambda x, *, alpha: x}
        np.testing.assert_array_equal(ox.run(model, FEEDS, kernels=kernels)["y"], [-1, 2])


def test_attributes_left_out_come_with_their_defaults():
    g = graph("relu", opset=20)
    g.output(g.LeakyRelu(g.input("x", "float32[2]")), "y")
    kernels = {("", "LeakyRelu"): lambda x, *, alpha: x + np.float32(alpha)}
    np.testing.assert_allclose(ox.run(g.model(), FEEDS, kernels=kernels)["y"], [-0.99, 2.01])


def test_a_stepper_takes_them_too():
    stepper = ox.Stepper(acme(), FEEDS, kernels={FOO: np.square})
    stepper.run()
    np.testing.assert_array_equal(stepper.outputs["y"], [1, 4])
    stepper = ox.Stepper(acme(), FEEDS)
    stepper.run()
    assert "kernels={('com.acme', 'Foo'): function}" in str(stepper.failure)


def test_they_work_inside_subgraphs_and_functions():
    g = graph("branch", opset=20, imports={"com.acme": 1})
    x = g.input("x", "float32[2]")
    yes, no = g.subgraph("yes"), g.subgraph("no")
    yes.output(yes.op("Foo", x, domain="com.acme"), "a")
    no.output(no.Neg(x), "b")
    g.output(g.If(np.array(True), then_branch=yes, else_branch=no), "y")
    results = ox.run(g.model(), FEEDS, kernels={FOO: np.square})
    np.testing.assert_array_equal(results["y"], [1, 4])


def test_an_unknown_operator_says_how_to_supply_a_kernel():
    with pytest.raises(ox.EvaluationError, match=r"kernels=\{\('com.acme', 'Foo'\): function\}"):
        ox.run(acme(), FEEDS)


def test_a_function_sees_arrays_that_it_cannot_change():
    def spoil(x):
        x += 1

    with pytest.raises(ox.EvaluationError, match="read-only"):
        ox.run(acme(), FEEDS, kernels={FOO: spoil})


def test_a_function_that_fails_is_named_by_its_node():
    with pytest.raises(ox.EvaluationError, match=r"\(Foo\): ZeroDivisionError"):
        ox.run(acme(), FEEDS, kernels={FOO: lambda x: 1 / 0})


def test_what_a_function_gives_is_not_kept():
    g = graph("clock", opset=20, imports={"com.acme": 1})
    g.output(g.op("Foo", np.float32([0]), domain="com.acme"), "y")
    model, ticks = g.model(), iter(range(9))
    kernels = {FOO: lambda x: x + next(ticks)}
    assert [ox.run(model, {}, kernels=kernels)["y"][0] for _ in range(3)] == [0, 1, 2]


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        ({"Foo": np.square}, r"name 'Foo'; expected a pair \(domain, operator\)"),
        ({FOO: 3}, r"the kernel of \('com.acme', 'Foo'\) is 3; expected a function"),
        ([np.square], "are given as .*; expected a dict"),
    ],
)
def test_kernels_that_are_none_are_refused(kernels, message):
    with pytest.raises(ox.EvaluationError, match=message):
        ox.run(acme(), FEEDS, kernels=kernels)


def test_a_kernel_that_returns_nothing_is_named():
    g = graph("g", opset=20)
    g.output(g.op("Foo", g.input("x", "float32[1]"), domain="com.acme"), "y")
    with pytest.raises(ox.EvaluationError, match=r"'foo_1'.*the supplied kernel returned None"):
        ox.run(g.model(), {"x": [1.0]}, kernels={("com.acme", "Foo"): lambda x: None})


RETURNED = [
    (np.float32([1, 2]).astype(">f4"), np.float32),
    (np.rec.array(np.float32([1, 2])), np.float32),
    (np.float64(3), np.float64),
    (3, np.int64),
]


@pytest.mark.parametrize(("returned", "dtype"), RETURNED)
def test_what_a_supplied_function_returns_becomes_a_plain_array_of_this_machine(returned, dtype):
    result = ox.run(acme(), FEEDS, kernels={FOO: lambda _: returned})["y"]
    assert type(result) is np.ndarray
    assert result.dtype == dtype
    assert result.dtype.isnative
    np.testing.assert_array_equal(result, returned)


@pytest.mark.parametrize(
    ("returned", "found"),
    [
        (object(), "returned <object object"),
        ((i for i in range(3)), "returned <generator"),
        (np.array([1, 2], dtype=object), "returned an array of object.*expected str"),
        (np.ma.masked_array([1.0]), "masked array"),
        (np.array(["2020-01-01"], "datetime64[D]"), "datetime64"),
        ([1.0, 2.0], r"a list with 1.0 at 0.*np.array\(...\)"),
        ((1.0, object()), "returned <object object"),
    ],
)
def test_what_is_no_value_of_a_graph_is_refused_where_it_is_returned(returned, found):
    g = graph("acme", opset=20, imports={"com.acme": 1})
    values = g.ops("Foo", g.input("x", "float32[2]"), outputs=2, domain="com.acme")
    for value in values:
        g.output(g.Identity(value))
    given = returned if isinstance(returned, tuple) else (returned, np.float32(0))
    with pytest.raises(ox.EvaluationError, match=rf"node 'foo_1' \(Foo\): .*{found}"):
        ox.run(g.model(), FEEDS, kernels={FOO: lambda _: given})


def test_a_supplied_function_may_return_sequences_and_maps():
    g = graph("acme", opset=20, imports={"com.acme": 1})
    items, table = g.ops("Foo", g.input("x", "float32[2]"), outputs=2, domain="com.acme")
    g.output(g.SequenceAt(items, np.int64(1)), "second")
    g.output(table, "table")
    kernels = {FOO: lambda x: ([x, x + 1], {"a": 2.5})}
    results = ox.run(g.model(), FEEDS, kernels=kernels)
    np.testing.assert_array_equal(results["second"], FEEDS["x"] + 1)
    assert results["table"] == {"a": 2.5}
