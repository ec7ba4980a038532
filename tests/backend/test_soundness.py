"""Soundness: replacing the sizes of the inputs by symbols may lose knowledge, never contradict.

For each node case, inference runs with a symbol of its own for every axis of every input. What it
says, with the real sizes put in, must be the shape that onnx expects.
"""

from dataclasses import replace

import numpy as np
import pytest

from onnx_explorer.dims import UndecidedError, evaluate, symbol
from onnx_explorer.files import load
from onnx_explorer.inference import infer
from onnx_explorer.ir import DType, Tensor, TensorType
from tests.backend.node_cases import as_feed, cases

# Operators whose output sizes depend on values that inference does not look at.
DATA_DEPENDENT: set[str] = {"ImageDecoder", "NonMaxSuppression", "StringNormalizer", "StringSplit"}


def symbolic(model, feeds):
    """The model with a symbol for every axis of its inputs, and the real size of each symbol."""
    sizes = {}
    inputs = []
    for value in model.graph.inputs:
        fed = feeds.get(value.name)
        if isinstance(fed, np.ndarray) and isinstance(value.type, TensorType):
            names = [f"{value.name}.{axis}" for axis in range(fed.ndim)]
            sizes.update(zip(names, fed.shape, strict=True))
            shape = tuple(map(symbol, names))
            value = replace(value, type=TensorType(value.type.dtype, shape))
        inputs.append(value)
    # What the file declares inside and at the end would say the real sizes.
    outputs = tuple(replace(value, type=None) for value in model.graph.outputs)
    graph = replace(model.graph, inputs=tuple(inputs), outputs=outputs, value_info=())
    return replace(model, graph=graph), sizes


@pytest.mark.parametrize("name", cases())
def test_known_inputs_give_exact_sizes(name):
    """With the inputs as constants, inference must tell every size that it does not have to run
    the model for: that of an input of up to 64 elements may decide the size of an output."""
    case = cases()[name]
    inputs, outputs = case.data_sets[0]
    model = load(case.model)
    constants = {
        value.name: Tensor.of(as_feed(given), value.name)
        for value, given in zip(case.model.graph.input, inputs, strict=False)
        if isinstance(as_feed(given), (np.ndarray, np.generic))
    }
    graph = replace(model.graph, initializers={**model.graph.initializers, **constants})
    stripped = tuple(replace(value, type=None) for value in graph.outputs)
    types = infer(replace(model, graph=replace(graph, outputs=stripped, value_info=())))
    for value, wanted in zip(case.model.graph.output, outputs, strict=True):
        wanted, inferred = as_feed(wanted), types[value.name]
        if not isinstance(wanted, (np.ndarray, np.generic)):
            continue
        exact = TensorType(DType.from_numpy(np.asarray(wanted).dtype), np.shape(wanted))
        if inferred != exact:
            assert case.model.graph.node[0].op_type in DATA_DEPENDENT, f"{inferred}, not {exact}"


@pytest.mark.parametrize("name", cases())
def test_symbols_never_contradict_a_run(name):
    case = cases()[name]
    inputs, outputs = case.data_sets[0]
    feeds = {
        value.name: as_feed(given)
        for value, given in zip(case.model.graph.input, inputs, strict=False)
    }
    model, sizes = symbolic(load(case.model), feeds)
    types = infer(model)
    assert not types.errors, "\n".join(map(str, types.errors))
    for value, wanted in zip(case.model.graph.output, outputs, strict=True):
        wanted, inferred = as_feed(wanted), types[value.name]
        if not isinstance(wanted, (np.ndarray, np.generic)) or not isinstance(inferred, TensorType):
            continue
        assert inferred.dtype is DType.from_numpy(np.asarray(wanted).dtype)
        if inferred.shape is None:
            continue
        assert len(inferred.shape) == np.ndim(wanted)
        for size, real in zip(inferred.shape, np.shape(wanted), strict=True):
            try:
                assert evaluate(size, sizes) == real, f"{inferred} with {sizes}"
            except UndecidedError:
                continue  # a size that depends on data
