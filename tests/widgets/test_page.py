"""An explorer as one HTML file."""

import json
import re

import pytest

import onnx_explorer as ox
from onnx_explorer.view import scene_of
from onnx_explorer.widgets import page as module
from onnx_explorer.widgets.page import html_page


@pytest.fixture(autouse=True)
def built(monkeypatch):
    """The front end is not what is tested here."""
    texts = {"widget.js": "'</Script><!--'", "widget.css": "p { margin: 0 }"}
    monkeypatch.setattr(module, "asset", texts.__getitem__)


def data_of(page: str) -> dict:
    found = re.search(r'id="onnx-explorer-page">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def scene(name: str):
    return scene_of(ox.infer(ox.example(name)))


def test_a_page_holds_the_scene_and_the_words_of_its_operators():
    data = data_of(html_page(scene("digits")))
    assert data["scene"] == json.loads(scene("digits").to_bytes())
    assert data["answers"]["operator  Conv 11"]["operator"] == "Conv"
    assert not any(key.startswith("initializer") for key in data["answers"])


def test_numbers_of_weights_come_only_when_asked_for():
    answers = data_of(html_page(scene("digits"), weights=True))["answers"]
    assert answers["statistics conv1_W"]["elements"] == 16 * 3 * 3
    assert answers["initializer conv1_B"]["type"] == "float32[16]"


def test_codes_of_findings_can_be_looked_up():
    answers = data_of(html_page(scene("shape_error")))["answers"]
    assert answers["code inner-size-mismatch"]["headline"] == "inner sizes differ"


def test_neither_model_nor_front_end_can_end_the_script_that_holds_them():
    g = ox.build.graph("</script><script>alert(1)</script>")
    g.output(g.Relu(g.input("<!--", "float32[1]"), name="</SCRIPT >"), "y")
    text = html_page(scene_of(ox.infer(g.model())))
    assert text.lower().count("</script") == 2
    assert text.count("<!--") == 0
    assert data_of(text)["scene"]["boxes"]["id"][0] == "in:<!--"


def test_the_page_asks_nothing_of_the_network():
    text = html_page(scene("digits"))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    assert policy[1].startswith("default-src 'none'")
    assert "http" not in re.sub(r"http-equiv", "", text.partition("onnx-explorer-page")[0])


def test_to_html_writes_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("onnx_explorer.widgets.explorer.asset", lambda name: "")
    path = ox.explore(ox.example("digits")).to_html(tmp_path / "model.html")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
