"""What inference has to say, kept by the path of the scope that it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from onnx_explorer.inference.abstraction import type_of
from onnx_explorer.inference.claims import Claim
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
    meaning: Meaning
    inputs: Inputs
    attributes: Mapping[str, Attribute]
    violation: Violation | None = None

    @property
    def place(self) -> str:
        """The full id of the node."""
        return self.scope.path + self.scope.id_of(self.node)


@dataclass(frozen=True, slots=True, eq=False)
class _Assumed:
    """What a node assumed, or what the declaration of a value asks for; put into words when somebody
    asks.
    """

    scope: Scope
    where: Node | str
    texts: Sequence[str]
    claims: Sequence[Claim | None]

    def assumptions(self) -> Iterator[Assumption]:
        scope, where = self.scope, self.where
        node_id = scope.maker_of(where) if isinstance(where, str) else scope.id_of(where)
        for text, claim in zip(self.texts, self.claims, strict=True):
            yield Assumption(scope.path + node_id, text, claim)


class Journal:
    """Diagnostics and assumptions. A body may be walked again (a loop's, until its types hold);
    the engine closes its scope before.
    """

    def __init__(self) -> None:
        self._entries: dict[str, list[tuple[Diagnostic, Case | None]]] = {}
        self._assumptions: dict[str, list[_Assumed]] = {}
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
        return tuple(dict.fromkeys(a for path in self._assumptions for a in self.assumed_in(path)))

    def assumed_in(self, path: str) -> Sequence[Assumption]:
        """What must hold in one scope."""
        return [a for assumed in self._assumptions[path] for a in assumed.assumptions()]

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

    def assume(self, scope: Scope, value: str, text: str) -> None:
        """Record what must hold for the declaration of a value."""
        self._assumptions[scope.path].append(_Assumed(scope, value, (text,), (None,)))

    def place(self, case: Case, outcome: Outcome, cause: Diagnostic | None) -> Diagnostic | None:
        """Record what the rule of one node found and assumed. Returns the first finding."""
        scope = case.scope
        if outcome.assumptions:
            assumed = _Assumed(scope, case.node, outcome.assumptions, outcome.claims)
            self._assumptions[scope.path].append(assumed)
            if not outcome.findings:
                self._assuming[scope.path].append(case)
        first: Diagnostic | None = None
        for violation in outcome.findings:
            about = replace(case, violation=violation)
            diagnostic = placed(violation.code, str(violation), "", about, cause)
            self._entries[scope.path].append((diagnostic, about))
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
        resolved.schema.label if isinstance(resolved, Resolved) else node.op_type,
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
