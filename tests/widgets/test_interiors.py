"""Into the functions that operators stand for, through the widget."""

from __future__ import annotations

import gzip
import json

import numpy as np
import onnx
import pytest

import onnx_explorer as ox
from tests.view.unpacked import columns_of
from tests.widgets.asking import Asker

X = np.float32([[1, 2, 3, 6]])


@pytest.fixture
def norm(monkeypatch):
    """Layer normalization of rows between two nodes."""
    g = ox.build.graph("norm", opset=17)
    x = g.Neg(g.input("x", "float32[rows, 4]"), name="before")
    scale, bias = np.float32([1, 2, 3, 4]), np.float32([0, 0, 1, 1])
    normed = g.LayerNormalization(x, scale, bias, epsilon=0.25, name="home")
    g.output(g.Abs(normed, name="behind"), "y")
    return Asker(g.model(), {"x": X}, monkeypatch)


def sent_scene(asker) -> dict:
    """The boxes and groups that the front end has got, functions behind all else."""
    found = columns_of(asker.explorer.scene)
    for owner, inner in sent_functions(asker):
        box, group = len(found["boxes"]["id"]), len(found["groups"]["kind"])
        owners = inner["groups"]["box"]
        inner["groups"]["box"] = [b + box if b >= 0 else b for b in owners]
        inner["groups"]["box"][0] = found["boxes"]["id"].index(owner)
        inner["boxes"]["group"] = [g + group for g in inner["boxes"]["group"]]
        for table in ("groups", "boxes", "edges"):
            for column, cells in inner[table].items():
                found[table][column] += cells
    return found


def sent_functions(asker) -> list:
    """What travelled of each operator that was gone into: its node, and the columns of a scene."""
    sent = asker.explorer.interiors
    return [*map(json.loads, gzip.decompress(sent).decode().split("\n"))] if sent else []


def labels(scene) -> dict[str, str]:
    return dict(zip(scene["edges"]["value"], scene["edges"]["label"], strict=True))


def operators(scene, path) -> list[str]:
    boxes = scene["boxes"]
    rows = zip(boxes["id"], boxes["op"], boxes["version"], strict=True)
    return [f"{op}-{version}" for id_, op, version in rows if id_.startswith(path) and op]


def test_into_an_operator_its_function_is_drawn_inside_its_node(norm):
    before = norm.explorer.scene
    norm.ask("step")
    norm.ask("step_into")
    # What is there already is not sent again.
    assert norm.explorer.scene is before
    after = sent_scene(norm)
    groups = after["groups"]
    assert (groups["label"][-1], groups["kind"][-1]) == ("body", "operator")
    assert after["boxes"]["id"][groups["box"][-1]] == "home"
    seen = operators(after, "home/body/")
    for name, version in (operator.split("-") for operator in seen):
        assert onnx.defs.get_schema(name, 17).since_version == int(version)
    assert seen.count("ReduceMean-13") == 2
    # The size that is not known without running stays open; the row's mean is one number.
    shown = labels(after)
    assert shown["home/body/X"] == "float32[rows, 4]"
    assert shown["home/body/reducemean_1"] == "float32[rows, 1]"


def test_the_state_tells_where_in_the_operator_it_stands(norm):
    norm.ask("step")
    norm.ask("step_into")
    (frame,) = norm.state["frames"]
    assert (frame["path"], frame["owner"], frame["count"]) == ("home/body/", "home", 1)
    assert norm.state["current"] == "home/body/flatten_1"
    assert norm.state["position"] == 1
    for _ in range(3):
        norm.ask("step")
    # The mean of -1, -2, -3 and -6.
    assert norm.state["values"]["home/body/reducemean_1"]["head"] == ["-3"]
    assert norm.ask("value", name="home/body/reducemean_1")["head"] == ["-3"]
    names = ["home/body/flatten_1", "home/body/add_2"]
    assert norm.ask("observed", names=names)["types"] == {"home/body/flatten_1": "float32[1, 4]"}
    # A constant that is part of the node that reads it: epsilon.
    assert norm.ask("initializer", name="home/body/constant_1")["head"] == ["0.25"]
    norm.ask("step_out")
    assert (norm.state["frames"], norm.state["current"]) == ([], "behind")
    assert norm.ask("value", name="home/body/reducemean_1")["head"] == ["-3"]


def test_what_is_foreseen_of_an_operator_is_what_a_run_then_shows_of_it(norm):
    assert norm.ask("foresee")["interior"] == ""
    norm.ask("step")
    before = norm.state
    foreseen = norm.ask("foresee")["interior"]
    # A look: nothing is another than before.
    assert (norm.state, sent_functions(norm)) == (before, [])
    norm.ask("step_into")
    assert gzip.decompress(norm.explorer.interiors).decode() == foreseen
    # Inside of it stands an operator without a function; outside, one that was looked into.
    assert norm.ask("foresee")["interior"] == ""
    norm.ask("back")
    assert norm.ask("foresee")["interior"] == ""


def test_what_was_foreseen_is_not_shown_once_a_size_was_set_to_another(monkeypatch):
    g = ox.build.graph("sized", opset=18)
    sizes = g.Identity(g.input("sizes", "int64[2]"), name="sized")
    g.output(g.CenterCropPad(g.input("x", "float32[1, 4]"), sizes, name="home"), "y")
    asker = Asker(g.model(), {"x": X, "sizes": np.int64([1, 2])}, monkeypatch)
    asker.ask("step")
    assert "float32[1, 2]" in asker.ask("foresee")["interior"]
    (name,) = [box for box in asker.state["values"] if box != "sizes"]
    asker.ask("set", name=name, text="[1, 3]")
    asker.ask("step_into")
    shown = labels(sent_scene(asker)).values()
    assert "float32[1, 3]" in shown
    assert "float32[1, 2]" not in shown


def test_back_leads_out_of_an_operator_the_way_it_was_entered(norm):
    norm.ask("step")
    norm.ask("step_into")
    norm.ask("step")
    norm.ask("back")
    assert norm.state["current"] == "home/body/flatten_1"
    norm.ask("back")
    assert (norm.state["frames"], norm.state["current"]) == ([], "home")
    norm.ask("step")
    norm.ask("back")
    assert norm.state["current"] == "home"


def test_a_breakpoint_inside_an_operator_stops_each_run(norm):
    norm.ask("step")
    norm.ask("step_into")
    norm.ask("break", node="home/body/sqrt_1", when="always")
    norm.ask("run")
    assert (norm.state["current"], norm.state["stopped"]) == ("home/body/sqrt_1", 0)
    norm.ask("restart")
    norm.ask("run")
    assert norm.state["current"] == "home/body/sqrt_1"
    norm.ask("run")
    assert norm.state["position"] == norm.state["total"]
    # A step over the operator does not pass it either.
    norm.ask("restart")
    norm.ask("step")
    norm.ask("step")
    assert norm.state["current"] == "home/body/sqrt_1"


def test_an_operator_inside_an_operator_is_gone_into_too(monkeypatch):
    g = ox.build.graph("loss", opset=13)
    scores, targets = g.input("scores", "float32[2, 3]"), g.input("targets", "int64[2]")
    loss = g.SoftmaxCrossEntropyLoss(scores, targets, name="loss")
    g.output(loss, "y", "float32[]")
    feeds = {"scores": np.float32([[1, 2, 3], [0, 0, 1]]), "targets": np.int64([2, 0])}
    asker = Asker(g.model(), feeds, monkeypatch)
    asker.ask("step_into")
    while "logsoftmax" not in asker.state["current"]:
        asker.ask("step")
    inner = asker.state["current"]
    asker.ask("step_into")
    assert [frame["path"] for frame in asker.state["frames"]] == ["loss/body/", f"{inner}/body/"]
    assert [owner for owner, _ in sent_functions(asker)] == ["loss", inner]
    scene = sent_scene(asker)
    owners = [scene["boxes"]["id"][box] for box in scene["groups"]["box"] if box >= 0]
    assert owners == ["loss", inner]
    assert asker.state["current"] in scene["boxes"]["id"]


def test_an_operator_in_the_body_of_a_loop_is_gone_into_in_each_round(monkeypatch):
    g = ox.build.graph("rounds", opset=20)
    body = g.subgraph()
    body.input("i", "int64[]")
    body.input("going", "bool[]")
    x = body.input("x", "float32[2]")
    body.output(body.Identity(True), "go_on", "bool[]")
    body.output(body.Softsign(x, name="soft"), "next", "float32[2]")
    start = g.input("start", "float32[2]")
    g.output(g.Loop(np.int64(3), None, start, body=body, name="loop"), "y", "float32[2]")
    asker = Asker(g.model(), {"start": np.float32([3, 1])}, monkeypatch)
    asker.ask("break", node="loop/body/soft", when="always")
    seen = []
    for _ in range(2):
        asker.ask("run")
        asker.ask("step_into")
        asker.ask("step")
        frames = {frame["path"]: frame["count"] for frame in asker.state["frames"]}
        seen.append((frames, asker.ask("value", name="loop/body/soft/body/abs_1")["head"]))
        asker.ask("step_out")
    path = "loop/body/soft/body/"
    # 3 / (1 + 3) and 1 / (1 + 1) go into the second round. Each round has a function of its own.
    assert seen == [
        ({"loop/body/": 1, path: 1}, ["3", "1"]),
        ({"loop/body/": 2, path: 1}, ["0.75", "0.5"]),
    ]
    asker.ask("iteration", path="loop/body/", iteration=0)
    assert asker.ask("value", name=f"{path}abs_1")["head"] == ["3", "1"]


def test_an_operator_that_is_none_of_others_is_stepped_over(norm):
    g_state = norm.ask("step_into")
    assert (g_state["ok"], norm.state["frames"], norm.state["current"]) == (True, [], "home")


def test_where_there_is_nothing_to_go_into_the_state_says_why_until_the_next_move(norm):
    norm.ask("step_into")
    assert norm.state["note"] == "Neg-13 is not a function of other operators: stepped over"
    norm.ask("step")
    assert norm.state["note"] == ""


def test_the_state_says_which_version_a_function_is_of(monkeypatch):
    g = ox.build.graph("old", opset=13)
    g.output(g.Relu(g.input("x", "float32[2]"), name="home"), "y")
    asker = Asker(g.model(), {"x": np.float32([1, -2])}, monkeypatch)
    asker.ask("step_into")
    assert asker.state["current"] == "home/body/max_1"
    assert asker.state["note"].endswith("as the standard states it for Relu-14 in opset 18")


def test_an_operator_is_looked_into_without_a_run(norm):
    assert norm.ask("look_inside", node="home")["ok"] is True
    assert norm.state.get("total") is None
    seen = operators(sent_scene(norm), "home/body/")
    assert seen.count("ReduceMean-13") == 2
    assert labels(sent_scene(norm))["home/body/reducemean_1"] == "float32[rows, 1]"
    # A breakpoint set there stops the run when it comes by.
    norm.ask("break", node="home/body/sqrt_1", when="always")
    norm.ask("run")
    assert (norm.state["current"], norm.state["stopped"]) == ("home/body/sqrt_1", 0)
    assert norm.ask("value", name="home/body/reducemean_1")["head"] == ["-3"]


def test_an_operator_inside_one_that_was_looked_into_is_looked_into_too(monkeypatch):
    g = ox.build.graph("loss", opset=13)
    scores, targets = g.input("scores", "float32[2, 3]"), g.input("targets", "int64[2]")
    g.output(g.SoftmaxCrossEntropyLoss(scores, targets, name="loss"), "y", "float32[]")
    asker = Asker(g.model(), None, monkeypatch)
    asker.ask("look_inside", node="loss")
    inner = next(one for one in sent_scene(asker)["boxes"]["id"] if "logsoftmax" in one)
    asker.ask("look_inside", node=inner)
    assert [owner for owner, _ in sent_functions(asker)] == ["loss", inner]


@pytest.mark.parametrize(
    ("node", "said"),
    [
        ("behind", "Abs-13 is not a function of other operators"),
        ("nobody", "there is no node 'nobody'"),
    ],
)
def test_where_there_is_nothing_to_look_into_a_person_is_told(norm, node, said):
    assert norm.ask("look_inside", node=node)["error"] == said
    assert norm.explorer.interiors == b""


def test_what_was_gone_into_stays_drawn_when_something_else_is_tried(norm):
    norm.ask("step")
    norm.ask("step_into")
    norm.ask("change", what="size", place="rows", name="", text="7")
    scene = sent_scene(norm)
    assert labels(scene)["y"] == "float32[7, 4]"
    assert operators(scene, "home/body/")
    norm.ask("take_over")
    # What stands open stays open, in the sizes of the changed model.
    after = sent_scene(norm)
    assert after["boxes"]["id"] == scene["boxes"]["id"]
    assert labels(after)["home/body/X"] == "float32[7, 4]"


def test_an_operator_that_was_gone_into_comes_in_the_place_of_how_it_was_before(monkeypatch):
    g = ox.build.graph("gelu", opset=20)
    g.output(g.Abs(g.Gelu(g.input("x", "float32[n]"), name="home"), name="behind"), "y")
    asker = Asker(g.model(), {"x": np.float32([1, 2])}, monkeypatch)
    asker.ask("step_into")
    asker.ask("fill", name="x", how="list", text="[1, 2, 3]")
    asker.ask("restart")
    asker.ask("step_into")
    assert [owner for owner, _ in sent_functions(asker)] == ["home"]
    assert asker.state["current"] in sent_scene(asker)["boxes"]["id"]


def test_in_a_page_what_was_gone_into_is_part_of_the_scene(norm, tmp_path):
    norm.ask("step")
    norm.ask("step_into")
    boxes = sent_scene(norm)["boxes"]["id"]
    assert [box.id for box in norm.explorer._debugger.scene_shown.boxes] == boxes


def test_python_selects_what_is_drawn_inside_an_operator(norm):
    norm.explorer.step()
    norm.explorer.step_into()
    norm.explorer.select("home/body/sqrt_1")
    assert norm.explorer.selected == "node:home/body/sqrt_1"


@pytest.mark.parametrize("target", ["home/body/reducemean_1", "value:home/body/reducemean_1"])
def test_a_run_to_a_node_inside_an_operator_goes_in_before_and_after_it_was_drawn(norm, target):
    for _ in range(2):
        assert norm.ask("run_to", target=target)["ok"]
        assert norm.state["done"][-1] == "home/body/reducemean_1"
        assert [frame["path"] for frame in norm.state["frames"]] == ["home/body/"]
        np.testing.assert_array_equal(norm.explorer.stepper.values["reducemean_1"], [[-3]])
        norm.ask("run")


def test_a_run_to_what_a_function_is_given_or_gives_ends_at_its_first_node_or_behind_its_last(norm):
    norm.ask("look_inside", node="home")
    norm.ask("run_to", target="value:home/body/X")
    assert norm.state["frames"][0]["path"] == "home/body/"
    assert [node for node in norm.state["done"] if node.startswith("home/")] == []
    assert norm.ask("run_to", target="home/body/out:add_2")["ok"]
    assert norm.state["current"] == "behind"


def test_nodes_are_selected_and_run_to_by_the_ends_of_their_names(norm):
    norm.ask("look_inside", node="home")
    norm.explorer.select("body/reducemean_1")
    assert norm.explorer.selection == ("home/body/reducemean_1",)
    norm.explorer.run_to("reducemean_1")
    assert norm.state["done"][-1] == "home/body/reducemean_1"


def test_a_breakpoint_says_what_there_is_to_know_of_it(norm):
    norm.ask("look_inside", node="home")
    norm.explorer.stepper.add_breakpoint(operator="Sqrt")
    norm.ask("step")
    (shown,) = norm.state["breakpoints"]
    assert "steps into" in shown["note"]


def test_where_a_breakpoint_is_not_there_with_these_inputs_the_status_says_so(monkeypatch):
    g = ox.build.graph("some", opset=24)
    q, k, v = (g.input(name, "float32[1, 1, 3, 2]") for name in "qkv")
    keys, values = (g.Compress(each, g.input(f"of {each}", "bool[3]"), axis=2) for each in (k, v))
    mask = g.input("mask", "float32[3, 3]")
    g.output(g.Attention(q, keys, values, mask, name="attention"), "y")
    model = g.model()
    feeds = {
        each.name: np.ones([int(size) for size in each.type.shape], each.type.dtype.numpy)
        for each in model.graph.inputs
    }
    asker = Asker(model, feeds, monkeypatch)
    # The mask is padded where there are more keys than it has columns: here there are as many.
    asker.explorer.stepper.add_breakpoint("attention/body/pad_1")
    asker.ask("run")
    assert asker.state["frames"][0]["path"] == "attention/body/"
    assert asker.state["note"].startswith("with these inputs the function of 'attention'")
    asker.ask("step")
    assert asker.state["note"] == ""
