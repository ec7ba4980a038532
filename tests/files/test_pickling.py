"""Models and exceptions come back from pickle and copy as they went in."""

import copy
import pickle

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnx_explorer.dims import parse
from onnx_explorer.dims.errors import DimSyntaxError
from onnx_explorer.evaluation import run
from onnx_explorer.evaluation.machine import NodeFailed
from onnx_explorer.files import load
from onnx_explorer.schema import Violation

W = np.arange(1000, dtype=np.float32)


def sample():
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None]) for name in "xy"]
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])], "g", values[:1], values[1:],
        [numpy_helper.from_array(W, "w")],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])


@pytest.mark.parametrize("again", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_a_model_comes_back(again):
    assert onnx.ModelProto.FromString(again(load(sample())).to_bytes()) == sample()


def test_a_pickled_model_needs_no_data_file(tmp_path):
    onnx.save(sample(), tmp_path / "m.onnx", save_as_external_data=True, location="m.bin",
              size_threshold=0)  # fmt: skip
    pickled = pickle.dumps(load(tmp_path / "m.onnx"))
    (tmp_path / "m.bin").unlink()
    assert np.array_equal(pickle.loads(pickled).graph.initializers["w"].numpy(), W)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_exceptions_come_back_with_what_they_know(protocol):
    def again(error):
        found = pickle.loads(pickle.dumps(error, protocol))
        assert type(found) is type(error)
        assert str(found) == str(error)
        return found

    violation = again(Violation("2 axes", "3 are needed", port="X"))
    assert (violation.found, violation.expected, violation.port) == ("2 axes", "3 are needed", "X")
    with pytest.raises(DimSyntaxError) as syntax:
        parse("a +")
    assert again(syntax.value).text == "a +"
    with pytest.raises(NodeFailed) as failed:
        run(load(sample()), {"x": np.zeros(3, np.float32)})
    failure = again(failed.value).failure
    assert failure.operator == "Add-14"
    assert np.array_equal(failure.inputs["w"], W)
