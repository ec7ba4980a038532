"""Models that are nearly valid: every field of a few good ones, cleared, doubled or changed."""

from itertools import count

import numpy as np
import onnx
from google.protobuf.descriptor import FieldDescriptor
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def value(name, dtype=FLOAT, shape=("n", 4)):
    return helper.make_tensor_value_info(name, dtype, shape)


def whole(graph, **keywords):
    opsets = [helper.make_opsetid("", 21)]
    return helper.make_model(graph, **{"opset_imports": opsets, "ir_version": 10, **keywords})


def layered():
    """A small network: constants in raw and in typed form, an attribute of each plain kind."""
    weights = numpy_helper.from_array(np.ones((4, 4), np.float32), "W")
    bias = helper.make_tensor("b", FLOAT, [4], [1.0, 2.0, 3.0, 4.0])
    nodes = [
        helper.make_node("Gemm", ["x", "W", "b"], ["h"], name="fc", transB=1, alpha=0.5),
        helper.make_node("Relu", ["h"], ["a"], name="act"),
        helper.make_node("Concat", ["a", "h"], ["c"], name="join", axis=1),
        helper.make_node("DepthToSpace", ["image"], ["d"], blocksize=2, mode="CRD"),
        helper.make_node("Constant", [], ["k"], value_ints=[1, 2]),
    ]
    graph = helper.make_graph(
        nodes,
        "layered",
        [value("x"), value("image", FLOAT, [1, 4, 2, 2])],
        [value("c", FLOAT, ["n", 8]), value("d", FLOAT, [1, 1, 4, 4]), value("k", INT64, [2])],
        [weights, bias],
        value_info=[value("h")],
    )
    model = whole(graph)
    helper.set_model_props(model, {"author": "somebody"})
    return model


def branching():
    """An If whose branches read a value from around them."""
    branches = [
        helper.make_graph(
            [helper.make_node(op, ["x"], [f"{op}_out"])], op, [], [value(f"{op}_out")]
        )
        for op in ("Relu", "Neg")
    ]
    node = helper.make_node(
        "If", ["flag"], ["y"], name="if", then_branch=branches[0], else_branch=branches[1]
    )
    return whole(
        helper.make_graph([node], "branching", [value("x"), value("flag", BOOL, [])], [value("y")])
    )


def looping():
    """A Loop that carries a value and scans it."""
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["going"], ["goes_on"]),
            helper.make_node("Add", ["carried", "carried"], ["doubled"]),
            helper.make_node("Identity", ["doubled"], ["scanned"]),
        ],
        "body",
        [value("i", INT64, []), value("going", BOOL, []), value("carried", FLOAT, [2])],
        [value("goes_on", BOOL, []), value("doubled", FLOAT, [2]), value("scanned", FLOAT, [2])],
    )
    node = helper.make_node("Loop", ["count", "", "x"], ["last", "all"], body=body)
    inputs = [value("count", INT64, []), value("x", FLOAT, [2])]
    outputs = [value("last", FLOAT, [2]), value("all", FLOAT, ["k", 2])]
    return whole(helper.make_graph([node], "looping", inputs, outputs))


def calling():
    """A function with an attribute, called twice."""
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("local", 1)]
    soft = helper.make_node("Softmax", ["a"], ["b"])
    soft.attribute.append(
        onnx.AttributeProto(name="axis", type=onnx.AttributeProto.INT, ref_attr_name="along")
    )
    scaled = helper.make_node("Mul", ["b", "b"], ["c"])
    function = helper.make_function(
        "local", "Soft", ["a"], ["c"], [soft, scaled], opsets[:1], attributes=["along"]
    )
    nodes = [
        helper.make_node("Soft", ["x"], ["h"], domain="local", along=0),
        helper.make_node("Soft", ["h"], ["y"], domain="local", along=1),
    ]
    graph = helper.make_graph(nodes, "calling", [value("x")], [value("y")])
    return whole(graph, functions=[function], opset_imports=opsets)


def structured():
    """Sequences, optionals, maps and sparse tensors."""
    indices = helper.make_tensor("places", INT64, [2], [1, 5])
    values = helper.make_tensor("S", FLOAT, [2], [3.0, 4.0])
    sparse = helper.make_sparse_tensor(values, indices, [2, 4])
    constant = helper.make_sparse_tensor(
        helper.make_tensor("", FLOAT, [1], [3.0]),
        helper.make_tensor("", INT64, [1, 2], [1, 3]),
        [2, 4],
    )
    tensor = helper.make_tensor_type_proto(FLOAT, ["n", 4])
    nodes = [
        helper.make_node("SequenceConstruct", ["x", "x"], ["s"]),
        helper.make_node("Optional", ["x"], ["o"]),
        helper.make_node("Constant", [], ["k"], sparse_value=constant),
        helper.make_node("Add", ["k", "S"], ["y"]),
    ]
    outputs = [
        helper.make_value_info("s", helper.make_sequence_type_proto(tensor)),
        helper.make_value_info("o", helper.make_optional_type_proto(tensor)),
        value("y", FLOAT, [2, 4]),
    ]
    return whole(
        helper.make_graph(nodes, "structured", [value("x")], outputs, sparse_initializer=[sparse])
    )


def old():
    """A model of IR version 3, whose initializers are inputs."""
    weights = numpy_helper.from_array(np.ones((4, 4), np.float32), "W")
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "W"], ["y"])],
        "old",
        [value("x"), value("W", FLOAT, [4, 4])],
        [value("y")],
        [weights],
    )
    return whole(graph, ir_version=3, opset_imports=[helper.make_opsetid("", 8)])


def stored():
    """Constants in every field that elements are stored in."""
    constants = [
        helper.make_tensor("words", TensorProto.STRING, [2], [b"a", b"b"]),
        helper.make_tensor("wide", TensorProto.DOUBLE, [2], [1.0, 2.0]),
        helper.make_tensor("count", TensorProto.UINT64, [2], [1, 2]),
        helper.make_tensor("flags", BOOL, [2], [True, False]),
        helper.make_tensor("half", TensorProto.FLOAT16, [2], np.array([1, 2], np.float16)),
        helper.make_tensor("waves", TensorProto.COMPLEX64, [2], [1 + 1j, 2 + 2j]),
        helper.make_tensor("bytes", TensorProto.INT8, [2], b"\1\2", raw=True),
        helper.make_tensor("nibbles", TensorProto.INT4, [3], [1, 2, 3]),
        helper.make_tensor("scalar", INT64, [], [5]),
        helper.make_tensor("none", INT64, [0], []),
    ]
    nodes = [helper.make_node("Identity", [t.name], [f"{t.name}_out"]) for t in constants]
    outputs = [value(f"{t.name}_out", t.data_type, list(t.dims)) for t in constants]
    return whole(helper.make_graph(nodes, "stored", [], outputs, constants))


def placed():
    """Two functions of one name, devices, quantization and a map that a classifier gives."""
    opsets = [helper.make_opsetid(d, v) for d, v in (("", 24), ("ai.onnx.ml", 3), ("local", 1))]
    functions = [
        helper.make_function(
            *("local", "F", ["a"], ["b"], [helper.make_node(op, ["a"], ["b"])], opsets[:1]),
            overload=overload,
        )
        for overload, op in (("up", "Relu"), ("down", "Neg"))
    ]
    nodes = [
        helper.make_node("F", ["x"], ["h"], domain="local", overload="up"),
        helper.make_node("F", ["h"], ["g"], domain="local", overload="down"),
        helper.make_node("Relu", ["g"], ["y"], name="act"),
        helper.make_node(
            "ZipMap", ["y"], ["z"], domain="ai.onnx.ml", classlabels_int64s=[1, 2, 3, 4]
        ),
    ]
    placement = nodes[2].device_configurations.add(configuration_id="pair", pipeline_stage=1)
    sharding = placement.sharding_spec.add(tensor_name="g", device=[0, 1])
    dim = sharding.sharded_dim.add(axis=1)
    dim.simple_sharding.add(dim_value=4, num_shards=2)
    graph = helper.make_graph(
        nodes,
        "placed",
        [value("x")],
        [
            value("y"),
            helper.make_value_info(
                "z",
                helper.make_sequence_type_proto(
                    helper.make_map_type_proto(INT64, helper.make_tensor_type_proto(FLOAT, []))
                ),
            ),
        ],
        [helper.make_tensor("scale", FLOAT, [], [0.5])],
    )
    note = graph.quantization_annotation.add(tensor_name="x")
    note.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="scale")
    model = whole(graph, functions=functions, opset_imports=opsets, ir_version=11)
    model.configuration.add(name="pair", num_devices=2, device=["a", "b"])
    return model


GOOD = {
    make.__name__: make
    for make in (layered, branching, looping, calling, structured, stored, placed, old)
}


def mutants(model, first=0, step=1):
    """Changed copies of a model, each with the path of the change and what was done there; of all
    there are, from the first on, one in so many.
    """
    turn = count(-first)
    for path in list(_fields(model, ())):
        for what, change in _changes(_get(model, path[:-1]), path[-1]):
            if next(turn) % step:
                continue
            copy = type(model)()
            copy.CopyFrom(model)
            owner = _get(copy, path[:-1])
            try:
                change(owner)
            except (ValueError, TypeError):
                continue
            yield f"{_text(path)} {what}", copy


def _fields(message, path):
    for field, content in message.ListFields():
        name = field.name
        if name in {"doc_string", "producer_name", "producer_version", "model_version"}:
            continue
        if field.is_repeated:
            yield (*path, (name, None))
            for i, item in enumerate(content):
                yield (*path, (name, i))
                if field.type == FieldDescriptor.TYPE_MESSAGE:
                    yield from _fields(item, (*path, (name, i)))
        else:
            yield (*path, (name, None))
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                yield from _fields(content, (*path, (name, None)))


def _get(message, path):
    for name, index in path:
        message = getattr(message, name)
        message = message if index is None else message[index]
    return message


def _changes(owner, step):
    name, index = step
    field = owner.DESCRIPTOR.fields_by_name[name]
    content = getattr(owner, name)
    if index is None:
        yield "cleared", lambda o: o.ClearField(name)
    if field.is_repeated and index is None:
        if len(content) > 1:
            yield "reversed", lambda o: _reverse(getattr(o, name))
        return
    if index is not None:
        yield "removed", lambda o: getattr(o, name).__delitem__(index)
        yield "doubled", lambda o: _double(getattr(o, name), index)
    item = content if index is None else content[index]
    for other in _others(field, item):
        yield f"set to {other!r:.30}", lambda o, other=other: _set(o, name, index, other)


def _others(field, item):
    if field.type == FieldDescriptor.TYPE_STRING or isinstance(item, str):
        return ("", "strange")
    if isinstance(item, bytes):
        return (b"", item[:-1], item + b"\0")
    if isinstance(item, bool):
        return (not item,)
    if field.type == FieldDescriptor.TYPE_ENUM:
        return tuple(v.number for v in field.enum_type.values if v.number != item)
    if isinstance(item, int):
        return (0, -1, item + 1, 1000)
    if isinstance(item, float):
        return (float("nan"),)
    return ()


def _set(owner, name, index, other):
    if index is None:
        setattr(owner, name, other)
    else:
        getattr(owner, name)[index] = other


def _reverse(container):
    items = list(container)[::-1]
    copies = [_copied(item) for item in items]
    del container[:]
    container.extend(copies)


def _double(container, index):
    container.append(_copied(container[index]))


def _copied(item):
    if not hasattr(item, "CopyFrom"):
        return item
    copy = type(item)()
    copy.CopyFrom(item)
    return copy


def _text(path):
    return ".".join(name if index is None else f"{name}[{index}]" for name, index in path)
