"""What may be fed to an input: the dtype, the numbers, the elements of containers, the sizes."""

from dataclasses import replace

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.evaluation.feeds import checked_feeds
from onnx_explorer.ir import DType, MapType, OptionalType, SequenceType, TensorType, Value


def model_of(**types):
    """A model without nodes whose inputs have these types, written `float32[N]` or as a type."""
    g = graph("inputs", opset=20)
    for name, declared in types.items():
        g.input(name, declared if isinstance(declared, str) else "float32[]")
    model = g.model()
    inputs = tuple(
        value if isinstance(types[value.name], str) else Value(value.name, types[value.name])
        for value in model.graph.inputs
    )
    return replace(model, graph=replace(model.graph, inputs=inputs))


def vector():
    (value,) = model_of(x="float32[N]").graph.inputs
    return value.type


def fed(declared, value):
    return checked_feeds(model_of(x=declared), {"x": value})["x"]


@pytest.mark.parametrize(
    ("declared", "given", "expected"),
    [
        ("float32[N]", [1, 2], np.float32([1, 2])),
        ("float32[N]", [1.5, np.float64(2)], np.float32([1.5, 2])),
        ("float32[]", 3, np.float32(3)),
        ("float32[N]", [float("inf")], np.float32([np.inf])),
        ("float32[N]", [3.4028235e38], np.float32([np.finfo(np.float32).max])),
        ("int8[N]", [-128, 127], np.int8([-128, 127])),
        ("uint64[N]", [2**64 - 1], np.uint64([2**64 - 1])),
        ("int64[N]", [np.int8(3), 4], np.int64([3, 4])),
        ("bool[N]", [True, np.bool_(0)], np.array([True, False])),
        ("complex64[N]", [1, 2j], np.complex64([1, 2j])),
        ("string[N]", ["a", "b"], np.array(["a", "b"], object)),
        ("string[N]", np.array(["a", "b"]), np.array(["a", "b"], object)),
        ("int4[N]", [-8, 7], np.int64([-8, 7])),
        ("float32[0]", [], np.zeros(0, np.float32)),
        ("float32[N]", np.array([1, 2], ">f4"), np.float32([1, 2])),
    ],
)
def test_what_the_declared_dtype_holds_is_taken(declared, given, expected):
    array = fed(declared, given)
    np.testing.assert_array_equal(array, expected)
    assert array.dtype == DType.from_label(declared.partition("[")[0]).numpy


@pytest.mark.parametrize(
    ("declared", "given", "message"),
    [
        ("int8[N]", [300], "300 is not between -128 and 127"),
        ("uint8[N]", [-1], "-1 is not between 0 and 255"),
        ("int4[N]", [8], "8 is not between -8 and 7"),
        ("int64[N]", [10**5000], "an integer of 16610 bits is not between"),
        ("float32[N]", [10**400], "beyond what float32 can hold"),
        ("float32[N]", [1e300], r"1e\+300 is beyond what float32 can hold"),
        ("float16[N]", [70000], r"70000\.0 is beyond what float16 can hold"),
        ("float4_e2m1fn[N]", [7], r"7\.0 is beyond what float4_e2m1fn can hold"),
        ("int8[N]", [1.7], r"1\.7 is of type float; expected int8"),
        ("int8[N]", [2.0], r"2\.0 is of type float; expected int8"),
        ("int8[N]", ["7"], "'7' is of type str; expected int8"),
        ("int8[N]", [True], "True is of type bool; expected int8"),
        ("float32[N]", ["7"], "'7' is of type str; expected float32"),
        ("float32[N]", [1j], "1j is of type complex; expected float32"),
        ("float32[N]", [None], "None is of type NoneType; expected float32"),
        ("float32[N, M]", [[1], [1, 2]], "its lists are not all of the same length"),
        ("bool[N]", ["False", ""], "'False' is of type str; expected bool"),
        ("string[N]", [1], "1 is of type int; expected string"),
        ("string[N]", [None], "None is of type NoneType; expected string"),
        ("string[N]", [b"a"], "b'a' is of type bytes; expected string"),
        ("string[N]", np.array([b"a"]), "b'a' is of type bytes; expected str"),
        ("string[N]", np.array(["a", 1], object), "1 is of type int; expected str"),
        ("float32[N]", np.ma.array(np.float32([1]), mask=[True]), "a tensor has no mask"),
        ("float32[N]", {"a": 1}, "is of type dict; expected float32"),
        ("float32[N]", np.array([1], ">f8"), r"float64\[1\] came"),
    ],
)
def test_what_would_have_to_be_guessed_is_refused(declared, given, message):
    with pytest.raises(ox.EvaluationError, match=rf"input 'x' is declared .*{message}"):
        fed(declared, given)


@pytest.mark.parametrize(
    ("declared", "given", "message"),
    [
        (SequenceType(vector()), [np.float32([1]), np.zeros(1)], r"element 1 .*float64\[1\] came"),
        (SequenceType(vector()), [np.zeros((1, 1), "f4")], "element 0 .*rank 1, but .*rank 2"),
        (SequenceType(vector()), np.zeros(2, "f4"), "not a list"),
        (OptionalType(vector()), np.zeros((2, 2)), r"float64\[2, 2\] came"),
        (OptionalType(SequenceType(vector())), [np.zeros(2)], r"element 0 .*float64\[2\] came"),
        (MapType(DType.INT64, TensorType(DType.FLOAT32, ())), {"a": 1}, "key 'a' .*not an int"),
        (MapType(DType.INT64, TensorType(DType.FLOAT32, ())), {1: "b"}, "key 1 .*'b' is of type"),
        (MapType(DType.STRING, TensorType(DType.FLOAT32, ())), {1: 1.0}, "key 1 .*not a str"),
        (MapType(DType.STRING, TensorType(DType.FLOAT32, ())), [1.0], "not a dict"),
    ],
)
def test_what_lies_in_a_container_is_checked_too(declared, given, message):
    with pytest.raises(ox.EvaluationError, match=rf"input 'x'.*{message}"):
        fed(declared, given)


def test_a_container_of_what_is_declared_is_taken():
    first, second = fed(SequenceType(vector()), [[1, 2], np.float32([3, 4])])
    np.testing.assert_array_equal([first, second], [[1, 2], [3, 4]])
    assert fed(OptionalType(vector()), None) is None
    by_number = fed(MapType(DType.INT64, TensorType(DType.FLOAT32, ())), {np.int64(7): 1.5})
    assert by_number == {7: 1.5}


def test_a_size_is_checked_whichever_input_names_its_symbol_first():
    model = model_of(twice="float32[2*N]", once="float32[N]")
    checked_feeds(model, {"twice": np.zeros(6, "f4"), "once": np.zeros(3, "f4")})
    with pytest.raises(ox.EvaluationError, match=r"'twice' .*axis 0 is 5, not 6 \(2\*N\)"):
        checked_feeds(model, {"twice": np.zeros(5, "f4"), "once": np.zeros(3, "f4")})


def test_a_symbol_in_a_sequence_may_be_another_size_in_each_element():
    g = graph("sizes", opset=20)
    items = g.input("items", "seq(float32[rows, 2])")
    g.output(g.ConcatFromSequence(items, axis=0), "y")
    feed = [np.zeros((1, 2), np.float32), np.zeros((3, 2), np.float32)]
    assert ox.run(g.model(), {"items": feed})["y"].shape == (4, 2)
    with pytest.raises(ox.EvaluationError, match=r"element 1 .* axis 1 is 3, not 2"):
        ox.run(g.model(), {"items": [feed[0], np.zeros((3, 3), np.float32)]})


def test_feeds_are_looked_at_again_where_they_are_not_those_of_the_run_before():
    g = graph("adding")
    g.output(g.Add(g.input("a", "float32[n]"), g.input("b", "float32[n]")), "y")
    model = g.model()
    one, two = np.ones(1, np.float32), np.ones(2, np.float32)
    for _ in range(2):
        assert ox.run(model, {"a": two, "b": two})["y"].tolist() == [2, 2]
        with pytest.raises(ox.EvaluationError, match="'n' is 2 in input 'a'"):
            ox.run(model, {"a": two, "b": one})
        with pytest.raises(ox.EvaluationError, match="float64"):
            ox.run(model, {"a": two, "b": two.astype(float)})
        with pytest.raises(ox.EvaluationError, match=r"input 'b' .* is missing"):
            ox.run(model, {"a": two})
        with pytest.raises(ox.EvaluationError, match="'c' is not an input"):
            ox.run(model, {"a": two, "b": two, "c": two})
        assert ox.run(model, {"b": one, "a": one})["y"].tolist() == [2]
        assert ox.run(model, {"a": [2, 3], "b": two})["y"].tolist() == [3, 4]
