"""What boxes say of bytes and arithmetic."""

from __future__ import annotations

import numpy as np

from onnx_explorer import build, infer
from onnx_explorer.dims import evaluate
from onnx_explorer.dims import parse as parse_size
from onnx_explorer.ir import Attribute, Function, Node
from onnx_explorer.view import scene_of
from onnx_explorer.view.figures import Figure


def figures(g: build.GraphBuilder, box_id: str) -> tuple[Figure, Figure, Figure]:
    (box,) = [b for b in scene_of(infer(g.model())).boxes if b.id == box_id]
    return box.bytes, box.macs, box.flops


def test_a_box_counts_the_bytes_of_its_outputs_and_its_arithmetic():
    g = build.graph("net", opset=20)
    x = g.input("x", "float16[2, 3]")
    g.output(g.MatMul(x, np.zeros((3, 5), np.float16), name="product"), "y")
    # 2 x 5 elements of 2 bytes; each of them 3 multiply-adds.
    assert figures(g, "product") == (20, 30, 60)


def test_symbolic_sizes_give_arithmetic_that_can_be_read_back():
    g = build.graph("net", opset=20)
    x = g.input("x", "float32[batch, seq, 16]")
    g.output(g.MatMul(x, np.zeros((16, 4), np.float32), name="product"), "y")
    sizes = {"batch": 2, "seq": 7}
    read = [evaluate(parse_size(str(figure)), sizes) for figure in figures(g, "product")]
    assert read == [2 * 7 * 4 * 4, 2 * 7 * 4 * 16, 2 * 2 * 7 * 4 * 16]


def test_what_is_not_known_is_said_to_be_unknown():
    g = build.graph("net", opset=20)
    x = g.input("x", "float32[...]")
    g.output(g.Relu(x, name="relu"), "y")
    assert figures(g, "relu") == ("", "", "")


def test_moving_data_has_bytes_and_no_arithmetic():
    g = build.graph("net", opset=20)
    x = g.input("x", "int4[3, 3]")
    g.output(g.Transpose(x, name="turned"), "y")
    # Nine half bytes.
    assert figures(g, "turned") == (5, "", "")


def test_a_node_that_is_no_good_has_no_arithmetic():
    g = build.graph("net", opset=20)
    scalar = g.input("s", "float32[]")
    g.output(g.MatMul(scalar, g.input("v", "float32[3]"), name="product"), "y")
    assert figures(g, "product")[1:] == ("", "")


def test_a_function_leaves_its_attributes_to_its_callers():
    g = build.graph("net", opset=20)
    x = g.input("x", "float32[1, 1, 4, 4]")
    g.output(g.op("Pool", x, domain="mine", name="call"), "y")
    size = Attribute("kernel_shape", "ints", None, reference="size")
    node = Node("MaxPool", ("a",), ("b",), name="pool", attributes={"kernel_shape": size})
    pool = Function("Pool", "mine", ("a",), ("b",), (node,), {"": 20}, attributes=("size",))
    boxes = scene_of(infer(g.model(functions=[pool]))).boxes
    assert [box.flops for box in boxes if box.op == "MaxPool"] == [""]
