"""Constant nodes as the tensors that they stand for."""

from __future__ import annotations

import numpy as np

from onnx_explorer.ir import DType, Node, Tensor
from onnx_explorer.ops.registry import canonical_domain


def constant_of(node: Node) -> Tensor | None:
    """The tensor of a Constant node; None for any other, and for a sparse one."""
    if node.op_type != "Constant" or canonical_domain(node.domain) or len(node.attributes) != 1:
        return None
    (attribute,) = node.attributes.values()
    match attribute.name, attribute.value:
        case "value", Tensor() as tensor:
            return tensor
        case "value_float" | "value_floats", float() | tuple() as floats:
            return Tensor.of(np.asarray(floats, np.float32))
        case "value_int" | "value_ints", int() | tuple() as ints:
            return Tensor.of(np.asarray(ints, np.int64))
        case "value_string", bytes() as text:
            return Tensor.of(np.asarray(_decoded(text), object), dtype=DType.STRING)
        case "value_strings", tuple() as texts:
            array = np.asarray([_decoded(t) for t in texts if isinstance(t, bytes)], object)
            return Tensor.of(array, dtype=DType.STRING)
        case _:
            return None


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", errors="replace")
