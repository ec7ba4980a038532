"""Nothing that onnx writes is lost on the way through our models."""

import dataclasses

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnx_explorer.files import load
from tests.files.messages import (
    MODEL_FILES,
    node_models,
    our_tensors,
    rewritten,
    their_tensors,
    without_defaults,
)


def assert_survives(message):
    model = load(message)
    assert onnx.ModelProto.FromString(model.to_bytes()) == message
    assert without_defaults(rewritten(model)) == without_defaults(message)
    return model


def assert_equal_elements(model, message):
    for theirs, ours in zip(their_tensors(message.graph), our_tensors(model.graph), strict=True):
        wanted = numpy_helper.to_array(theirs)
        got = ours.numpy()
        assert ours.name == theirs.name
        assert got.shape == wanted.shape
        if theirs.data_type == TensorProto.STRING:
            texts = [x.decode() if isinstance(x, bytes) else x for x in wanted.ravel()]
            assert list(got.ravel()) == texts
        else:
            assert got.dtype == wanted.dtype
            assert got.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("path", MODEL_FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_file_gives_an_equal_message_and_equal_elements(path):
    message = onnx.ModelProto.FromString(path.read_bytes())
    assert_equal_elements(assert_survives(message), message)


@pytest.mark.slow
def test_every_node_test_model_of_onnx_gives_an_equal_message_and_equal_elements():
    models = node_models()
    assert len(models) > 1800
    for name, message in models.items():
        try:
            assert_equal_elements(assert_survives(message), message)
        except AssertionError as error:
            error.add_note(name)
            raise


def filled(message, depth=0, seed=0):
    """The message with every field of every kind set to something of its own."""
    for i, field in enumerate(message.DESCRIPTOR.fields):
        oneof = field.containing_oneof
        # A type inside a type is a tensor, or it would never end.
        if oneof and field is not oneof.fields[seed % len(oneof.fields) if depth < 6 else 0]:
            continue
        if field.name in {"data_location", "external_data", "ref_attr_name", "segment"}:
            continue
        if field.type == field.TYPE_MESSAGE:
            if field.name in {"g", "graphs"}:
                continue
            value = getattr(message, field.name)
            inside = depth + (6 if message.DESCRIPTOR.full_name.startswith("onnx.TypeProto") else 0)
            filled(value.add() if field.is_repeated else value, inside, seed + i)
            continue
        if field.type == field.TYPE_STRING:
            value = f"{field.name}{seed}"
        elif field.type == field.TYPE_BYTES:
            value = f"{field.name}{seed}".encode()
        elif field.type == field.TYPE_ENUM:
            value = 1 + seed % 3
        elif field.name in {"data_type", "elem_type", "key_type"}:
            value = TensorProto.INT32
        else:
            value = 1 + (i + seed) % 7
        if field.is_repeated:
            getattr(message, field.name).extend([value, value])
        else:
            setattr(message, field.name, value)
    return message


def with_kinds_that_match(message):
    """The attributes with a type that fits one of their fields, and no other field."""
    kinds = helper.AttributeProto
    fields = {
        kinds.FLOAT: "f", kinds.INT: "i", kinds.STRING: "s", kinds.TENSOR: "t",
        kinds.FLOATS: "floats", kinds.INTS: "ints", kinds.STRINGS: "strings",
        kinds.TENSORS: "tensors", kinds.SPARSE_TENSOR: "sparse_tensor",
        kinds.SPARSE_TENSORS: "sparse_tensors", kinds.TYPE_PROTO: "tp",
        kinds.TYPE_PROTOS: "type_protos",
    }  # fmt: skip
    node = message.graph.node[0]
    (every,) = node.attribute
    del node.attribute[:]
    for kind, field in fields.items():
        attribute = node.attribute.add()
        attribute.CopyFrom(every)
        attribute.name, attribute.type = field, kind
        for other in fields.values():
            if other != field:
                attribute.ClearField(other)
    for attribute in message.functions[0].attribute_proto:
        attribute.type = kinds.INT
        for other in fields.values():
            if other != "i":
                attribute.ClearField(other)
    for function_node in message.functions[0].node:
        del function_node.attribute[:]
    for info in message.training_info:
        for graph in (info.initialization, info.algorithm):
            for inner in graph.node:
                del inner.attribute[:]
    return message


@pytest.mark.parametrize("seed", range(6))
def test_every_field_of_the_format_goes_through_our_objects(seed):
    message = with_kinds_that_match(filled(onnx.ModelProto(), seed=seed))
    names = {line.split(":")[0].split("{")[0].strip() for line in str(message).splitlines()}
    assert {"device_configurations", "sharding_spec", "overload", "sparse_initializer"} <= names
    assert {"update_binding", "quant_parameter_tensor_names", "attribute_proto"} <= names
    assert_survives(message)


def test_a_field_from_a_later_version_of_the_format_survives():
    message = onnx.load(MODEL_FILES[0])
    raw = message.SerializeToString() + bytes([0xFA, 0x3F, 2]) + b"hi"  # field 1023
    assert load(raw).to_bytes() == raw


def test_a_model_that_was_edited_keeps_the_rest_of_its_message():
    message = onnx.load(MODEL_FILES[0])
    model = dataclasses.replace(load(message), producer_name="edited")
    again = onnx.ModelProto.FromString(model.to_bytes())
    assert again.producer_name == "edited"
    assert again.graph == message.graph


def test_an_edit_of_a_node_is_what_is_written():
    node = helper.make_node("Relu", ["x"], ["y"], name="before")
    graph = helper.make_graph([node], "g", [], [], [numpy_helper.from_array(np.ones(3), "x")])
    model = load(helper.make_model(graph))
    nodes = (dataclasses.replace(model.graph.nodes[0], name="after"),)
    edited = dataclasses.replace(model, graph=dataclasses.replace(model.graph, nodes=nodes))
    assert onnx.ModelProto.FromString(edited.to_bytes()).graph.node[0].name == "after"
