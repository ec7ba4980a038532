"""Explanations as rows, and what the file says kept apart from what inference found."""

import onnx
from onnx import TensorProto, helper

import onnx_explorer as ox
from onnx_explorer.view import derivation as module
from onnx_explorer.view import scene_of
from onnx_explorer.view.derivation import derivation


def test_rows_tell_value_fact_and_rule_from_the_question_down():
    steps = derivation(ox.infer(ox.example("digits")).explain("flatten", 1))
    assert steps[0][:3] == (0, "flatten[1]", "128")
    assert steps[0].reason.startswith("Flatten-13")
    # 32 channels, and what two poolings leave of 8 x 8.
    assert [s.fact for s in steps if s.depth == 1] == ["32", "2", "2"]
    assert {s.value for s in steps} >= {"flatten", "pool2", "conv2_W", "image"}


def test_an_endless_derivation_is_cut_and_says_so(monkeypatch):
    monkeypatch.setattr(module, "MOST", 5)
    steps = derivation(ox.infer(ox.example("digits")).explain("flatten"))
    assert len(steps) == 6
    assert "more steps" in steps[-1].fact


def edges_of(*nodes, stated):
    graph = helper.make_graph(
        list(nodes),
        "said",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        value_info=[helper.make_tensor_value_info("h", TensorProto.FLOAT, stated)],
    )
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("private", 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=10)
    scene = scene_of(ox.infer(ox.load(onnx.ModelProto.SerializeToString(model))))
    return {edge.value: edge for edge in scene.edges}


def test_an_inferred_type_stands_beside_what_the_file_says_otherwise():
    relu = helper.make_node("Relu", ["x"], ["h"])
    edges = edges_of(relu, helper.make_node("Relu", ["h"], ["y"]), stated=["n", None])
    assert (edges["h"].label, edges["h"].from_file) == ("float32[n, 2]", 0)
    assert edges["h"].declared == "float32[n, ?]"


def test_what_the_file_alone_knows_is_marked_so():
    strange = helper.make_node("Strange", ["x"], ["h"], domain="private")
    edges = edges_of(strange, helper.make_node("Relu", ["h"], ["y"]), stated=["n", 7])
    assert (edges["x"].from_file, edges["h"].from_file, edges["y"].from_file) == (1, 1, 0)
    assert (edges["h"].label, edges["h"].declared) == ("float32[n, 7]", "")
