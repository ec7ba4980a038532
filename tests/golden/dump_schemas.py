"""Writes schemas.json, the facts of every operator version as the installed onnx has them.

python -m tests.golden.dump_schemas
"""

from __future__ import annotations

import json
from pathlib import Path

from onnx import defs, helper

GOLDEN = Path(__file__).parent / "schemas.json"
DIFFERENTIABLE = {"Unknown": None, "Differentiable": True, "NonDifferentiable": False}


def key_of(schema: defs.OpSchema) -> str:
    return f"{schema.domain}::{schema.name}-{schema.since_version}"


def port(parameter: defs.OpSchema.FormalParameter) -> list[object]:
    return [
        parameter.name,
        parameter.type_str,
        parameter.option.name.lower(),
        parameter.is_homogeneous,
        parameter.min_arity,
        DIFFERENTIABLE[parameter.differentiation_category.name],
    ]


def default(attribute: defs.OpSchema.Attribute) -> object:
    if not attribute.default_value.name:
        return None
    value = helper.get_attribute_value(attribute.default_value)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [item.decode() if isinstance(item, bytes) else item for item in value]
    return value


def facts(schema: defs.OpSchema, sets: list[list[str]]) -> dict[str, object]:
    """The facts of one version; type sets by their place in `sets`, which grows."""

    def place(types: list[str]) -> int:
        found = sorted(types)
        if found not in sets:
            sets.append(found)
        return sets.index(found)

    unlimited = 2**31 - 1
    return {
        "inputs": [port(p) for p in schema.inputs],
        "outputs": [port(p) for p in schema.outputs],
        "attributes": {
            name: [a.type.name.lower(), a.required, default(a)]
            for name, a in sorted(schema.attributes.items())
        },
        "types": {
            c.type_param_str: place(c.allowed_type_strs)
            for c in sorted(schema.type_constraints, key=lambda c: c.type_param_str)
        },
        "arity": [
            None if n == unlimited else n
            for n in (schema.min_input, schema.max_input, schema.min_output, schema.max_output)
        ],
        "deprecated": schema.deprecated,
    }


def dump() -> dict[str, object]:
    sets: list[list[str]] = []
    schemas = sorted(defs.get_all_schemas_with_history(), key=key_of)
    found = {key_of(schema): facts(schema, sets) for schema in schemas}
    return {"type_sets": sets, "schemas": found}


if __name__ == "__main__":
    dumped = dump()
    head = json.dumps(dumped["type_sets"], separators=(",", ":"))
    lines = (f"{json.dumps(k)}: {json.dumps(v)}" for k, v in dumped["schemas"].items())
    GOLDEN.write_text(
        f'{{"type_sets": {head},\n"schemas": {{\n' + ",\n".join(lines) + "\n}}\n", encoding="utf-8"
    )
