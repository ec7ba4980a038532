"""Large files are mapped: opening one reads the graph and none of the weights."""

import dataclasses
import os
import subprocess
import sys
from io import BytesIO

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnx_explorer.errors import ModelError
from onnx_explorer.files import load, save
from onnx_explorer.files.limits import WHOLE_READ_BYTES
from onnx_explorer.files.payloads import StoredPayload
from onnx_explorer.files.sources import FileSource
from onnx_explorer.files.wire import Rope

LARGE = np.arange(WHOLE_READ_BYTES // 8, dtype=np.float32)


def write_sparse_file(path, tensors, tensor_bytes):
    """A model of many large zero tensors that takes no space on the disk."""
    heads = []
    for i in range(tensors):
        tensor = Rope()
        tensor.number(1, tensor_bytes // 4)
        tensor.number(2, TensorProto.FLOAT)
        tensor.text(8, f"w{i}")
        tensor.head(9, tensor_bytes)
        field = Rope()
        field.head(5, tensor.size + tensor_bytes)
        heads.append(field.joined() + tensor.joined())
    model = Rope()
    model.number(1, 10)
    model.head(7, sum(map(len, heads)) + tensors * tensor_bytes)
    with path.open("wb") as file:
        file.write(model.joined())
        for head in heads:
            file.write(head)
            file.seek(tensor_bytes, os.SEEK_CUR)
        file.truncate(file.tell())


@pytest.fixture
def path(tmp_path):
    constant = helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(LARGE + 1))
    packed = TensorProto(data_type=TensorProto.FLOAT, dims=LARGE.shape, float_data=LARGE + 2)
    typed = helper.make_node("Constant", [], ["d"], value=packed)
    body = helper.make_graph([constant], "body", [], [])
    graph = helper.make_graph(
        [helper.make_node("If", ["b"], ["y"], then_branch=body, else_branch=body), typed],
        "g", [], [], [numpy_helper.from_array(LARGE, "w")],
    )  # fmt: skip
    function = helper.make_function("f", "F", [], ["c"], [constant], [])
    path = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, functions=[function]), path)
    assert path.stat().st_size > WHOLE_READ_BYTES
    return path


def tensors_of(model):
    node, typed = model.graph.nodes
    yield model.graph.initializers["w"], LARGE
    yield node.attributes["then_branch"].value.nodes[0].attributes["value"].value, LARGE + 1
    yield model.functions["f", "F", ""].nodes[0].attributes["value"].value, LARGE + 1
    yield typed.attributes["value"].value, LARGE + 2


def test_large_tensors_are_views_of_the_file_in_subgraphs_and_functions_too(path):
    for tensor, wanted in tensors_of(load(path)):
        assert isinstance(tensor.payload, StoredPayload)
        assert isinstance(tensor.payload.source, FileSource)
        assert np.array_equal(tensor.numpy(), wanted)


def test_bytes_and_files_and_messages_give_the_same_model(path):
    content = path.read_bytes()
    message = onnx.load(path)

    class Exported:
        model_proto = message

    with path.open("rb") as file:
        for source in (content, bytearray(content), memoryview(content), BytesIO(content), file,
                       message, Exported(), str(path)):  # fmt: skip
            for tensor, wanted in tensors_of(load(source)):
                assert np.array_equal(tensor.numpy(), wanted)


def test_tensors_of_bytes_are_views_of_them():
    octets = numpy_helper.from_array(np.arange(5000).astype(np.uint8), "w")
    content = helper.make_model(helper.make_graph([], "g", [], [], [octets])).SerializeToString()
    array = load(content).graph.initializers["w"].numpy()
    assert np.shares_memory(array, np.frombuffer(content, np.uint8))


def test_a_file_that_was_written_into_is_not_read_any_more(path):
    model = load(path)
    os.truncate(path, 100)
    with pytest.raises(ModelError, match="changed after it was loaded; load it again"):
        model.graph.initializers["w"].numpy()
    with pytest.raises(ModelError, match="changed after it was loaded"):
        model.to_bytes()


def test_a_file_that_was_replaced_stays_readable(path):
    model = load(path)
    save(dataclasses.replace(model, producer_name="new"), path)
    assert np.array_equal(model.graph.initializers["w"].numpy(), LARGE)
    again = load(path)
    assert again.producer_name == "new"
    assert np.array_equal(again.graph.initializers["w"].numpy(), LARGE)


def test_a_single_file_of_more_than_2_gib_opens(tmp_path):
    path = tmp_path / "huge.onnx"
    write_sparse_file(path, 5, 2**29)
    assert path.stat().st_size > 2**31
    model = load(path)
    assert model.graph.initializers["w4"].dims == (2**27,)
    assert model.graph.initializers["w4"].numpy()[-1] == 0
    with pytest.raises(ModelError, match="external_data="):
        model.to_bytes()
    with pytest.raises(ModelError, match="external_data="):
        save(model, tmp_path / "copy.onnx")
    assert [each.name for each in tmp_path.iterdir()] == ["huge.onnx"]


def test_opening_a_large_file_takes_next_to_no_memory(tmp_path):
    path = tmp_path / "large.onnx"
    write_sparse_file(path, 96, 16_000_000)
    code = (
        "import sys, psutil; from onnx_explorer.files import load; process = psutil.Process(); "
        "before = process.memory_info().rss; model = load(sys.argv[1]); "
        "print(process.memory_info().rss - before)"
    )
    run = subprocess.run([sys.executable, "-c", code, path], check=True, capture_output=True)
    assert int(run.stdout) < 50 * 2**20


def test_loading_imports_no_numpy(path):
    code = (
        "import sys; from onnx_explorer.files import load; load(sys.argv[1]); "
        "print('numpy' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, path], check=True, capture_output=True, text=True
    )
    assert run.stdout.strip() == "False"
