"""Element types of values in the making, as far as an operator's schema binds them."""

from __future__ import annotations

from collections.abc import Sequence

from onnx_explorer.ir import DType
from onnx_explorer.schema import OpSchema, Port

_BY_NOTATION = {f"tensor({dtype.notation})": dtype for dtype in DType}


def bound_dtypes(schema: OpSchema, inputs: Sequence[DType | None]) -> dict[str, DType]:
    """The element type of each type variable, from inputs whose element type is known.

    The first one counts where inputs disagree: inference reports that they do.
    """
    bound: dict[str, DType] = {}
    for index, dtype in enumerate(inputs):
        port = schema.port(index)
        if dtype is not None and port is not None and port.homogeneous:
            bound.setdefault(port.type, dtype)
    return bound


def dtype_at(port: Port | None, bound: dict[str, DType]) -> DType | None:
    """The element type of what stands at a port; None where the schema leaves it open."""
    if port is None or not port.homogeneous:
        return None
    return _BY_NOTATION.get(port.type) or bound.get(port.type)
