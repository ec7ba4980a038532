"""A short chain of nodes in two groups, to be stepped through."""

import numpy as np

from onnx_explorer.build import graph


def chain():
    g = graph("chain", opset=20)
    x = g.input("x", "float32[2]")
    with g.scope("first"):
        y = g.Add(x, np.float32([1, 1]), name="plus")
        z = g.Mul(y, y, name="square")
    with g.scope("second"):
        z = g.Log(z, name="log")
        z = g.Relu(z, name="relu")
    g.output(g.Sub(z, x, name="minus"), "out")
    return g.model()


FEEDS = {"x": np.float32([3, -1])}  # (x + 1)² is [16, 0], its logarithm [2.77, -inf]
