"""Derivatives of operators with windows, where onnx's node cases do not go."""

import numpy as np
import pytest

from onnx_explorer.build import graph
from onnx_explorer.evaluation import run
from tests.derivatives.differences import TRAINING, check_node

RNG = np.random.default_rng(7)


def numbers(*shape):
    """Different enough that no step of a difference changes which of them is the largest."""
    return RNG.permutation(np.prod(shape)).reshape(shape) / 4 - 3.1


@pytest.mark.parametrize(
    ("W", "attributes"),
    [
        ((6, 2, 3, 2), {"group": 2, "strides": [2, 1], "dilations": [1, 2], "pads": [2, 0, 1, 1]}),
        ((8, 1, 3, 3), {"group": 4, "pads": [1, -1, 1, 2]}),
        ((3, 4, 1, 1), {"strides": [2, 3]}),
        ((3, 4, 2, 3), {"auto_pad": "SAME_LOWER", "strides": [2, 2]}),
    ],
)
def test_a_convolution_gives_derivatives_to_input_filters_and_bias(W, attributes):
    feeds = {"X": numbers(2, 4, 6, 7), "W": numbers(*W), "B": numbers(W[0])}
    check_node("Conv", feeds, ["X", "W", "B"], **attributes)


@pytest.mark.parametrize(
    "attributes",
    [
        {"group": 2, "strides": [2, 3], "dilations": [2, 1], "pads": [1, 0, 2, 1]},
        {"group": 2, "strides": [2, 2], "output_padding": [1, 1]},
        {"group": 2, "strides": [3, 2], "output_shape": [9, 9]},
        {"group": 2, "strides": [2, 3], "auto_pad": "SAME_UPPER"},
    ],
)
def test_a_transposed_convolution_gives_derivatives_to_input_filters_and_bias(attributes):
    feeds = {"X": numbers(2, 4, 3, 4), "W": numbers(4, 3, 2, 3), "B": numbers(6)}
    check_node("ConvTranspose", feeds, ["X", "W", "B"], **attributes)


POOLS = [
    {"kernel_shape": [2, 3], "strides": [2, 1], "pads": [1, 0, 1, 2]},
    {"kernel_shape": [3, 3], "auto_pad": "SAME_UPPER", "strides": [2, 2]},
    {"kernel_shape": [2, 2], "dilations": [2, 3], "ceil_mode": 1, "strides": [2, 2]},
]


@pytest.mark.parametrize("attributes", POOLS)
@pytest.mark.parametrize(
    ("op_type", "more"),
    [
        ("MaxPool", {}),
        ("AveragePool", {}),
        ("AveragePool", {"count_include_pad": 1}),
        ("LpPool", {"p": 1}),
        ("LpPool", {"p": 2}),
        ("LpPool", {"p": 3}),
    ],
)
def test_a_window_gives_derivatives_to_the_elements_that_it_sees(op_type, more, attributes):
    check_node(op_type, {"X": numbers(2, 2, 5, 7)}, ["X"], **attributes, **more)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_a_norm_of_whole_channels_has_derivatives(p):
    check_node("GlobalLpPool", {"X": numbers(2, 3, 4, 2)}, ["X"], p=p)


def derivatives(op_type, feeds, outputs=("y",), **attributes):
    """Of the sum of a node's first output by all inputs."""
    g = graph("g", opset=28, imports={TRAINING: 1})
    inputs = [g.input(name) for name in feeds]
    g.ops(op_type, *inputs, outputs=list(outputs), **attributes)
    g.ops(
        "Gradient",
        *inputs,
        outputs=[f"d_{name}" for name in feeds],
        domain=TRAINING,
        xs=list(feeds),
        y="y",
    )
    wanted = [f"d_{name}" for name in feeds]
    return list(run(g.model(), feeds, wanted).values())


@pytest.mark.parametrize("op_type", ["MaxPool", "GlobalMaxPool"])
def test_the_first_of_equal_maxima_has_the_derivative(op_type):
    more = {"kernel_shape": [4]} if op_type == "MaxPool" else {}
    (found,) = derivatives(op_type, {"X": np.array([[[1.0, 5.0, 5.0, 2.0]]])}, **more)
    np.testing.assert_array_equal(found, [[[0, 1, 0, 0]]])


def test_where_a_norm_is_0_its_derivative_is():
    (found,) = derivatives("LpPool", {"X": np.zeros((1, 1, 3))}, kernel_shape=[2], p=2)
    np.testing.assert_array_equal(found, np.zeros((1, 1, 3)))


def test_a_causal_convolution_has_derivatives():
    feeds = {
        "input": np.array([[[1.0, 2.0, 3.0]]], np.float32),
        "weight": np.array([[[10.0, 1.0]]], np.float32),
        "bias": np.array([0.0], np.float32),
    }
    # The outputs are 0 × 10 + 1, 1 × 10 + 2 and 2 × 10 + 3.
    of_input, of_weight, of_bias = derivatives("CausalConvWithState", feeds, ("y", "state"))
    np.testing.assert_array_equal(of_input, [[[11, 11, 1]]])
    np.testing.assert_array_equal(of_weight, [[[3, 6]]])
    np.testing.assert_array_equal(of_bias, [3])
