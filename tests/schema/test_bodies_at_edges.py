"""Bodies where onnx's cases do not look: old versions, large numbers, types with traps."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

from onnx_explorer.evaluation import run
from onnx_explorer.ir import (
    Attribute,
    DType,
    Function,
    Graph,
    Model,
    Node,
    SequenceType,
    TensorType,
    Value,
)
from onnx_explorer.ops.registry import schema


def body(op_type, opset, inputs, *, domain="", types=True, outputs=1, **attributes):
    """The body of a node on arrays that stand for its inputs."""
    names = tuple(f"in{i}" for i in range(len(inputs)))
    kinds = {bool: "int", int: "int", float: "float", bytes: "string", Graph: "graph"}
    given = {k: Attribute(k, kinds[type(v)], v) for k, v in attributes.items()}
    node = Node(op_type, names, tuple(f"out{i}" for i in range(outputs)), given, domain=domain)
    known = dict(zip(names, map(type_of, inputs), strict=True)) if types else {}
    return schema(op_type, 1 if domain else opset, domain).function_body(node, known, opset)


def type_of(value):
    if isinstance(value, list):
        types = set(map(type_of, value))
        return SequenceType(types.pop() if len(types) == 1 else replace(types.pop(), shape=None))
    return TensorType(DType.from_numpy(value.dtype), value.shape)


def result(op_type, opset, *inputs, **options):
    """What the body gives; a list where there are several outputs."""
    found = body(op_type, opset, inputs, **options)
    assert isinstance(found, Function)
    graph = Graph(
        "g",
        found.nodes,
        tuple(Value(name, type_of(v)) for name, v in zip(found.inputs, inputs, strict=True)),
        tuple(map(Value, found.outputs)),
    )
    model = Model(graph, {"": opset}, ir_version=10)
    values = run(model, dict(zip(found.inputs, inputs, strict=True)), seed=0)
    results = [values[name] for name in found.outputs]
    return results if len(results) > 1 else results[0]


def float32(*values):
    return np.array(values, np.float32)


def test_operators_older_than_opset_18_that_are_written_in_it_have_no_body_before():
    assert body("Elu", 17, [float32(1)]) is None
    assert body("Elu", 18, [float32(1)]) is not None


def test_operators_that_follow_a_type_have_no_body_without_it():
    inputs = [float32(1), np.array([1])]
    assert body("CastLike", 25, inputs, types=False) is None
    assert body("Bernoulli", 22, inputs[:1], types=False) is None


@pytest.mark.parametrize("opset", [18, 28])
def test_exponentials_do_not_overflow(opset):
    big = float32(1000, 1000)
    assert result("Softplus", opset, big) == pytest.approx([1000, 1000])
    assert result("ReduceLogSumExp", opset, big) == pytest.approx([1000 + log(2)])
    assert result("LogSoftmax", opset, big) == pytest.approx([-log(2), -log(2)])


@pytest.mark.parametrize("opset", [9, 13, 18])
def test_a_mean_and_a_deviation_are_taken_in_every_opset(opset):
    X = float32(1, 3).reshape(2, 1, 1, 1)
    Y = result("MeanVarianceNormalization", opset, X)
    assert Y.ravel() == pytest.approx([-1, 1])


@pytest.mark.parametrize("opset", [12, 27])
def test_celu_of_float32_needs_no_cast(opset):
    Y = result("Celu", opset, float32(-2, 0, 2), types=False, alpha=2.0)
    assert pytest.approx([2 * np.expm1(-1), 0, 2]) == Y


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.float32, np.float64])
def test_a_range_keeps_its_type(dtype):
    start, limit, delta = (np.array(n, dtype) for n in (10, 3, -2))
    numbers = result("Range", 11, start, limit, delta)
    assert (numbers.dtype, numbers.tolist()) == (dtype, [10, 8, 6, 4])
    assert result("Range", 11, limit, start, delta).tolist() == []


def test_shrink_moves_integers_by_fractions():
    Y = result("Shrink", 18, np.array([-2, -1, 3], np.int32), bias=1.5, lambd=1.5)
    assert (Y.dtype, Y.tolist()) == (np.int32, [0, 0, 1])


def test_two_bounds_that_cross_leave_the_upper_one():
    assert result("Clip", 13, float32(0, 9), np.float32(5), np.float32(2)).tolist() == [2, 2]


@pytest.mark.parametrize("name", ["HannWindow", "HammingWindow", "BlackmanWindow"])
def test_a_symmetric_window_of_one_point_is_1(name):
    assert result(name, 17, np.array(1), periodic=0).tolist() == [1]


def test_what_is_all_zeros_or_empty_is_quantized_in_steps_of_1():
    for x in (float32(0, 0), float32()):
        y, scale, zero_point = result("DynamicQuantizeLinear", 11, x, outputs=3)
        assert (y.tolist(), scale, zero_point) == ([0] * x.size, 1, 0)


def test_a_single_pixel_lies_in_the_middle():
    theta = float32(1, 0, 0, 0, 1, 0).reshape(1, 2, 3)
    grid = result("AffineGrid", 20, theta, np.array([1, 1, 1, 2]), align_corners=1)
    assert grid.tolist() == [[[[-1, 0], [1, 0]]]]


def test_bernoulli_tosses_a_1_as_often_as_its_probability_says():
    chances = np.full(10_000, 0.9, np.float16)
    tosses = result("Bernoulli", 22, chances)
    assert (tosses.dtype, set(tosses.tolist())) == (np.float16, {0, 1})
    # Five standard deviations of the mean are 0.015.
    assert tosses.astype(float).mean() == pytest.approx(0.9, abs=0.015)


def adding(first, second, total):
    """A graph of one Add."""
    kind = TensorType(DType.FLOAT32)
    return Graph(
        "adding",
        (Node("Add", (first, second), (total,)),),
        (Value(first, kind), Value("other", kind)),
        (Value(total, kind),),
    )


def test_names_in_the_graph_of_a_sequence_map_may_be_those_of_its_loop():
    items, more = [float32(1, 2), float32(3)], float32(10)
    graph = adding("input_sequence", "other", "index")
    sums = result("SequenceMap", 17, items, more, body=graph)
    assert [value.tolist() for value in sums] == [[11, 12], [13]]


def test_a_sequence_map_that_reads_values_around_it_has_no_body():
    inputs = [[float32(1)], float32(10)]
    assert body("SequenceMap", 17, inputs, body=adding("item", "outer", "total")) is None
