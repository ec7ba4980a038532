"""Inputs of one element, which say whether or how often a subgraph runs."""

from __future__ import annotations

from onnx_explorer.dims import known_different, product
from onnx_explorer.schema import Abstract, RuleSite, Size


def only_element(value: Abstract | None, expected: str, *, port: str, at: RuleSite) -> Size | None:
    """The element, as far as it is known; that there are more or none is reported."""
    if value is None:
        return None
    if value.shape is not None and known_different(product(value.shape), 1):
        at.fail(f"shape {list(value.shape)}", expected, port=port, code="wrong-shape")
        return None
    return None if value.content is None else value.content[0]
