"""What inference has to say about a model, each thing in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]
Code = Literal[
    "violation",
    "arity",
    "type-constraint",
    "attribute",
    "unknown-operator",
    "missing-import",
    "too-new-operator",
    "no-rule",
    "negative-size",
    "declared-mismatch",
    "missing-value",
    "recursive-function",
    "internal",
]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `node` is the full id of the node (its scope's path and its id), `operator`
    reads `Conv-11`, `port` names the input or attribute, `value` what flows there.
    """

    code: Code
    severity: Severity
    message: str
    node: str = ""
    operator: str = ""
    port: str = ""
    value: str = ""
    cause: Diagnostic | None = None

    def __str__(self) -> str:
        place = f"node {self.node!r}" if self.node else ""
        place += f" ({self.operator})" if self.operator else ""
        if self.port:
            place += f", input {self.port}"
            place += f" ({self.value!r})" if self.value else ""
        elif self.value and not self.node:
            place = f"value {self.value!r}"
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} (follows from node {self.cause.node!r})" if self.cause else text

    def __repr__(self) -> str:
        return f"<{self.severity} {self.code}: {self}>"


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that must hold for the graph to work, which nothing proves: `B = S`."""

    node: str
    text: str

    def __str__(self) -> str:
        return f"node {self.node!r} assumes {self.text}"
