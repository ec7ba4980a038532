"""What the fields of a file mean, as our objects say it."""

import gc
import pickle

import onnx
import pytest
from onnx import AttributeProto, TensorProto, helper

from onnx_explorer.dims import symbol
from onnx_explorer.files import load
from onnx_explorer.files.drafts import NodeDraft, TensorDraft, ValueDraft
from onnx_explorer.ir import UNKNOWN_DIM, DType, MapType, Node, SequenceType, Tensor, Value


def load_graph(nodes=(), inputs=()):
    return load(helper.make_model(helper.make_graph(nodes, "g", inputs, []))).graph


def declared(type_proto):
    return load_graph(inputs=[helper.make_value_info("x", type_proto)]).inputs[0].type


def tensor_type(shape):
    return declared(helper.make_tensor_type_proto(TensorProto.FLOAT, shape))


def test_sizes_are_numbers_symbols_and_arithmetic_over_them():
    found = tensor_type([2, "batch", "2*s0 + 1", None])
    assert found.dtype is DType.FLOAT32
    assert found.shape == (2, symbol("batch"), 2 * symbol("s0") + 1, UNKNOWN_DIM)
    assert str(found) == "float32[2, batch, 2*s0 + 1, ?]"


@pytest.mark.parametrize("name", ["?", "p2o.DynamicDimension.1", "a b", "a-", "(", "1x"])
def test_a_size_whose_name_is_no_arithmetic_is_one_symbol(name):
    (size,) = tensor_type([name]).shape
    assert size == symbol(name)


def test_an_empty_axis_is_a_size_and_minus_one_is_none():
    assert tensor_type([0, -1]).shape == (0, UNKNOWN_DIM)


def test_no_shape_is_an_unknown_rank_and_an_empty_one_a_scalar():
    assert tensor_type(None).shape is None
    assert tensor_type([]).shape == ()


def test_types_nest():
    inner = helper.make_tensor_type_proto(TensorProto.INT8, ["N"])
    found = declared(helper.make_sequence_type_proto(helper.make_map_type_proto(8, inner)))
    assert isinstance(found, SequenceType)
    assert isinstance(found.element, MapType)
    assert str(found) == "seq(map(string, int8[N]))"


def test_equal_attributes_are_one_object_and_subgraphs_never_are():
    body = helper.make_graph([], "b", [], [])
    graph = load_graph(
        [helper.make_node("Conv", ["x"], [o], kernel_shape=[3, 3], group=1) for o in "ab"]
        + [helper.make_node("Conv", ["x"], ["c"], kernel_shape=[3, 3])]
        + [helper.make_node("Loop", [], [], body=body) for _ in range(2)]
    )
    a, b, c, first, second = graph.nodes
    assert a.attributes is b.attributes
    assert a.attributes["kernel_shape"] is c.attributes["kernel_shape"]
    assert a.attributes["kernel_shape"].value == (3, 3)
    assert first.attributes["body"].value is not second.attributes["body"].value


def test_the_kind_of_an_attribute_of_ir_version_1_is_that_of_its_value():
    node = onnx.NodeProto(op_type="Conv")
    for name, value in (("i", 3), ("f", 0.5), ("s", b"SAME"), ("ints", [1, 2])):
        attribute = node.attribute.add(name=name)
        if name == "ints":
            attribute.ints.extend(value)
        else:
            setattr(attribute, name, value)
    node.attribute.add(name="t").t.CopyFrom(helper.make_tensor("", TensorProto.INT64, [], [7]))
    attributes = load_graph([node]).nodes[0].attributes
    assert {name: a.kind for name, a in attributes.items()} == {
        "i": "int", "f": "float", "s": "string", "ints": "ints", "t": "tensor"
    }  # fmt: skip
    assert attributes["ints"].value == (1, 2)
    assert attributes["t"].value.numpy() == 7


def test_a_reference_to_an_attribute_of_the_caller_has_no_value():
    node = onnx.NodeProto(op_type="Relu")
    node.attribute.add(name="alpha", ref_attr_name="slope", type=AttributeProto.FLOAT)
    found = load_graph([node]).nodes[0].attributes["alpha"]
    assert (found.kind, found.reference, found.value) == ("float", "slope", None)


def test_a_graph_in_two_parts_is_one_graph():
    whole = helper.make_model(helper.make_graph([helper.make_node("A", [], ["a"])], "g", [], []))
    more = onnx.ModelProto(graph=helper.make_graph([helper.make_node("B", [], ["b"])], "h", [], []))
    raw = whole.SerializeToString() + more.SerializeToString()
    graph = load(raw).graph
    assert [node.op_type for node in graph.nodes] == ["A", "B"]
    assert graph.name == onnx.ModelProto.FromString(raw).graph.name == "h"


def test_names_that_are_not_utf_8_are_shown_escaped_and_kept():
    raw = helper.make_model(
        helper.make_graph([helper.make_node("Relu", ["xxx"], ["yyy"])], "g", [], [])
    ).SerializeToString()
    odd = raw.replace(b"xxx", b"\xe9xx")
    model = load(odd)
    assert model.graph.nodes[0].inputs == ("\\xe9xx",)
    assert model.to_bytes() == odd


def test_metadata_is_a_mapping():
    node = helper.make_node("Relu", ["x"], ["y"])
    node.metadata_props.add(key="namespace", value="/encoder/0")
    metadata = load_graph([node]).nodes[0].metadata
    assert dict(metadata) == {"namespace": "/encoder/0"}
    assert metadata["namespace"] == "/encoder/0"
    assert pickle.loads(pickle.dumps(metadata)) == {"namespace": "/encoder/0"}


@pytest.mark.parametrize(
    ("draft", "final"), [(NodeDraft, Node), (ValueDraft, Value), (TensorDraft, Tensor)]
)
def test_drafts_have_the_fields_of_what_they_become(draft, final):
    assert sorted(draft.__slots__) == sorted(final.__slots__)


def test_loading_leaves_the_garbage_collector_as_it_was():
    content = helper.make_model(helper.make_graph([], "g", [], [])).SerializeToString()
    load(content)
    assert gc.isenabled()
    gc.disable()
    try:
        load(content)
        assert not gc.isenabled()
    finally:
        gc.enable()
