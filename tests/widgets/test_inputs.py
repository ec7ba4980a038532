"""What a run starts from: filled, pasted, from files, of sizes that the model works with."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

import onnx_explorer as ox
from onnx_explorer.errors import EvaluationError
from onnx_explorer.widgets.inputs import Inputs
from tests.widgets.asking import Asker


def saved(array: np.ndarray) -> bytes:
    file = BytesIO()
    np.save(file, array)
    return file.getvalue()


def pair():
    """The sum of two matrices of the same open sizes."""
    g = ox.build.graph("pair")
    a, b = g.input("a", "float32[n, m]"), g.input("b", "float32[n, m]")
    g.output(g.Add(a, b, name="add"), "sum")
    return g.model()


@pytest.fixture
def asker(monkeypatch):
    return Asker(pair(), None, monkeypatch)


def windowed():
    """A convolution that needs seven elements, then pooled by four without a rest."""
    g = ox.build.graph("windowed")
    x = g.input("x", "float32[batch, 1, length]")
    weight = g.initializer("weight", np.ones((1, 1, 7), np.float32))
    g.output(g.Reshape(g.Conv(x, weight, name="conv"), np.array([0, 4, -1])), "y")
    return g.model()


def test_random_inputs_have_sizes_that_the_model_works_with():
    inputs = Inputs(ox.infer(windowed()))
    # length - 6 elements are left, which have to be a multiple of 4; 8 would leave 2.
    assert inputs.sizes == {"batch": 1, "length": 10}
    ox.run(windowed(), dict(inputs.values))


def test_a_size_that_the_model_does_not_work_with_is_refused_and_nothing_changes():
    inputs = Inputs(ox.infer(windowed()))
    with pytest.raises(EvaluationError, match="length = 5; the model works for"):
        inputs.choose_size("length", 5)
    assert inputs.sizes["length"] == 10
    inputs.choose_size("length", 14)
    assert inputs.values["x"].shape == (1, 1, 14)


def test_an_input_that_was_given_decides_the_sizes_of_the_others():
    inputs = Inputs(ox.infer(pair()))
    inputs.feed("a", np.ones((2, 5), np.float32))
    assert inputs.values["b"].shape == (2, 5)
    assert [(row["name"], row["fixed"]) for row in inputs.state()["sizes"]] == [
        ("n", "a"),
        ("m", "a"),
    ]


def test_zeros_and_ones_fill_an_input():
    inputs = Inputs(ox.infer(pair()))
    inputs.feed("a", "zeros")
    inputs.feed("b", "ones")
    assert (inputs.values["a"] == 0).all()
    assert (inputs.values["b"] == 1).all()


@pytest.mark.parametrize(
    "text", ["[[1, 2], [3, 4]]", "1 2\n3 4", "1, 2\n3, 4\n", "1\t2\n3\t4"]
)  # fmt: skip
def test_numbers_can_be_pasted_as_a_list_or_as_rows(text):
    inputs = Inputs(ox.infer(pair()))
    inputs.feed_text("a", text)
    np.testing.assert_array_equal(inputs.values["a"], [[1, 2], [3, 4]])
    assert inputs.values["a"].dtype == np.float32


def test_a_flat_list_of_as_many_numbers_gets_the_shape():
    inputs = Inputs(ox.infer(pair()))
    inputs.choose_size("n", 2)
    inputs.choose_size("m", 3)
    inputs.feed_text("a", "1 2 3 4 5 6")
    np.testing.assert_array_equal(inputs.values["a"], [[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize(
    ("text", "told"), [("one two", "is no value"), ("[1, 2]", "rank 1"), ("[[1], [2, 3]]", "length")]
)  # fmt: skip
def test_what_is_no_value_is_told_and_what_was_there_stays(text, told):
    inputs = Inputs(ox.infer(pair()))
    before = inputs.values["a"]
    with pytest.raises(EvaluationError, match=told):
        inputs.feed_text("a", text)
    assert inputs.values["a"] is before


def test_an_array_comes_from_a_file_in_the_declared_dtype():
    inputs = Inputs(ox.infer(pair()))
    inputs.feed_file("a", "x.npy", saved(np.array([[0.5, 1.5]])))
    assert inputs.values["a"].dtype == np.float32
    np.testing.assert_array_equal(inputs.values["a"], [[0.5, 1.5]])


def test_of_several_arrays_that_of_the_input_is_taken():
    file = BytesIO()
    np.savez(file, a=np.ones((1, 2), np.float32), other=np.zeros(3))
    inputs = Inputs(ox.infer(pair()))
    inputs.feed_file("a", "both.npz", file.getvalue())
    np.testing.assert_array_equal(inputs.values["a"], [[1, 1]])
    with pytest.raises(EvaluationError, match=r"holds 'a', 'other'; expected one array, or 'b'"):
        inputs.feed_file("b", "both.npz", file.getvalue())


def test_a_file_with_objects_is_not_unpickled():
    file = BytesIO()
    np.save(file, np.array([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(EvaluationError, match="cannot be read"):
        Inputs(ox.infer(pair())).feed_file("a", "x.npy", file.getvalue())


def picture(type_: str):
    g = ox.build.graph("picture")
    g.output(g.Identity(g.input("x", type_)), "y")
    return Inputs(ox.infer(g.model()))


RED_AND_GREEN = bytes([255, 0, 0, 255, 0, 255, 0, 255])


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("float32[1, 3, 1, 2]", [[[[1, 0]], [[0, 1]], [[0, 0]]]]),
        ("uint8[1, h, w, 3]", [[[[255, 0, 0], [0, 255, 0]]]]),
        ("uint8[3, 1, 2]", [[[255, 0]], [[0, 255]], [[0, 0]]]),
        # The weights of red and green in grey, 0.299 and 0.587, of 255.
        ("uint8[2, 1, 1, 2]", [[[[76, 150]]], [[[76, 150]]]]),
    ],
)
def test_pixels_become_what_the_input_takes(type_, expected):
    inputs = picture(type_)
    inputs.feed_picture("x", "flags.png", RED_AND_GREEN, 1, 2)
    np.testing.assert_array_equal(inputs.values["x"], expected)


def test_a_picture_for_an_input_that_takes_none_is_refused():
    with pytest.raises(EvaluationError, match="expected one of three or four axes"):
        picture("float32[5]").feed_picture("x", "flags.png", RED_AND_GREEN, 1, 2)


def test_an_image_file_is_read_and_brought_to_the_declared_size(tmp_path):
    path = tmp_path / "white.png"
    Image.new("L", (7, 5), 255).save(path)
    inputs = picture("float32[1, 1, 3, 4]")
    inputs.feed("x", path)
    np.testing.assert_array_equal(inputs.values["x"], np.ones((1, 1, 3, 4)))


def test_what_does_not_fit_the_other_inputs_is_told_beside_it(asker):
    asker.ask("fill", name="a", how="list", text="[[1, 2]]")
    rows = asker.ask("fill", name="b", how="list", text="[[1, 2, 3]]")["rows"]
    assert [bool(row["problem"]) for row in rows] == [False, True]
    assert "'m' is 2 in input 'a'" in rows[1]["problem"]
    assert "'m' is 2 in input 'a'" in asker.ask("begin")["error"]
    asker.ask("fill", name="b", how="list", text="[[1, 3]]")
    asker.ask("begin")
    assert asker.ask("value", name="sum")["head"] == ["2", "5"]


def test_a_run_again_starts_from_the_new_inputs_and_keeps_the_breakpoints(asker):
    asker.ask("fill", name="a", how="ones")
    asker.ask("fill", name="b", how="ones")
    asker.ask("begin")
    asker.ask("break", node="add", when="always")
    assert asker.state["stale"] is False
    asker.ask("fill", name="b", how="zeros")
    assert asker.state["stale"] is True
    # What has been computed is still what the old inputs gave.
    assert asker.ask("value", name="sum")["max"] == 2
    asker.ask("begin")
    assert (asker.state["current"], asker.state["stale"]) == ("add", False)
    asker.ask("run")
    assert asker.ask("value", name="sum")["max"] == 1


def test_a_file_from_the_browser_travels_as_bytes(asker):
    asker.ask("fill", saved(np.array([[4, 2]])), name="a", how="file", file="x.npy")
    row = asker.ask("inputs")["rows"][0]
    assert (row["how"], row["text"], row["shown"]) == ("file", "x.npy", "float32[1, 2]")
    assert "choose it again" in asker.ask("fill", name="a", how="file", file="x.npy")["error"]


def test_python_feeds_an_input_and_restart_begins_with_it(asker):
    explorer = asker.explorer
    explorer.feed("a", [[1, 2]])
    explorer.feed("b", [[10, 20]])
    explorer.run()
    assert asker.ask("value", name="sum")["head"] == ["11", "22"]
    explorer.feed("b", [[0, 0]])
    explorer.restart()
    explorer.run()
    assert asker.ask("value", name="sum")["head"] == ["1", "2"]
    np.testing.assert_array_equal(explorer.inputs["b"], [[0, 0]])


def test_an_unknown_input_is_told_with_those_that_there_are(asker):
    with pytest.raises(EvaluationError, match="no input 'c'; its inputs are 'a', 'b'"):
        asker.explorer.feed("c", [1])
    with pytest.raises(FileNotFoundError):
        asker.explorer.feed("a", "nowhere.npy")


def test_a_size_that_no_memory_holds_is_refused_and_nothing_changes(asker):
    reply = asker.ask("size", name="n", size=10**12)
    assert "8,000,000,000,000 elements" in reply["error"]
    assert {s["name"]: s["size"] for s in asker.ask("inputs")["sizes"]}["n"] != 10**12
    text = "zeros[9999999, 999]"
    assert "elements" in asker.ask("fill", name="a", how="list", text=text)["error"]
    assert asker.ask("begin") == {"id": 1, "ok": True}


def test_a_declared_shape_that_no_memory_holds_is_told():
    g = ox.build.graph("vast")
    g.output(g.Relu(g.input("x", "float32[1000000, 1000000]")), "y")
    with pytest.raises(EvaluationError, match="1,000,000,000,000 elements"):
        _ = Inputs(ox.infer(g.model())).values


def damaged(at: int, byte: int) -> bytes:
    data = bytearray(saved(np.zeros((2, 2), np.float32)))
    data[at] = byte
    return bytes(data)


def archive(**arrays: np.ndarray) -> bytes:
    file = BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize(
    ("file", "data"),
    [
        ("cut.npy", saved(np.zeros((2, 2)))[:20]),
        ("header.npy", damaged(8, 0x23)),
        ("objects.npz", archive(a=np.array([{}], object))),
        ("archive.npz", archive(a=np.zeros(2)).replace(b"\x93NUMPY", b"\x93NOMPY")),
    ],
)
def test_a_damaged_file_is_told_with_its_name(file, data):
    inputs = Inputs(ox.infer(pair()))
    with pytest.raises(EvaluationError, match=file):
        inputs.feed_file("a", file, data)


@pytest.mark.parametrize("path", ["", "."])
def test_a_folder_is_no_value(path):
    with pytest.raises(EvaluationError, match="names no file"):
        Inputs(ox.infer(pair())).feed("a", path)


def test_a_number_of_pythons_is_shown_as_the_tensor_that_it_becomes():
    g = ox.build.graph("scalars")
    count, going = g.input("count", "int64[]"), g.input("going", "bool[]")
    g.output(g.Where(going, count, g.Neg(count)), "y")
    inputs = Inputs(ox.infer(g.model()), {"count": 3, "going": True})
    assert [row["shown"] for row in inputs.state()["rows"]] == ["int64[]", "bool[]"]
