"""Pictures in files."""

import pytest

import onnx_explorer as ox
from onnx_explorer.view import graphviz, scene_of
from onnx_explorer.view.draw import groups_down_to

needs_engine = pytest.mark.skipif(graphviz.engine() is None, reason=graphviz.MISSING)


@needs_engine
def test_the_ending_says_which_kind_of_picture(tmp_path):
    model = ox.example("digits")
    svg = ox.draw(model, tmp_path / "digits.svg").read_text(encoding="utf-8")
    assert "float32[batch, 16, 8, 8]" in svg
    assert ox.draw(model, tmp_path / "digits.PNG").read_bytes().startswith(b"\x89PNG")


def test_the_language_of_graphviz_needs_no_engine(tmp_path, monkeypatch):
    monkeypatch.setattr(graphviz, "engine", lambda: None)
    path = ox.draw(ox.example("digits"), tmp_path / "digits.dot")
    assert path.read_text(encoding="utf-8").startswith("digraph")
    with pytest.raises(ox.ExplorerError, match="no Graphviz engine found"):
        ox.draw(ox.example("digits"), tmp_path / "digits.svg")


@pytest.mark.parametrize(("name", "found"), [("x.gif", "'.gif'"), ("x", "no ending")])
def test_other_endings_are_refused(tmp_path, name, found):
    with pytest.raises(ox.ExplorerError, match=rf"{found}, expected one of \.svg"):
        ox.draw(ox.example("digits"), tmp_path / name)


def nested():
    g = ox.build.graph("nested")
    x = g.input("x", "float32[2]")
    for name in ("a/b/one", "a/b/two", "a/three", "a/four", "five"):
        x = g.Relu(x, name=name)
    g.output(x, "y")
    return g.model()


# Five nodes, of which two lie in a/b and two more in a.
@pytest.mark.parametrize(("depth", "shown"), [(0, 1), (1, 3), (2, 5), (None, 5)])
def test_depth_says_how_far_groups_stand_open(tmp_path, depth, shown):
    text = ox.draw(nested(), tmp_path / "nested.dot", depth=depth).read_text(encoding="utf-8")
    assert text.count('label="Relu') == shown


def test_the_whole_graph_is_at_depth_0():
    scene = scene_of(ox.infer(nested()))
    assert [len(groups_down_to(scene, depth)) for depth in (0, 1, 2, None)] == [1, 2, 3, 3]
