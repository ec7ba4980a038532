"""What broken models are made with: a table of them, and short ways to write them."""

from dataclasses import dataclass, replace
from functools import wraps

import numpy as np

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.dims import symbol
from onnx_explorer.ir import (
    Attribute,
    DType,
    TensorType,
    Value,
)


@dataclass(frozen=True)
class Expected:
    code: str
    node: str = ""
    says: tuple[str, ...] = ()
    repair: str = ""
    cause: str = ""


GALLERY = {}
EXPECTED = {}


def broken(code, node="", *says, repair="", cause=""):
    """Add a model to the gallery under its builder's name, with what must be found in it."""

    def add(build):
        @wraps(build)
        def finished():
            return with_output_types(build())

        GALLERY[build.__name__] = finished
        EXPECTED[build.__name__] = Expected(code, node, says, repair, cause)
        return finished

    return add


def with_output_types(model):
    """The model with a type for each output that declares none, so that nothing else is wrong."""
    try:
        types = ox.infer(model)
    except ox.ModelError:  # a cycle
        types = {}
    outputs = []
    for output in model.graph.outputs:
        known = types.get(output.name)
        if output.type is None or getattr(output.type, "shape", ()) is None:
            if known is None or known.shape is None or known.dtype is DType.UNDEFINED:
                known = TensorType(DType.FLOAT32, (symbol("rows"), symbol("columns")))
            output = replace(output, type=known)
        outputs.append(output)
    return replace(model, graph=replace(model.graph, outputs=tuple(outputs)))


def zeros(*shape, dtype="f4"):
    return np.zeros(shape, dtype)


def one(op, *inputs, name="it", opset=20, out=None, **attributes):
    """A model of one node over declared inputs (texts) and constants (arrays)."""
    g = graph("broken", opset=opset)
    handles = [
        g.input(f"x{i}" if i else "x", given)
        if isinstance(given, str)
        else None
        if given is None
        else g.initializer(f"c{i}", given)
        for i, given in enumerate(inputs)
    ]
    g.output(g.op(op, *handles, name=name, **attributes), "y", out)
    return g.model()


def nodes(*given, inputs=(("x", "float32[2, 3]"),), outputs=("y",), opset=20, **graph_fields):
    """A model of bare nodes, for what the builder would refuse."""
    g = graph("broken", opset=opset)
    for name, text in inputs:
        g.input(name, text)
    model = g.model()
    ends = tuple(Value(name, TensorType(DType.FLOAT32, (2, 3))) for name in outputs)
    return replace(model, graph=replace(model.graph, nodes=given, outputs=ends, **graph_fields))


def attribute(name, kind, value, reference=""):
    return {name: Attribute(name, kind, value, reference)}


def value(name, dtype=DType.FLOAT32, shape=(2, 3)):
    return Value(name, TensorType(dtype, shape))
