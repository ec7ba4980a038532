"""What is found, told in full: with the places that clashing sizes come from and with repairs.

Both need rules to be run again, so they are worked out when a person asks, and for the first
findings only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from onnx_explorer.inference.diagnostics import Diagnostic
from onnx_explorer.inference.explain import origin_text
from onnx_explorer.inference.journal import Case, clash_text, placed
from onnx_explorer.inference.repairs import repairs
from onnx_explorer.inference.reshapes import pinned_size
from onnx_explorer.inference.structure import structure

if TYPE_CHECKING:
    from onnx_explorer.inference.engine import Engine

TOLD_IN_FULL = 100
"""How many findings that follow from no other one are traced to their origin."""


def told(engine: Engine) -> tuple[Diagnostic, ...]:
    """Everything that the walk found; causes are the objects that stand before in the tuple."""
    final: dict[int, Diagnostic] = {}
    found = list(structure(engine.model, in_order=engine.walked_in_order))
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
    found.extend(_pinned(engine))
    return tuple(found)


def _pinned(engine: Engine) -> Iterator[Diagnostic]:
    """Sizes that a Reshape leaves no choice for, though they have a name."""
    for case in islice(engine.journal.assuming, TOLD_IN_FULL):
        size = pinned_size(case) if case.node.op_type == "Reshape" else None
        if size is not None:
            text = f"it holds only for {size.name} = {size.number}"
            raw = placed("baked-size", text, "", case)
            if mended := repairs(engine, case, "baked-size"):
                yield replace(raw, repairs=mended)


def _in_full(engine: Engine, raw: Diagnostic, case: Case) -> Diagnostic:
    raw = replace(raw, repairs=repairs(engine, case, raw.code))
    open_outputs = [o for o in case.node.outputs if o and o not in case.scope.declared]
    if raw.code == "unknown-operator" and open_outputs:
        known = raw.message.partition(";")[0]
        text = f"{known}; nothing declares its output {open_outputs[0]!r}, which stays unknown"
        return replace(raw, message=text)
    if not raw.sizes:
        return raw
    sizes = tuple(
        replace(size, origin=origin_text(engine, case.scope, size.value, size.axis))
        for size in raw.sizes
    )
    return replace(raw, sizes=sizes, message=clash_text(raw.code, sizes))
