"""Operators by name: a look-up imports the one page that it needs."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import cast

from onnx_explorer.errors import SchemaError
from onnx_explorer.ir.expected import expect_flag, expect_name, near_or_some, shown
from onnx_explorer.ops._index import INDEX
from onnx_explorer.schema.operator import Operator, OpSchema


def canonical_domain(domain: str) -> str:
    """The one spelling of a domain: `ai.onnx` is the long name of ``""``."""
    return "" if domain == "ai.onnx" else domain


@cache
def operator(name: str, domain: str = "") -> Operator | None:
    """The operator of this name with all its versions; None when there is no such page."""
    entry = INDEX.get((canonical_domain(domain), name))
    if entry is None:
        return None
    module, variable, _ = entry
    return getattr(import_module(f"onnx_explorer.ops.{module}"), variable)


def schema(name: str, version: int | None = None, domain: str = "") -> OpSchema:
    """The version of an operator that is in force at an opset (default: the newest).

    Raises:
        SchemaError: there is no such operator, or it came after `version`.
    """
    if not isinstance(cast("object", name), str):
        raise SchemaError(f"operator {shown(name)}; expected its name, as in 'Relu'")
    expect_name("the domain", domain, SchemaError)
    if version is not None and not isinstance(cast("object", version), int):
        raise SchemaError(f"version {shown(version)} of {name}; expected an opset, as in 13")
    found = operator(name, domain)
    if found is None:
        known = [n for d, n in INDEX if d == canonical_domain(domain)]
        elsewhere = [d or "ai.onnx" for d, n in INDEX if n == name]
        close = get_close_matches(name, known, 3, 0.6)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        hint = f"; domain {' or '.join(map(repr, elsewhere))} has one" if elsewhere else hint
        msg = f"there is no operator {name!r} in domain {domain or 'ai.onnx'!r}{hint}"
        raise SchemaError(msg)
    at = found.versions[-1] if version is None else found.version_at(version)
    if at is None:
        msg = f"{name} came with opset {found.versions[0]}; opset {version} does not have it yet"
        raise SchemaError(msg)
    return found.schema(at)


def schemas(domain: str | None = None, *, history: bool = False) -> list[OpSchema]:
    """All schemas, sorted by domain, name and version: the newest of each operator, or every
    version with `history`; of one domain, or of all (None).

    Raises:
        SchemaError: there is no such domain.
    """
    expect_flag("history", history, SchemaError)
    wanted = None
    if domain is not None:
        expect_name("the domain", domain, SchemaError)
        wanted = canonical_domain(domain)
        known = list(dict.fromkeys(in_domain or "ai.onnx" for in_domain, _ in sorted(INDEX)))
        if (wanted or "ai.onnx") not in known:
            raise SchemaError(f"there is no domain {domain!r}{near_or_some(domain, known)}")
    return [
        found.schema(version)
        for (in_domain, name) in sorted(INDEX)
        if wanted is None or in_domain == wanted
        if (found := operator(name, in_domain)) is not None
        for version in (found.versions if history else found.versions[-1:])
    ]
