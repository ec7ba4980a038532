"""And, Or, Xor and Not: logic on bools, element by element.

And is true where both are, Or where at least one is, Xor where exactly one is, after both inputs
were broadcast to a common shape; before version 7 that went one way, and only with `broadcast` = 1.
Not turns every element of its one input around.

Spec: ai.onnx And-7, Or-7, Xor-7, Not-1
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.ops.broadcast import (
    AXIS,
    BROADCAST,
    broadcast_rule,
    broadcasting,
    one_way,
    one_way_rule,
)
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.elementwise import unary
from onnx_explorer.schema import Change, Operator, Port
from onnx_explorer.schema.typesets import BOOL


def logic(name: str, what: str, function: np.ufunc, sizes: bool | np.ufunc = True) -> Operator:
    """One of the three that take two inputs."""
    op = Operator(
        name,
        doc=f"{name}: {what}, element by element.\n\n{__doc__}",
        history=(
            Change(
                1,
                "broadcasting one way, on request",
                inputs=(
                    Port("A", "T", "left operand"),
                    Port("B", "T", "right operand, broadcast against A"),
                ),
                outputs=(Port("C", "T1", "the result, in the common shape of A and B"),),
                attributes=(AXIS, BROADCAST),
                types={"T": BOOL, "T1": BOOL},
            ),
            Change(
                7,
                "broadcasting both ways, as numpy does",
                drop=("axis", "broadcast"),
                differentiable={"A": False, "B": False, "C": False},
            ),
        ),
    )
    op.infer(since=1)(one_way_rule)
    op.infer(since=7)(broadcast_rule)
    op.cost(since=1)(per_output())
    op.kernel(since=1)(one_way(function))
    op.kernel(since=7, sizes=function if sizes is True else sizes, inplace=("A", "B"))(
        broadcasting(function)
    )
    return op


AND = logic("And", "whether both are true", np.logical_and)
OR = logic("Or", "whether at least one is true", np.logical_or)
# numpy has no logical_xor for arrays of objects.
XOR = logic("Xor", "whether exactly one is true", np.logical_xor, np.not_equal)
NOT = unary(
    "Not",
    f"Not: true becomes false, and false becomes true.\n\n{__doc__}",
    (
        Change(
            1,
            "first version",
            inputs=(Port("X", "T", "what to turn around", differentiable=False),),
            outputs=(Port("Y", "T", "the opposite of `X`", differentiable=False),),
            types={"T": BOOL},
        ),
    ),
    np.logical_not,
    sizes=True,
)

AND.example(([True, False], [True]), ([True, False],))
OR.example(([True, False], [True]), ([True, True],))
XOR.example(([True, False], [True]), ([False, True],))
NOT.example(([True, False],), ([False, True],))
