"""The worked examples of the pages, run."""

import numpy as np
import pytest

from onnx_explorer.build import graph
from onnx_explorer.evaluation import run
from onnx_explorer.inference import infer
from onnx_explorer.ir import DType, MapType, SequenceType, TensorType
from onnx_explorer.ops._index import INDEX
from onnx_explorer.ops.registry import operator

EXAMPLES = {
    f"{name}-{i}": (found, example)
    for domain, name in sorted(INDEX)
    if (found := operator(name, domain))
    for i, example in enumerate(found.examples)
}


def as_value(given):
    """A value as pages write it: plain numbers are float32, int64, bool or string tensors."""
    if given is None or isinstance(given, (np.ndarray, np.generic, dict)):
        return given
    if isinstance(given, tuple):
        return [as_value(item) for item in given]
    array = np.asarray(given)
    kinds = {"f": np.float32, "i": np.int64, "U": object}
    return array.astype(kinds.get(array.dtype.kind, array.dtype))


def container_type(value):
    """What has to be declared: a list or a dictionary would be taken for an array."""
    if isinstance(value, dict):
        (key, *_), (item, *_) = value.keys(), value.values()
        kind = DType.STRING if isinstance(key, str) else DType.INT64
        return MapType(kind, TensorType(DType.from_numpy(item.dtype), ()))
    if not isinstance(value, list):
        return None
    return SequenceType(TensorType(DType.from_numpy(value[0].dtype)))


def model_of(found, example):
    """A model of one node whose tensor inputs are inputs of the graph."""
    g = graph(
        "example", opset=28, imports={found.domain: found.versions[-1]} if found.domain else {}
    )
    # Nodes around the operator name its inputs as its attributes do.
    named = (*example.attributes["xs"], *example.attributes.get("zs", ())) if example.around else ()
    feeds, inputs = {}, []
    for i, given in enumerate(example.inputs):
        value = as_value(given)
        if value is None:
            inputs.append(None)
            continue
        name = named[i] if named else f"in{i}"
        feeds[name] = value
        inputs.append(g.input(name, container_type(value)))
    known = {handle.name: handle for handle in inputs if handle}
    for node in example.around:
        made = g.ops(node.op_type, *(known[n] for n in node.inputs), outputs=node.outputs)
        known |= {handle.name: handle for handle in made}
    names = [f"out{i}" if wanted is not None else "" for i, wanted in enumerate(example.outputs)]
    made = g.ops(found.name, *inputs, outputs=names, domain=found.domain, **example.attributes)
    for handle in made:
        if handle.name:
            g.output(handle)
    return g.model(), feeds


def assert_same(got, wanted):
    wanted = as_value(wanted)
    if isinstance(wanted, list):
        assert len(got) == len(wanted)
        for a, b in zip(got, wanted, strict=True):
            assert_same(a, b)
    elif isinstance(wanted, np.ndarray) and wanted.dtype.kind not in "Ob":
        assert got.dtype == wanted.dtype
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got.astype(float), wanted.astype(float), rtol=1e-4, atol=1e-5)
    else:
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_gives_what_it_says(name):
    found, example = EXAMPLES[name]
    model, feeds = model_of(found, example)
    results = run(model, feeds, seed=0)
    for i, wanted in enumerate(example.outputs):
        if wanted is not None:
            assert_same(results[f"out{i}"], wanted)
    types = infer(model)
    assert not types.errors, "\n".join(map(str, types.errors))


def test_every_operator_has_an_example():
    assert not {name for domain, name in INDEX if not operator(name, domain).examples}
