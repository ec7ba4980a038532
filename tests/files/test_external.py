"""Tensors in data files beside the model: found, checked, and confined to the model's folder."""

import hashlib
import os

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnx_explorer.errors import ModelError
from onnx_explorer.files import load, save

W = np.arange(1000, dtype=np.float32)


def write(folder, **entries):
    """A model `m.onnx` whose tensor `w` has these external data entries."""
    tensor = TensorProto(name="w", data_type=1, dims=W.shape, data_location=TensorProto.EXTERNAL)
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=str(value))
    graph = helper.make_graph([], "g", [], [], [tensor])
    path = folder / "m.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    return path


def weights(path):
    return load(path).graph.initializers["w"].numpy()


def test_external_data_written_by_onnx_is_read(tmp_path):
    graph = helper.make_graph(
        [], "g", [], [], [numpy_helper.from_array(W, "w"), numpy_helper.from_array(W + 1, "v")]
    )
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph), path, save_as_external_data=True, location="m.bin",
              size_threshold=0)  # fmt: skip
    model = load(path)
    assert np.array_equal(model.graph.initializers["w"].numpy(), W)
    assert np.array_equal(model.graph.initializers["v"].numpy(), W + 1)
    assert model.graph.initializers["v"].nbytes == W.nbytes


def test_the_elements_start_at_the_offset_and_end_after_the_length(tmp_path):
    (tmp_path / "w.bin").write_bytes(b"xxxx" + W.tobytes() + b"yy")
    assert np.array_equal(weights(write(tmp_path, location="w.bin", offset=4, length=4000)), W)


def test_without_a_length_the_elements_go_to_the_end_of_the_file(tmp_path):
    (tmp_path / "w.bin").write_bytes(W.tobytes())
    assert np.array_equal(weights(write(tmp_path, location="w.bin")), W)


def test_a_data_file_in_a_folder_below_is_read(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "w.bin").write_bytes(W.tobytes())
    assert np.array_equal(weights(write(tmp_path, location="data/w.bin")), W)


@pytest.mark.parametrize(
    "location", ["../w.bin", "a/../../w.bin", "/etc/passwd", "C:\\w.bin", "\\w.bin", "..\\w.bin"]
)
def test_a_path_that_leads_out_of_the_folder_is_refused_on_loading(tmp_path, location):
    (tmp_path / "w.bin").write_bytes(W.tobytes())
    folder = tmp_path / "model"
    folder.mkdir()
    with pytest.raises(ModelError, match=r"'w': external data at .*(leaves|relative)"):
        load(write(folder, location=location))


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path):
    (tmp_path / "secret").write_bytes(W.tobytes())
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "w.bin").symlink_to(tmp_path / "secret")
    with pytest.raises(ModelError, match="a link that leaves the model's folder"):
        load(write(folder, location="w.bin"))
    (folder / "w.bin").unlink()
    (folder / "sub").symlink_to(tmp_path)
    with pytest.raises(ModelError, match="a link that leaves the model's folder"):
        load(write(folder, location="sub/secret"))


def test_a_download_cache_that_links_model_and_data_into_one_folder_works(tmp_path):
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshot"
    blobs.mkdir()
    snapshot.mkdir()
    (blobs / "1f3a").write_bytes(W.tobytes())
    write(blobs, location="w.bin").rename(blobs / "77c0")
    (snapshot / "w.bin").symlink_to(blobs / "1f3a")
    (snapshot / "m.onnx").symlink_to(blobs / "77c0")
    assert np.array_equal(weights(snapshot / "m.onnx"), W)


def test_a_missing_data_file_is_named_when_its_elements_are_asked_for(tmp_path):
    model = load(write(tmp_path, location="w.bin", length=4000))
    assert model.graph.initializers["w"].nbytes == 4000
    with pytest.raises(ModelError, match=r"'w': .*w\.bin' does not exist; put it beside"):
        model.graph.initializers["w"].numpy()


def test_a_data_file_that_is_too_short_is_named_with_both_sizes(tmp_path):
    (tmp_path / "w.bin").write_bytes(W.tobytes()[:-1])
    with pytest.raises(ModelError, match="has 3999 bytes, but bytes 0 to 4000 are expected"):
        weights(write(tmp_path, location="w.bin", offset=0, length=4000))


def test_a_length_that_does_not_fit_the_shape_is_refused(tmp_path):
    (tmp_path / "w.bin").write_bytes(W.tobytes())
    with pytest.raises(ModelError, match=r"3996 bytes stored, but float32\[1000\] needs 4000"):
        weights(write(tmp_path, location="w.bin", length=3996))


@pytest.mark.parametrize(
    "entries",
    [
        {"location": "w.bin", "offset": "-4"},
        {"location": "w.bin", "length": "4e3"},
        {"location": "w.bin", "offset": "٣"},
        {"location": ""},
        {"offset": 0},
    ],
)
def test_entries_that_say_nothing_usable_are_refused(tmp_path, entries):
    with pytest.raises(ModelError, match="'w': external data"):
        load(write(tmp_path, **entries))


def test_a_checksum_is_verified(tmp_path):
    (tmp_path / "w.bin").write_bytes(W.tobytes())
    right = hashlib.sha1(W.tobytes()).hexdigest()
    assert np.array_equal(weights(write(tmp_path, location="w.bin", checksum=right)), W)
    with pytest.raises(ModelError, match=f"has the SHA-1 {right}, but the model expects 'abc'"):
        weights(write(tmp_path, location="w.bin", checksum="abc"))


def test_a_data_file_that_was_written_into_is_not_read_any_more(tmp_path):
    (tmp_path / "w.bin").write_bytes(W.tobytes())
    tensor = load(write(tmp_path, location="w.bin")).graph.initializers["w"]
    tensor.numpy()
    os.truncate(tmp_path / "w.bin", 10)
    with pytest.raises(ModelError, match="changed after it was loaded"):
        tensor.numpy()


def test_a_model_from_memory_says_that_it_has_no_folder(tmp_path):
    content = write(tmp_path, location="w.bin").read_bytes()
    with pytest.raises(ModelError, match="came from memory has no folder; load it by its path"):
        load(content).graph.initializers["w"].numpy()


def test_external_data_stays_external_in_bytes_and_goes_inside_on_saving(tmp_path):
    (tmp_path / "w.bin").write_bytes(W.tobytes())
    path = write(tmp_path, location="w.bin", offset=0, length=4000)
    model = load(path)
    assert model.to_bytes() == path.read_bytes()
    save(model, tmp_path / "whole.onnx")
    (tensor,) = onnx.load(tmp_path / "whole.onnx", load_external_data=False).graph.initializer
    assert tensor.raw_data == W.tobytes()
    assert tensor.data_location == TensorProto.DEFAULT
