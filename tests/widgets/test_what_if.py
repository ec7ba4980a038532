"""What-if through the widget: sizes, types, attributes and initializers, tried and taken over."""

from __future__ import annotations

import json
import re
from base64 import b64decode

import numpy as np
import pytest

import onnx_explorer as ox
from tests.view.unpacked import columns_of
from tests.widgets.asking import Asker


@pytest.fixture
def asker(monkeypatch):
    """A product whose sides do not fit unless the left one is transposed, then a reshape."""
    g = ox.build.graph("clash")
    a, b = g.input("a", "float32[2, 3]"), g.input("b", "float32[2, n]")
    product = g.Gemm(a, b, name="product")
    g.output(g.Reshape(product, g.initializer("shape", np.array([-1, 1])), name="flat"), "y")
    return Asker(g.model(), None, monkeypatch)


def labels(asker) -> dict[str, str]:
    edges = columns_of(asker.explorer.scene)["edges"]
    return dict(zip(edges["value"], edges["label"], strict=True))


def change(asker, what, place, text, name=""):
    return asker.ask("change", what=what, place=place, name=name, text=text)


def test_another_attribute_mends_the_finding_and_the_edges_say_so(asker):
    told = change(asker, "attribute", "product", "1", "transA")
    assert len(told["gone"]) == 1
    assert "inner" in told["gone"][0] or "differ" in told["gone"][0]
    assert told["new"] == []
    # 3 rows of the transposed a, n columns of b, as one column.
    assert labels(asker)["y"] == "float32[3*n, 1]"
    assert asker.state["what_if"] is True


def test_what_the_edges_said_before_is_kept(asker):
    change(asker, "size", "n", "4")
    was = asker.ask("was")["labels"]
    assert was["b"] == "float32[2, n]"
    assert "a" not in was


def test_changes_add_up_and_are_taken_back_one_by_one(asker):
    change(asker, "size", "n", "4")
    told = change(asker, "attribute", "product", "1", "transA")
    assert [row["told"] for row in told["changes"]] == ["n = 4", "product.transA = 1"]
    assert labels(asker)["y"] == "float32[12, 1]"
    told = asker.ask("take_back", **told["changes"][0])
    assert [row["told"] for row in told["changes"]] == ["product.transA = 1"]
    assert labels(asker)["y"] == "float32[3*n, 1]"


def test_another_input_type_and_initializer_change_what_follows(asker):
    change(asker, "type", "b", "float32[3, 5]")
    assert labels(asker)["y"] == "float32[10, 1]"
    change(asker, "initializer", "shape", "5 2")
    assert labels(asker)["y"] == "float32[5, 2]"


def test_a_list_of_one_number_is_a_tensor_of_one_axis(asker):
    change(asker, "initializer", "shape", "[10]")
    asker.ask("take_over")
    assert asker.explorer.model.graph.initializers["shape"].dims == (1,)


def test_reset_is_as_it_was(asker):
    before = asker.explorer.scene
    change(asker, "type", "b", "float32[3, 5]")
    assert asker.explorer.scene != before
    asker.ask("reset")
    assert asker.explorer.scene == before
    assert asker.state["what_if"] is False


@pytest.mark.parametrize(
    ("what", "place", "name", "text", "told"),
    [
        ("size", "m", "", "4", "neither an input"),
        ("size", "n", "", "-4", "0 or more"),
        ("type", "b", "", "floaty[3]", "float32[N, 10]"),
        ("attribute", "product", "transC", "1", "transC"),
        ("initializer", "shape", "", "five", "no value"),
        ("weather", "", "", "", "cannot be changed"),
    ],
)
def test_what_does_not_fit_is_told_and_changes_nothing(asker, what, place, name, text, told):
    change(asker, "size", "n", "4")
    before = asker.explorer.scene
    assert told in change(asker, what, place, text, name)["error"]
    assert asker.explorer.scene == before
    assert len(asker.ask("what_if")["changes"]) == 1


def test_taken_over_it_is_the_model_that_runs(asker):
    asker.ask("run")
    assert asker.state["failed"] == "product"
    asker.ask("break", node="flat", when="always")
    change(asker, "attribute", "product", "1", "transA")
    asker.ask("take_over")
    assert asker.state["what_if"] is False
    assert asker.ask("what_if")["changes"] == []
    assert asker.explorer.types.errors == ()
    asker.ask("run")
    assert (asker.state["current"], len(asker.state["breakpoints"])) == ("flat", 1)
    asker.ask("run")
    assert asker.state["failed"] is None
    given = asker.explorer.inputs
    expected = (given["a"].T @ given["b"]).reshape(-1, 1)
    np.testing.assert_allclose(asker.explorer.stepper.outputs["y"], expected, rtol=1e-5)


def page_of(asker, tmp_path, **options) -> tuple[dict, dict]:
    """The scene and the answers of the page that is written now."""
    page = asker.explorer.to_html(tmp_path / "page.html", **options).read_text(encoding="utf-8")
    scene = re.search(r'id="onnx-explorer-scene">([^<]*)<', page)[1]
    answers = re.search(r'id="onnx-explorer-answers">([^<]*)<', page)[1]
    return columns_of(b64decode(scene)), json.loads(answers)


def test_a_page_that_is_written_meanwhile_is_that_of_the_changed_model_and_says_so(asker, tmp_path):
    change(asker, "attribute", "product", "1", "transA")
    change(asker, "size", "n", "4")
    scene, answers = page_of(asker, tmp_path, record=True)
    assert ["What if", "product.transA = 1, n = 4"] in scene["model"]
    shown = dict(zip(scene["edges"]["value"], scene["edges"]["label"], strict=True))
    assert shown["y"] == "float32[12, 1]"
    # As it stands the run would fail; the changed model gives 3 × 4 products.
    record = answers["record"]
    assert record["failed"] is None
    assert record["values"]["y"][0]["value"]["type"] == "float32[12, 1]"
    asker.ask("reset")
    scene, answers = page_of(asker, tmp_path, record=True)
    assert "What if" not in [label for label, _ in scene["model"]]
    assert answers["record"]["failed"] == "product"


def test_the_numbers_of_a_changed_weight_are_those_that_it_has_now(asker, tmp_path):
    assert asker.ask("initializer", name="shape")["head"] == ["-1", "1"]
    change(asker, "initializer", "shape", "[1, -1]")
    assert asker.ask("initializer", name="shape")["head"] == ["1", "-1"]
    assert asker.ask("value", name="shape")["head"] == ["1", "-1"]
    assert asker.ask("view", name="shape", view="line")["numbers"] == [1, -1]
    _, answers = page_of(asker, tmp_path, weights=True)
    assert answers["initializer shape"]["head"] == ["1", "-1"]
    asker.ask("reset")
    assert asker.ask("initializer", name="shape")["head"] == ["-1", "1"]
