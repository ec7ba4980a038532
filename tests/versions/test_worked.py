"""Versions of operators against arithmetic by hand."""

import numpy as np
import pytest

from onnx_explorer.evaluation import run
from onnx_explorer.inference import infer
from onnx_explorer.ops.registry import schema
from tests.soundness.checking import agree, one_node
from tests.versions.elements import ELEMENTS
from tests.versions.layers import LAYERS
from tests.versions.learning import LEARNING
from tests.versions.movers import MOVERS
from tests.versions.worked import as_input

CASES = [
    (each, version)
    for each in (*ELEMENTS, *MOVERS, *LAYERS, *LEARNING)
    for version in each.versions
]


@pytest.mark.parametrize(("each", "version"), CASES, ids=lambda it: getattr(it, "op", str(it)))
def test_a_version_gives_what_arithmetic_gives(each, version):
    found = schema(each.op, version, each.domain)
    model, feeds = one_node(found, each.case())
    types = infer(model)
    assert not types.errors
    wanted = [as_input(value) for value in each.outputs if value is not None]
    for (name, got), value in zip(run(model, feeds, seed=0).items(), wanted, strict=True):
        agree(found, types[name], got, {}, found.label)
        assert_equal(got, value)


def assert_equal(got, wanted):
    if isinstance(wanted, np.ndarray):
        assert got.dtype == wanted.dtype
        assert got.shape == wanted.shape
    if isinstance(wanted, np.ndarray) and wanted.dtype.kind in "fc":
        np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-7)
    else:
        np.testing.assert_equal(got, wanted)
