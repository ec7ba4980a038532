"""What takes a model takes all that one can be loaded from."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import onnx_explorer as ox
from onnx_explorer import build


@pytest.fixture
def path(tmp_path):
    """y = a + a, in a file."""
    g = build.graph("twice")
    a = g.input("a", "float32[2]")
    g.output(g.Add(a, a), "y", "float32[2]")
    file = tmp_path / "twice.onnx"
    ox.save(g.model(), file)
    return file


FEEDS = {"a": np.float32([1, 2])}
ENTRIES = {
    "infer": ox.infer,
    "run": lambda model: ox.run(model, FEEDS),
    "Stepper": lambda model: ox.Stepper(model, FEEDS),
    "compare": lambda model: ox.compare(model, FEEDS, "float64"),
    "train_step": lambda model: ox.train_step(model, FEEDS),
    "draw": lambda model: ox.draw(model, "never.svg"),
    "explore": ox.explore,
}


@pytest.mark.parametrize("form", ["text", "path", "bytes", "onnx"])
def test_a_model_may_be_given_as_a_file(path, form):
    given = {
        "text": str(path),
        "path": path,
        "bytes": path.read_bytes(),
        "onnx": onnx.load(path),
    }[form]
    np.testing.assert_array_equal(ox.run(given, FEEDS)["y"], [2, 4])
    assert str(ox.infer(given)["y"]) == "float32[2]"
    stepper = ox.Stepper(given, FEEDS)
    stepper.step()
    np.testing.assert_array_equal(stepper.values["y"], [2, 4])
    assert ox.compare(given, FEEDS, "float64").same
    assert len(ox.check(given)) == 0
    assert "Add" in ox.draw(given, path.with_suffix(".dot")).read_text()
    with pytest.raises(ox.EvaluationError, match="'twice' has no training information"):
        ox.train_step(given, FEEDS)


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
@pytest.mark.parametrize("given", [None, {"x": 1}, 3])
def test_what_is_no_model_is_refused(entry, given):
    found = type(given).__name__
    with pytest.raises(ox.ModelError, match=f"cannot load a model from '{found}'; expected a path"):
        entry(given)


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_a_file_that_is_not_there_is_named(entry, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing\.onnx"):
        entry(tmp_path / "missing.onnx")
