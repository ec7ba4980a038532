"""Equal, Greater, Less, GreaterOrEqual and LessOrEqual: two tensors compared element by element.

`C[i] = A[i] > B[i]` and so on, a bool, after both were broadcast to a common shape. Every comparison
with NaN is false, Equal of NaN with itself included. Strings can only be equal. Before version 7
broadcasting went one way, and only with `broadcast` = 1.

Spec: ai.onnx Equal-19, Greater-13, Less-13, GreaterOrEqual-16, LessOrEqual-16
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from onnx_explorer.dims import Dim, equal, less, less_equal
from onnx_explorer.ops.broadcast import (
    AXIS,
    BROADCAST,
    broadcast_rule,
    broadcasting,
    one_way,
    one_way_rule,
)
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.sizes import decide
from onnx_explorer.schema import Body, BodyValue, Change, Operator, Port
from onnx_explorer.schema.typesets import (
    BF16,
    BOOL,
    FLOATS,
    INDICES,
    INT8,
    INT16,
    INTEGERS,
    NUMBERS,
    STRING,
    UNSIGNED,
    TypeSet,
)

A = Port("A", "T", "left operand")
B = Port("B", "T", "right operand, broadcast against A")
C = Port("C", "T1", "whether the relation holds, in the common shape of A and B")
DISCRETE: dict[str, bool | None] = {"A": False, "B": False, "C": False}


def _one_way_versions(first: TypeSet) -> tuple[Change, ...]:
    return (
        Change(
            1,
            "broadcasting one way, on request",
            inputs=(A, B),
            outputs=(C,),
            attributes=(AXIS, BROADCAST),
            types={"T": first, "T1": BOOL},
        ),
        Change(7, "broadcasting both ways, as numpy does", drop=("axis", "broadcast")),
    )


FROM_1_FLOATS = (
    *_one_way_versions(FLOATS),
    Change(9, "integers", widen={"T": INTEGERS}),
    Change(13, "bfloat16", widen={"T": BF16}, differentiable=DISCRETE),
)
FROM_1_EQUAL = (
    *_one_way_versions(INDICES | BOOL),
    Change(11, "floats and all integers", widen={"T": UNSIGNED | FLOATS | INT8 | INT16}),
    Change(13, "bfloat16", widen={"T": BF16}, differentiable=DISCRETE),
    Change(19, "strings", widen={"T": STRING}),
)
FROM_12 = (
    Change(
        12,
        "first version",
        inputs=(A, B),
        outputs=(C,),
        types={"T": NUMBERS, "T1": BOOL},
        differentiable=DISCRETE,
    ),
    Change(16, "bfloat16", widen={"T": BF16}),
)


def comparison(
    name: str,
    what: str,
    history: tuple[Change, ...],
    function: np.ufunc,
    question: Callable[[Dim, Dim], bool | None],
    *,
    strict: str | None = None,
) -> Operator:
    """One of the five; `question` is what it asks of sizes, `strict` the same relation without
    equality.
    """
    op = Operator(name, doc=f"{name}: {what}, element by element.\n\n{__doc__}", history=history)
    if op.versions[0] < 7:
        op.infer(since=1)(one_way_rule)
        op.kernel(since=1)(one_way(function))
    op.cost(since=op.versions[0])(per_output())
    first = max(7, op.versions[0])
    op.infer(since=first)(broadcast_rule)
    op.kernel(since=first, sizes=decide(question))(broadcasting(function))
    if strict is not None:
        op.body(since=first)(_strict_or_equal(strict))
    return op


def _strict_or_equal(strict: str) -> Callable[[Body, BodyValue, BodyValue], BodyValue]:
    def body(f: Body, A: BodyValue, B: BodyValue) -> BodyValue:
        return f.Or(*f.node(strict, A, B), f.Equal(A, B))

    return body


def _more(a: Dim, b: Dim) -> bool | None:
    return less(b, a)


def _more_or_equal(a: Dim, b: Dim) -> bool | None:
    return less_equal(b, a)


EQUAL = comparison("Equal", "whether A is B", FROM_1_EQUAL, np.equal, equal)
GREATER = comparison("Greater", "whether A is above B", FROM_1_FLOATS, np.greater, _more)
LESS = comparison("Less", "whether A is below B", FROM_1_FLOATS, np.less, less)
GREATER_OR_EQUAL = comparison(
    "GreaterOrEqual",
    "whether A is B or above",
    FROM_12,
    np.greater_equal,
    _more_or_equal,
    strict="Greater",
)
LESS_OR_EQUAL = comparison(
    "LessOrEqual",
    "whether A is B or below",
    FROM_12,
    np.less_equal,
    less_equal,
    strict="Less",
)

EQUAL.example(([1, 2, 3], [2]), ([False, True, False],))
EQUAL.example(([float("nan")], [float("nan")]), ([False],))
GREATER.example(([1, 2, 3], [2]), ([False, False, True],))
GREATER_OR_EQUAL.example(([1, 2, 3], [2]), ([False, True, True],))
LESS.example(([1, 2, 3], [2]), ([True, False, False],))
LESS_OR_EQUAL.example(([1, 2, 3], [2]), ([True, True, False],))
