"""What the inspector says about an operator version."""

import json

import onnx
import pytest
from onnx import defs

import onnx_explorer as ox
from onnx_explorer.view.manual import manual


def test_every_operator_version_can_be_read():
    for schema in ox.schemas(history=True):
        json.dumps(manual(schema), allow_nan=False)


@pytest.mark.parametrize(
    ("name", "version"), [("Conv", 11), ("LSTM", 7), ("Loop", 16), ("Cast", 9)]
)
def test_ports_and_attributes_are_those_of_the_version(name, version):
    found, expected = manual(ox.schema(name, version)), defs.get_schema(name, version)
    assert found["version"] == expected.since_version
    assert [p["name"] for p in found["inputs"]] == [p.name for p in expected.inputs]
    assert [p["option"] for p in found["outputs"]] == [
        p.option.name.lower() for p in expected.outputs
    ]
    assert {a["name"]: a["required"] for a in found["attributes"]} == {
        name: attr.required for name, attr in expected.attributes.items()
    }


def test_types_are_said_in_the_words_of_the_drawing():
    data, shape = manual(ox.schema("Reshape", 1))["inputs"][0], manual(ox.schema("Reshape", 5))
    assert data["types"] == ["float32", "float16", "float64"]
    assert shape["inputs"][1]["types"] == ["int64"]
    sequence = manual(ox.schema("SequenceLength"))["inputs"][0]["types"]
    assert {"seq(float32)", "seq(string)"} <= set(sequence)


def test_versions_tell_from_and_until_when_they_hold():
    versions = manual(ox.schema("Softmax", 11))["versions"]
    since = [v["since"] for v in versions]
    assert since == sorted(
        {defs.get_schema("Softmax", opset).since_version for opset in (1, 11, 13)}
    )
    assert [v["until"] for v in versions] == [10, 12, None]
    assert all(v["reason"] for v in versions)


def test_an_example_shows_names_types_and_rows():
    example = manual(ox.schema("Conv"))["examples"][1]
    assert example["inputs"][0] == {
        "name": "X",
        "type": "float32[1, 1, 2, 2]",
        "text": "[[[[1, 2],\n   [3, 4]]]]",
    }
    assert example["attributes"] == [{"name": "pads", "type": "", "text": "[0, 0, 1, 1]"}]
    # 1 + 2 + 3 + 4 + 100; right column, bottom row and corner alone with zeros around them.
    assert example["outputs"][0]["text"] == "[[[[110, 106],\n   [107, 104]]]]"


def test_dtypes_of_examples_are_those_that_the_page_gives():
    example = manual(ox.schema("BitCast"))["examples"][0]
    assert [v["type"] for v in (*example["inputs"], *example["outputs"])] == [
        "uint8[2]",
        "int8[2]",
    ]
    assert example["attributes"][0]["text"] == onnx.TensorProto.DataType.Name(3).lower()


def test_examples_of_an_old_version_name_the_ports_that_they_have():
    # The number of elements to find was an attribute at first; examples are of the newest version.
    old, new = manual(ox.schema("TopK", 1)), manual(ox.schema("TopK"))
    assert len(old["inputs"]) == 1
    assert old["examples"] == new["examples"]
    assert old["examples"][0]["inputs"][1]["name"] == "K"


def test_lists_maps_graphs_and_strings_can_be_shown():
    lists = manual(ox.schema("SequenceAt"))["examples"][0]["inputs"][0]
    assert (lists["type"], lists["text"]) == ("sequence", "[1, 2]\n[3]")
    table = manual(ox.schema("CastMap", domain="ai.onnx.ml"))["examples"][0]["inputs"][0]
    assert (table["type"], table["text"]) == ("map", "{3: -2.7, 0: 1.5}")
    body = manual(ox.schema("Loop"))["examples"][0]["attributes"][0]
    assert body["text"] == "the graph 'doubling' (3 nodes)"
    words = manual(ox.schema("StringSplit"))["examples"][0]["inputs"][0]
    assert words["text"] == "['a.b', 'c']"


@pytest.mark.parametrize("name", ["Softmax", "Relu", "Conv", "LayerNormalization", "Gelu", "Loop"])
def test_whether_an_operator_is_a_function_of_others_is_what_the_standard_says(name):
    expected = defs.get_schema(name)
    is_function = expected.has_function or expected.has_context_dependent_function
    assert manual(ox.schema(name))["function"] is is_function
    # Before version 13 it flattened its input; Relu has only taken more types since version 6.
    assert not manual(ox.schema("Softmax", 11))["function"]
    assert manual(ox.schema("Relu", 6))["function"]
