"""Messages that are not written as nearly all are mean what onnx reads in them."""

import random

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnx_explorer.files import load
from onnx_explorer.files.wire import read_field

NAMES = ["x", "/layer.0/Add_output_0", "größe", "n" * 127, "n" * 128, "é" * 80, "名" * 9000]


def fields_of(message):
    raw, position = message.SerializeToString(), 0
    while position < len(raw):
        start = position
        _, _, _, position = read_field(raw, position, len(raw))
        yield raw[start:position]


def written(message, order):
    """The message with its fields in another order, and one that nobody knows."""
    fields = [*fields_of(message), b"\xa2\x06\x03odd"]
    order.shuffle(fields)
    return b"".join(fields)


def framed(tag, raw):
    size, head = len(raw), bytes([tag])
    while size > 0x7F:
        head, size = head + bytes([size & 0x7F | 0x80]), size >> 7
    return head + bytes([size]) + raw


def a_node(order):
    node = onnx.NodeProto(
        op_type=order.choice(["Add", "o" * 130]),
        input=order.choices([*NAMES, ""], k=order.randrange(4)),
        output=order.choices(NAMES, k=2),
    )
    for name in ("name", "domain", "doc_string", "overload"):
        if order.random() < 0.5:
            setattr(node, name, order.choice([*NAMES, ""]))
    for name, value in {"axis": -1, "alpha": 0.5, "pads": [1] * 200, "mode": "é"}.items():
        if order.random() < 0.5:
            node.attribute.append(helper.make_attribute(name, value))
    for key in order.sample(NAMES, order.randrange(3)):
        node.metadata_props.add(key=key, value=order.choice(NAMES))
    return node


def a_tensor(order):
    tensor = helper.make_tensor(
        order.choice(NAMES),
        TensorProto.FLOAT,
        [1, 200],
        np.full(200, 0.5, "f4"),
        raw=order.random() < 0.8,
    )
    if order.random() < 0.3:
        tensor.dims[:] = [200, 1, 1]
    if order.random() < 0.3:
        tensor.doc_string = "é"
        tensor.metadata_props.add(key="k", value="v")
    return tensor


def a_value(order):
    shape = order.choice([[], [2, "N"], ["é"], ["n" * 200], None])
    value = helper.make_tensor_value_info(order.choice(NAMES), TensorProto.FLOAT, shape)
    if order.random() < 0.3:
        value.doc_string = "é"
    for key in order.sample(NAMES, order.randrange(3)):
        value.metadata_props.add(key=key, value=order.choice(NAMES))
    return value


def many(make, tag, order):
    """Some as they are usually written, others shuffled, and what onnx reads in them."""
    made = [make(order) for _ in range(60)]
    raws = [m.SerializeToString() if order.random() < 0.5 else written(m, order) for m in made]
    rest = helper.make_graph([], "g", [], []).SerializeToString()
    graph = rest + b"".join(framed(tag, raw) for raw in raws)
    return [type(m).FromString(raw) for m, raw in zip(made, raws, strict=True)], loaded(graph)


def loaded(graph):
    return load(b"\x08\x08" + framed(0x3A, graph)).graph


def entries(message):
    return {entry.key: entry.value for entry in message.metadata_props}


@pytest.mark.parametrize("seed", range(6))
def test_nodes(seed):
    expected, graph = many(a_node, 0x0A, random.Random(seed))
    assert len(graph.nodes) == len(expected)
    for node, proto in zip(graph.nodes, expected, strict=True):
        assert (node.op_type, node.inputs) == (proto.op_type, tuple(proto.input))
        assert (node.name, node.outputs) == (proto.name, tuple(proto.output))
        assert (node.doc, node.domain) == (proto.doc_string, proto.domain)
        assert (node.overload, dict(node.metadata)) == (proto.overload, entries(proto))
        assert {n: plain(a.value) for n, a in node.attributes.items()} == {
            a.name: plain(helper.get_attribute_value(a)) for a in proto.attribute
        }


def plain(value):
    return value if isinstance(value, (int, float, bytes)) else list(value)


@pytest.mark.parametrize("seed", range(6))
def test_values(seed):
    expected, graph = many(a_value, 0x6A, random.Random(seed))
    assert len(graph.value_info) == len(expected)
    for value, proto in zip(graph.value_info, expected, strict=True):
        assert (value.name, value.doc) == (proto.name, proto.doc_string)
        assert dict(value.metadata) == entries(proto)
        tensor, found = proto.type.tensor_type, value.type
        assert found.dtype.value == tensor.elem_type
        assert (found.shape is not None) == tensor.HasField("shape")
        sizes = [str(d.dim_param or d.dim_value) for d in tensor.shape.dim]
        assert [str(size) for size in found.shape or ()] == sizes


def test_a_value_whose_size_takes_three_bytes():
    kind = helper.make_tensor_type_proto(TensorProto.FLOAT, [2]).SerializeToString()
    # Taken for a size of two bytes, the third one begins a name that is followed by a type, which
    # the doc looks like, and by metadata, up to where the value would end then.
    seeming_type = bytes([len(kind)]) + kind
    metadata = 16384 - 1 - 12 - len(seeming_type) - 3
    seeming = seeming_type + b"\x22" + bytes([metadata & 0x7F | 0x80, metadata >> 7])
    head = framed(0x0A, b"n" * 8) + framed(0x1A, seeming.ljust(18, b"\0"))
    raw = head + framed(0x1A, b"d" * ((10 << 14) - len(head) - 4))
    assert len(raw) == 10 << 14
    graph = loaded(framed(0x62, raw) + framed(0x62, b"\x0a\x01y"))
    assert [value.name for value in graph.outputs] == ["n" * 8, "y"]


@pytest.mark.parametrize("seed", range(6))
def test_tensors(seed):
    order = random.Random(seed)
    names = iter(range(100))

    def named(order):
        tensor = a_tensor(order)
        tensor.name += str(next(names))
        return tensor

    expected, graph = many(named, 0x2A, order)
    assert len(graph.initializers) == len(expected)
    for tensor, proto in zip(graph.initializers.values(), expected, strict=True):
        assert (tensor.name, tensor.doc) == (proto.name, proto.doc_string)
        assert (list(tensor.dims), tensor.dtype.value) == (list(proto.dims), proto.data_type)
        assert dict(tensor.metadata) == entries(proto)
        assert tensor.numpy().tolist() == onnx.numpy_helper.to_array(proto).tolist()
        assert tensor.nbytes == 800


def test_the_parts_of_a_sparse_tensor_that_come_twice_mean_one_tensor_together():
    first = helper.make_sparse_tensor(
        numpy_helper.from_array(np.float32([5]), "w"), numpy_helper.from_array(np.array([1])), [4]
    )
    second = onnx.SparseTensorProto()
    second.values.CopyFrom(numpy_helper.from_array(np.float32([6]), "w"))
    second.values.dims[:] = []
    raw = first.SerializeToString() + second.SerializeToString()
    meant = onnx.SparseTensorProto.FromString(raw)
    graph = helper.make_graph([], "g", [], []).SerializeToString() + framed(0x7A, raw)
    model = helper.make_model(helper.make_graph([], "", [], []), ir_version=10)
    model.ClearField("graph")
    found = load(model.SerializeToString() + framed(0x3A, graph)).graph.sparse_initializers[0]
    assert found.name == meant.values.name
    assert found.values.numpy().tolist() == numpy_helper.to_array(meant.values).tolist() == [6]
    assert found.indices.numpy().tolist() == [1]
