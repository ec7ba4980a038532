"""The facts of every operator version against those of onnx, dumped into a golden file."""

import inspect
import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from onnx_explorer.ops import _index
from onnx_explorer.ops._index import INDEX
from onnx_explorer.ops.registry import operator
from onnx_explorer.ops.reindex import index_text
from tests.golden.dump_schemas import dump

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "schemas.json").read_text("utf-8"))
PINNED = "1.23.2"  # the onnx that the golden file was dumped from


def golden_key(schema):
    return f"{schema.domain}::{schema.name}-{schema.since_version}"


def same_default(ours, theirs):
    if isinstance(theirs, float):
        return isinstance(ours, (int, float)) and np.float32(ours) == np.float32(theirs)
    return (list(ours) if isinstance(ours, tuple) else ours) == theirs


@pytest.mark.parametrize("key", GOLDEN["schemas"])
def test_facts_equal_those_of_onnx(key):
    domain, _, rest = key.partition("::")
    name, _, version = rest.rpartition("-")
    golden = GOLDEN["schemas"][key]
    ours = operator(name, domain).schema(int(version))
    for ports, expected in ((ours.inputs, golden["inputs"]), (ours.outputs, golden["outputs"])):
        assert [
            [p.name, p.type, p.option, p.homogeneous, p.min_arity, p.differentiable] for p in ports
        ] == expected
    assert {n: [a.type, a.required] for n, a in ours.attributes.items()} == {
        n: expected[:2] for n, expected in golden["attributes"].items()
    }
    for attribute, expected in golden["attributes"].items():
        assert same_default(ours.attributes[attribute].default, expected[2]), attribute
    assert {n: sorted(c.allowed) for n, c in ours.type_constraints.items()} == {
        n: GOLDEN["type_sets"][place] for n, place in golden["types"].items()
    }
    assert ours.deprecated == golden["deprecated"]
    assert golden["arity"] == [
        ours.min_inputs,
        ours.max_inputs,
        ours.min_outputs,
        ours.max_outputs,
    ]


def test_every_operator_of_onnx_has_a_page():
    assert {tuple(key.rpartition("-")[0].split("::")) for key in GOLDEN["schemas"]} == set(INDEX)


def test_no_page_has_a_version_that_onnx_does_not_have():
    ours = {
        golden_key(page.schema(version))
        for domain, name in INDEX
        if (page := operator(name, domain))
        for version in page.versions
    }
    assert ours <= set(GOLDEN["schemas"])


def test_the_golden_file_is_what_the_installed_onnx_says():
    """A newer onnx is told from the pinned one: the message lists what it adds and changes."""
    installed = json.loads(json.dumps(dump()))
    sets = installed["type_sets"], GOLDEN["type_sets"]

    def resolved(facts, of):
        return {**facts, "types": {n: of[place] for n, place in facts["types"].items()}}

    news = [
        key
        for key, facts in installed["schemas"].items()
        if key not in GOLDEN["schemas"]
        or resolved(facts, sets[0]) != resolved(GOLDEN["schemas"][key], sets[1])
    ]
    if onnx.__version__ != PINNED and news:
        pytest.xfail(f"onnx {onnx.__version__} adds or changes {', '.join(news)}")
    assert not news


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
        for found in (page.rule_at(version), page.kernel_at(version), page.vjp_at(version)):
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
