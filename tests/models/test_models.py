"""Real models: run as recorded, inferred exactly."""

import numpy as np
import onnx
import pytest

from onnx_explorer.dims import symbols
from onnx_explorer.evaluation import run
from onnx_explorer.files import load
from onnx_explorer.inference import infer
from onnx_explorer.ir import DType, TensorType
from tests.models.sources import (
    DATA,
    LIGHT,
    LIGHT_MODELS,
    RECORDED,
    WHEELS,
    light_feed,
    onnxruntime_outputs,
    recorded_values,
    wheel_model,
)

# Values whose sizes depend on data, with the node that makes them so. Every other dim is an int or
# arithmetic over the symbols of the model's own inputs.
DATA_DEPENDENT = {}


def path_of(name):
    return wheel_model(name) if name in WHEELS else DATA / f"{name}.onnx"


def wheel_feeds(name):
    rng = np.random.default_rng(7)
    return {
        "silero_vad_16k_op15": lambda: {
            "input": rng.normal(size=(2, 576)).astype(np.float32) * 0.1,
            "state": np.zeros((2, 2, 128), np.float32),
            "sr": np.array(16000, np.int64),
        },
        "magika_v3_3": lambda: {"bytes": rng.integers(0, 257, (2, 2048)).astype(np.int32)},
        "ppocr_v4_det": lambda: {"x": rng.normal(size=(1, 3, 64, 96)).astype(np.float32)},
    }[name]()


def assert_outputs(results, expected):
    assert results.keys() == expected.keys()
    for name, wanted in expected.items():
        assert results[name].dtype == wanted.dtype
        assert results[name].shape == wanted.shape
        np.testing.assert_allclose(results[name], wanted, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_model_gives_its_recorded_outputs(name):
    feeds, expected = recorded_values(name)
    assert_outputs(run(load(path_of(name)), feeds), expected)


@pytest.mark.network
@pytest.mark.parametrize("name", WHEELS)
def test_a_model_from_a_wheel_gives_what_onnxruntime_gives(name):
    path, feeds = wheel_model(name), wheel_feeds(name)
    assert_outputs(run(load(path), feeds), onnxruntime_outputs(path, feeds))


@pytest.mark.parametrize("name", LIGHT_MODELS)
def test_a_light_model_gives_the_outputs_beside_it(name):
    model = load(LIGHT / f"{name}.onnx")
    (fed,) = [v for v in model.graph.inputs if v.name not in model.graph.initializers]
    (made,) = model.graph.outputs
    wanted = onnx.numpy_helper.to_array(onnx.load_tensor(LIGHT / f"{name}_output_0.pb"))
    results = run(model, {fed.name: light_feed(fed.type.shape)})
    assert_outputs(results, {made.name: wanted})


@pytest.mark.parametrize("name", [*RECORDED, *WHEELS])
def test_every_edge_has_its_dtype_and_its_size_in_the_symbols_of_the_inputs(name):
    model = load(path_of(name))
    types = infer(model)
    assert not types.errors, "\n".join(map(str, types.errors))
    own = {
        symbol
        for value in model.graph.inputs
        for size in value.type.shape
        if not isinstance(size, int)
        for symbol in symbols(size)
    }
    for path, scope in types.scopes.items():
        for value, inferred in scope.items():
            assert isinstance(inferred, TensorType), f"{path}{value}: {inferred}"
            assert inferred.dtype is not DType.UNDEFINED, f"{path}{value}: {inferred}"
            assert inferred.shape is not None, f"{path}{value}: {inferred}"
            if path + value in DATA_DEPENDENT.get(name, ()):
                continue
            for size in inferred.shape:
                assert isinstance(size, int) or symbols(size) <= own, f"{path}{value}: {inferred}"


@pytest.mark.parametrize("name", LIGHT_MODELS)
def test_every_size_of_a_light_model_is_a_number(name):
    types = infer(load(LIGHT / f"{name}.onnx"))
    assert not types.errors
    assert all(isinstance(size, int) for t in types.values() for size in t.shape)


@pytest.mark.parametrize("name", RECORDED)
def test_sizes_hold_at_run_time(name):
    """Every symbol bound to what was fed: inference must give the shapes that a run has."""
    model = load(path_of(name))
    feeds, _ = recorded_values(name)
    types = infer(model, {name: fed.shape for name, fed in feeds.items()})
    assert not types.errors
    computed = [o for node in model.graph.nodes for o in node.outputs if o]
    for value, array in run(model, feeds, computed).items():
        assert types[value] == TensorType(DType.from_numpy(array.dtype), array.shape), value
