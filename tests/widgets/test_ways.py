"""The two ways between Python and the drawing."""

from __future__ import annotations

import numpy as np
import pytest
import traitlets

from onnx_explorer import ExplorerError, build, compare, example, explore, infer
from onnx_explorer.widgets import Explorer


@pytest.fixture
def explorer() -> Explorer:
    return explore(example("digits"))


def test_nodes_are_selected_by_their_ids_and_by_the_values_that_they_make(explorer):
    explorer.select("conv1", "probabilities")
    assert explorer.selection == ("conv1", "out:probabilities")
    assert explorer.selected == "node:out:probabilities"
    explorer.select("image")
    assert explorer.selection == ("in:image",)
    explorer.select()
    assert (explorer.selection, explorer.selected) == ((), "")


def test_a_constant_is_said_to_be_drawn_with_its_readers():
    g = build.graph("net", opset=20)
    two = g.Constant(value=np.float32([2.0]), name="two")
    g.output(g.Mul(g.input("x", "float32[n]"), two, name="doubled"), "y")
    explorer = explore(g.model())
    with pytest.raises(ExplorerError, match="node 'two' is a constant, drawn as part of"):
        explorer.select("two")


def test_the_two_traits_of_the_selection_agree(explorer):
    explorer.selected = "node:relu1"
    assert explorer.selection == ("relu1",)
    explorer.selected = "value:conv1"
    assert explorer.selection == ()
    assert explorer.selected == "value:conv1"


def test_what_the_drawing_says_of_two_nodes_stays_as_it_is(explorer):
    # As it comes: both traits in one message.
    explorer.set_state({"selection": ["conv1", "dense"], "selected": "node:dense"})
    assert explorer.selection == ("conv1", "dense")
    assert explorer.selected == "node:dense"


def test_who_asks_is_told_of_selections_until_it_is_enough(explorer):
    heard: list[tuple[str, ...]] = []
    stop = explorer.on_select(heard.append)
    explorer.select("conv1")
    explorer.select("conv1")
    explorer.select()
    stop()
    explorer.select("dense")
    assert heard == [("conv1",), ()]


def test_each_wish_to_see_a_node_is_a_new_one(explorer):
    explorer.focus("dense")
    first = explorer.focused
    explorer.focus("dense")
    assert first["id"] == explorer.focused["id"] == "dense"
    assert first != explorer.focused
    assert explorer.selection == ()


def test_nodes_are_marked_in_a_colour(explorer):
    explorer.highlight(["conv1", "conv2"], "crimson")
    assert explorer.highlighted == {"ids": ["conv1", "conv2"], "colour": "crimson"}
    explorer.highlight("dense")
    assert explorer.highlighted["ids"] == ["dense"]
    explorer.highlight()
    assert explorer.highlighted["ids"] == []


def test_groups_are_opened_by_their_paths():
    g = build.graph("net", opset=20)
    x = g.input("x", "float32[4]")
    for layer in ("layer 1", "layer 2"):
        x = g.Relu(x, name=f"encoder/{layer}/relu")
        x = g.Neg(x, name=f"encoder/{layer}/neg")
    g.output(g.Abs(x, name="abs"), "y")
    explorer = explore(g.model())
    explorer.expanded = ("encoder", "encoder/layer 2")
    assert explorer.expanded == ("encoder", "encoder/layer 2")
    with pytest.raises(ExplorerError, match="no group 'encoder/layer 3'; did you mean"):
        explorer.expanded = ("encoder/layer 3",)
    # The front end cuts flat graphs into groups that only it knows.
    explorer.expanded = ("nodes 1 to 100",)


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        (lambda e: e.select("conv11"), "no node 'conv11'; did you mean 'conv1'"),
        (lambda e: e.focus("dens"), "did you mean 'dense'"),
        (lambda e: e.highlight(["nothing like it"]), "no node 'nothing like it'"),
        (lambda e: e.highlight(["conv1"], "url(x)"), "expected a name or a number"),
        (lambda e: setattr(e, "view_box", (1, 2, 3)), "expected x, y, width and height"),
        (lambda e: setattr(e, "view_box", (1, 2, 0, 5)), "expected x, y, width and height"),
        (lambda e: setattr(e, "selection", ("conv",)), "no node 'conv'"),
        (lambda e: setattr(e, "selected", "conv1"), "did you mean 'node:conv1'"),
        (lambda e: setattr(e, "selected", "nod:conv1"), "'nod:conv1'; expected 'node:ID'"),
        (lambda e: setattr(e, "selected", "node:conv11"), "no node 'conv11'; did you mean"),
        (
            lambda e: setattr(e, "selected", "value:conv1_w"),
            "selected: there is no value 'conv1_w'",
        ),
        (lambda e: setattr(e, "selected", "group:encoder"), "there is no group 'encoder'"),
        (lambda e: setattr(e, "selected", 5), "selected = 5; expected 'node:ID'"),
        (lambda e: setattr(e, "highlighted", {"ids": ["conv11"]}), "did you mean 'conv1'"),
        (lambda e: setattr(e, "highlighted", {"ids": 5}), "nodes are given as 5; expected ids"),
        (lambda e: setattr(e, "highlighted", {"id": ["conv1"]}), "found 'id'; did you mean 'ids'"),
        (lambda e: setattr(e, "highlighted", {"colour": 5}), "colour 5; expected a name"),
        (lambda e: setattr(e, "highlighted", ["conv1"]), "highlighted = ['conv1']; expected"),
        (lambda e: setattr(e, "focused", {"id": "dens"}), "focused: there is no node 'dens'; did"),
        (lambda e: setattr(e, "focused", {"count": 1}), "no 'id' in {'count': 1}"),
        (lambda e: setattr(e, "focused", {"id": "dense", "count": "1"}), "count = '1'; expected"),
        (lambda e: setattr(e, "overlays", {"ms": 5}), "overlay 'ms': found 5; expected as in {"),
        (lambda e: setattr(e, "overlays", {5: {}}), "an overlay is called 5"),
        (lambda e: setattr(e, "overlays", {"ms": {"value": {}}}), "did you mean 'values'"),
        (
            lambda e: setattr(e, "overlays", {"ms": {"values": {"conv11": 1}}}),
            "overlay 'ms': no node 'conv11'; did you mean 'conv1'",
        ),
        (
            lambda e: setattr(e, "overlays", {"ms": {"values": {"conv1": float("inf")}}}),
            "node 'conv1': found inf, expected a finite number",
        ),
        (
            lambda e: setattr(e, "overlays", {"ms": {"values": {"conv1": 1, "dense": "2"}}}),
            "numbers beside words",
        ),
        (lambda e: setattr(e, "overlay_sizes", {"batch": "4"}), "size '4' for 'batch'"),
    ],
)
def test_what_is_not_there_is_said_with_what_is_spelled_alike(explorer, wish, message):
    with pytest.raises(ExplorerError) as caught:
        wish(explorer)
    assert message in str(caught.value)


def test_traits_that_are_set_hold_what_the_methods_give(explorer):
    explorer.highlighted = {"ids": ["image", "conv1"]}
    assert explorer.highlighted == {"ids": ["in:image", "conv1"], "colour": ""}
    explorer.focused = {"id": "probabilities", "count": 3}
    assert explorer.focused == {"id": "out:probabilities", "count": 3}
    explorer.overlays = {"ms": {"values": {"conv1": np.float32(2.5), "dense": float("nan")}}}
    assert explorer.overlays == {
        "ms": {"unit": "", "combine": "sum", "values": {"conv1": 2.5}},
    }
    explorer.selected = "value:conv1_W"
    assert explorer.selected == "value:conv1_W"
    for name in ("highlighted", "focused", "overlays"):
        setattr(explorer, name, {})
        assert getattr(explorer, name) == {}


def test_traits_can_be_linked_to_those_of_others(explorer):
    class Other(traitlets.HasTraits):
        name = traitlets.Unicode()

    other = Other()
    traitlets.link((other, "name"), (explorer, "overlay_name"))
    other.name = "macs"
    assert explorer.overlay_name == "macs"
    explorer.overlay("dtype")
    assert other.name == "dtype"


def test_explorers_of_one_model_are_apart():
    model = example("digits")
    one, two = explore(model), explore(model)
    one.select("conv1")
    one.overlay("latency", {"conv1": np.float64(1)})
    assert (two.selection, two.overlays) == ((), {})


def test_a_picture_shows_the_groups_that_stand_open_in_the_colours_of_the_overlay(
    tmp_path, monkeypatch
):
    drawn: list[str] = []
    monkeypatch.setattr(
        "onnx_explorer.view.draw.rendered", lambda text, kind: drawn.append(text) or b"<svg/>"
    )
    g = build.graph("net", opset=20)
    x = g.input("x", "float32[4]")
    for name in ("left/one", "left/two", "right/one", "right/two"):
        x = g.Relu(x, name=name)
    g.output(x, "y")
    explorer = explore(g.model())
    explorer.expanded = ("right",)
    explorer.overlay("latency", {"left/one": 1.0, "right/two": 9.0}, unit="ms")
    assert explorer.to_svg(tmp_path / "net").read_bytes() == b"<svg/>"
    (shown,) = drawn
    assert 'label="left …\\n1 ms"' in shown
    assert 'label="Relu\\n9 ms"' in shown
    explorer.to_svg(tmp_path / "net", depth=0)
    assert 'label="right …\\n9 ms"' in drawn[1]
    explorer.overlay(None)
    explorer.to_svg(tmp_path / "net", depth=None)
    assert "latency" not in drawn[2]
    assert drawn[2].count('label="Relu') == 4
    # All of them have been closed.
    explorer.expanded = ("",)
    explorer.to_svg(tmp_path / "net")
    assert 'label="right …' in drawn[3]
    assert 'label="Relu' not in drawn[3]


@pytest.fixture
def drawn(monkeypatch) -> list[str]:
    texts: list[str] = []
    monkeypatch.setattr(
        "onnx_explorer.view.draw.rendered", lambda text, kind: texts.append(text) or b"<svg/>"
    )
    return texts


def test_a_picture_keeps_the_name_that_it_is_given(explorer, drawn, tmp_path):
    assert explorer.to_svg(tmp_path / "net.v1.5") == tmp_path / "net.v1.5.svg"
    assert explorer.to_svg(tmp_path / "net.png") == tmp_path / "net.svg"
    assert explorer.to_png(tmp_path / "net.svg") == tmp_path / "net.png"
    assert explorer.to_pdf(tmp_path / "net") == tmp_path / "net.pdf"
    for wrong in ({"path": ""}, {"path": tmp_path / "x", "depth": "deep"}):
        with pytest.raises(ExplorerError, match=r"the path ''|'deep'"):
            explorer.to_svg(**wrong)


def test_a_picture_shows_what_is_tried_out_as_the_drawing_does(explorer, drawn, tmp_path):
    change = {"id": 1, "kind": "change", "what": "size", "place": "batch", "text": "4"}
    explorer._handle_custom_msg(change, [])
    explorer.to_svg(tmp_path / "net", depth=None)
    assert "float32[4, 16, 8, 8]" in drawn[0]
    assert "float32[batch, 16, 8, 8]" not in drawn[0]


@pytest.mark.parametrize(
    "values", [{"conv1": 10**400}, {"conv1": np.ones(2)}, {1: 1.0}, ["conv1"], 5, {"conv1": 2j}]
)
def test_what_colours_no_node_is_refused_in_words(explorer, values):
    with pytest.raises(ExplorerError, match="overlay 'mine'"):
        explorer.overlay("mine", values)
    assert explorer.overlay_name == ""


def test_names_that_are_no_texts_are_refused_in_words(explorer):
    for ask in (explorer.select, explorer.focus, lambda x: setattr(explorer, "expanded", (x,))):
        with pytest.raises(ExplorerError, match="5; a name is a text"):
            ask(5)
    with pytest.raises(ExplorerError, match="colour 5"):
        explorer.highlight(["conv1"], 5)


WRONG = {
    "selected": (5, r"selected = 5; expected 'node:ID'"),
    "selection": (None, "selection = None; expected ids of nodes"),
    "expanded": ("a", "expanded = 'a'; expected paths of groups"),
    "view_box": ([0, 0, 10**400, 1], "view_box = .*; expected x, y, width and height"),
    "constants": ("conv1", "constants = 'conv1'; expected True, False, or ids of nodes"),
    "overlay_name": (3, "overlay_name = 3; expected the name of an overlay"),
    "overlays": ([1], r"overlays = \[1\]; expected a dict"),
}


@pytest.mark.parametrize("trait", WRONG)
def test_a_trait_names_itself_what_it_found_and_what_it_expects(explorer, trait):
    wrong, told = WRONG[trait]
    before = getattr(explorer, trait)
    with pytest.raises(ExplorerError, match=told):
        setattr(explorer, trait, wrong)
    assert getattr(explorer, trait) == before


@pytest.mark.parametrize(
    ("trait", "wrong"),
    [("selection", ("nope",)), ("expanded", ("nope",)), ("view_box", (0, 0, 1, float("nan")))],
)
def test_what_a_trait_does_not_take_is_put_back_where_several_change_at_once(
    explorer, trait, wrong
):
    with pytest.raises(ExplorerError, match=trait), explorer.hold_trait_notifications():
        setattr(explorer, trait, wrong)
    assert getattr(explorer, trait) == ()


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda e: e.overlay(5), "overlay 5; expected None, or the name of an overlay"),
        (lambda e: e.overlay("macs", sizes=[1]), r"the sizes are given as \[1\]; expected a dict"),
        (lambda e: e.overlay("own", {"conv1": 1}, unit=3), "unit = 3; expected a text"),
        (lambda e: e.highlight(None), "the nodes are given as None; expected ids"),
        (lambda e: e.on_select("print"), "on_select takes a function .*'print' came"),
        (lambda e: e.run_to(5), "to run to is given as 5; expected its name"),
        (lambda e: e.run_to("relu11"), "no node 'relu11'; did you mean 'relu1'"),
        (lambda e: e.goto(1.5), r"position 1\.5; expected a whole number or a name"),
        (lambda e: e.to_html(5), "the path 5: expected the name of the page"),
        (lambda e: e.to_svg(5), "the path 5: expected the name of a picture"),
        (lambda e: e.to_svg("model", depth=[1]), r"depth = \[1\]; expected a whole number"),
        (lambda e: e.feed(5, 1), "the input is given as 5; expected its name"),
    ],
)
def test_what_a_method_is_given_by_mistake_is_told(explorer, call, told):
    with pytest.raises(ExplorerError, match=told):
        call(explorer)


def test_a_comparison_of_the_same_model_read_again_is_shown_and_of_another_refused(explorer):
    model = example("digits")
    assert model is not explorer.model
    feeds = {"image": np.ones((1, 1, 8, 8), np.float32)}
    explorer.compare(compare(model, feeds, "float64"))
    assert explorer.inputs["image"].shape == (1, 1, 8, 8)
    bias = model.graph.initializers["logits_B"].numpy() + 1
    other = infer(model).with_initializer("logits_B", bias).model
    with pytest.raises(ExplorerError, match="weights are not the explorer's"):
        explorer.compare(compare(other, feeds, "float64"))


def test_a_size_that_the_model_does_not_have_is_refused(explorer):
    with pytest.raises(ExplorerError, match="no size is called 'bacth'; did you mean 'batch'"):
        explorer.overlay("macs", sizes={"bacth": 8})
    explorer.overlay("macs", sizes={"batch": np.int64(8)})
    assert explorer.overlay_sizes == {"batch": 8}


def test_what_groups_nothing_or_compares_nothing_is_refused_in_words(explorer):
    for group in (5, lambda node: 5):
        with pytest.raises(ExplorerError, match=r"group .*5.*expected"):
            explore(example("digits"), group=group)
    with pytest.raises(ExplorerError, match=r"5 came; expected what ox\.compare gives"):
        explorer.compare(5)


def test_constants_are_boxes_for_all_nodes_or_for_those_that_are_named(explorer):
    assert explorer.constants is False
    explorer.constants = ["conv1"]
    assert explorer.constants == ("conv1",)
    with pytest.raises(ExplorerError, match="no node 'conv'"):
        explorer.constants = ("conv",)
    scene = explorer._with_constants(explorer._scene)
    assert [box.name for box in scene.boxes if box.kind == "initializer"] == ["conv1_W", "conv1_B"]
    assert explore(example("digits"), constants=True).constants is True
