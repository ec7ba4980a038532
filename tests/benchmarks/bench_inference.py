"""Inference that remembers nothing yet, of a decoder with symbolic sizes, and of one change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from onnx_explorer.build import graph
from onnx_explorer.files import load, save
from onnx_explorer.inference import Types, forget, infer
from onnx_explorer.ir import Model
from tests.benchmarks.cases import case, names
from tests.benchmarks.readings import beside

LAYERS = 144
"""Of 38 nodes each: 5,472 nodes."""


def peer(path: Path) -> dict[str, Callable[[], object]]:
    def theirs() -> None:
        onnx.shape_inference.infer_shapes(onnx.load(path), data_prop=True)

    return {"onnx": theirs}


@pytest.mark.parametrize("name", names())
@pytest.mark.benchmark(group="load and infer first")
def bench_first_inference(benchmark, name):
    path = case(name).path

    def ours() -> None:
        forget()
        infer(load(path))

    beside(benchmark, ours, peer(path))


@pytest.mark.benchmark(group="load and infer")
def bench_decoder(benchmark, tmp_path):
    path = tmp_path / "decoder.onnx"
    save(decoder(LAYERS), path)
    beside(benchmark, lambda: infer(load(path)), peer(path)).name = f"decoder {LAYERS * 38} nodes"


@pytest.mark.parametrize("layers", [40, LAYERS], ids=lambda n: f"{n * 38} nodes")
@pytest.mark.benchmark(group="what if")
def bench_what_if(benchmark, layers):
    """An attribute in the middle, another size of the batch, other values of an initializer."""
    types = infer(decoder(layers))
    middle = next(n for n in types.model.graph.nodes[layers * 19 :] if n.op_type == "Softmax")
    changes: dict[str, Callable[[], Types]] = {
        "batch": lambda: types.with_inputs({"batch": 8}),
        "weight": lambda: types.with_initializer("w", np.ones((64, 64), np.float32)),
    }
    beside(benchmark, lambda: types.with_attribute(middle.label, "axis", 3), changes)


def decoder(layers: int) -> Model:
    """Layers of attention as exporters write them: sizes travel through Shape, Gather, Concat."""
    g = graph("decoder", opset=17)
    x = g.input("x", "float32[batch, seq, 64]")
    w = g.initializer("w", np.zeros((64, 64), np.float32))
    for _ in range(layers):
        heads = [_heads(g, g.Add(g.MatMul(x, w), np.zeros(64, np.float32)), x) for _ in range(3)]
        scores = g.Div(g.MatMul(heads[0], g.Transpose(heads[1], perm=[0, 1, 3, 2])), np.float32(4))
        mixed = g.Transpose(g.MatMul(g.Softmax(scores, axis=-1), heads[2]), perm=[0, 2, 1, 3])
        x = g.Add(x, g.MatMul(g.Reshape(mixed, _sizes(g, x, [64])), w))
    g.output(x, "y")
    return g.model()


def _heads(g, value, like):
    return g.Transpose(g.Reshape(value, _sizes(g, like, [4, 16])), perm=[0, 2, 1, 3])


def _sizes(g, like, rest):
    shape = g.Shape(like)
    batch, seq = (g.Gather(shape, np.array([i]), axis=0) for i in (0, 1))
    return g.Concat(batch, seq, np.array(rest), axis=0)
