"""What cannot be read is named as what it is."""

import gzip
import io
import pickle
import random
import zipfile

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnx_explorer.errors import ModelError
from onnx_explorer.files import load
from onnx_explorer.files.encode import pieces
from onnx_explorer.files.limits import MAX_GRAPH_DEPTH
from onnx_explorer.ir import Attribute, Graph, Model, Node
from tests.files.messages import Rewritten


def archive(*names):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        for name in names:
            written.writestr(name, b"x")
    return file.getvalue()


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 97841234\n"
CONTENTS = {
    "empty": (b"", "an empty file"),
    "lfs": (LFS, "a Git LFS pointer that stands for 97,841,234 bytes.*git lfs pull"),
    "html": (b"\n<!DOCTYPE html>\n<html><body>Sign in</body></html>", "an HTML page"),
    "pytorch": (archive("archive/data.pkl", "archive/version"), "a PyTorch file.*export"),
    "zip": (archive("readme.txt"), "a zip archive; unpack it first"),
    "zip of a model": (archive("a/net.onnx"), "a zip archive with 'a/net.onnx' inside"),
    "half a zip": (archive("readme.txt")[:20], "a damaged zip archive"),
    "npz": (archive("w.npy"), "a numpy .npz archive"),
    "tflite": (b"\x1c\0\0\0TFL3" + bytes(100), "a TensorFlow Lite model"),
    "ort": (b"\x18\0\0\0ORTM" + bytes(100), "a model in ORT format"),
    "gguf": (b"GGUF\x03\0\0\0" + bytes(100), "GGUF"),
    "safetensors": (b"\x40\0\0\0\0\0\0\0" + b'{"w":{"dtype":"F32"}}' + bytes(200), "safetensors"),
    "hdf5": (b"\x89HDF\r\n\x1a\n" + bytes(100), "HDF5"),
    "pickle": (pickle.dumps([1, 2, 3]), "a Python pickle"),
    "json": (b'{"ir_version": 8}', "a JSON document"),
    "text": (b"hello, this is no model", "a text file that begins 'hello, this is no model'"),
    "model as text": (b"<ir_version: 8>", "a model written as text"),
    "gzip": (gzip.compress(b"x" * 100), "a gzip archive"),
    "png": (b"\x89PNG\r\n\x1a\n" + bytes(20), "a PNG picture"),
    "numbers": (bytes(range(200, 256)), "no ONNX model, or a damaged one.*c8 c9 ca"),
    "zeros": (bytes(1000), "no ONNX model, or a damaged one.*00 00 00"),
}  # fmt: skip


@pytest.mark.parametrize("kind", CONTENTS)
def test_other_content_is_named(tmp_path, kind):
    content, said = CONTENTS[kind]
    path = tmp_path / "net.onnx"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=f"(?s)net.onnx' is no ONNX model.*{said}|{said}"):
        load(path)
    with pytest.raises(ModelError, match=said):
        load(content)


def test_a_large_archive_is_looked_into_without_reading_it(tmp_path):
    path = tmp_path / "weights.pt"
    with zipfile.ZipFile(path, "w") as written:
        written.writestr("weights/data.pkl", b"x")
        written.writestr("weights/data/0", bytes(3 * 2**20))
    with pytest.raises(ModelError, match="a PyTorch file"):
        load(path)


def test_a_file_that_is_cut_off_says_how_much_is_missing(tmp_path):
    graph = helper.make_graph([], "g", [], [], [numpy_helper.from_array(np.zeros(5000), "w")])
    content = helper.make_model(graph).SerializeToString()
    graph_end = content.index(graph.SerializeToString()) + graph.ByteSize()
    with pytest.raises(
        ModelError, match=f"is cut off.*1,000 bytes.* {graph_end - 1000:,} are miss"
    ):
        load(content[:1000])


def test_a_missing_file_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.onnx")


def test_a_directory_is_named_with_the_models_in_it(tmp_path):
    with pytest.raises(ModelError, match=r"is a directory; expected an \.onnx file"):
        load(tmp_path)
    (tmp_path / "net.onnx").write_bytes(b"")
    with pytest.raises(ModelError, match=r"is a directory; .*such as 'net\.onnx'"):
        load(tmp_path)


def test_a_message_that_is_no_model_is_refused():
    with pytest.raises(ModelError, match="this TensorProto is no ONNX model"):
        load(numpy_helper.from_array(np.zeros(3), "w"))


def test_a_model_without_graph_and_functions_is_refused():
    with pytest.raises(ModelError, match="neither a graph nor a function"):
        load(onnx.ModelProto(ir_version=8, producer_name="x"))


def test_a_text_file_handle_is_told_its_mode(tmp_path):
    path = tmp_path / "m"
    path.write_text("x")
    with path.open() as file, pytest.raises(ModelError, match='open it with mode "rb"'):
        load(file)


def test_an_object_that_is_no_source_is_named():
    with pytest.raises(ModelError, match="cannot load a model from 'int'"):
        load(3)


def nested(depth):
    graph = helper.make_graph([], "g", [], [])
    for _ in range(depth - 1):
        graph = helper.make_graph([helper.make_node("Loop", [], [], body=graph)], "g", [], [])
    return helper.make_model(graph).SerializeToString()


def test_graphs_nest_as_deep_as_the_limit_and_no_deeper():
    load(nested(MAX_GRAPH_DEPTH))
    with pytest.raises(ModelError, match=f"nested more than {MAX_GRAPH_DEPTH} deep"):
        load(nested(MAX_GRAPH_DEPTH + 1))


@pytest.mark.parametrize("depth", [MAX_GRAPH_DEPTH, MAX_GRAPH_DEPTH + 1, 300])
def test_no_model_is_written_that_cannot_be_read_again(depth):
    # Half of it untouched, as it was read; the other half around it.
    graph = load(nested(MAX_GRAPH_DEPTH // 2)).graph
    for _ in range(depth - MAX_GRAPH_DEPTH // 2):
        body = Attribute("body", "graph", graph)
        graph = Graph("g", (Node("Loop", (), (), {"body": body}),))
    model = Model(graph, {"": 20}, 10)
    if depth <= MAX_GRAPH_DEPTH:
        load(model.to_bytes())
        onnx.ModelProto.FromString(model.to_bytes())
    else:
        with pytest.raises(ModelError, match=f"nested more than {MAX_GRAPH_DEPTH} deep"):
            model.to_bytes()


def small_model():
    body = helper.make_graph(
        [helper.make_node("Constant", [], ["c"], value=helper.make_tensor("", 1, [2], [1, 2]))],
        "body", [], [],
    )  # fmt: skip
    graph = helper.make_graph(
        [
            helper.make_node("If", ["b"], ["y"], then_branch=body, else_branch=body),
            helper.make_node("Conv", ["x", "w"], ["z"], kernel_shape=[3, 3], doc_string="d"),
        ],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [
            numpy_helper.from_array(np.arange(6.0), "w"),
            helper.make_tensor("i", TensorProto.INT64, [3], [1, 300, -1]),
            helper.make_tensor("s", TensorProto.STRING, [1], [b"text"]),
        ],
    )
    return helper.make_model(graph).SerializeToString()


def look_at_everything(content):
    model = load(content)
    for tensor in model.graph.initializers.values():
        tensor.numpy()
    for node in model.graph.nodes:
        dict(node.metadata)
    model.to_bytes()
    pieces(model, Rewritten()).joined()


def refuses(content):
    """Whether it is refused; any other error than the one for that fails the test."""
    try:
        look_at_everything(content)
    except ModelError:
        return True
    return False


def test_a_cut_is_noticed_wherever_it_is():
    content = small_model()
    read = [end for end in range(len(content)) if not refuses(content[:end])]
    # Only the field of the opset follows the graph: without it this is a whole message.
    opset = onnx.ModelProto.FromString(content).opset_import[0].ByteSize()
    assert read == [len(content) - opset - 2]


@pytest.mark.parametrize("seed", range(4))
def test_damaged_bytes_raise_nothing_but_model_errors(seed):
    content = small_model()
    chance = random.Random(seed)
    refused = 0
    for _ in range(1500):
        damaged = bytearray(content)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        refused += refuses(bytes(damaged))
    assert 300 < refused < 1500


def test_random_bytes_raise_nothing_but_model_errors():
    chance = random.Random(0)
    refused = 0
    for _ in range(2000):
        content = b"\x08\x08" * chance.randint(0, 1) + chance.randbytes(chance.randint(1, 60))
        refused += refuses(content)
    assert refused > 1900
