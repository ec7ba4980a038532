"""An explorer as one HTML file."""

import json
import re
from base64 import b64decode

import pytest

import onnx_explorer as ox
from onnx_explorer.view import scene_of
from onnx_explorer.widgets import page as module
from onnx_explorer.widgets.page import html_page
from tests.view.unpacked import columns_of


@pytest.fixture(autouse=True)
def built(monkeypatch):
    """The front end is not what is tested here."""
    texts = {"widget.js": "'</Script><!--'", "widget.css": "p { margin: 0 }"}
    monkeypatch.setattr(module, "asset", texts.__getitem__)


def held(page: str, part: str) -> str:
    found = re.search(rf'id="onnx-explorer-{part}">(.*?)</script>', page, re.DOTALL)
    assert found
    return found[1]


def answers_of(page: str) -> dict:
    return json.loads(held(page, "answers"))


def scene_in(page: str) -> dict:
    return columns_of(b64decode(held(page, "scene")))


def scene(name: str):
    return scene_of(ox.infer(ox.example(name)))


def test_a_page_holds_the_scene_and_the_words_of_its_operators():
    page = html_page(scene("digits"))
    assert scene_in(page) == columns_of(scene("digits").to_bytes())
    assert answers_of(page)["operator  Conv 11"]["operator"] == "Conv"
    assert not any(key.startswith("initializer") for key in answers_of(page))


def test_numbers_of_weights_come_only_when_asked_for():
    answers = answers_of(html_page(scene("digits"), weights=True))
    assert answers["statistics conv1_W"]["elements"] == 16 * 3 * 3
    assert answers["initializer conv1_B"]["type"] == "float32[16]"


def test_codes_of_findings_can_be_looked_up():
    answers = answers_of(html_page(scene("shape_error")))
    assert answers["code inner-size-mismatch"]["headline"] == "inner sizes differ"


def test_neither_model_nor_front_end_can_end_the_script_that_holds_them():
    g = ox.build.graph("</script><script>alert(1)</script>")
    g.output(g.Relu(g.input("<!--", "float32[1]"), name="</SCRIPT >"), "y")
    text = html_page(scene_of(ox.infer(g.model())))
    assert text.lower().count("</script") == 4
    assert text.count("<!--") == 0
    assert scene_in(text)["boxes"]["id"][0] == "in:<!--"


def test_the_page_asks_nothing_of_the_network():
    text = html_page(scene("digits"))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    assert policy[1].startswith("default-src 'none'")
    assert "http" not in re.sub(r"http-equiv", "", text.partition("onnx-explorer-scene")[0])


def test_to_html_writes_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("onnx_explorer.widgets.explorer.asset", lambda name: "")
    path = ox.explore(ox.example("digits")).to_html(tmp_path / "model.html")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_page_begins_with_what_the_explorer_shows(tmp_path, monkeypatch):
    monkeypatch.setattr("onnx_explorer.widgets.explorer.asset", lambda name: "")
    explorer = ox.explore(ox.example("digits"))
    explorer.overlay("latency", {"conv1": 2.0}, unit="ms")
    explorer.select("dense")
    page = explorer.to_html(tmp_path / "page.html").read_text(encoding="utf-8")
    shared = answers_of(page)["shared"]
    assert shared["overlay_name"] == "latency"
    assert shared["overlays"]["latency"]["values"] == {"conv1": 2.0}
    assert (shared["selected"], shared["selection"]) == ("node:dense", ["dense"])
    # Open sizes are those that a run would have.
    assert ["batch", 1] in scene_in(page)["sizes"]
