"""Where the specification and others disagree, we follow the specification, and say so."""

import re
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx.reference import ReferenceEvaluator

from onnx_explorer.evaluation import run
from onnx_explorer.ops.registry import schema
from tests.soundness.checking import one_node
from tests.versions.disagreements import DISAGREEMENTS
from tests.versions.worked import as_input

DOCUMENTATION = Path(__file__).parents[2] / "onnx_explorer" / "README.md"
THEIRS = [
    (row, peer) for row in DISAGREEMENTS for peer in ("reference", "onnxruntime")
    if getattr(row, peer) is not None
]  # fmt: skip


def node(row):
    case = row.case
    return one_node(schema(case.op, case.versions[0], case.domain), case.case())


@pytest.mark.parametrize("row", DISAGREEMENTS, ids=str)
def test_we_follow_the_specification(row):
    model, feeds = node(row)
    ours = run(model, feeds, seed=0).values()
    assert_equal(list(ours), [v for v in row.case.outputs if v is not None])


@pytest.mark.parametrize(("row", "peer"), THEIRS, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_a_peer_still_differs(row, peer):
    """When this fails, the peer has changed its mind, and the documentation says too much."""
    model, feeds = node(row)
    theirs = in_reference(model, feeds) if peer == "reference" else in_onnxruntime(model, feeds)
    assert_equal(theirs, getattr(row, peer))


@pytest.mark.filterwarnings("ignore")
def test_the_other_peer_agrees_or_does_not_run_it():
    for row in DISAGREEMENTS:
        model, feeds = node(row)
        for peer, runs in (("reference", in_reference), ("onnxruntime", in_onnxruntime)):
            if getattr(row, peer) is None:
                try:
                    theirs = runs(model, feeds)
                except Exception:  # noqa: BLE001  # a peer without the operator has no opinion
                    continue
                assert_equal(theirs, [v for v in row.case.outputs if v is not None])


def in_reference(model, feeds):
    return ReferenceEvaluator(onnx.load_from_string(model.to_bytes())).run(None, feeds)


def in_onnxruntime(model, feeds):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.to_bytes(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, feeds)


def assert_equal(got, wanted):
    for value, each in zip(got, wanted, strict=True):
        if isinstance(value, list):
            assert_equal(value, each)
            continue
        each = np.asarray(as_input(each))
        assert value.shape == each.shape
        if each.dtype.kind in "OU":
            np.testing.assert_array_equal(value, each)
        else:
            assert value.dtype == each.dtype
            rtol = 1e-9 if each.dtype == np.float64 else 1e-6
            np.testing.assert_allclose(value, each, rtol=rtol, atol=0)


def test_the_documentation_lists_each():
    section = DOCUMENTATION.read_text("utf-8").partition("## Where others differ")[2]
    table = re.findall(r"^\| `(\w+)-(\d+)` .*\| ([^|]+) \|$", section, re.MULTILINE)
    names = {"reference": "ReferenceEvaluator", "onnxruntime": "onnxruntime"}
    assert table == [
        (
            row.case.op,
            str(row.case.versions[0]),
            ", ".join(name for peer, name in names.items() if getattr(row, peer) is not None),
        )
        for row in DISAGREEMENTS
    ]
