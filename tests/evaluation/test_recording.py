"""Recorded runs: written, opened elsewhere, and standing at the same place."""

from zipfile import ZipFile

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph


def network():
    g = graph("network", opset=20)
    x = g.input("x", "float32[2]")
    noisy = g.Add(x, g.RandomNormalLike(x, name="noise"), name="noisy")
    g.output(g.Mul(noisy, noisy, name="square"), "out")
    return g.model()


def loop():
    feeds = {"start": 6, "limit": 20}
    return ox.Stepper(ox.example("loop_if"), feeds)


def test_a_run_stands_where_it_stood(tmp_path):
    stepper = ox.Stepper(network(), {"x": [1.0, 2.0]})
    stepper.run_to("square")
    stepper.record(tmp_path / "run.oxrun")
    again = ox.replay(tmp_path / "run.oxrun")
    assert again.current.id == "square"
    assert again.completed == stepper.completed
    for name, value in stepper.values.items():
        np.testing.assert_array_equal(again.values[name], value)
    again.run()
    stepper.run()
    np.testing.assert_array_equal(again.outputs["out"], stepper.outputs["out"])


def test_a_place_inside_a_loop_is_found_again(tmp_path):
    stepper = loop()
    stepper.add_breakpoint(operator="Mul", skip=1)
    stepper.run()
    stepper.record(tmp_path / "run.oxrun")
    again = ox.replay(tmp_path / "run.oxrun")
    assert [(f.path, f.iteration) for f in again.frames] == [
        (f.path, f.iteration) for f in stepper.frames
    ]
    again.run()
    assert again.outputs["path"].tolist() == [3, 10, 5, 16, 8, 4, 2, 1]


def test_changes_are_made_again(tmp_path):
    stepper = ox.Stepper(network(), {"x": [1.0, 2.0]})
    stepper.run_to("square")
    (noisy,) = {*stepper.current.node.inputs}
    stepper.set(noisy, [3.0, 4.0])
    stepper.run()
    stepper.record(tmp_path / "run.oxrun")
    assert ox.replay(tmp_path / "run.oxrun").outputs["out"].tolist() == [9, 16]


def test_a_failure_and_what_was_tried_are_there_again(tmp_path):
    g = graph("g", opset=20)
    a, b = g.input("a", "float32[2, 3]"), g.input("b", "float32[2, 4]")
    g.output(g.Gemm(a, b, name="gemm"), "out")
    feeds = {"a": np.ones((2, 3), np.float32), "b": np.ones((2, 4), np.float32)}
    stepper = ox.Stepper(g.model(), feeds)
    stepper.run()
    stepper.record(tmp_path / "failed.oxrun")
    assert str(ox.replay(tmp_path / "failed.oxrun").failure) == str(stepper.failure)
    stepper.retry(attributes={"transA": 1})
    stepper.record(tmp_path / "tried.oxrun")
    again = ox.replay(tmp_path / "tried.oxrun")
    assert again.failure is None
    assert again.outputs["out"].shape == (3, 4)


def test_sequences_maps_and_nothing_are_recorded(tmp_path):
    g = graph("g", opset=20)
    s = g.input("s", "seq(float32[n])")
    g.output(g.SequenceLength(s), "n")
    stepper = ox.Stepper(g.model(), {"s": [np.ones(2, np.float32), np.ones(3, np.float32)]})
    stepper.run()
    stepper.record(tmp_path / "run.oxrun")
    assert len(ox.replay(tmp_path / "run.oxrun").values["s"]) == 2


def test_a_value_that_comes_out_otherwise_is_warned_of(tmp_path):
    path = tmp_path / "run.oxrun"
    stepper = ox.Stepper(network(), {"x": [1.0, 2.0]})
    stepper.run()
    stepper.record(path)
    with ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    changed = parts["run.json"].replace(f'"seed": {stepper.seed}'.encode(), b'"seed": 1')
    with ZipFile(path, "w") as file:
        for name, part in parts.items():
            file.writestr(name, changed if name == "run.json" else part)
    with pytest.warns(UserWarning, match="is not what was recorded"):
        ox.replay(path)


def test_what_is_no_recorded_run_is_told(tmp_path):
    path = tmp_path / "run.oxrun"
    path.write_bytes(b"PK no zip")
    with pytest.raises(ox.EvaluationError, match="is not a recorded run"):
        ox.replay(path)
    with ZipFile(path, "w") as file:
        file.writestr("run.json", '{"format": 99}')
    with pytest.raises(ox.EvaluationError, match="of format 99; this version reads 1"):
        ox.replay(path)
    with pytest.raises(FileNotFoundError):
        ox.replay(tmp_path / "nowhere.oxrun")


def test_a_place_inside_an_operator_is_found_again(tmp_path):
    g = graph("g", opset=20)
    x = g.input("x", "float32[2, 3]")
    y = g.Softmax(g.Neg(x, name="neg"), name="softmax")
    g.output(g.Neg(y, name="out"), "out")
    stepper = ox.Stepper(g.model(), {"x": np.ones((2, 3), np.float32)})
    stepper.step()
    stepper.step_into()
    stepper.step()
    stepper.record(tmp_path / "run.oxrun")
    again = ox.replay(tmp_path / "run.oxrun")
    assert [frame.path for frame in again.frames] == ["", "softmax/body/"]
    assert again.completed == stepper.completed
    assert again.current.id == stepper.current.id


def test_a_value_set_after_entering_a_graph_is_set_there_again(tmp_path):
    stepper = loop()
    stepper.step_into()
    stepper.set(next(n for n in stepper.frames[-1] if stepper.frames[-1][n].dtype == bool), False)
    stepper.run()
    stepper.record(tmp_path / "run.oxrun")
    again = ox.replay(tmp_path / "run.oxrun")
    assert again.completed == stepper.completed
    np.testing.assert_array_equal(again.outputs["path"], stepper.outputs["path"])


def test_a_recording_that_goes_on_where_its_model_ends_is_told(tmp_path):
    path = tmp_path / "run.oxrun"
    g = graph("g")
    g.output(g.Relu(g.input("x", "float32[1]")), "y")
    stepper = ox.Stepper(g.model(), {"x": np.float32([1])})
    stepper.run()
    stepper.record(path)
    with ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    parts["run.json"] = parts["run.json"].replace(b'"track": [1]', b'"track": [7]')
    with ZipFile(path, "w") as file:
        for name, part in parts.items():
            file.writestr(name, part)
    with pytest.raises(ox.EvaluationError, match="through after 1 moves, and 7 were recorded"):
        ox.replay(path)
