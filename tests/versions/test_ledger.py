"""Every version of every operator is tested: by a node case of onnx that uses it, by a comparison
with onnxruntime, or by a case worked by hand.
"""

import pytest

from onnx_explorer.ops.registry import operator, schemas
from tests.backend.node_cases import cases
from tests.versions.elements import ELEMENTS
from tests.versions.layers import LAYERS
from tests.versions.learning import LEARNING
from tests.versions.movers import MOVERS
from tests.versions.peers import NOT_IN_ONNXRUNTIME

WITH_MEANING = {schema.label for schema in schemas(history=True) if not schema.deprecated}
WORKED = {
    operator(each.op, each.domain).schema(version).label
    for each in (*ELEMENTS, *MOVERS, *LAYERS, *LEARNING)
    for version in each.versions
}


def in_node_cases():
    """The versions that a node of onnx's cases resolves to."""
    for case in cases().values():
        opsets = {entry.domain: entry.version for entry in case.model.opset_import}
        for node in nodes(case.model.graph):
            found = operator(node.op_type, node.domain)
            yield found.schema(found.version_at(opsets[node.domain])).label


def nodes(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            yield from nodes(attribute.g)


def test_every_version_is_tested():
    compared = WITH_MEANING - NOT_IN_ONNXRUNTIME
    untested = WITH_MEANING - compared - WORKED - set(in_node_cases())
    assert not untested, sorted(untested)


@pytest.mark.parametrize("named", [NOT_IN_ONNXRUNTIME, WORKED], ids=["peers", "worked"])
def test_versions_that_are_named_exist(named):
    assert named <= WITH_MEANING


def test_first_versions_are_worked_out():
    """onnxruntime begins with opset 7: what is older stands on arithmetic or a node case."""
    older = {s.label for s in schemas(history=True) if s.since_version < 7 and s.domain == ""}
    assert (older & WITH_MEANING) <= WORKED | set(in_node_cases())
