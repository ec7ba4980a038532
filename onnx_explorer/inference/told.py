"""What is found, told in full: with the places that clashing sizes come from and with repairs.

Both need rules to be run again, so they are worked out when a person asks, and for the first
findings only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from onnx_explorer.inference.diagnostics import Diagnostic
from onnx_explorer.inference.explain import origin_text
from onnx_explorer.inference.journal import Case, clash_text
from onnx_explorer.inference.structure import structure

if TYPE_CHECKING:
    from onnx_explorer.inference.engine import Engine

TOLD_IN_FULL = 100
"""How many findings that follow from no other one are traced to their origin."""


def told(engine: Engine) -> tuple[Diagnostic, ...]:
    """Everything that the walk found; causes are the objects that stand before in the tuple."""
    final: dict[int, Diagnostic] = {}
    found = list(structure(engine.model))
    left = TOLD_IN_FULL
    for raw, case in engine.journal.entries:
        diagnostic = raw
        if raw.cause is not None:
            diagnostic = replace(raw, cause=final.get(id(raw.cause), raw.cause))
        elif case is not None and left:
            left -= 1
            diagnostic = _in_full(engine, raw, case)
        final[id(raw)] = diagnostic
        found.append(diagnostic)
    return tuple(found)


def _in_full(engine: Engine, raw: Diagnostic, case: Case) -> Diagnostic:
    if not raw.sizes:
        return raw
    sizes = tuple(
        replace(size, origin=origin_text(engine, case.scope, size.value, size.axis))
        for size in raw.sizes
    )
    return replace(raw, sizes=sizes, message=clash_text(raw.code, sizes))
