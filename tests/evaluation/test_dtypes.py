"""Whether what nodes are given has the dtypes that they take, run after run."""

from dataclasses import replace

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.ir import DType, SequenceType, TensorType, Value

UNDEFINED = TensorType(DType.UNDEFINED, None)


def sine_of_an_element():
    g = graph("elements", opset=20)
    g.output(g.Sin(g.SequenceAt(g.input("x", SequenceType(UNDEFINED)), np.array(0))), "y")
    return g.model()


def sum_with_a_default():
    """Its initializer is an input too, of which nothing is declared."""
    g = graph("default", opset=20)
    w = g.initializer("w", np.float32([1]))
    g.output(g.Add(g.input("x", "float32[1]"), w), "y")
    model = g.model()
    inputs = (*model.graph.inputs, Value("w", None))
    return replace(model, graph=replace(model.graph, inputs=inputs))


def sine(declared):
    g = graph("sine", opset=20)
    g.output(g.Sin(g.Abs(g.input("x", declared))), "y")
    return g.model()


ONE, ONE_WHOLE = np.ones(1, np.float32), np.ones(1, np.int64)


@pytest.mark.parametrize(
    ("model", "fits", "does_not"),
    [
        (sine(UNDEFINED), {"x": ONE}, {"x": ONE_WHOLE}),
        (sine(None), {"x": ONE}, {"x": ONE_WHOLE}),
        (sine_of_an_element(), {"x": [ONE]}, {"x": [ONE_WHOLE]}),
        (sum_with_a_default(), {"x": ONE}, {"x": ONE, "w": ONE_WHOLE}),
    ],
)
def test_dtypes_that_nothing_declares_are_checked_in_every_run(model, fits, does_not):
    for _ in range(3):
        ox.run(model, fits)
        with pytest.raises(ox.EvaluationError, match="int64"):
            ox.run(model, does_not)
