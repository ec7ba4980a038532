"""What convolutions share: attributes, and the checks that rules and kernels make of their
inputs.
"""

from __future__ import annotations

from collections.abc import Sequence

from onnx_explorer.dims import Dim, known_different
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.nn.windows import AUTO_PADS
from onnx_explorer.schema import Attr, Shape, Violation

AUTO_PAD = Attr(
    "auto_pad",
    "string",
    "NOTSET",
    one_of=AUTO_PADS,
    doc="NOTSET uses `pads`; the others work the pads out",
)
DILATIONS = Attr("dilations", "ints", doc="steps between the elements of a filter; default 1")
GROUP = Attr("group", "int", 1, doc="number of blocks of channels")
KERNEL_SHAPE = Attr("kernel_shape", "ints", doc="spatial sizes of the filters; default: W's")
STRIDES = Attr("strides", "ints", doc="steps between windows; default 1")


def check_ranks(X: Shape | None, W: Shape | None, kernel_shape: Sequence[int] | None) -> int | None:
    """The rank that X and W have; None where nothing tells it.

    Raises:
        Violation: they have different ranks, or one below 3.
    """
    rank = len(X) if X is not None else len(W) if W is not None else None
    if rank is None:
        return len(kernel_shape) + 2 if kernel_shape else None
    if rank < 3:
        raise Violation(
            f"rank {rank}",
            "(N, C, *spatial) has rank 3 or more",
            port="W" if X is None else "X",
            code="wrong-rank",
        )
    if W is not None and len(W) != rank:
        raise Violation(
            f"rank {len(W)}",
            f"X has rank {rank}, and the two must be equal",
            port="W",
            code="wrong-rank",
        )
    if kernel_shape and len(kernel_shape) != rank - 2:
        raise Violation(
            f"kernel_shape = {list(kernel_shape)}",
            f"the input has {rank - 2} spatial axes",
            code="wrong-count",
        )
    return rank


def check_kernel(W: Shape, kernel_shape: Sequence[int] | None) -> None:
    """Raise `Violation` where W's spatial sizes are known to differ from `kernel_shape`."""
    if kernel_shape and any(map(known_different, W[2:], kernel_shape)):
        raise Violation(
            f"spatial sizes {shape_text(W[2:])}",
            f"kernel_shape = {list(kernel_shape)}",
            port="W",
            code="kernel-shape-mismatch",
        )


def check_group(filters: Dim, group: int, what: str) -> None:
    """Raise `Violation` where the channels do not fall into `group` equal blocks."""
    if group < 1:
        raise Violation(f"group = {group}", "1 or more", code="attribute-value")
    if isinstance(filters, int) and filters % group:
        raise Violation(
            f"{filters} {what}", f"they fall into {group} groups", port="W", code="group-mismatch"
        )


def check_bias(B: Shape | None, channels: Dim) -> None:
    """Raise `Violation` where B is known not to have one element for each output channel."""
    if B is not None and (len(B) != 1 or known_different(B[0], channels)):
        raise Violation(
            f"shape {shape_text(B)}",
            f"there are {channels} output channels",
            port="B",
            code="bias-length",
        )
