"""Graphs as Python: how tests, examples and lessons write models.

    g = build.graph("net", opset=20)
    x = g.input("x", "float32[batch, 4]")
    hidden = g.Relu(g.Gemm(x, weights, bias))
    g.output(hidden, "y", "float32[batch, 8]")
    model = g.model()

Every operator of the model's opset is a method: inputs are handles of values, arrays (they become
initializers) or None for one left out; attributes are plain Python, turned into what the
operator's schema says. Nodes get readable names (`relu_1`), which `name=` replaces and
`with g.scope("encoder/layer0"):` prefixes.
"""

from onnx_explorer.build.builder import GraphBuilder, Handle, graph
from onnx_explorer.ir.type_text import parse_type

__all__ = ["GraphBuilder", "Handle", "graph", "parse_type"]
