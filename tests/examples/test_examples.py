"""The models that come with the package."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from sklearn.datasets import load_digits

import onnx_explorer as ox
from onnx_explorer.examples import FOLDER
from onnx_explorer.examples.train_digits import HELD_OUT


def oracle(model, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.to_bytes(), options)
    return dict(zip((o.name for o in session.get_outputs()), session.run(None, feeds), strict=True))


def test_each_name_is_a_file_and_each_file_a_name():
    assert {path.stem for path in FOLDER.glob("*.onnx")} == set(ox.example())


def test_an_unknown_name_is_told_the_names():
    with pytest.raises(ox.ModelError, match="digits, digits_training, transformer"):
        ox.example("digit")


def test_all_files_together_are_small():
    sizes = {path.stem: path.stat().st_size for path in FOLDER.glob("*.onnx")}
    assert sum(sizes.values()) < 500_000
    assert sizes["digits"] < 200_000


@pytest.mark.parametrize("name", ["digits", "digits_training", "transformer", "loop_if"])
def test_onnx_finds_nothing_wrong(name):
    onnx.checker.check_model(ox.example(name).to_bytes(), full_check=True)


def test_the_digits_held_out_are_read_with_more_than_95_percent():
    data = load_digits()
    images = (data.images[-HELD_OUT:, None] / 16).astype(np.float32)
    model = ox.example("digits")
    probabilities = ox.run(model, {"image": images})["probabilities"]
    assert (probabilities.argmax(axis=1) == data.target[-HELD_OUT:]).mean() > 0.95
    expected = oracle(model, {"image": images})["probabilities"]
    np.testing.assert_allclose(probabilities, expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(("batch", "seq"), [(1, 1), (2, 7), (3, 64)])
def test_the_transformer_takes_any_batch_and_length(batch, seq):
    tokens = np.random.default_rng(0).integers(0, 64, (batch, seq))
    model = ox.example("transformer")
    logits = ox.run(model, {"tokens": tokens})["logits"]
    assert logits.shape == (batch, seq, 64)
    expected = oracle(model, {"tokens": tokens})["logits"]
    np.testing.assert_allclose(logits, expected, rtol=1e-3, atol=1e-4)
    assert str(ox.infer(model)["logits"]) == "float32[batch, seq, 64]"


def collatz(number: int) -> list[int]:
    path = []
    while not path or path[-1] != 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        path.append(number)
    return path


@pytest.mark.parametrize("start", [6, 27])
def test_the_loop_walks_the_collatz_sequence(start):
    feeds = {"start": np.array(start), "limit": np.array(1000)}
    found = ox.run(ox.example("loop_if"), feeds)
    assert found["path"].tolist() == collatz(start)
    assert found["last"] == 1


def test_the_loop_stops_at_its_limit():
    feeds = {"start": np.array(27), "limit": np.array(3)}
    assert ox.run(ox.example("loop_if"), feeds)["path"].tolist() == [82, 41, 124]


def test_the_shape_error_shows_three_layers_after_its_cause():
    model = ox.example("shape_error")
    (error,) = ox.infer(model).errors
    names = [node.name for node in model.graph.nodes]
    assert error.node == "dense"
    assert names.index("dense") - names.index("conv2") == 3
    with pytest.raises(onnx.shape_inference.InferenceError, match="dense"):
        onnx.shape_inference.infer_shapes(
            onnx.load_from_string(model.to_bytes()), strict_mode=True, data_prop=True
        )
