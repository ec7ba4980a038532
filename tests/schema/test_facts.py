"""The facts of every page against onnx.defs, for every version."""

import inspect
from pathlib import Path

import numpy as np
import pytest
from onnx import defs, helper

from onnx_explorer.ops import _index
from onnx_explorer.ops._index import INDEX
from onnx_explorer.ops.registry import operator
from onnx_explorer.ops.reindex import index_text

UNLIMITED = 2**31 - 1
DIFFERENTIABLE = {"Unknown": None, "Differentiable": True, "NonDifferentiable": False}


def onnx_schemas(domain, name):
    return {
        schema.since_version: schema
        for schema in defs.get_all_schemas_with_history()
        if schema.name == name and schema.domain == domain
    }


def default_of(attribute):
    if not attribute.default_value.name:
        return None
    value = helper.get_attribute_value(attribute.default_value)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return tuple(item.decode() if isinstance(item, bytes) else item for item in value)
    return value


def same_default(ours, theirs):
    if isinstance(theirs, float):
        return isinstance(ours, (int, float)) and np.float32(ours) == np.float32(theirs)
    return ours == theirs


@pytest.mark.parametrize(("domain", "name"), sorted(INDEX))
def test_facts_equal_those_of_onnx(domain, name):
    page = operator(name, domain)
    theirs = onnx_schemas(domain, name)
    assert page.versions == tuple(sorted(theirs))
    for version, schema in theirs.items():
        ours = page.schema(version)
        for ports, expected in ((ours.inputs, schema.inputs), (ours.outputs, schema.outputs)):
            assert [
                (p.name, p.type, p.option, p.homogeneous, p.min_arity, p.differentiable)
                for p in ports
            ] == [
                (
                    p.name,
                    p.type_str,
                    p.option.name.lower(),
                    p.is_homogeneous,
                    p.min_arity,
                    DIFFERENTIABLE[p.differentiation_category.name],
                )
                for p in expected
            ]
        assert {n: (a.type, a.required) for n, a in ours.attributes.items()} == {
            n: (a.type.name.lower(), a.required) for n, a in schema.attributes.items()
        }
        for attribute, expected in schema.attributes.items():
            assert same_default(ours.attributes[attribute].default, default_of(expected)), attribute
        assert {n: set(c.allowed) for n, c in ours.type_constraints.items()} == {
            c.type_param_str: set(c.allowed_type_strs) for c in schema.type_constraints
        }
        assert ours.deprecated == schema.deprecated
        assert (ours.min_inputs, ours.max_inputs or UNLIMITED if ours.inputs else 0) == (
            schema.min_input,
            schema.max_input,
        )
        assert (ours.min_outputs, ours.max_outputs or UNLIMITED if ours.outputs else 0) == (
            schema.min_output,
            schema.max_output,
        )


@pytest.mark.parametrize(("domain", "name"), sorted(INDEX))
def test_every_version_has_a_rule_and_a_kernel(domain, name):
    page = operator(name, domain)
    for version in page.versions:
        if not page.schema(version).deprecated:
            assert page.rule_at(version), f"{name}-{version} has no rule"
            assert page.kernel_at(version), f"{name}-{version} has no kernel"


@pytest.mark.parametrize(("domain", "name"), sorted(INDEX))
def test_every_port_attribute_and_change_is_described(domain, name):
    page = operator(name, domain)
    assert page.doc.strip()
    for version in page.versions:
        schema = page.schema(version)
        assert schema.reason.strip()
        for described in (*schema.inputs, *schema.outputs, *schema.attributes.values()):
            assert described.doc.strip(), f"{name}-{version}: {described.name}"


@pytest.mark.parametrize(("domain", "name"), sorted(INDEX))
def test_rules_and_kernels_take_attributes_that_their_versions_have(domain, name):
    """One without a Python default must be there in every version that the function serves."""
    page = operator(name, domain)
    known = {attribute for v in page.versions for attribute in page.schema(v).attributes}
    for version in page.versions:
        for found in (page.rule_at(version), page.kernel_at(version)):
            if found is None or hasattr(found.function, "nin"):
                continue
            assert set(found.attributes) <= known, f"{name} since {found.since}"
            parameters = inspect.signature(found.function).parameters
            needed = {
                a for a in found.attributes if parameters[a].default is inspect.Parameter.empty
            }
            assert needed <= set(page.schema(version).attributes), f"{name}-{version}"


def test_the_index_is_what_the_pages_say():
    assert Path(_index.__file__).read_text(encoding="utf-8") == index_text()
