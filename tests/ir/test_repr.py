"""What a notebook shows of a model: a line or three, whatever its size."""

import onnx_explorer as ox


def test_a_model_is_told_by_its_size_its_opset_and_its_ends():
    assert repr(ox.example("digits")) == (
        "<model 'digits': 11 nodes, opset ai.onnx 20\n"
        "  in   image: float32[batch, 1, 8, 8]\n"
        "  out  probabilities: float32[batch, 10]>"
    )


def test_parts_of_a_model_are_told_in_a_line():
    graph = ox.example("digits").graph
    assert repr(graph) == "<graph 'digits': 11 nodes, 8 initializers, 1 in, 1 out>"
    assert repr(graph.nodes[0]) == "<node 'conv1': conv1 = Conv(image, conv1_W, conv1_B)>"
    assert repr(graph.nodes[0].attributes["pads"]) == "<attribute pads = (1, 1, 1, 1)>"
    assert repr(graph.inputs[0]) == "<value 'image': float32[batch, 1, 8, 8]>"
    assert repr(graph.initializers["conv1_W"]) == "<tensor conv1_W: float32[16, 1, 3, 3]>"


def test_a_large_attribute_is_cut():
    (loop,) = [n for n in ox.example("loop_if").graph.nodes if n.op_type == "Loop"]
    assert len(repr(loop.attributes["body"])) < 100
