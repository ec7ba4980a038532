"""What inference has to say, kept by the path of the scope that it is about."""

from __future__ import annotations

from collections.abc import Iterable

from onnx_explorer.inference.diagnostics import Assumption, Code, Diagnostic, Severity
from onnx_explorer.inference.node import Outcome


class Journal:
    """Diagnostics and assumptions. A body may be walked again (a loop's, until its types hold);
    the engine closes its scope before.
    """

    def __init__(self) -> None:
        self._diagnostics: dict[str, list[Diagnostic]] = {}
        self._assumptions: dict[str, list[Assumption]] = {}

    def open(self, path: str) -> None:
        """Begin the walk of the scope at `path`."""
        self._diagnostics[path] = []
        self._assumptions[path] = []

    def close(self, path: str) -> None:
        """Forget what was said about the scope at `path`."""
        del self._diagnostics[path]
        del self._assumptions[path]

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(d for found in self._diagnostics.values() for d in found)

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        return tuple(dict.fromkeys(a for made in self._assumptions.values() for a in made))

    def report(
        self,
        path: str,
        code: Code,
        message: str,
        *,
        severity: Severity = "error",
        node: str = "",
        operator: str = "",
        port: str = "",
        value: str = "",
        cause: Diagnostic | None = None,
    ) -> Diagnostic:
        """Record a finding about the scope at `path`; returns it."""
        diagnostic = Diagnostic(code, severity, message, node, operator, port, value, cause)
        self._diagnostics[path].append(diagnostic)
        return diagnostic

    def place(
        self,
        path: str,
        node: str,
        operator: str,
        outcome: Outcome,
        values: Iterable[tuple[str, str]],
        cause: Diagnostic | None,
    ) -> Diagnostic | None:
        """Record what the rule of one node found and assumed; `values` are pairs of port and value
        name. Returns the first finding.
        """
        self._assumptions[path].extend(Assumption(node, text) for text in outcome.assumptions)
        flows = dict(values)
        first: Diagnostic | None = None
        for finding in outcome.findings:
            port = finding.violation.port or ""
            diagnostic = self.report(
                path,
                finding.code,
                str(finding.violation),
                severity="warning" if finding.code in {"no-rule", "internal"} else "error",
                node=node,
                operator=operator,
                port=port,
                value=flows.get(port, ""),
                cause=cause,
            )
            first = first or diagnostic
        return first
