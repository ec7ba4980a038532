"""The widget without a browser: its traits, and its answers to the front end."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.widgets import Explorer, document, front_end
from onnx_explorer.widgets import session as session_module
from tests.view.unpacked import columns_of


@pytest.fixture(autouse=True)
def built(monkeypatch):
    """The front end is not what is tested here."""
    monkeypatch.setattr(front_end, "asset", lambda name: f"/* {name} */")
    monkeypatch.setattr("onnx_explorer.widgets.explorer.asset", lambda name: f"/* {name} */")


class Asker:
    """The front end's side: asks, and keeps what comes back."""

    def __init__(self, explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.explorer = explorer
        self.replies: dict[int, dict] = {}
        self.asked = 0
        monkeypatch.setattr(explorer, "send", self._hear)

    def _hear(self, content: dict, buffers: object = None) -> None:
        json.dumps(content, allow_nan=False)
        self.replies[content["id"]] = content

    def ask(self, **question: object) -> dict:
        self.asked += 1
        self.explorer._handle_custom_msg({"id": self.asked, **question}, [])
        return self.replies.get(self.asked, {})

    @property
    def state(self) -> dict:
        json.dumps(self.explorer.state, allow_nan=False)
        return self.explorer.state


@pytest.fixture
def digits(monkeypatch):
    return Asker(ox.explore(ox.example("digits")), monkeypatch)


def test_the_scene_travels_as_bytes(digits):
    columns = columns_of(digits.explorer.scene)
    assert columns["title"] == "digits"
    assert "float32[batch, 16, 8, 8]" in columns["edges"]["label"]


def test_a_file_gives_the_title(tmp_path):
    path = tmp_path / "some.onnx"
    ox.save(ox.example("digits"), path)
    for explorer in (ox.explore(path), document(str(path))):
        assert columns_of(explorer.scene)["title"] == "some.onnx"


def test_a_file_that_is_no_model_raises(tmp_path):
    path = tmp_path / "page.onnx"
    path.write_text("<!DOCTYPE html><html></html>")
    with pytest.raises(ox.ModelError, match="HTML"):
        document(str(path))


def test_steps_go_forward_and_back(digits):
    assert [digits.ask(kind="step")["ok"] for _ in range(3)] == [True] * 3
    state = digits.state
    assert (state["position"], state["total"]) == (3, 11)
    assert (state["done"], state["current"]) == (["conv1", "relu1", "pool1"], "conv2")
    assert state["values"]["pool1"]["type"] == "float32[1, 16, 4, 4]"
    assert digits.ask(kind="back")["ok"]
    assert (digits.state["position"], digits.state["current"]) == (2, "pool1")
    assert digits.ask(kind="restart")["ok"]
    assert (digits.state["position"], digits.state["current"]) == (0, "conv1")
    assert list(digits.state["values"]) == ["image"]


def test_a_run_computes_what_ox_run_computes():
    image = np.random.default_rng(0).random((1, 1, 8, 8), np.float32)
    model = ox.example("digits")
    explorer = ox.explore(model, {"image": image})
    explorer.run()
    expected = ox.run(model, {"image": image})["probabilities"]
    found = explorer.stepper.values["probabilities"]
    np.testing.assert_array_equal(found, expected)
    assert explorer.state["values"]["probabilities"]["max"] == expected.max()
    assert explorer.state["message"] == ""


@pytest.mark.parametrize("target", ["pool2", "node:pool2", "value:pool2"])
def test_a_run_to_a_node_ends_behind_it(digits, target):
    assert digits.ask(kind="run_to", target=target)["ok"]
    assert digits.state["done"][-1] == "pool2"
    digits.ask(kind="run")
    # Where it has run already, the run begins anew.
    assert digits.ask(kind="run_to", target=target)["ok"]
    assert digits.state["done"][-1] == "pool2"


def test_a_failure_is_a_state_to_look_at(monkeypatch):
    asker = Asker(ox.explore(ox.example("shape_error")), monkeypatch)
    assert asker.ask(kind="run")["ok"]
    state = asker.state
    assert (state["failed"], state["current"]) == ("dense", None)
    assert "288" in state["failure"]
    assert state["done"][-1] == "flatten"
    assert state["values"]["flatten"]["type"] == "float32[1, 288]"
    assert asker.ask(kind="value", name="conv2")["type"] == "float32[1, 32, 6, 6]"
    asker.ask(kind="back")
    assert (asker.state["failed"], asker.state["current"]) == (None, "dense")


def test_nodes_that_are_not_drawn_are_stepped_past(monkeypatch):
    g = ox.build.graph("net")
    x = g.input("x", "float32[2]")
    h = g.Add(x, g.Constant(value=np.ones(2, np.float32)), name="first")
    g.output(g.Mul(h, g.Constant(value=np.ones(2, np.float32)), name="second"), "y")
    asker = Asker(ox.explore(g.model()), monkeypatch)
    asker.ask(kind="step")
    assert asker.state["done"] == ["first"]
    assert (asker.state["position"], asker.state["total"]) == (1, 2)
    assert asker.state["current"] == "second"
    asker.ask(kind="back")
    assert (asker.state["position"], asker.state["current"]) == (0, "first")
    asker.ask(kind="back")
    assert asker.state["position"] == 0


def test_values_and_initializers_are_summed_up_on_request(digits):
    digits.ask(kind="step")
    assert digits.ask(kind="value", name="conv1")["type"] == "float32[1, 16, 8, 8]"
    assert digits.ask(kind="initializer", name="conv1_W")["type"] == "float32[16, 1, 3, 3]"
    explained = str(digits.ask(kind="explain", name="flatten", axis=1)["steps"])
    assert "'flatten[1]', '128'" in explained
    assert "'conv2_W[0]', '32'" in explained


def test_the_words_of_an_operator_come_on_request(digits):
    answer = digits.ask(kind="operator", name="Conv", version=11, domain="")
    assert (answer["operator"], answer["version"]) == ("Conv", 11)
    assert [port["name"] for port in answer["inputs"]] == ["X", "W", "B"]
    assert "cross-correlation" not in str(columns_of(digits.explorer.scene))


def test_observed_types_are_told_for_what_has_run(digits):
    names = ["image", "conv1", "softmax", "nobody"]
    assert digits.ask(kind="observed", names=names)["types"] == {}
    digits.ask(kind="step")
    assert digits.ask(kind="observed", names=names)["types"] == {
        "image": "float32[1, 1, 8, 8]",
        "conv1": "float32[1, 16, 8, 8]",
    }


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ({"kind": "operator", "name": "Conw", "version": 1, "domain": ""}, "no operator 'Conw'"),
        ({"kind": "value", "name": "softmax"}, "has not been computed"),
        ({"kind": "initializer", "name": "nothing"}, "there is no initializer 'nothing'"),
        ({"kind": "explain", "name": "flatten", "axis": 7}, "axis 7"),
        ({"kind": "explain", "name": "nothing", "axis": None}, "nothing"),
        ({"kind": "run_to", "target": "nowhere"}, "there is no node 'nowhere'"),
        ({"kind": "dance"}, "there is no question of the kind 'dance'"),
        ({}, "there is no question of the kind None"),
        ({"kind": ["step"]}, "there is no question of the kind ['step']"),
    ],
)
def test_errors_come_as_answers(digits, question, error):
    assert error in digits.ask(**question)["error"]


def test_wrong_feeds_are_told_when_the_first_step_is_asked_for(monkeypatch):
    model = ox.example("digits")
    asker = Asker(ox.explore(model, {"image": np.zeros((1, 1, 8, 8))}), monkeypatch)
    assert "float64" in asker.ask(kind="step")["error"]


def test_what_is_no_question_is_passed_over(digits):
    for content in (None, "step", {"kind": "step"}, {"id": "x", "kind": "step"}):
        digits.explorer._handle_custom_msg(content, [])
    assert digits.replies == {}
    assert digits.state == {}


def test_a_run_lets_messages_in_and_can_be_paused(monkeypatch):
    monkeypatch.setattr(session_module, "BREATH_S", 0.0)
    asker = Asker(ox.explore(ox.example("digits")), monkeypatch)

    async def scenario() -> None:
        assert asker.ask(kind="run") == {}
        await asyncio.sleep(0.004)
        assert asker.state["running"] is True
        assert "pause it first" in asker.ask(kind="step")["error"]
        assert asker.ask(kind="initializer", name="conv1_B")["type"] == "float32[16]"
        assert asker.ask(kind="pause")["ok"]
        await asker.explorer._task
        assert asker.replies[1] == {"id": 1, "ok": True}

    asyncio.run(scenario())
    assert asker.state["running"] is False
    assert 0 < asker.state["position"] < 11


def test_while_a_run_is_on_its_way_what_ifs_are_tried_and_nothing_else_moves_it(monkeypatch):
    monkeypatch.setattr(session_module, "BREATH_S", 0.0)
    feeds = {"start": np.array(27), "limit": np.array(1000)}
    asker = Asker(ox.explore(ox.example("loop_if"), feeds), monkeypatch)
    explorer = asker.explorer
    moves = [explorer.step, explorer.run, explorer.restart, explorer.back, explorer.step_into]

    async def scenario() -> None:
        asker.ask(kind="run")
        await asyncio.sleep(0.02)
        tried = asker.ask(kind="change", what="type", place="start", name="", text="int32")
        assert [one["text"] for one in tried["changes"]] == ["int32"]
        assert asker.state["what_if"] is asker.state["running"] is True
        assert "pause it first" in asker.ask(kind="take_over")["error"]
        for move in moves:
            with pytest.raises(ox.ExplorerError, match="a run is under way; pause it first"):
                move()
        asker.ask(kind="pause")
        await explorer._task
        # It stands inside the loop of the model that was.
        assert asker.state["frames"]
        assert asker.ask(kind="reset")["changes"] == []
        assert asker.ask(kind="change", what="size", place="n", name="", text="2")["error"]
        asker.ask(kind="change", what="type", place="start", name="", text="int64")
        assert asker.ask(kind="take_over")["ok"]

    asyncio.run(scenario())
    assert asker.state["what_if"] is False
    explorer.run()
    assert asker.state["position"] == asker.state["total"]


@pytest.mark.parametrize("move", [{"kind": "run"}, {"kind": "goto", "position": 1}])
def test_a_run_can_be_paused_inside_a_loop_and_goes_on_from_there(monkeypatch, move):
    monkeypatch.setattr(session_module, "BREATH_S", 0.0)
    feeds = {"start": np.array(27), "limit": np.array(1000)}
    asker = Asker(ox.explore(ox.example("loop_if"), feeds), monkeypatch)

    async def scenario() -> None:
        asker.ask(**move)
        await asyncio.sleep(0.02)
        asker.ask(kind="pause")
        await asker.explorer._task

    asyncio.run(scenario())
    assert asker.state["position"] == 0
    assert asker.state["current"].startswith("collatz/body/")
    number = asker.explorer.stepper.frames[-1]
    assert asker.ask(kind="value", name=f"{number.path}number")["type"] == "int64[]"
    asker.ask(kind="run")
    assert asker.state["values"]["path"]["type"] == "int64[111]"
    assert len(set(asker.state["done"])) == len(asker.state["done"])
    assert asker.state["done"][-1] == "collatz"
    assert asker.state["position"] == 1


def test_the_still_picture_stands_beside_the_widget(monkeypatch):
    shown: list[dict] = []
    monkeypatch.setattr(
        "onnx_explorer.widgets.explorer.publish_display_data",
        lambda data, metadata=None: shown.append(data),
    )
    ox.explore(ox.example("digits"))._ipython_display_()
    widget, still = shown
    assert "application/vnd.jupyter.widget-view+json" in widget
    assert "float32[batch, 16, 8, 8]" in still["text/plain"]
    assert "onnx-explorer-still" in still["text/html"]


def test_text_of_a_model_is_escaped_in_the_still_picture():
    g = ox.build.graph("<script>alert(1)</script>")
    g.output(g.Relu(g.input("x", "float32[1]"), name="<img src=x>"), "y")
    from onnx_explorer.view.still import still_html

    html = still_html(ox.explore(g.model())._scene)
    assert "<script" not in html
    assert "<img src" not in html


def test_a_missing_front_end_is_named(monkeypatch, tmp_path):
    monkeypatch.undo()
    front_end.asset.cache_clear()
    monkeypatch.setattr(front_end, "FOLDER", tmp_path)
    with pytest.raises(FileNotFoundError, match="make frontend"):
        ox.explore(ox.example("digits"))
    front_end.asset.cache_clear()


def test_the_meaning_of_a_code_comes_on_request(digits):
    answer = digits.ask(kind="code", name="inner-size-mismatch")
    assert answer["headline"] == "inner sizes differ"
    assert answer["meaning"]
    assert answer["remedy"]
    assert "no code 'nothing'" in digits.ask(kind="code", name="nothing")["error"]
