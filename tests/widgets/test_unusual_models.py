"""Models that are seldom met: every way to look at one takes them."""

from __future__ import annotations

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.ir import (
    DType,
    Function,
    Graph,
    MapType,
    Model,
    Node,
    OptionalType,
    SequenceType,
    SparseTensor,
    Tensor,
    TensorType,
    Value,
)
from onnx_explorer.view.graphviz import engine
from onnx_explorer.view.still import still_html, still_text

X = Value("x", TensorType(DType.FLOAT32, (2, 3)))


def empty() -> Model:
    return graph("empty").model()


def passed_through() -> Model:
    return Model(Graph("through", (), (X,), (X,)), {"": 20}, 9)


def without_inputs() -> Model:
    g = graph("constant")
    g.output(g.Add(np.float32(1), np.float32(2), name="add"), "y")
    return g.model()


def named_in_other_scripts() -> Model:
    g = graph("größe ☃")
    x = g.input("入力", "float32[n, 3]")
    with g.scope("кодер/層 1"):
        x = g.Relu(x, name="naïve\u200b<b>&\"'\n행")
        x = g.MatMul(x, g.initializer("вес 💥", np.ones((3, 3), np.float32)), name="🙂")
    g.output(x, "出力")
    return g.model()


def three_deep() -> Model:
    """A Scan in an If in a Loop, which reads an input of the model."""
    g = graph("nested", opset=20)
    x, n, c = g.input("x", "float32[2]"), g.input("n", "int64[]"), g.input("c", "bool[]")
    rows = g.input("rows", "float32[t, 2]")
    body = g.subgraph("body")
    body.input("i", "int64[]")
    go, state = body.input("go", "bool[]"), body.input("state", "float32[2]")
    then, otherwise = body.subgraph("then"), body.subgraph("else")
    scanned = then.subgraph("scanned")
    total, row = scanned.input("total", "float32[2]"), scanned.input("row", "float32[2]")
    scanned.output(scanned.Add(total, row, name="deep"), "sum")
    scanned.output(scanned.Mul(row, x, name="captured"), "scaled")
    last, _ = then.Scan(state, rows, body=scanned, num_scan_inputs=1, name="scan", outputs=2)
    then.output(last, "a")
    otherwise.output(otherwise.Neg(state, name="neg"), "b")
    chosen = body.If(c, then_branch=then, else_branch=otherwise, name="choose")
    body.output(body.Identity(go), "go on")
    body.output(chosen, "next")
    g.output(g.Loop(n, c, x, body=body, name="loop"), "y")
    return g.model()


def of_functions() -> Model:
    twice = Function(
        "Twice", "com.acme", ("a",), ("b",), (Node("Add", ("a", "a"), ("b",)),), {"": 20}
    )
    nodes = tuple(
        Node("Twice", (given,), (made,), domain="com.acme", name=f"to {made}")
        for given, made in ("xy", "yz")
    )
    imports = {"": 20, "com.acme": 1}
    functions = {("com.acme", "Twice", ""): twice}
    return Model(Graph("f", nodes, (X,), (Value("z"),)), imports, 9, functions=functions)


def with_a_sparse_weight() -> Model:
    values = Tensor.of(np.float32([1, 2]), "sparse")
    sparse = SparseTensor(values, Tensor.of(np.array([1, 5])), (2, 3))
    nodes = (Node("Add", ("x", "sparse"), ("y",), name="add"),)
    whole = Graph("s", nodes, (X,), (Value("y"),), sparse_initializers=(sparse,))
    return Model(whole, {"": 20}, 10)


def of_other_types() -> Model:
    inputs = (
        Value("sequence", SequenceType(TensorType(DType.FLOAT32, None))),
        Value("optional", OptionalType(TensorType(DType.FLOAT32, (2,)))),
        Value("map", MapType(DType.INT64, TensorType(DType.FLOAT32, ()))),
    )
    nodes = (
        Node("SequenceLength", ("sequence",), ("length",)),
        Node("OptionalHasElement", ("optional",), ("has",)),
        Node("ZipMap", ("length",), ("zipped",), domain="ai.onnx.ml"),
    )
    outputs = (Value("length"), Value("has"), Value("zipped"))
    return Model(Graph("types", nodes, inputs, outputs), {"": 20, "ai.onnx.ml": 3}, 9)


MODELS = (
    empty,
    passed_through,
    without_inputs,
    named_in_other_scripts,
    three_deep,
    of_functions,
    with_a_sparse_weight,
    of_other_types,
)


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_it_is_drawn_written_and_recorded(make, tmp_path):
    model = make()
    explorer = ox.explore(model, constants=True)
    page = explorer.to_html(tmp_path / "model.html", weights=True, record=True)
    assert page.read_text(encoding="utf-8").count("<script") >= 2
    for node in model.graph.nodes:
        assert node.op_type in still_text(explorer._scene)
    assert model.graph.name in still_html(explorer._scene)
    if engine() is not None:
        picture = ox.draw(model, tmp_path / "model.svg", depth=None, constants=True)
        assert picture.read_text(encoding="utf-8").rstrip().endswith("</svg>")
    ox.save(model, tmp_path / "model.onnx")
    assert len(ox.explore(tmp_path / "model.onnx")._scene.boxes) == len(explorer._scene.boxes)


def test_a_line_of_text_has_one_blank_between_its_parts():
    lines = still_text(ox.explore(of_other_types())._scene).splitlines()
    assert "  SequenceLength int64[]" in lines


def test_the_record_of_a_model_without_inputs_begins_with_nothing():
    explorer = ox.explore(without_inputs())
    record, _ = explorer._debugger.recorded()
    steps = record["steps"]
    assert steps[0]["values"] == {}
    assert list(steps[1]["values"]) == ["y"]
