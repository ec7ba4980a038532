"""Derivatives of operators that move elements, where onnx's node cases have no floats or leave out
a version or a mode.
"""

import numpy as np
import pytest

from onnx_explorer.ops.registry import operator
from onnx_explorer.schema.attributes import arguments
from tests.derivatives.differences import check_node

X = np.arange(12.0).reshape(3, 4) - 5.5
INTS = np.array


@pytest.mark.parametrize("upper", [0, 1])
def test_a_triangle_keeps_the_derivatives_of_its_elements(upper):
    check_node("Trilu", {"x": X, "k": INTS(-1)}, ["x"], upper=upper)


def test_a_reversed_sequence_has_its_derivatives_reversed():
    check_node("ReverseSequence", {"x": X, "lengths": INTS([3, 1, 2, 0])}, ["x"])


@pytest.mark.parametrize("mode", ["edge", "reflect", "wrap", "constant"])
def test_elements_that_padding_repeats_gather_derivatives(mode):
    feeds = {"x": X, "pads": INTS([2, -1, 1, 3])}
    check_node("Pad", feeds, ["x"], mode=mode)


def test_a_constant_of_padding_that_looks_like_an_element_gets_no_derivative():
    check_node("Pad", {"x": X, "pads": INTS([2, 1, 0, 0]), "value": np.array(3.0)}, ["x"])


@pytest.mark.parametrize(
    ("op_type", "attributes"),
    [
        ("Pad", {"pads": [1, 2, 0, 0], "value": 3.0}),
        ("Slice", {"starts": [1], "ends": [9]}),
        ("Squeeze", {}),
        ("Unsqueeze", {"axes": [1]}),
        ("Split", {"split": [1, 3], "axis": 1}),
        ("TopK", {"k": 2}),
    ],
)
def test_what_attributes_once_said_has_derivatives(op_type, attributes):
    outputs = ("y", "") if op_type in {"TopK", "Split"} else ("y",)
    check_node(op_type, {"x": X}, ["x"], opset=7, outputs=outputs, **attributes)


@pytest.mark.parametrize("split", [None, INTS([3, 1])])
def test_each_part_of_a_split_has_derivatives_of_its_own(split):
    number = 2 if split is None else None
    feeds = {"x": X, "split": split}
    check_node("Split", feeds, ["x"], outputs=("", "y"), axis=1, num_outputs=number)


@pytest.mark.parametrize("axis", [0, 1])
def test_rows_that_are_looked_up_twice_gather_derivatives(axis):
    indices = INTS([[1, 1], [-1, 0]])
    check_node("Gather", {"x": X, "indices": indices}, ["x"], axis=axis)


def scattered(shift=0.0):
    data, updates = np.array([0.0, 3.0, 2.0, 0.0, 5.0]), np.array([2.0, 0.0, -1.0, 4.0, 7.0])
    return {"x": data + shift, "indices": INTS([1, 0, 1, 3, -1]), "updates": updates}


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
def test_scattered_elements_share_derivatives_with_what_was_there(reduction):
    feeds = scattered(0.25 if reduction in {"max", "min"} else 0.0)
    check_node("ScatterElements", feeds, ["x", "updates"], reduction=reduction)


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
def test_scattered_slices_share_derivatives_with_what_was_there(reduction):
    feeds = {
        "x": X,
        "indices": INTS([[2], [0], [2]]),
        "updates": np.array([[0.0, 9.0, 5.0, -1.0], [0.0, 0.0, 0.0, 0.0], [4.0, 0.0, 8.0, 1.0]]),
    }
    check_node("ScatterND", feeds, ["x", "updates"], reduction=reduction)


@pytest.mark.parametrize("opset", [9, 11])
def test_scatter_has_derivatives_under_its_first_name(opset):
    name = "Scatter" if opset == 9 else "ScatterElements"
    check_node(name, scattered(), ["x", "updates"], opset=opset)


@pytest.mark.parametrize(
    ("op_type", "others", "attributes"),
    [
        ("Pad", [], {"mode": "constant", "paddings": (1, 2, 0, 3), "value": 3.0}),
        ("Reshape", [], {"shape": (2, -1)}),
        ("Tile", [np.array(3.0), np.array(1.0)], {}),
        ("Upsample", [], {"height_scale": 1.5, "mode": "bilinear", "width_scale": 2.0}),
    ],
)
def test_first_versions_have_the_transpose_of_what_they_do(op_type, others, attributes):
    page = operator(op_type)
    kernel, vjp = page.kernel_at(1).function, page.vjp_at(1)
    x = X[None, None] if op_type == "Upsample" else X
    y, zero = (kernel(data, *others, **attributes) for data in (x, np.zeros_like(x)))
    c = np.random.default_rng(0).standard_normal(y.shape)
    found = vjp.function((c,), (x, *others), (y,), **arguments(vjp, attributes))
    of_x = found[0] if isinstance(found, tuple) else found
    np.testing.assert_allclose(np.sum(of_x * x), np.sum(c * (y - zero)), rtol=1e-12)
