"""A saved file appears whole or not at all, and others read it."""

import dataclasses
import os

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnx_explorer.errors import ModelError
from onnx_explorer.files import load, save
from onnx_explorer.ir import Attribute, Graph, Model, Tensor

BIG = np.arange(5000, dtype=np.float32)
SMALL = np.arange(3, dtype=np.int64)


def sample():
    constant = helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(BIG + 1))
    texts = helper.make_tensor("s", TensorProto.STRING, [300], [b"text"] * 300)
    graph = helper.make_graph(
        [constant, helper.make_node("Add", ["b", "c"], ["y"])],
        "g", [], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [5000])],
        [numpy_helper.from_array(BIG, "b"), numpy_helper.from_array(SMALL, "n"), texts],
    )  # fmt: skip
    return helper.make_model(graph)


def test_a_saved_model_is_the_message_that_was_loaded(tmp_path):
    save(load(sample()), tmp_path / "m.onnx")
    assert onnx.load(tmp_path / "m.onnx") == sample()


def test_a_data_file_holds_the_large_tensors_where_onnx_finds_them(tmp_path):
    path = tmp_path / "m.onnx"
    save(load(sample()), path, external_data="m.bin")
    head = onnx.load(path, load_external_data=False)
    where = {tensor.name: tensor.data_location for tensor in head.graph.initializer}
    assert where == {"b": TensorProto.EXTERNAL, "n": TensorProto.DEFAULT, "s": TensorProto.DEFAULT}
    onnx.checker.check_model(path)
    whole = onnx.load(path)
    assert np.array_equal(numpy_helper.to_array(whole.graph.initializer[0]), BIG)
    assert np.array_equal(numpy_helper.to_array(whole.graph.node[0].attribute[0].t), BIG + 1)
    again = load(path)
    assert np.array_equal(again.graph.initializers["b"].numpy(), BIG)
    assert np.array_equal(again.graph.nodes[0].attributes["value"].value.numpy(), BIG + 1)


def test_tensors_of_a_data_file_start_on_pages(tmp_path):
    save(load(sample()), tmp_path / "m.onnx", external_data="m.bin")
    head = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    tensors = [head.graph.initializer[0], head.graph.node[0].attribute[0].t]
    offsets = [int(e.value) for t in tensors for e in t.external_data if e.key == "offset"]
    assert len(set(offsets)) == 2
    assert all(offset % 4096 == 0 for offset in offsets)


def test_a_shared_payload_is_stored_once(tmp_path):
    tensor = Tensor.of(BIG, "a")
    tied = dataclasses.replace(tensor, name="b")
    model = Model(Graph("g", initializers={"a": tensor, "b": tied}), {"": 20}, 10)
    save(model, tmp_path / "m.onnx", external_data="m.bin")
    assert (tmp_path / "m.bin").stat().st_size == BIG.nbytes
    assert np.array_equal(load(tmp_path / "m.onnx").graph.initializers["b"].numpy(), BIG)


def test_a_model_can_be_saved_over_its_own_file_and_data(tmp_path):
    path = tmp_path / "m.onnx"
    save(load(sample()), path, external_data="m.bin")
    model = load(path)
    save(dataclasses.replace(model, doc="new"), path, external_data="m.bin")
    again = load(path)
    assert again.doc == "new"
    assert np.array_equal(again.graph.initializers["b"].numpy(), BIG)
    assert np.array_equal(model.graph.initializers["b"].numpy(), BIG)


def test_a_failed_save_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"old")
    broken = load(helper.make_model(helper.make_graph(
        [], "g", [], [], [TensorProto(name="w", data_type=1, dims=[5000], float_data=[1])]
    )))  # fmt: skip
    with pytest.raises(ModelError, match="cannot write tensor 'w'"):
        save(broken, path, external_data="m.bin")
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["m.onnx"]


def test_a_saved_file_has_the_permissions_of_the_one_it_replaces(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"old")
    path.chmod(0o640)
    save(load(sample()), path)
    assert path.stat().st_mode & 0o777 == 0o640
    mask = os.umask(0o022)
    try:
        save(load(sample()), tmp_path / "new.onnx")
    finally:
        os.umask(mask)
    assert (tmp_path / "new.onnx").stat().st_mode & 0o777 == 0o644


def test_saving_through_a_link_keeps_the_link(tmp_path):
    (tmp_path / "real.onnx").write_bytes(b"old")
    (tmp_path / "link.onnx").symlink_to("real.onnx")
    save(load(sample()), tmp_path / "link.onnx")
    assert (tmp_path / "link.onnx").is_symlink()
    assert onnx.load(tmp_path / "real.onnx") == sample()


@pytest.mark.parametrize("name", ["", "..", "a/b", "../b", "/b", "a\\b", "m.onnx"])
def test_a_data_file_is_a_plain_name_beside_the_model(tmp_path, name):
    with pytest.raises(ModelError, match="external_data="):
        save(load(sample()), tmp_path / "m.onnx", external_data=name)


def test_a_folder_that_is_missing_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        save(load(sample()), tmp_path / "no" / "m.onnx")


def test_an_attribute_whose_value_is_not_of_its_kind_is_named():
    model = load(sample())
    add = model.graph.nodes[1]
    wrong = dataclasses.replace(add, attributes={"axis": Attribute("axis", "int", 1.5)})
    graph = dataclasses.replace(model.graph, nodes=(wrong,))
    with pytest.raises(ModelError, match=r"'axis' is of kind 'int', but holds 1\.5"):
        dataclasses.replace(model, graph=graph).to_bytes()
