"""Random inputs for models that nobody fed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.dims import symbol
from onnx_explorer.ir import DType, SequenceType, TensorType, Value
from onnx_explorer.widgets.feeds import RandomFeeds
from onnx_explorer.widgets.feeds import random_feeds as random_feeds_of


def random_feeds(model, seed=0) -> RandomFeeds:
    return random_feeds_of(ox.infer(model), seed)


@pytest.mark.parametrize("name", ["digits", "transformer", "loop_if"])
def test_the_examples_run_with_them(name):
    model = ox.example(name)
    ox.run(model, random_feeds(model).values)


def test_a_batch_is_one_and_a_length_is_eight():
    drawn = random_feeds(ox.example("transformer"))
    assert drawn.sizes == {"batch": 1, "seq": 8}
    assert drawn.values["tokens"].shape == (1, 8)
    assert "batch = 1, seq = 8" in drawn.message
    assert "seed 0" in drawn.message


def test_images_of_open_size_are_large_enough_to_be_pooled():
    g = ox.build.graph("net")
    x = g.input("x", "float32[?, 3, height, width]")
    g.output(g.Relu(x), "y")
    assert random_feeds(g.model()).values["x"].shape == (1, 3, 64, 64)


def test_a_symbol_has_one_size_everywhere():
    g = ox.build.graph("net")
    a, b = g.input("a", "float32[n, 2*m]"), g.input("b", "int64[m + n]")
    g.output(g.Relu(a), "y")
    g.output(g.Identity(b), "z")
    values = random_feeds(g.model()).values
    n, m = values["a"].shape[0], values["a"].shape[1] // 2
    assert values["b"].shape == (m + n,)


def test_the_same_seed_gives_the_same_values():
    model = ox.example("digits")
    once, again = (random_feeds(model, 5).values["image"] for _ in range(2))
    np.testing.assert_array_equal(once, again)


@pytest.mark.parametrize(
    "type_",
    ["float16[2]", "bfloat16[2]", "bool[2]", "string[2]", "uint8[]", "complex64[1]",
     "seq(float32[2])", "optional(float32[2])", "float8_e4m3fn[2]", "int4[2]"],
)  # fmt: skip
def test_every_type_of_input_gets_a_value_that_a_stepper_takes(type_):
    g = ox.build.graph("net", opset=23)
    g.output(g.Identity(g.input("x", type_)), "y")
    model = g.model()
    ox.Stepper(model, random_feeds(model).values)


def test_a_symbol_has_one_size_in_a_sequence_too():
    model = ox.build.graph("net").model()
    listed = SequenceType(TensorType(DType.FLOAT32, (2 * symbol("n"), symbol("n"))))
    model = replace(model, graph=replace(model.graph, inputs=(Value("listed", listed),)))
    (element,) = random_feeds(model).values["listed"]
    assert element.shape[0] == 2 * element.shape[1] > 0
    ox.run(model, random_feeds(model).values)
