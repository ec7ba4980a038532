"""Bodies as onnx sees them: it accepts each, inlined into a model, and types it as we declare."""

from collections import defaultdict
from dataclasses import replace

import onnx.inliner
import onnx.shape_inference
import pytest
from onnx import checker

from onnx_explorer.files import load
from onnx_explorer.files.encode import encode
from onnx_explorer.ops.registry import operator
from onnx_explorer.ops.resolve import opset_of
from tests.backend.node_cases import cases


def by_operator():
    """The names of the cases of one node, by the operator, where it has a body."""
    found = defaultdict(list)
    for name, case in cases().items():
        node = case.model.graph.node[0]
        if len(case.model.graph.node) == 1:
            page = operator(node.op_type, node.domain)
            opset = opset_of(node.domain, {o.domain: o.version for o in case.model.opset_import})
            if page.body_at(page.version_at(opset)):
                found[node.op_type].append(name)
    return found


def expanded(name):
    """The model of a case with its node replaced by a function; None where there is no body."""
    model = load(cases()[name].model)
    (node,) = model.graph.nodes
    page = operator(node.op_type, node.domain)
    schema = page.schema(page.version_at(opset_of(node.domain, model.opset_imports)))
    types = {value.name: value.type for value in model.graph.inputs if value.type}
    function = schema.function_body(node, types, opset_of("", model.opset_imports) or 28)
    if function is None:
        return None
    local = replace(function, domain="body", name="Body")
    call = replace(node, op_type="Body", domain="body", attributes={})
    return replace(
        model,
        graph=replace(model.graph, nodes=(call,)),
        functions={local.key: local},
        opset_imports={**model.opset_imports, "body": 1},
    )


@pytest.mark.parametrize("names", by_operator().values(), ids=by_operator())
def test_onnx_accepts_a_body_and_finds_the_types_that_the_operator_declares(names):
    for name in names:
        model = expanded(name)
        if model is None:
            continue
        theirs = onnx.inliner.inline_local_functions(onnx.load_from_string(encode(model)))
        checker.check_model(theirs)
        onnx.shape_inference.infer_shapes(theirs, strict_mode=True, check_type=True)
