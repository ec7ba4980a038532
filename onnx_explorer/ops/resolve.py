"""What a node means: the version of an operator that its model imports, or a function of the
model, with attributes that refer to a calling node filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from onnx_explorer.ir.model import Attribute, Function, Model, Node
from onnx_explorer.ops._index import INDEX
from onnx_explorer.ops.registry import canonical_domain, operator
from onnx_explorer.schema.operator import Operator, OpSchema

STANDARD_DOMAINS = frozenset(domain for domain, _ in INDEX)
"""The domains that the standard defines; all others are somebody's own."""


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """An operator at the version that is in force."""

    operator: Operator
    version: int
    opset: int
    schema: OpSchema


@dataclass(frozen=True, slots=True)
class Unresolved:
    """No meaning for a node, and why: a sentence without a subject ("is not ...")."""

    code: Literal["no-such-operator", "unknown-operator", "missing-import", "operator-too-new"]
    reason: str


Meaning = Resolved | Function | Unresolved


class Resolver:
    """Looks nodes up for one model; each operator once."""

    def __init__(self, model: Model) -> None:
        self._functions = {
            (canonical_domain(domain), name, overload): function
            for (domain, name, overload), function in model.functions.items()
        }
        self._found: dict[tuple[str, str, str, int], Meaning] = {}

    def meaning(self, node: Node, imports: Mapping[str, int]) -> Meaning:
        """What the node means under these opset imports (the model's, or its function's own)."""
        key = (node.domain, node.op_type, node.overload, id(imports))
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._look_up(node, imports)
        return found

    def _look_up(self, node: Node, imports: Mapping[str, int]) -> Meaning:
        domain = canonical_domain(node.domain)
        function = self._functions.get((domain, node.op_type, node.overload))
        if function is not None:
            return function
        opset = opset_of(domain, imports)
        if opset is not None and (resolved := _resolved(node.op_type, domain, opset)):
            return resolved
        where = f"domain {domain or 'ai.onnx'!r}"
        found = operator(node.op_type, domain)
        if found is None and domain in STANDARD_DOMAINS:
            text = f"{domain or 'ai.onnx'!r} has no operator {node.op_type!r}"
            return Unresolved("no-such-operator", text)
        if found is None:
            text = f"{node.op_type!r} of {where} is not known; its outputs are what is declared"
            return Unresolved("unknown-operator", text)
        if opset is None:
            return Unresolved(
                "missing-import", f"the model does not import {where}, which has {node.op_type!r}"
            )
        return Unresolved(
            "operator-too-new",
            f"{node.op_type!r} came with opset {found.versions[0]}; the model imports {opset}",
        )


@cache
def _resolved(op_type: str, domain: str, opset: int) -> Resolved | None:
    """The operator at an opset; one object for all models, so that it can be a key."""
    found = operator(op_type, domain)
    version = None if found is None else found.version_at(opset)
    if found is None or version is None:
        return None
    return Resolved(found, version, opset, found.schema(version))


def opset_of(domain: str, imports: Mapping[str, int]) -> int | None:
    """The version imported for a domain, under either spelling of the default one."""
    for name, version in imports.items():
        if canonical_domain(name) == domain:
            return version
    return None


def bound_attributes(node: Node, caller: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
    """The attributes of a node inside a function, references replaced by what `caller` gives.

    A reference to an attribute that the caller leaves out makes the attribute absent here.
    """
    if not node.attributes or not any(a.reference for a in node.attributes.values()):
        return node.attributes
    bound: dict[str, Attribute] = {}
    for name, attribute in node.attributes.items():
        if not attribute.reference:
            bound[name] = attribute
        elif (given := caller.get(attribute.reference)) is not None:
            bound[name] = replace(given, name=name)
    return bound


def call_attributes(function: Function, given: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
    """What the body of a function sees: the call's attributes over the function's defaults."""
    return {**function.defaults, **given}
