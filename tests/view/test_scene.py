"""The scene of a model: boxes, edges with types, groups, what is folded and what is marked."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from onnx_explorer import build, example, infer
from onnx_explorer.ir import Function, Node
from onnx_explorer.view import Scene, scene_of
from tests.view.unpacked import columns_of


def scene(g: build.GraphBuilder, **kwargs) -> Scene:
    return scene_of(infer(g.model(**kwargs)))


def box_index(scene: Scene, box_id: str) -> int:
    (found,) = [i for i, box in enumerate(scene.boxes) if box.id == box_id]
    return found


def edges(scene: Scene) -> list[tuple[str, str, str]]:
    """Source, target and label of each edge."""
    return [(scene.boxes[e.source].id, scene.boxes[e.target].id, e.label) for e in scene.edges]


def groups(scene: Scene) -> dict[str, str]:
    """The full path of each group, with the label of the box that owns it."""
    paths: list[str] = []
    for group in scene.groups[1:]:
        outer = paths[group.parent - 1] if group.parent > 0 else ""
        paths.append(f"{outer}{group.label}/")
    owners = [scene.boxes[g.box].id if g.box >= 0 else "" for g in scene.groups[1:]]
    return dict(zip(paths, owners, strict=True))


def test_edges_carry_what_inference_says():
    g = build.graph("net", opset=20)
    x = g.input("x", "float32[batch, 3, 32, 32]")
    h = g.Conv(x, np.zeros((8, 3, 3, 3), np.float32), name="conv", strides=[2, 2])
    g.output(g.Relu(h, name="relu"), "y")
    assert edges(scene(g)) == [
        ("in:x", "conv", "float32[batch, 3, 32, 32]"),
        ("conv", "relu", "float32[batch, 8, 15, 15]"),
        ("relu", "out:y", "float32[batch, 8, 15, 15]"),
    ]


@pytest.mark.parametrize("name", example())
def test_box_ids_are_unique_and_edges_lie_inside(name):
    found = scene_of(infer(example(name)))
    ids = [box.id for box in found.boxes]
    assert len(set(ids)) == len(ids)
    ends = {end for edge in found.edges for end in (edge.source, edge.target)}
    assert ends <= set(range(len(ids)))


@pytest.mark.parametrize("name", example())
def test_the_bytes_are_the_columns(name):
    found = scene_of(infer(example(name)), title="<b>")
    columns = columns_of(found.to_bytes())
    assert columns["version"] == 1
    assert columns["title"] == "<b>"
    assert len(set(map(len, columns["boxes"].values()))) == 1
    assert columns["edges"]["label"] == [edge.label for edge in found.edges]
    assert columns == json.loads(json.dumps(found.columns()))


def test_a_long_column_travels_in_pieces(monkeypatch):
    found = scene_of(infer(example("transformer")))
    whole = columns_of(found.to_bytes())
    monkeypatch.setattr("onnx_explorer.view.travel.PIECE", 7)
    assert columns_of(found.to_bytes()) == whole


def test_constants_and_their_copies_are_folded_into_their_readers():
    g = build.graph("net", opset=20)
    x = g.input("x", "float32[n]")
    two = g.Constant(value=np.array([2.0], np.float32), name="two")
    copy = g.Identity(two, name="copy")
    g.output(g.Mul(x, copy, name="doubled"), "y")
    found = scene(g)
    assert [box.id for box in found.boxes] == ["in:x", "doubled", "out:y"]
    assert found.hidden == {"two", "copy"}
    readers = {i.name: [found.boxes[b].id for b in i.boxes] for i in found.initializers}
    assert readers == {"two": [], "copy": ["doubled"]}


def test_a_constant_that_is_an_output_is_drawn():
    g = build.graph("net", opset=20)
    g.output(g.Constant(value=np.zeros(3, np.float32), name="zeros"), "zeros", "float32[3]")
    assert edges(scene(g)) == [("zeros", "out:zeros", "float32[3]")]


def test_slashes_in_names_make_groups():
    g = build.graph("net")
    x = g.input("x", "float32[n]")
    for layer in ("layer0", "layer1"):
        with g.scope(f"encoder/{layer}"):
            x = g.Relu(g.Relu(x))
    with g.scope("head"):
        x = g.Sigmoid(x)
    g.output(x, "y")
    # One node makes no group: `head` is not among them.
    assert set(groups(scene(g))) == {"encoder/", "encoder/layer0/", "encoder/layer1/"}


def test_a_group_of_everything_is_left_out_and_chains_are_joined():
    g = build.graph("net")
    x = g.input("x", "float32[n]")
    for name in ("model/a/deep/one", "model/a/deep/two", "model/b/one", "model/b/two"):
        x = g.Relu(x, name=name)
    g.output(x, "y")
    assert set(groups(scene(g))) == {"a/deep/", "b/"}


def test_torch_says_its_modules_in_metadata():
    def node(name: str, scopes: list[str], classes: list[str]) -> Node:
        metadata = {
            "pkg.torch.onnx.name_scopes": repr([*scopes, name]),
            "pkg.torch.onnx.class_hierarchy": repr([*classes, "aten.relu"]),
        }
        return Node("Relu", (f"{name}_in",), (name,), name=f"node_{name}", metadata=metadata)

    inner = ["", "bert.layer", "bert.layer.0"]
    classes = ["Main", "torch.nn.ModuleList", "bert.Layer"]
    nodes = [
        node("r1", inner, classes),
        replace(node("r2", inner, classes), inputs=("r1",)),
        replace(node("r3", inner[:2], classes[:2]), inputs=("r2",)),
        replace(node("r4", [""], ["Main"]), inputs=("r3",)),
    ]
    g = build.graph("net")
    g.input("r1_in", "float32[n]")
    model = g.model()
    model = replace(model, graph=replace(model.graph, nodes=tuple(nodes)))
    found = groups(scene_of(infer(model)))
    assert set(found) == {"bert.layer · ModuleList/", "bert.layer · ModuleList/0 · Layer/"}


def test_branches_belong_to_their_node_and_read_what_is_around_them():
    g = build.graph("net")
    x = g.input("x", "float32[n]")
    condition = g.input("condition", "bool[]")
    yes, no = g.subgraph("yes"), g.subgraph("no")
    yes.output(yes.Relu(x, name="relu"), "positive")
    no.output(no.Identity(x, name="same"), "unchanged")
    g.output(g.If(condition, then_branch=yes, else_branch=no, name="choose"), "y")
    found = scene(g)
    assert groups(found) == {"then_branch/": "choose", "else_branch/": "choose"}
    assert ("in:x", "choose/then_branch/relu", "float32[n]") in edges(found)
    assert (
        "choose/then_branch/relu",
        "choose/then_branch/out:positive",
        "float32[n]",
    ) in edges(found)


def test_a_call_shows_the_body_of_its_function():
    g = build.graph("net")
    x = g.input("x", "float32[n]")
    g.output(g.op("Twice", x, domain="mine", name="call"), "y")
    body = (Node("Add", ("a", "a"), ("b",), name="add"),)
    twice = Function("Twice", "mine", ("a",), ("b",), body, {"": 21})
    found = scene(g, functions=[twice])
    assert groups(found) == {"Twice/": "call"}
    assert ("call/function/in:a", "call/function/add", "float32[n]") in edges(found)


def test_a_function_that_calls_itself_is_drawn_once():
    g = build.graph("net")
    x = g.input("x", "float32[n]")
    g.output(g.op("Again", x, domain="mine", name="call"), "y")
    body = (Node("Again", ("a",), ("b",), name="again", domain="mine"),)
    again = Function("Again", "mine", ("a",), ("b",), body, {"mine": 1})
    assert set(groups(scene(g, functions=[again]))) == {"Again/"}


def test_the_edge_that_does_not_fit_is_marked_and_says_why():
    found = scene_of(infer(example("shape_error")))
    (marked,) = [edge for edge in found.edges if edge.mark == "mismatch"]
    assert (marked.value, marked.label) == ("flatten", "float32[batch, 288]")
    assert found.boxes[marked.target].id == "dense"
    assert "288" in marked.note
    assert "512" in marked.note
    assert [box.id for box in found.boxes if box.problems] == ["dense"]
    (row,) = found.diagnostics
    assert (row[0], row[3]) == ("error", box_index(found, "dense"))


def test_a_declared_type_that_inference_contradicts_is_marked():
    g = build.graph("net")
    x = g.input("x", "float32[4]")
    g.output(g.Relu(x), "y", "float32[5]")
    found = scene(g)
    assert [e.mark for e in found.edges if e.value == "y"] == ["mismatch"]


def test_what_an_unknown_operator_makes_is_marked_unknown():
    g = build.graph("net")
    x = g.input("x", "float32[4]")
    g.output(g.op("Strange", x, domain="mine", name="strange"), "y")
    found = scene(g)
    (unknown,) = [edge for edge in found.edges if edge.mark == "unknown"]
    assert unknown.value == "y"
    assert "Strange" in unknown.note


def test_attributes_tell_defaults_from_what_the_model_sets():
    g = build.graph("net", opset=20)
    x = g.input("x", "float32[a, b]")
    g.output(g.Gemm(x, np.zeros((4, 2), np.float32), alpha=0.5, name="gemm"), "y")
    found = scene(g)
    rows = found.boxes[box_index(found, "gemm")].attributes
    assert set(rows) == {
        ("alpha", "0.5", 0),
        ("beta", "1", 1),
        ("transA", "0", 1),
        ("transB", "0", 1),
    }


def test_names_that_are_no_text_still_make_json():
    g = build.graph("net")
    x = g.input("x", "float32[4]")
    g.output(g.Relu(x, name="odd\udcff"), "y")
    assert columns_of(scene(g).to_bytes())["boxes"]["id"][1].startswith("odd")


def chain():
    g = build.graph("chain")
    x = g.input("x", "float32[2]")
    for name in ("a/one", "a/two", "three", "four"):
        x = g.Relu(x, name=name)
    g.output(x, "y")
    return infer(g.model())


def grouped(**options):
    scene = scene_of(chain(), **options)
    labels = {box.id: scene.groups[box.group].label for box in scene.boxes if box.kind == "node"}
    return {name: "" if label == "chain" else label for name, label in labels.items()}


def test_a_persons_own_groups_win_over_those_of_names():
    wanted = {"a/one": "mine", "three": "mine"}
    expected = {"a/one": "mine", "a/two": "", "three": "mine", "four": ""}
    assert grouped(grouping=wanted) == expected
    assert grouped(grouping=lambda node: wanted.get(node.name)) == expected
    assert grouped() == {"a/one": "a", "a/two": "a", "three": "", "four": ""}


def test_an_empty_group_leaves_a_node_outside():
    assert set(grouped(grouping=lambda node: "").values()) == {""}


def test_functions_are_told_with_what_calls_them():
    g = build.graph("net")
    x = g.input("x", "float32[n]")
    for name in ("one", "two"):
        x = g.op("Twice", x, domain="mine", name=name)
    g.output(x, "y")
    body = (Node("Add", ("a", "a"), ("b",), name="add"),)
    twice = Function("Twice", "mine", ("a",), ("b",), body, {"": 21})
    caller = (Node("Twice", ("a",), ("b",), domain="mine"),)
    unused = Function("Unused", "mine", ("a",), ("b",), caller, {"mine": 1})
    assert scene(g, functions=[twice, unused]).functions == (
        ("Twice", "mine", ("a",), ("b",), 1, 3),
        ("Unused", "mine", ("a",), ("b",), 1, 0),
    )
