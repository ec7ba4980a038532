"""Running whole models: what is fed, what comes out, what is refused."""

from dataclasses import replace

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.ir import DType, Graph, Model, Node, TensorType, Value


def affine():
    g = graph("affine", opset=20)
    x = g.input("x", "float32[batch, 3]")
    g.output(g.Add(g.Mul(x, np.float32([1, 2, 3])), np.float32([10])), "y")
    return g.model()


def feed(*rows):
    return {"x": np.array(rows, np.float32)}


def test_a_run_gives_the_outputs_by_name():
    results = ox.run(affine(), feed([1, 1, 1]))
    assert list(results) == ["y"]
    np.testing.assert_array_equal(results["y"], np.float32([[11, 12, 13]]))


def test_what_numpy_is_set_to_is_the_same_after_a_run_and_in_a_stepper():
    during = []

    def add(a, b):
        during.append((np.getbufsize(), np.geterr()))
        return a + b

    kernels = {("", "Add"): add}
    with np.errstate(over="raise"):
        before = np.getbufsize(), np.geterr()
        ox.run(affine(), feed([1, 1, 1]), kernels=kernels)
        ox.Stepper(affine(), feed([1, 1, 1]), kernels=kernels).run()
        assert (np.getbufsize(), np.geterr()) == before
    in_run, in_stepper = during
    assert in_run[0] != before[0]
    assert set(in_run[1].values()) == {"ignore"}
    assert in_stepper == in_run


def test_a_value_inside_can_be_asked_for_and_only_what_it_needs_is_computed():
    g = graph("two", opset=20)
    x = g.input("x", "int64[2]")
    g.output(g.Add(x, x, name="twice"), "y")
    g.output(g.Reshape(x, np.array([5])), "broken")
    model = g.model()
    np.testing.assert_array_equal(ox.run(model, {"x": [1, 2]}, ["y"])["y"], [2, 4])
    with pytest.raises(ox.EvaluationError, match=r"2 elements.*5"):
        ox.run(model, {"x": [1, 2]})


def test_arrays_come_back_read_only():
    result = ox.run(affine(), feed([1, 1, 1]))["y"]
    with pytest.raises(ValueError, match="read-only"):
        result[0, 0] = 0


@pytest.mark.parametrize(
    ("feeds", "message"),
    [
        ({}, r"input 'x' \(float32\[batch, 3\]\) is missing; fed was nothing"),
        ({"z": 1}, r"feed 'z' is not an input of the model; its inputs are 'x': float32\[batch, 3"),
        ({"x": np.zeros((1, 3))}, r"'x' is declared float32\[batch, 3\], but float64\[1, 3\] came"),
        (
            {"x": np.zeros(3, "f4")},
            r"declared float32\[batch, 3\], rank 2, but float32\[3\], rank 1",
        ),
        ({"x": np.zeros((1, 4), "f4")}, r"but float32\[1, 4\] came: axis 1 is 4, not 3"),
        ({"x": None}, r"'x' \(float32\[batch, 3\]\) was fed None"),
    ],
)
def test_a_wrong_feed_is_named_with_what_was_declared_and_what_came(feeds, message):
    with pytest.raises(ox.EvaluationError, match=message):
        ox.run(affine(), feeds)


def test_one_symbol_has_one_size_in_all_inputs():
    g = graph("pair", opset=20)
    a, b = g.input("a", "float32[n]"), g.input("b", "float32[n]")
    g.output(g.Concat(a, b, axis=0), "c")
    with pytest.raises(ox.EvaluationError, match=r"axis 0 is 3, not 2 \('n' is 2 in input 'a'\)"):
        ox.run(g.model(), {"a": np.zeros(2, "f4"), "b": np.zeros(3, "f4")})


def test_an_unknown_output_is_named():
    with pytest.raises(
        ox.EvaluationError, match="'q' is not a value of the graph; its outputs are 'y'"
    ):
        ox.run(affine(), feed([1, 1, 1]), ["q"])


def test_random_values_repeat_under_one_seed_and_differ_under_another():
    g = graph("drop", opset=13)
    x = g.input("x", "float32[100]")
    y = g.Dropout(x, np.array(0.5, np.float32), np.array(True))
    g.output(y[0] if isinstance(y, tuple) else y, "y")
    model, feeds = g.model(), {"x": np.ones(100, np.float32)}
    one, again, other = (ox.run(model, feeds, seed=seed)["y"] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)


def test_dtypes_that_an_operator_does_not_take_together_are_refused():
    nodes = (Node("Add", ("a", "b"), ("c",), name="sum"),)
    inputs = (
        Value("a", TensorType(DType.FLOAT32, (2,))),
        Value("b", TensorType(DType.FLOAT64, (2,))),
    )
    model = Model(Graph("mixed", nodes, inputs, (Value("c"),)), {"": 20}, 9)
    with pytest.raises(
        ox.EvaluationError, match=r"'sum' \(Add-14\): input B: float64.*A is float32"
    ):
        ox.run(model, {"a": np.ones(2, np.float32), "b": np.ones(2)})


@pytest.mark.parametrize("feeds", [None, [np.zeros((1, 3), "f4")], np.zeros((1, 3), "f4"), "x"])
def test_feeds_that_are_no_dict_are_refused_with_what_they_should_name(feeds):
    with pytest.raises(ox.EvaluationError, match=r"expected a dict by input name: 'x': float32"):
        ox.run(affine(), feeds)


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ("y", r"the text 'y'; expected a list of names: \['y'\]"),
        (5, "the outputs are 5; expected a list of names"),
        ([["y"]], r"the outputs hold \['y'\]; expected names"),
        ([None], "the outputs hold None; expected names"),
    ],
)
def test_outputs_that_are_no_names_are_refused(outputs, message):
    with pytest.raises(ox.EvaluationError, match=message):
        ox.run(affine(), feed([1, 1, 1]), outputs)


@pytest.mark.parametrize("seed", ["a", 1.5, True, -1])
def test_a_seed_that_is_no_natural_number_is_refused(seed):
    with pytest.raises(ox.EvaluationError, match=f"seed {seed!r}; expected"):
        ox.run(affine(), feed([1, 1, 1]), seed=seed)


def test_an_output_that_nothing_produces_is_named_so():
    model = affine()
    broken = replace(model, graph=replace(model.graph, outputs=(Value("zz"),)))
    with pytest.raises(ox.EvaluationError, match="nothing produces 'zz', an output of the graph"):
        ox.run(broken, feed([1, 1, 1]))


def test_a_run_leaves_what_was_fed_as_it_was():
    g = graph("through", opset=20)
    g.output(g.Identity(g.input("x", "float32[2]")), "y")
    fed = np.float32([1, 2])
    result = ox.run(g.model(), {"x": fed})["y"]
    assert fed.flags.writeable
    assert not result.flags.writeable


def test_a_node_that_is_asked_for_as_a_value_is_told_from_what_it_gives():
    g = graph("halves", opset=20)
    g.ops("Split", g.input("x", "float32[4]"), outputs=["a", "b"], name="split", num_outputs=2)
    with pytest.raises(ox.EvaluationError, match=r"'split' is not a value.*'a', 'b'"):
        ox.run(g.model(), {"x": np.zeros(4, np.float32)}, ["split"])
