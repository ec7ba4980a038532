"""`ox.check`: what it takes, what it gives, and the rules that no mutant of onnx's checker breaks."""

from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.ir import DeviceConfiguration, NodeDevices, ShardedDim, Sharding
from tests.broken.gallery import GALLERY
from tests.checker.mutants import GOOD


def test_a_report_is_a_list_of_findings_with_errors_first():
    report = ox.check(GALLERY["attribute_that_became_an_input"]())
    assert [d.severity for d in report] == ["error", "warning"]
    assert list(report.errors) + list(report.warnings) == list(report) == list(report[:])
    assert report.codes == ("unknown-attribute", "declared-mismatch")
    assert report
    assert report.summary == "1 error, 1 warning"
    assert not ox.check(GOOD["layered"]())
    assert str(ox.check(GOOD["layered"]())) == "nothing found"


def test_what_follows_is_printed_below_its_cause():
    report = ox.check(GALLERY["failure_that_follows_from_another"]())
    first, second, summary = str(report).splitlines()
    assert first.startswith("error inner-size-mismatch: MatMul 'encode'")
    assert second.startswith("    then inner-size-mismatch: MatMul 'decode'")
    assert summary == "2 errors"


def test_a_notebook_gets_a_table_with_names_escaped():
    g = graph("shown", opset=20)
    x = g.input("x", "float32[2, 3]")
    g.output(g.MatMul(x, np.zeros((4, 5), "f4"), name="<script>"), "y")
    html = ox.check(g.model())._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert "<code>inner-size-mismatch</code>" in html


def test_an_output_without_a_type_is_told_what_it_is():
    g = graph("bare", opset=20)
    g.output(g.Relu(g.input("x", "float32[N, 3]")), "y")
    (found,) = ox.check(g.model())
    assert (found.code, found.value) == ("missing-type", "y")
    assert found.repairs == ("it is float32[N, 3]",)


@pytest.mark.parametrize("content", [b"", b"<html></html>", b"version https://git-lfs.github.com"])
def test_what_cannot_be_read_is_a_finding(content):
    (found,) = ox.check(content)
    assert (found.code, found.severity) == ("unreadable", "error")


def test_a_file_that_is_not_there_is_no_finding(tmp_path):
    with pytest.raises(FileNotFoundError):
        ox.check(tmp_path / "gone.onnx")


def external(folder, stored):
    """A model at a path whose weight lies in a data file of that many bytes."""
    weight = numpy_helper.from_array(np.ones((4, 4), np.float32), "W")
    model = GOOD["old"]()
    model.ir_version = 10
    model.graph.initializer[0].CopyFrom(weight)
    path = folder / "model.onnx"
    onnx.save(model, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    data = folder / "weights.bin"
    if stored is None:
        data.unlink()
    else:
        data.write_bytes(data.read_bytes()[:stored])
    return path


@pytest.mark.parametrize(
    ("stored", "codes"), [(64, ()), (63, ("external-data",)), (None, ("external-data",))]
)
def test_a_data_file_has_to_be_there_and_long_enough(tmp_path, stored, codes):
    assert ox.check(external(tmp_path, stored)).codes == codes


def test_a_data_file_of_another_size_than_the_shape_is_found(tmp_path):
    path = external(tmp_path, 64)
    model = onnx.load(path, load_external_data=False)
    for entry in model.graph.initializer[0].external_data:
        if entry.key == "length":
            entry.value = "60"
    path.write_bytes(model.SerializeToString())
    (found,) = ox.check(path)
    assert found.code == "tensor-size"
    assert "60 bytes" in found.message
    assert "64" in found.message


def sharded(**changes):
    """A node on 2 devices, each with half of the columns of `x`."""
    sharding = Sharding("x", (0, 1), (), (ShardedDim(1, ((4, 2),)),))
    sharding = replace(sharding, **changes.pop("sharding", {}))
    placement = NodeDevices(changes.pop("configuration", "pair"), (sharding,))
    g = graph("placed", opset=24)
    g.output(g.Relu(g.input("x", "float32[2, 4]"), name="act"), "y", "float32[2, 4]")
    model = g.model()
    (node,) = model.graph.nodes
    placed = replace(model.graph, nodes=(replace(node, devices=(placement,)),))
    return replace(model, graph=placed, devices=(DeviceConfiguration("pair", 2),))


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"configuration": "trio"}, "no device configuration 'trio'"),
        ({"sharding": {"devices": (0, 2)}}, "device 2 of configuration 'pair', which has 2"),
        ({"sharding": {"tensor": "z"}}, "it places 'z', which is neither input nor output"),
        ({"sharding": {"dims": (ShardedDim(1, ((4, 0),)),)}}, "fewer than 1 shard"),
        ({"sharding": {"dims": (ShardedDim(2, ((4, 2),)),)}}, "axis 2 of 'x', which has rank 2"),
        ({"sharding": {"devices": (-1,), "groups": ((-1, (0, 5)),)}}, "device 5 of configuration"),
    ],
)
def test_a_placement_that_names_what_is_not_there_is_found(changes, text):
    assert list(ox.check(sharded())) == []
    (found,) = ox.check(sharded(**changes))
    assert (found.code, found.node) == ("sharding", "act")
    assert text in found.message


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        ({"f": 1.0, "i": 1, "type": 2}, "holds several values: float and int"),
        ({"f": 1.0, "type": 2}, "is of type int, but holds float"),
        ({"i": 1, "type": 2, "ref_attr_name": "along"}, "holds a value and refers to another one"),
        ({"i": 1}, "does not say its type"),
    ],
)
def test_an_attribute_is_looked_at_as_it_is_stored(attribute, text):
    node = helper.make_node("Softmax", ["x"], ["y"])
    node.attribute.append(onnx.AttributeProto(name="axis", **attribute))
    model = GOOD["old"]()
    model.ir_version = 10
    del model.graph.initializer[:], model.graph.input[1:], model.graph.node[:]
    model.graph.node.append(node)
    assert text in "\n".join(d.message for d in ox.check(model).errors)


def test_bodies_that_inference_does_not_walk_are_looked_at_as_well():
    then, other = (
        helper.make_graph(
            [helper.make_node(op, ["x"], [f"{op}_out"])],
            op,
            [],
            [helper.make_tensor_value_info(f"{op}_out", TensorProto.FLOAT, [2])],
        )
        for op in ("Relu", "Negg")
    )
    flag = helper.make_tensor("flag", TensorProto.BOOL, [], [True])
    node = helper.make_node("If", ["flag"], ["y"], name="if", then_branch=then, else_branch=other)
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy")
    model = helper.make_model(
        helper.make_graph([node], "known", [x], [y], [flag]),
        opset_imports=[helper.make_opsetid("", 21)],
        ir_version=10,
    )
    (found,) = ox.check(model)
    assert (found.code, found.node) == ("no-such-operator", "if/else_branch/Negg_out")


def test_ai_onnx_is_another_name_for_the_default_domain():
    model = GOOD["layered"]()
    model.opset_import[0].domain = "ai.onnx"
    assert list(ox.check(model)) == []
    model.opset_import.append(helper.make_opsetid("", 20))
    assert ox.check(model).codes == ("import-conflict",)


def test_a_domain_that_a_file_imports_in_two_versions_is_a_conflict_and_the_last_counts():
    node = helper.make_node("Relu", ["x"], ["y"])
    ends = [[helper.make_tensor_value_info(name, 1, [2])] for name in "xy"]
    made = helper.make_graph([node], "g", *ends)
    for versions, told in (([20, 18], "as 20 and as 18"), ([18, 18], "")):
        imports = [helper.make_opsetid("", version) for version in versions]
        model = ox.load(helper.make_model(made, opset_imports=imports, ir_version=10))
        assert model.opset_imports == {"": 18}
        assert [d.code for d in ox.check(model)] == (["import-conflict"] if told else [])
        assert told in str(ox.check(model))


def test_nodes_that_are_written_alike_are_told_one_by_one():
    nodes = [helper.make_node("Relu", ["x"], [name], name=name) for name in "abc"]
    for node in nodes[1:]:
        node.attribute.add(name="alpha", i=1)
        node.domain = "nowhere"
    made = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", 1, [2])], [])
    found = ox.check(helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)]))
    for code in ("attribute-kind", "missing-import"):
        assert [d.node for d in found if d.code == code] == ["b", "c"]


def test_a_type_that_no_attribute_has_is_told():
    attribute = b"\x0a\x05alpha\x18\x01\xa0\x01\x23"  # name, i = 1, type = 35
    node = b"\x0a\x01x\x12\x01y\x22\x04Relu\x2a" + bytes([len(attribute)]) + attribute
    graph = b"\x0a" + bytes([len(node)]) + node
    found = ox.check(b"\x08\x08\x3a" + bytes([len(graph)]) + graph)
    texts = [d.message for d in found if d.code == "attribute-kind"]
    assert len(texts) == 1
    assert "'alpha' is of type number 35" in texts[0]
