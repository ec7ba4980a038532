"""Constants as boxes of their own, bound to the front end's by shared cases."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.view import Box, Group, Initializer, Scene, scene_of
from onnx_explorer.view.constant_boxes import with_constants
from tests.view.test_fold import rows

CASES = sorted((Path(__file__).parents[1] / "constant_cases").glob("*.json"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_shared_case(path):
    case = json.loads(path.read_text(encoding="utf-8"))
    scene = case["scene"]
    before = Scene(
        "",
        (),
        tuple(Group(**row) for row in rows(scene["groups"])),
        tuple(Box(group, "node", str(i)) for i, group in enumerate(scene["boxes"]["group"])),
        (),
        tuple(
            Initializer(
                row["name"],
                "float32[2]",
                8,
                tuple(row["boxes"]),
                row["group"],
                "",
                tuple(row["notes"]),
            )
            for row in rows(scene["initializers"])
        ),
    )
    after = with_constants(before, case["readers"])
    new = len(before.boxes)
    assert after.boxes[:new] == before.boxes
    assert [[box.name, box.group] for box in after.boxes[new:]] == case["boxes"]
    found = [[after.boxes[e.source].name, e.target, e.mark] for e in after.edges]
    assert found == case["edges"]


def test_there_are_cases():
    assert len(CASES) >= 2


def test_a_constant_says_its_type_or_its_one_number():
    g = ox.build.graph("net", opset=20)
    x = g.input("x", "float32[n, 3]")
    weights = g.initializer("weights", np.zeros((3, 2), np.float32))
    half = g.Constant(value=np.float32(0.5), name="half")
    g.output(g.Mul(g.MatMul(x, weights, name="product"), half, name="scaled"), "y")
    scene = with_constants(scene_of(ox.infer(g.model())))
    found = {box.name: box.detail for box in scene.boxes if box.kind == "initializer"}
    assert sorted(found.values()) == ["0.5", "float32[3, 2]"]
    assert found["weights"] == "float32[3, 2]"
    ends = [
        (scene.boxes[edge.source].name, scene.boxes[edge.target].id)
        for edge in scene.edges
        if scene.boxes[edge.source].kind == "initializer"
    ]
    assert ends[0] == ("weights", "product")
    assert ends[1][1] == "scaled"


def test_a_weight_that_does_not_fit_is_marked_where_it_is_read():
    g = ox.build.graph("net", opset=20)
    x = g.input("x", "float32[n, 3]")
    weights = g.initializer("weights", np.zeros((4, 2), np.float32))
    g.output(g.MatMul(x, weights, name="product"), "y")
    scene = with_constants(scene_of(ox.infer(g.model())))
    (edge,) = [e for e in scene.edges if e.value == "weights"]
    assert edge.mark == "mismatch"
    assert "3" in edge.note
    assert "4" in edge.note


def test_pictures_have_them_when_they_are_asked_for(tmp_path):
    model = ox.example("digits")
    # Two convolutions and two products with a weight and a bias each.
    for wanted, count in ((False, 0), (True, 8)):
        path = ox.draw(model, tmp_path / "digits.dot", depth=None, constants=wanted)
        text = path.read_text(encoding="utf-8")
        assert sum(f'label="{n}_{p}' in text for n in NAMES for p in "WB") == count


NAMES = ("conv1", "conv2", "dense", "logits")
