"""BitwiseAnd, BitwiseOr, BitwiseXor and BitwiseNot: logic on every bit of integers.

A bit of the result is set where the bits at its place are: both for And, at least one for Or,
exactly one for Xor. The two inputs are broadcast to a common shape. Not turns every bit of its one
input around. Negative numbers are in two's complement, where -1 has all bits set.

Spec: ai.onnx BitwiseAnd-18, BitwiseOr-18, BitwiseXor-18, BitwiseNot-18
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ir import DType
from onnx_explorer.ops.broadcast import broadcast_rule, broadcasting
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.elementwise import Array, unary
from onnx_explorer.schema import Change, Operator, Port
from onnx_explorer.schema.typesets import INTEGERS


def bitwise(name: str, what: str, function: np.ufunc) -> Operator:
    """One of the three that take two inputs."""
    op = Operator(
        name,
        doc=f"{name}: the bits that {what}.\n\n{__doc__}",
        history=(
            Change(
                18,
                "first version",
                inputs=(
                    Port("A", "T", "left operand", differentiable=False),
                    Port("B", "T", "right operand, broadcast against A", differentiable=False),
                ),
                outputs=(
                    Port(
                        "C", "T", "the result, in the common shape of A and B", differentiable=False
                    ),
                ),
                types={"T": INTEGERS},
            ),
        ),
    )
    op.infer(since=18)(broadcast_rule)
    op.cost(since=18)(per_output())
    op.kernel(since=18, sizes=function, inplace=("A", "B"))(broadcasting(function))
    return op


def not_sizes(X: Array, *, dtype: DType) -> Array:
    """The bits of sizes turned around."""
    return np.subtract((1 << dtype.bits) - 1 if dtype.family == "uint" else -1, X)


BITWISE_AND = bitwise("BitwiseAnd", "both have", np.bitwise_and)
BITWISE_OR = bitwise("BitwiseOr", "at least one has", np.bitwise_or)
BITWISE_XOR = bitwise("BitwiseXor", "exactly one has", np.bitwise_xor)
BITWISE_NOT = unary(
    "BitwiseNot",
    f"BitwiseNot: every bit turned around.\n\n{__doc__}",
    (
        Change(
            18,
            "first version",
            inputs=(Port("X", "T", "integers", differentiable=False),),
            outputs=(Port("Y", "T", "`X` with every bit turned around", differentiable=False),),
            types={"T": INTEGERS},
        ),
    ),
    np.invert,
    sizes=not_sizes,
)

# In binary 6 is 110 and 3 is 011.
BITWISE_AND.example(([6], [3]), ([2],))
BITWISE_OR.example(([6], [3]), ([7],))
BITWISE_XOR.example(([6], [3]), ([5],))
BITWISE_NOT.example(([6],), ([-7],))
BITWISE_NOT.example((np.array([6], np.uint8),), (np.array([249], np.uint8),))
