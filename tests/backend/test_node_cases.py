"""onnx's own node tests, run and inferred by us: every case whose operators have a page."""

import numpy as np
import pytest

from onnx_explorer.errors import ExplorerError
from onnx_explorer.evaluation import run
from onnx_explorer.files import load
from onnx_explorer.inference import infer
from onnx_explorer.ir import DType, TensorType
from tests.backend.node_cases import as_feed, cases

# Random outputs are compared by dtype and shape: the cases hold what one seed of onnx gave.
RANDOM = {"test_bernoulli", "test_training_dropout"}
TWO_UNITS = {"bfloat16": 2**-6, "float16": 2**-9}


def assert_close(got, wanted, case, *, composed=False):
    if isinstance(wanted, (list, tuple)):
        assert len(got) == len(wanted)
        for a, b in zip(got, wanted, strict=True):
            assert_close(a, b, case, composed=composed)
        return
    if wanted is None:
        assert got is None
        return
    wanted = np.asarray(as_feed(wanted))
    assert isinstance(got, np.ndarray)
    if wanted.dtype.kind not in "US":
        assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    if any(case.name.startswith(name) for name in RANDOM):
        return
    if wanted.dtype.kind in "USOb":
        np.testing.assert_array_equal(got, wanted)
        return
    exact = np.complex128 if wanted.dtype.kind == "c" else np.float64
    # What many operators compute in 16 bits is rounded to them at every step: the attention cases,
    # and an operator that is composed of others.
    rounded = composed or "attention" in case.name
    rtol = max(case.rtol, TWO_UNITS.get(wanted.dtype.name, 0) if rounded else 0)
    np.testing.assert_allclose(got.astype(exact), wanted.astype(exact), rtol=rtol, atol=case.atol)


@pytest.mark.parametrize("name", cases())
def test_case_gives_the_values_that_onnx_expects(name):
    case = cases()[name]
    model = load(case.model)
    for inputs, outputs in case.data_sets:
        feeds = {
            value.name: as_feed(given)
            for value, given in zip(case.model.graph.input, inputs, strict=False)
        }
        # Later runs leave out what the first ones have shown to be constant.
        for _ in range(4):
            results = run(model, feeds, seed=0)
            for value, wanted in zip(case.model.graph.output, outputs, strict=True):
                assert_close(results[value.name], wanted, case)


@pytest.mark.parametrize("name", cases())
def test_inference_never_contradicts_what_onnx_expects(name):
    case = cases()[name]
    types = infer(load(case.model))
    assert not types.errors, "\n".join(map(str, types.errors))
    for value, wanted in zip(case.model.graph.output, case.data_sets[0][1], strict=True):
        inferred = types[value.name]
        wanted = as_feed(wanted)
        if not isinstance(wanted, (np.ndarray, np.generic)) or not isinstance(inferred, TensorType):
            continue
        assert inferred.dtype is DType.from_numpy(np.asarray(wanted).dtype)
        assert inferred.shape is not None, "unknown rank"
        assert len(inferred.shape) == np.ndim(wanted)
        for size, real in zip(inferred.shape, np.shape(wanted), strict=True):
            assert not isinstance(size, int) or size == real


def test_a_case_is_refused_when_a_feed_is_missing():
    case = next(iter(cases().values()))
    with pytest.raises(ExplorerError, match="is missing"):
        run(load(case.model), {})
