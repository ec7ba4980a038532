"""Static pictures: what is written for Graphviz, and what comes back."""

from __future__ import annotations

import re

import pytest

from onnx_explorer import ExplorerError, build, example, infer
from onnx_explorer.view import dot, graphviz, scene_of, still

needs_engine = pytest.mark.skipif(graphviz.engine() is None, reason=graphviz.MISSING)


def hostile():
    g = build.graph('x"]; evil [label="')
    x = g.input('in"\\N<b>', "float32[n]")
    g.output(g.Relu(x, name="r"), "\\G\\E")
    return scene_of(infer(g.model()))


def test_text_of_a_model_never_leaves_its_label():
    text = dot.dot_text(hostile())
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    assert "evil" not in outside
    assert "<b>" not in outside
    # Graphviz would put the names of graph and node for \G and \N.
    assert '"\\\\G\\\\E"' in text


@needs_engine
def test_the_picture_says_each_text_as_it_is():
    picture = graphviz.svg(dot.dot_text(hostile()))
    assert "&quot;\\N&lt;b&gt;" in picture
    assert "\\G\\E" in picture


@needs_engine
def test_labels_and_the_mismatch_are_in_the_picture():
    picture = graphviz.svg(dot.dot_text(scene_of(infer(example("shape_error")))))
    assert "float32[batch, 32, 6, 6]" in picture
    assert "! float32[batch, 288]" in picture


@needs_engine
def test_expanded_groups_are_frames():
    scene = scene_of(infer(example("transformer")))
    folded = graphviz.svg(dot.dot_text(scene))
    opened = graphviz.svg(dot.dot_text(scene, range(len(scene.groups))))
    assert folded.count('class="cluster"') == 0
    assert opened.count('class="cluster"') == len(scene.groups) - 1


def test_a_frame_says_whose_body_it_is():
    scene = scene_of(infer(example("loop_if")))
    text = dot.dot_text(scene, range(len(scene.groups)))
    titles = [group.label for group in scene.groups[1:]]
    assert titles == ["body", "then_branch", "else_branch"]
    for title in ("Loop collatz: body", "If choose: then_branch", "If choose: else_branch"):
        assert f'label="{title}"' in text


def test_without_an_engine_both_ways_are_named(monkeypatch):
    monkeypatch.setattr(graphviz, "engine", lambda: None)
    with pytest.raises(ExplorerError, match=r"install Graphviz.*onnx-explorer\[draw\]"):
        graphviz.svg("digraph {}")


def test_without_an_engine_a_saved_notebook_shows_a_table(monkeypatch):
    monkeypatch.setattr(still, "engine", lambda: None)
    html = still.still_html(scene_of(infer(example("digits"))))
    assert "<td>float32[batch, 16, 8, 8]</td>" in html
    assert "<td>Conv 3×3, 16</td>" in html
