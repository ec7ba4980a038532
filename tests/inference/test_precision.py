"""What is known about real models, beside what other libraries know: never less on any model, and
never in contradiction with the shapes of a run.
"""

import logging
from collections import Counter

import numpy as np
import onnx
import onnxruntime
import pytest

import onnx_explorer as ox
from onnx_explorer.dims import DimError, Expr, evaluate, parse, symbols
from onnx_explorer.files import load
from onnx_explorer.ir import TensorType
from tests.inference.peers import PEERS
from tests.models.sources import (
    DATA,
    LIGHT,
    LIGHT_MODELS,
    RECORDED,
    WHEELS,
    recorded_values,
    wheel_model,
)

PATHS = {name: DATA / f"{name}.onnx" for name in RECORDED} | {
    name: LIGHT / f"{name}.onnx" for name in LIGHT_MODELS
}


def bare(path):
    """The model without what it declares inside and at its end: all have to work it out."""
    proto = onnx.load(path)
    del proto.graph.value_info[:]
    for output in proto.graph.output:
        output.type.tensor_type.ClearField("shape")
    return proto


def bound(proto, sizes):
    """The model with numbers for the symbols of its inputs."""
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    for value in copy.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param in sizes:
                dim.dim_value = sizes[dim.dim_param]
    return copy


def their_dims(peer, proto):
    """The shapes that a peer finds, by value: numbers, arithmetic, names as text, None."""
    logging.disable(logging.CRITICAL)
    try:
        found = peer(proto)
    except Exception:  # noqa: BLE001  a peer that gives up says nothing
        return {}
    finally:
        logging.disable(logging.NOTSET)
    return {
        value.name: [
            dim.dim_value if dim.HasField("dim_value") else parsed(dim.dim_param)
            for dim in value.type.tensor_type.shape.dim
        ]
        for value in (*found.graph.value_info, *found.graph.output)
        if value.type.tensor_type.HasField("shape")
    }


def parsed(text):
    try:
        return parse(text) if text else None
    except DimError:
        return text


def own_symbols(proto):
    names = set()
    for value in proto.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            size = parsed(dim.dim_param)
            names |= symbols(size) if isinstance(size, Expr) else {size} - {None}
    return names


def score(shapes, own):
    """How much a set of shapes says."""
    known = Counter(ranks=len(shapes))
    for dims in shapes.values():
        for dim in dims:
            known["named"] += dim is not None
            known["static"] += isinstance(dim, int)
            known["resolved"] += isinstance(dim, int) or (
                isinstance(dim, Expr) and symbols(dim) <= own
            )
    return known


def our_dims(proto, inputs=None):
    types = ox.infer(load(proto), inputs)
    made = [name for node in proto.graph.node for name in node.output if name]
    return {
        name: types[name].shape
        for name in made
        if isinstance(types[name], TensorType) and types[name].shape is not None
    }


def symbol_sizes(proto, feeds):
    sizes = {}
    for value in proto.graph.input:
        for dim, size in zip(
            value.type.tensor_type.shape.dim, feeds[value.name].shape, strict=True
        ):
            if dim.dim_param:
                sizes[dim.dim_param] = size
    return sizes


def pairs(theirs, ours):
    """Their dims beside ours, where there are as many."""
    ours = ours if ours is not None and len(ours) == len(theirs) else [None] * len(theirs)
    return zip(theirs, ours, strict=True)


def is_guess(dim, size):
    """Whether a number is right for some values of the symbols only: a slice `[:1]` has 1 row, but
    of an empty table it has none.
    """
    if not isinstance(dim, int) or not isinstance(size, Expr):
        return False
    return evaluate(size, dict.fromkeys(symbols(size), 0)) != dim


def less_than_peers(proto, ours):
    """Where a peer knows more, by what is counted and the peer's name."""
    own, made = own_symbols(proto), {name for node in proto.graph.node for name in node.output}
    mine = score(ours, own)
    found = []
    for peer in PEERS:
        theirs = {
            name: [
                None if is_guess(dim, size) else dim for dim, size in pairs(dims, ours.get(name))
            ]
            for name, dims in their_dims(peer, proto).items()
            if name in made
        }
        counted = score(theirs, own)
        found += [
            f"{peer.__name__}: {what} {counted[what]} > {mine[what]}"
            for what in counted
            if counted[what] > mine[what]
        ]
    return found


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """onnxruntime's tool leaves a model where it runs when it gives up."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", [*PATHS, *WHEELS])
def test_no_peer_knows_more_of_a_model(name):
    proto = bare(PATHS[name] if name in PATHS else wheel_model(name))
    assert less_than_peers(proto, our_dims(proto)) == []


@pytest.mark.parametrize("name", RECORDED)
def test_no_peer_knows_more_once_the_symbols_are_bound(name):
    proto = bare(PATHS[name])
    sizes = symbol_sizes(proto, recorded_values(name)[0])
    assert less_than_peers(bound(proto, sizes), our_dims(proto, sizes)) == []


@pytest.mark.parametrize("name", RECORDED)
def test_symbolic_shapes_are_those_of_a_run_once_numbers_are_put_in(name):
    proto = bare(PATHS[name])
    feeds, _ = recorded_values(name)
    sizes = symbol_sizes(proto, feeds)
    symbolic, numbers = our_dims(proto), our_dims(proto, sizes)
    made = [name for node in proto.graph.node for name in node.output if name]
    graph_outputs = {output.name for output in proto.graph.output}
    proto.graph.output.extend(onnx.ValueInfoProto(name=n) for n in made if n not in graph_outputs)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    values = dict(zip(made_names(session), session.run(None, feeds), strict=True))
    own = own_symbols(proto)
    checked = 0
    for value in made:
        if not isinstance(values.get(value), np.ndarray) or value not in symbolic:
            continue
        shape = values[value].shape
        for dims in (symbolic[value], numbers[value]):
            assert len(dims) == len(shape), value
            for dim, size in zip(dims, shape, strict=True):
                if isinstance(dim, int) or symbols(dim) <= own:
                    assert evaluate(dim, sizes) == size, (value, dims, shape)
                    checked += 1
    assert checked > 100 or len(made) < 40


def made_names(session):
    return [output.name for output in session.get_outputs()]
