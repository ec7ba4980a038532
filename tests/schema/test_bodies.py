"""Operators as functions of others: which have a body, and that it gives what the kernel gives."""

from dataclasses import replace

import numpy as np
import pytest
from onnx import defs

from onnx_explorer.errors import SchemaError
from onnx_explorer.evaluation import run
from onnx_explorer.files import load
from onnx_explorer.ir import Node
from onnx_explorer.ops._index import INDEX
from onnx_explorer.ops.registry import operator, schema
from onnx_explorer.ops.resolve import opset_of
from onnx_explorer.schema import Violation
from tests.backend.node_cases import as_feed, cases
from tests.backend.test_node_cases import RANDOM, assert_close

# Bodies that the standard gives and that no page has yet.
WITHOUT = {}


@pytest.mark.parametrize(("domain", "name"), sorted(INDEX))
def test_the_operators_that_the_standard_defines_by_others_have_a_body(domain, name):
    page = operator(name, domain)
    theirs = {
        schema.since_version
        for schema in defs.get_all_schemas_with_history()
        if (schema.domain, schema.name) == (domain, name)
        and (schema.has_function or schema.has_context_dependent_function)
    }
    ours = {version for version in page.versions if page.schema(version).has_body}
    assert ours == theirs


def with_body(name):
    node = cases()[name].model.graph.node[0]
    page = operator(node.op_type, node.domain)
    opset = opset_of(node.domain, {o.domain: o.version for o in cases()[name].model.opset_import})
    return len(cases()[name].model.graph.node) == 1 and page.body_at(page.version_at(opset))


@pytest.mark.parametrize("name", [name for name in cases() if with_body(name)])
def test_a_body_gives_what_onnx_expects_of_the_operator(name):
    case = cases()[name]
    model = load(case.model)
    (node,) = model.graph.nodes
    page = operator(node.op_type, node.domain)
    schema = page.schema(page.version_at(opset_of(node.domain, model.opset_imports)))
    types = {value.name: value.type for value in model.graph.inputs if value.type}
    opset = opset_of("", model.opset_imports) or 28
    function = schema.function_body(node, types, opset)
    if function is None:
        return
    local = replace(function, domain="body", name="Body")
    call = replace(node, op_type="Body", domain="body", attributes={})
    expanded = replace(
        model,
        graph=replace(model.graph, nodes=(call,)),
        functions={local.key: local},
        opset_imports={**model.opset_imports, "body": 1},
    )
    if any(name.startswith(random) for random in RANDOM):
        return
    for inputs, outputs in case.data_sets:
        feeds = {
            value.name: as_feed(given)
            for value, given in zip(case.model.graph.input, inputs, strict=False)
        }
        with np.errstate(all="ignore"):
            results = run(expanded, feeds, seed=0)
        for value, wanted in zip(case.model.graph.output, outputs, strict=True):
            assert_close(results[value.name], wanted, case, composed=True)


def test_a_wrong_number_of_inputs_is_a_violation():
    relu = schema("Relu", 14)
    with pytest.raises(Violation, match="0 inputs, but Relu-14 takes 1"):
        relu.function_body(Node("Relu", (), ("y",)), {}, 20)


@pytest.mark.parametrize(
    ("name", "version", "found"),
    [
        ("Gradient", None, "domain 'ai.onnx.preview.training' has one"),
        ("Rellu", None, "did you mean Relu"),
        ("Relu", 1.5, r"version 1\.5 of Relu; expected an opset"),
        (None, None, "operator None; expected its name"),
    ],
)
def test_what_is_no_operator_is_told(name, version, found):
    with pytest.raises(SchemaError, match=found):
        schema(name, version)
