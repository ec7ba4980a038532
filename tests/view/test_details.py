"""The tell-tale text of nodes."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from onnx_explorer import build, infer
from onnx_explorer.view import scene_of
from onnx_explorer.view.categories import category


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


@pytest.mark.parametrize(
    ("write", "detail"),
    [
        (lambda g, x: g.Conv(x, zeros(64, 3, 3, 3), strides=[2, 2]), "3×3 /2, 64"),
        (lambda g, x: g.Conv(x, zeros(64, 3, 3, 5), strides=[2, 1]), "3×5 /2×1, 64"),
        (lambda g, x: g.Conv(x, zeros(3, 1, 3, 3), group=3), "3×3, 3, depthwise"),
        (lambda g, x: g.MaxPool(x, kernel_shape=[2, 2], strides=[2, 2]), "2×2 /2"),
        (lambda g, x: g.MatMul(x, zeros(768, 3072)), "768→3072"),
        (lambda g, x: g.Cast(x, to="float16"), "to float16"),
        (lambda g, x: g.Softmax(x, axis=1), "axis 1"),
        (lambda g, x: g.Transpose(x, perm=[0, 2, 3, 1]), "0, 2, 3, 1"),
        (lambda g, x: g.Reshape(x, [0, -1]), "to [0, -1]"),
        (lambda g, x: g.Mul(x, np.float32(0.125)), "× 0.125"),
        (lambda g, x: g.Sub(1.0, x), "1 −"),
        (lambda g, x: g.Add(x, np.float32([3])), "+ 3"),
        (lambda g, x: g.Slice(x, [1], [3], [2]), "[1:3] axis 2"),
        (lambda g, x: g.Slice(x, [0], [2**63 - 1], [2], [2]), "[::2] axis 2"),
        (lambda g, x: g.Slice(x, [-(2**63)], [-2], [2]), "[:-2] axis 2"),
        (lambda g, x: g.Slice(x, [2**63 - 1], [-(2**63)], [2], [-1]), "[::-1] axis 2"),
        (lambda g, x: g.Slice(x, [0], [-(2**63)], [2], [-1]), "[0::-1] axis 2"),
        (lambda g, x: g.Unsqueeze(x, [0, 1]), "axes 0, 1"),
        (lambda g, x: g.ReduceMean(x, [2, 3]), "axes 2, 3, kept"),
        (lambda g, x: g.Clip(x, 0.0, 6.0), "0 … 6"),
        (lambda g, x: g.Relu(x), ""),
    ],
)
def test_detail(write, detail):
    g = build.graph("net", opset=20)
    made = write(g, g.input("x", "float32[n, 3, 32, 768]"))
    g.output(made, "y")
    (box,) = [box for box in scene_of(infer(g.model())).boxes if box.kind == "node"]
    assert box.detail == detail


def test_every_operator_of_the_standard_has_a_category():
    names = {s.name for s in onnx.defs.get_all_schemas() if s.domain == ""}
    assert sorted(name for name in names if category(name) == "other") == []


def test_operators_of_other_domains_are_other():
    assert category("Conv", "com.example") == "other"
