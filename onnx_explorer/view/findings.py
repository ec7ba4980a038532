"""Diagnostics by the place in the drawing where they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from onnx_explorer.inference import Diagnostic
from onnx_explorer.view.scene import DiagnosticRow, ProblemRow

_OF_THE_NODE = {
    "attribute-type",
    "attribute-value",
    "deprecated-operator",
    "input-count",
    "missing-attribute",
    "missing-import",
    "missing-input",
    "operator-too-new",
    "output-count",
    "recursive-function",
    "unknown-attribute",
}


class Findings:
    """What inference had to say, asked for by node and by edge."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self._all = tuple(diagnostics)
        self._of_node: dict[str, list[Diagnostic]] = {}
        self._of_value: dict[str, Diagnostic] = {}
        for diagnostic in self._all:
            if diagnostic.node:
                self._of_node.setdefault(diagnostic.node, []).append(diagnostic)
            elif diagnostic.code == "declared-mismatch":
                self._of_value.setdefault(diagnostic.value, diagnostic)

    def problems(self, node: str) -> tuple[ProblemRow, ...]:
        return tuple(
            (d.severity, _message(d), d.code, d.repairs) for d in self._of_node.get(node, ())
        )

    def mismatch(self, key: str, name: str, node: str) -> str:
        """Why the edge of this value into this node does not fit; "" where nothing says so.

        An error that names no value stands at every edge into its node, unless it is about the
        node itself. What only follows from another error marks no edge.
        """
        for diagnostic in self._of_node.get(node, ()) if node else ():
            if diagnostic.severity != "error" or diagnostic.cause is not None:
                continue
            clashing = {size.value for size in diagnostic.sizes} or {diagnostic.value}
            if name in clashing or (clashing == {""} and diagnostic.code not in _OF_THE_NODE):
                return diagnostic.message
        declared = self._of_value.get(name) if name == key else None
        return declared.message if declared else ""

    def reason(self, node: str) -> str:
        """Why the outputs of a node are not known."""
        for diagnostic in self._of_node.get(node, ()):
            return _message(diagnostic)
        return "what this node makes cannot be told from the graph"

    def rows(self, place_of: Mapping[str, int]) -> tuple[DiagnosticRow, ...]:
        """Everything found; causes by their places among the rows."""
        places = {id(diagnostic): place for place, diagnostic in enumerate(self._all)}
        return tuple(
            (
                d.severity,
                d.code,
                f"{d.place}: {d.message}" if d.place else d.message,
                place_of.get(d.node, -1),
                places.get(id(d.cause), -1),
                d.repairs,
            )
            for d in self._all
        )


def _message(diagnostic: Diagnostic) -> str:
    place = f"input {diagnostic.port}: " if diagnostic.port else ""
    follows = f" (follows from {diagnostic.cause.node})" if diagnostic.cause else ""
    return f"{place}{diagnostic.message}{follows}"
