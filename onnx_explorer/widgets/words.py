"""What the front end is told in words: of operators, of codes of findings, of where sizes come from."""

from __future__ import annotations

from collections.abc import Mapping

from onnx_explorer.inference import Types
from onnx_explorer.ops.registry import schema
from onnx_explorer.view.derivation import derivation
from onnx_explorer.view.manual import manual


def of_operator(question: Mapping[str, object]) -> Mapping[str, object]:
    name, domain = str(question.get("name")), str(question.get("domain", ""))
    version = question.get("version")
    return manual(schema(name, version if isinstance(version, int) else None, domain))


def of_code(name: str) -> Mapping[str, str]:
    # The checker is not imported for a drawing.
    from onnx_explorer.checker.codes import CODES

    known = CODES.get(name)
    if known is None:
        raise KeyError(f"there is no code {name!r}")
    return {
        "headline": known.headline,
        "meaning": known.meaning,
        "example": known.example,
        "remedy": known.remedy,
    }


def explained(types: Types, question: Mapping[str, object]) -> Mapping[str, object]:
    """The steps that lead to a size of a value, or to its type."""
    name, axis = str(question.get("name")), question.get("axis")
    if name not in types:
        raise KeyError(f"{name!r} lies inside a body; only the main graph is explained")
    steps = derivation(types.explain(name, axis if isinstance(axis, int) else None))
    return {"steps": [list(step) for step in steps]}
