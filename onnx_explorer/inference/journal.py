"""What inference has to say, kept by the path of the scope that it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from onnx_explorer.inference.abstraction import type_of
from onnx_explorer.inference.codes import CODES
from onnx_explorer.inference.diagnostics import Assumption, Diagnostic, Operand, PlacedSize
from onnx_explorer.inference.node import Inputs, Outcome
from onnx_explorer.inference.scope import Scope
from onnx_explorer.ir import Attribute, Node
from onnx_explorer.ops.resolve import Meaning, Resolved
from onnx_explorer.schema import Abstract, Side, Violation


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A node as it was when a finding was made: enough to run its rule again."""

    scope: Scope
    node: Node
    node_id: str
    meaning: Meaning
    inputs: Inputs
    attributes: Mapping[str, Attribute]
    violation: Violation | None = None

    @property
    def place(self) -> str:
        """The full id of the node."""
        return self.scope.path + self.node_id


class Journal:
    """Diagnostics and assumptions. A body may be walked again (a loop's, until its types hold);
    the engine closes its scope before.
    """

    def __init__(self) -> None:
        self._entries: dict[str, list[tuple[Diagnostic, Case | None]]] = {}
        self._assumptions: dict[str, list[Assumption]] = {}
        self._assuming: dict[str, list[Case]] = {}

    def open(self, path: str) -> None:
        """Begin the walk of the scope at `path`."""
        self._entries[path] = []
        self._assumptions[path] = []
        self._assuming[path] = []

    def close(self, path: str) -> None:
        """Forget what was said about the scope at `path`."""
        del self._entries[path]
        del self._assumptions[path]
        del self._assuming[path]

    @property
    def entries(self) -> Iterator[tuple[Diagnostic, Case | None]]:
        """Everything found, with the node that it is about."""
        for found in self._entries.values():
            yield from found

    @property
    def assuming(self) -> Iterator[Case]:
        """The nodes whose rules had to assume something and found nothing wrong."""
        for cases in self._assuming.values():
            yield from cases

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        return tuple(dict.fromkeys(a for made in self._assumptions.values() for a in made))

    def assumed_in(self, path: str) -> Sequence[Assumption]:
        """What must hold in one scope."""
        return self._assumptions[path]

    def report(
        self,
        path: str,
        code: str,
        message: str,
        *,
        value: str = "",
        case: Case | None = None,
        cause: Diagnostic | None = None,
    ) -> Diagnostic:
        """Record a finding about the scope at `path`, or about the node of `case`; returns it."""
        if case is not None:
            diagnostic = placed(code, message, value, case, cause)
        else:
            where = f", in {path.rstrip('/')}" if path else ""
            severity = CODES[code].severity
            diagnostic = Diagnostic(code, severity, message + where, value=value, cause=cause)
        self._entries[path].append((diagnostic, case))
        return diagnostic

    def assume(self, path: str, node: str, text: str) -> None:
        """Record what must hold at a node of the scope at `path`."""
        self._assumptions[path].append(Assumption(path + node, text))

    def place(
        self,
        scope: Scope,
        node: Node,
        node_id: str,
        resolved: Resolved,
        outcome: Outcome,
        inputs: Inputs,
        attributes: Mapping[str, Attribute],
        cause: Diagnostic | None,
    ) -> Diagnostic | None:
        """Record what the rule of one node found and assumed. Returns the first finding."""
        place = scope.path + node_id
        self._assumptions[scope.path].extend(
            Assumption(place, text, claim)
            for text, claim in zip(outcome.assumptions, outcome.claims, strict=True)
        )
        if outcome.assumptions and not outcome.findings:
            case = Case(scope, node, node_id, resolved, inputs, attributes)
            self._assuming[scope.path].append(case)
        first: Diagnostic | None = None
        for violation in outcome.findings:
            case = Case(scope, node, node_id, resolved, inputs, attributes, violation)
            diagnostic = placed(violation.code, str(violation), "", case, cause)
            self._entries[scope.path].append((diagnostic, case))
            first = first or diagnostic
        return first


def placed(
    code: str, message: str, value: str, case: Case, cause: Diagnostic | None = None
) -> Diagnostic:
    """A finding about the node of a case."""
    node, resolved = case.node, case.meaning
    operands = tuple(_operands(case))
    port = (case.violation.port if case.violation else None) or ""
    sizes = tuple(_sizes(case))
    if sizes:
        message = clash_text(code, sizes)
    if not value and port:
        value = next((o.value for o in operands if o.port == port), "")
    return Diagnostic(
        code,
        CODES[code].severity,
        message,
        case.place,
        str(resolved.schema) if isinstance(resolved, Resolved) else node.op_type,
        port,
        value,
        cause,
        operands,
        sizes,
    )


def clash_text(code: str, sizes: tuple[PlacedSize, ...]) -> str:
    """Two sizes that do not go together: `inner sizes differ: 96 (...) against 64 (...)`."""
    return f"{CODES[code].headline}: {' against '.join(map(str, sizes))}"


def _operands(case: Case) -> Iterator[Operand]:
    schema = case.meaning.schema if isinstance(case.meaning, Resolved) else None
    for place, value in enumerate(case.inputs):
        port = schema.port(place) if schema else None
        name = case.node.inputs[place]
        yield Operand(
            port.name if port else f"input {place}",
            name,
            "" if value is None else str(type_of(value)),
        )


def _sizes(case: Case) -> Iterator[PlacedSize]:
    """The sides of a violation with the names of the values that they stand on."""
    for side in case.violation.sides if case.violation else ():
        place = input_place(case, side)
        value = case.inputs[place] if place is not None else None
        if place is None or not isinstance(value, Abstract):
            continue
        yield PlacedSize(
            side.size, case.node.inputs[place], side.axis, str(type_of(value)), side.note
        )


def input_place(case: Case, side: Side) -> int | None:
    """Which input of the node a side stands on."""
    if isinstance(side.input, int):
        return side.input if side.input < len(case.inputs) else None
    schema = case.meaning.schema if isinstance(case.meaning, Resolved) else None
    for place in range(len(case.inputs)):
        port = schema.port(place) if schema else None
        # The products of quantized numbers share rules, and spell the ports in small letters.
        if port is not None and port.name.lower() == side.input.lower():
            return place
    return None
