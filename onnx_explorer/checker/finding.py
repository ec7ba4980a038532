"""A finding of the checker."""

from __future__ import annotations

from onnx_explorer.checker.codes import CODES
from onnx_explorer.inference.diagnostics import Diagnostic


def finding(
    code: str,
    message: str,
    *,
    node: str = "",
    operator: str = "",
    port: str = "",
    value: str = "",
) -> Diagnostic:
    """A diagnostic with the severity that its code has."""
    return Diagnostic(code, CODES[code].severity, message, node, operator, port, value)
