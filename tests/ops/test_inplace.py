"""Kernels that may write over an input: they give what they give otherwise, and do write there."""

import numpy as np
import pytest

from onnx_explorer.evaluation.site import Site
from onnx_explorer.ir import DType
from onnx_explorer.ops._index import INDEX
from onnx_explorer.ops.registry import operator
from onnx_explorer.schema.attributes import arguments, decoded

SHAPES = {
    "BatchNormalization": [(2, 3, 40, 70), (3,), (3,), (3,), (3,)],
    "Clip": [(200, 100), (), ()],
    "LayerNormalization": [(200, 100), (100,), (100,)],
}
CASES = [
    (found, version, port)
    for domain, name in sorted(INDEX)
    if (found := operator(name, domain)) is not None
    for version in found.versions
    if (kernel := found.kernel_at(version)) is not None
    for port in kernel.inplace
    if any(p.name == port for p in found.schema(version).inputs)
]


def arrays(schema):
    """Inputs of one shape, positive so that every function is defined for some of them."""
    rng = np.random.default_rng(3)
    shapes = SHAPES.get(schema.name, [(200, 100)] * (schema.max_inputs or 3))
    for i, shape in enumerate(shapes[: schema.max_inputs]):
        allowed = {str(t) for t in schema.type_constraints[schema.port(i).type].allowed}
        if "tensor(float)" in allowed:
            yield (rng.random(shape) * 2).astype(np.float32)
        elif "tensor(int64)" in allowed:
            yield rng.integers(0, 100, shape)
        else:
            yield rng.random(shape) < 0.5


def run(found, version, inputs, **out):
    kernel = found.kernel_at(version)
    faults = []
    keywords = arguments(kernel, decoded({}, found.schema(version), None, faults.append))
    if kernel.takes_at:
        keywords["at"] = Site((True,), version, 0, "node", (0,))
    with np.errstate(all="ignore"):
        result = kernel.function(*inputs, **keywords, **out)
    return result[0] if isinstance(result, tuple) else result


@pytest.mark.parametrize(
    ("found", "version", "port"), CASES, ids=[f"{f.name}-{v}-{p}" for f, v, p in CASES]
)
def test_a_result_written_over_an_input_is_the_same(found, version, port):
    schema = found.schema(version)
    inputs = list(arrays(schema))
    index = [p.name for p in schema.inputs].index(port)
    wanted = run(found, version, [value.copy() for value in inputs])
    got = run(found, version, inputs, out=inputs[index])
    assert got is inputs[index]
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("name", ["Add", "Max", "Pow", "Sum", "And"])
def test_an_input_that_the_result_does_not_fit_into_is_left_alone(name):
    found = operator(name, "")
    schema = found.schema(found.versions[-1])
    small, large = (value[:rows] for value, rows in zip(arrays(schema), (1, 200), strict=False))
    wanted = run(found, found.versions[-1], [small.copy(), large.copy()])
    got = run(found, found.versions[-1], [small, large], out=small)
    assert got.shape == large.shape
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("name", ["Sigmoid", "Gelu", "Relu", "Elu", "BatchNormalization"])
@pytest.mark.parametrize("dtype", [DType.FLOAT16, DType.BFLOAT16, DType.FLOAT64])
def test_other_floats_come_out_the_same(name, dtype):
    found = operator(name, "")
    version = found.versions[-1]
    inputs = [value.astype(dtype.numpy) for value in arrays(found.schema(version))]
    wanted = run(found, version, [value.copy() for value in inputs])
    got = run(found, version, inputs, out=inputs[0])
    assert got.dtype == dtype.numpy
    np.testing.assert_array_equal(got, wanted)
