"""What a person may say about the inputs of a model, and how a slip is answered."""

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.ir import SequenceType


def shifted():
    g = graph("shifted", opset=20)
    x, y = g.input("x", "float32[N, 3]"), g.input("y", "float32[N - 5]")
    g.output(g.Relu(x), "out")
    g.output(g.Relu(y), "rest")
    return g.model()


@pytest.mark.parametrize(
    "inputs",
    [
        {"x": np.array([8, 3])},
        {"x": (np.int64(8), 3)},
        {"x": [np.uint8(8), None]},
        {"N": np.int64(8)},
        {"N": np.array(8)},
        {"x": ["K", 3], "N": 8},
        {"N": "8"},
    ],
)
def test_sizes_may_be_integers_of_numpy(inputs):
    types = ox.infer(shifted(), inputs)
    assert str(types["rest"]) == "float32[3]"


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"N": 4.0}, r"'N' is bound to 4\.0; expected a size, as in 4 or 'N \+ 1', or a shape"),
        ({"x": 4.5}, r"'x' is bound to 4\.5"),
        ({"x": [[4, 3]]}, r"'x' is bound to \[\[4, 3\]\]"),
        ({"x": [4.0, 3]}, r"'x' is bound to \[4\.0, 3\]"),
        ({"x": np.zeros((4, 3), "f4")}, r"its own shape is \(4, 3\)"),
        ({"x": np.zeros(2, "f4")}, r"its own shape is \(2,\)"),
        ({"x": np.zeros((4, 3), "i4")}, r"its own shape is \(4, 3\)"),
        ({"x": None}, "'x' is bound to None"),
        ({"x": {4, 3}}, "'x' is bound to {"),
        ({"x": b"ab"}, "'x' is bound to b'ab'"),
        ({"x": SequenceType(None)}, "'x' is bound to seq"),
        ({"x": [True, 3]}, "a size is 0 or more"),
        ([4], r"the inputs are given as \[4\]; expected a dict"),
        ("N=4", "the inputs are given as 'N=4'; expected a dict"),
        ({"N": "-4"}, "size '-4' for 'N'; a size is 0 or more"),
        ({"N": "4 +"}, r"size '4 \+' for 'N': cannot read"),
        ({"N": 2}, "axis 0 of input 'y' -3; a size is 0 or more"),
        ({"x": ["K - 5", 3], "K": 2}, "'K' is neither an input"),
        ({"N": 2, "y": ["N - 5"]}, "axis 0 of input 'y' -3"),
    ],
)
def test_what_is_no_size_and_no_shape_is_refused(inputs, message):
    with pytest.raises(ox.InferenceError, match=message):
        ox.infer(shifted(), inputs)
