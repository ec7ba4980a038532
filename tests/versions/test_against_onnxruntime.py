"""Every version of an operator that onnxruntime has gives what onnxruntime gives."""

from dataclasses import replace

import numpy as np
import onnxruntime
import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import (
    Fail,
    InvalidArgument,
    InvalidGraph,
    RuntimeException,
)
from onnxruntime.capi.onnxruntime_pybind11_state import (
    NotImplemented as NotInIt,
)

from onnx_explorer.evaluation import run
from onnx_explorer.ops.registry import schemas
from tests.soundness.checking import described_node, one_node
from tests.versions.peers import NOT_IN_ONNXRUNTIME
from tests.versions.seeded import drawn

CASES = 2  # of each version that both run
TRIES = 12  # cases that onnxruntime is asked to run until then
ROUNDING = {"float16": 2**-9, "bfloat16": 2**-6}  # two units in the last place
LACKING = (Fail, InvalidArgument, InvalidGraph, NotInIt, RuntimeException, RuntimeError)
VERSIONS = [
    version
    for version in schemas(history=True)
    if not version.deprecated
    if version.label not in NOT_IN_ONNXRUNTIME
]

OPTIONS = onnxruntime.SessionOptions()
OPTIONS.intra_op_num_threads = 1
OPTIONS.log_severity_level = 4


def in_onnxruntime(model, feeds):
    """Its outputs, or None where it lacks the version for these types."""
    try:
        session = onnxruntime.InferenceSession(
            model.to_bytes(), OPTIONS, providers=["CPUExecutionProvider"]
        )
        return session.run(None, feeds)
    except LACKING:
        return None


def both_read_it_alike(version, case):
    """Whether the case is none of those where onnxruntime reads the specification otherwise."""
    match version.name:
        case "GridSample":
            return version.since_version > 16 or case.inputs[0].ndim == 4
        case "Loop":
            return case.inputs[1] is not None
        case "MeanVarianceNormalization":
            axes = tuple(case.attributes.get("axes", (0, 2, 3)))
            return bool(np.ptp(case.inputs[0], axis=axes).all())
        case "OneHot":
            return version.since_version > 9 or (case.inputs[0] >= 0).all()
        case "StringSplit":
            return "" not in case.inputs[0].ravel().tolist()
        case "MaxUnpool":
            return len(case.inputs) == 2
        case "NonZero":
            return case.inputs[0].ndim > 0
        case "SplitToSequence":
            return len(case.inputs) == 1
        case "TreeEnsembleClassifier":
            return not any(len(v) == 2 for k, v in case.attributes.items() if "labels" in k)
        case _:
            return True


def comparable(version, case):
    """The case without what is left open: the order of TopK, the mask of a Dropout at rest."""
    if version.name == "TopK" and "sorted" in version.attributes:
        return replace(case, attributes={**case.attributes, "sorted": 1})
    if version.name == "Dropout":
        return replace(case, outputs=case.outputs[:1])
    return case


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.label)
def test_a_version_gives_what_onnxruntime_gives(version):
    compared = 0
    for _, case in zip(range(TRIES), drawn(version), strict=False):
        if compared == CASES:
            break
        if not both_read_it_alike(version, case):
            continue
        case = comparable(version, case)
        model, feeds = one_node(version, case)
        theirs = in_onnxruntime(model, feeds)
        if theirs is None:
            continue
        ours = run(model, feeds, seed=0).values()
        assert_agree(list(ours), theirs, described_node(version, case))
        compared += 1
    assert compared


def assert_agree(ours, theirs, where):
    if isinstance(theirs, list):
        assert len(ours) == len(theirs), where
        for a, b in zip(ours, theirs, strict=True):
            assert_agree(a, b, where)
        return
    if theirs is None or isinstance(theirs, dict):
        assert ours == theirs, where
        return
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape, where
    if theirs.dtype.kind in "OSU":
        np.testing.assert_array_equal(ours, theirs, where)
        return
    assert ours.dtype == theirs.dtype, where
    exact = np.complex128 if theirs.dtype.kind == "c" else np.float64
    rtol = ROUNDING.get(theirs.dtype.name, 1e-5)
    np.testing.assert_allclose(
        ours.astype(exact), theirs.astype(exact), rtol=rtol, atol=rtol, err_msg=where
    )
