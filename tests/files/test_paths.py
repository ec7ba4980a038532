"""Paths that cannot be one, or lead to what is no file, are refused by their name."""

import os
import stat

import pytest
from onnx import TensorProto, helper

from onnx_explorer.errors import ModelError
from onnx_explorer.files import load, save
from onnx_explorer.ir import Graph, Model

MODEL = Model(Graph("g"), {"": 20}, 10)
TOO_LONG = "x" * 5000


def test_a_model_is_loaded_as_itself():
    assert load(MODEL) is MODEL


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_a_text_that_is_no_path_is_refused(path):
    with pytest.raises(ModelError, match="expected the name of an ONNX file"):
        load(path)
    with pytest.raises(ModelError, match="expected the name of the file to write"):
        save(MODEL, path)


@pytest.mark.parametrize("path", [b"m.onnx", True, 3, None])
def test_saving_takes_text_and_paths_only(path):
    with pytest.raises(ModelError, match=f"the path {path!r}: expected .* as text or pathlib"):
        save(MODEL, path)


def test_a_name_too_long_for_a_file_is_refused(tmp_path):
    with pytest.raises(ModelError, match=r"'xxx.* cannot be opened: File name too long"):
        load(TOO_LONG)
    with pytest.raises(ModelError, match="cannot be opened: File name too long"):
        save(MODEL, tmp_path / TOO_LONG)


def test_the_longest_name_that_a_file_can_have_is_saved(tmp_path):
    longest = tmp_path / ("x" * 255)
    save(MODEL, longest)
    assert load(longest).graph.name == "g"


def test_a_pipe_is_neither_waited_for_nor_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for refused in (
        lambda: load(pipe),
        lambda: save(MODEL, pipe),
        lambda: save(MODEL, tmp_path / "m.onnx", external_data="pipe"),
    ):
        with pytest.raises(ModelError, match="pipe' is a pipe or a device"):
            refused()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [each.name for each in tmp_path.iterdir()] == ["pipe"]


def test_a_folder_that_is_missing_is_named_with_the_file(tmp_path):
    target = tmp_path / "no" / "m.onnx"
    with pytest.raises(FileNotFoundError) as caught:
        save(MODEL, target)
    assert str(target) in str(caught.value)
    assert "tmp'" not in str(caught.value)


def test_a_directory_is_not_saved_over(tmp_path):
    with pytest.raises(ModelError, match="is a directory; expected the name of a file"):
        save(MODEL, tmp_path)


def test_a_file_that_is_closed_or_not_for_reading_is_told_so(tmp_path):
    said = 'expected one that is open, with mode "rb"'
    with (tmp_path / "m").open("wb") as file, pytest.raises(ModelError, match=said):
        load(file)
    with pytest.raises(ModelError, match=said):
        load(file)


@pytest.mark.parametrize(
    ("location", "said"),
    [("pipe", "is a pipe or a device"), (TOO_LONG, "cannot be opened.*too long")],
)
def test_a_data_file_that_is_none_is_named_when_its_elements_are_asked_for(
    tmp_path, location, said
):
    os.mkfifo(tmp_path / "pipe")
    tensor = TensorProto(name="w", data_type=1, dims=[3], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=location)
    path = tmp_path / "m.onnx"
    graph = helper.make_graph([], "g", [], [], [tensor])
    path.write_bytes(helper.make_model(graph).SerializeToString())
    with pytest.raises(ModelError, match=f"'w': the data file .*{said}"):
        load(path).graph.initializers["w"].numpy()
