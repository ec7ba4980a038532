"""Who does what a repair says has a model that onnxruntime runs; before, it refused it."""

from dataclasses import replace

import numpy as np
import onnxruntime
import pytest

import onnx_explorer as ox
from onnx_explorer.ir import TensorType
from tests.broken.gallery import EXPECTED, GALLERY
from tests.broken.mending import mended

MENDED = [name for name, expected in EXPECTED.items() if expected.repair]
# What these repairs say is a fact about a call, and no change of a node.
NO_CHANGE = {"call_without_an_attribute"}
# onnxruntime looks at a wrong kernel_shape only when it has to, and takes this model for its batch.
RUN_AS_THEY_ARE = {"batch_baked_into_a_reshape"}


def without_output_types(model):
    """The model with unknown types of its outputs: a repair may change them."""
    outputs = tuple(replace(v, type=TensorType(v.type.dtype)) for v in model.graph.outputs)
    return replace(model, graph=replace(model.graph, outputs=outputs))


def refused(model):
    """What onnxruntime says against a model, or against running it on zeros for a batch of 1."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            without_output_types(model).to_bytes(), options, providers=["CPUExecutionProvider"]
        )
        feeds = {}
        for value in model.graph.inputs:
            sizes = [size if isinstance(size, int) else 1 for size in value.type.shape]
            feeds[value.name] = np.zeros(sizes, value.type.dtype.numpy)
        session.run(None, feeds)
    except Exception as error:  # noqa: BLE001  it raises what it likes
        return str(error)
    return ""


@pytest.mark.parametrize("name", [name for name in MENDED if name not in NO_CHANGE])
def test_the_first_repair_takes_the_fault_away(name):
    model, expected = GALLERY[name](), EXPECTED[name]
    fault = (expected.code, expected.node)
    (found,) = (d for d in ox.check(model) if (d.code, d.node) == fault)
    better = mended(model, found, found.repairs[0])
    assert better is not None, f"cannot follow {found.repairs[0]!r}"
    assert fault not in [(d.code, d.node) for d in ox.check(better)]
    assert ox.infer(without_output_types(better)).errors == ()
    assert refused(better) == ""


@pytest.mark.parametrize("name", [n for n in MENDED if n not in NO_CHANGE | RUN_AS_THEY_ARE])
def test_onnxruntime_refuses_what_needs_a_repair(name):
    assert refused(GALLERY[name]()) != ""
