"""Elements that cannot be read keep a model from running, and from nothing else."""

import numpy as np
import pytest
from onnx import TensorProto, helper

import onnx_explorer as ox
from onnx_explorer.errors import ModelError

HUGE = 2**62


def model(tensor, constant):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [6])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    nodes = [helper.make_node("Reshape", ["x", "w"], ["y"])]
    if constant:
        nodes.insert(0, helper.make_node("Constant", [], ["w"], value=tensor))
    graph = helper.make_graph(nodes, "g", [x], [y], [] if constant else [tensor])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def outside():
    tensor = TensorProto(name="w", data_type=7, dims=[2], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="gone.bin")
    return tensor


TENSORS = {
    "absent": (outside(), "int64[2]", "gone.bin"),
    "cut off": (TensorProto(name="w", data_type=7, dims=[2], raw_data=b"123"), "int64[2]", "3 byt"),
    "negative": (TensorProto(name="w", data_type=7, dims=[-2]), "int64[...]", "a negative size"),
    "impossible": (
        TensorProto(name="w", data_type=7, dims=[0, HUGE, HUGE], raw_data=b""),
        f"int64[0, {HUGE}, {HUGE}]",
        "larger than any memory",
    ),
}


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("kind", TENSORS)
def test_types_and_drawings_do_without_the_elements(tmp_path, kind, constant):
    tensor, type_, said = TENSORS[kind]
    path = tmp_path / "m.onnx"
    path.write_bytes(model(tensor, constant).SerializeToString())
    loaded = ox.load(path)
    assert str(ox.infer(loaded)["w"]) == type_
    ox.explore(loaded)
    with pytest.raises((ModelError, ox.EvaluationError), match=f"'w': .*{said}"):
        ox.run(loaded, {"x": np.zeros(6, np.float32)})
