"""Folding, bound to the front end's by shared cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from onnx_explorer import example, infer
from onnx_explorer.view import Box, Edge, Group, fold, scene_of

CASES = sorted((Path(__file__).parents[1] / "fold_cases").glob("*.json"))


def rows(columns: dict[str, list]) -> list[dict]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_shared_case(path):
    case = json.loads(path.read_text())
    scene = case["scene"]
    groups = [Group(**row) for row in rows(scene["groups"])]
    boxes = [Box(group, "node", str(i)) for i, group in enumerate(scene["boxes"]["group"])]
    edges = [Edge(**row) for row in rows(scene["edges"])]
    folding = fold(groups, boxes, edges, set(case["expanded"]))
    visible = case["visible"]
    assert list(folding.boxes) == visible["boxes"]
    assert list(folding.groups) == visible["groups"]
    found = [[e.source, e.target, len(e.edges), e.label] for e in folding.edges]
    assert found == visible["edges"]


def test_there_are_cases():
    assert len(CASES) >= 6


@pytest.mark.parametrize("name", ["transformer", "loop_if"])
def test_everything_expanded_shows_every_box_and_edge(name):
    scene = scene_of(infer(example(name)))
    folding = fold(scene.groups, scene.boxes, scene.edges, range(len(scene.groups)))
    assert folding.boxes == tuple(range(len(scene.boxes)))
    assert folding.groups == ()
    assert sum(len(edge.edges) for edge in folding.edges) == len(scene.edges)


def test_the_worst_mark_of_joined_edges_shows():
    groups = [Group(-1, "", "root"), Group(0, "a", "scope")]
    boxes = [Box(0, "node", "x"), Box(1, "node", "y"), Box(1, "node", "z")]
    edges = [Edge("v", 0, 1, "float32[2]"), Edge("w", 0, 2, "float32[3]", "mismatch")]
    (joined,) = fold(groups, boxes, edges, {0}).edges
    assert (joined.source, joined.target, joined.label, joined.mark) == ("b0", "g1", "", "mismatch")
