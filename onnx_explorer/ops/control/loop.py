"""Loop: a subgraph runs again and again, as a `for`, a `while`, or both at once.

The body takes the iteration's number, the condition and the carried values; it returns the next
condition, the next carried values and any number of scan outputs. Before each iteration the loop
stops when `M` iterations are done (never, if `M` is left out) or the condition is false. Without
`cond` the body's own condition is ignored. The node returns the last carried values, and each
scan output stacked along a new first axis, one entry per iteration. After zero iterations the
carried values are the initial ones and the scan outputs are empty.

Spec: ai.onnx Loop-25
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, Expr, maximum
from onnx_explorer.ir import DType, Graph, Node, TensorType, Value
from onnx_explorer.ops.control.backwards import arguments_of, back_through
from onnx_explorer.ops.control.history import type_steps
from onnx_explorer.ops.control.rounds import stacked, steady, with_rounds
from onnx_explorer.ops.control.single import only_element
from onnx_explorer.schema import (
    Abstract,
    AbstractSubgraph,
    AbstractValue,
    Attr,
    Call,
    Change,
    Cotangents,
    DerivativeSite,
    Operator,
    Port,
    RuleSite,
    RunSite,
    Size,
    Steps,
    Subgraph,
    Violation,
    scalar,
)
from onnx_explorer.schema.typesets import BOOL, EVERY_V1, INT64

M = Port("M", "I", "the most iterations, one integer; left out: no limit", option="optional")
COND = Port(
    "cond", "B", "whether to start, one boolean; left out: `M` alone decides", option="optional"
)
INITIAL = Port(
    "v_initial",
    "V",
    "the carried values before the first iteration",
    option="variadic",
    homogeneous=False,
)
RESULTS = Port(
    "v_final_and_scan_outputs",
    "V",
    "the carried values after the last iteration, then the scan outputs",
    option="variadic",
    homogeneous=False,
)

ONE = "one value is needed"

LOOP = Operator(
    "Loop",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(M, COND, INITIAL),
            outputs=(RESULTS,),
            attributes=(
                Attr(
                    "body",
                    "graph",
                    required=True,
                    doc="inputs: iteration number, condition, carried values; outputs: condition, "
                    "carried values, scan outputs",
                ),
            ),
            types={"V": EVERY_V1, "I": INT64, "B": BOOL},
        ),
        Change(11, "carried values are optional", inputs=(M, COND, replace(INITIAL, min_arity=0))),
        *type_steps("V"),
    ),
)


@LOOP.infer(since=1)
def infer(
    M: Abstract | None = None,
    cond: Abstract | None = None,
    *v_initial: AbstractValue,
    body: AbstractSubgraph,
    at: RuleSite,
) -> Steps[AbstractValue]:
    n = len(v_initial)
    _check_body(body, n, len(at.wanted))
    limit = only_element(M, ONE, port="M", at=at)
    start = cond is None or only_element(cond, ONE, port="cond", at=at)
    if start is False or (isinstance(limit, int) and limit <= 0):
        results = yield Call(body, (scalar(DType.INT64), scalar(DType.BOOL), *v_initial))
        return (*v_initial, *(with_rounds(scan, 0) for scan in results[n + 1 :]))

    def arguments(carried: tuple[AbstractValue, ...]) -> tuple[object, ...]:
        return (scalar(DType.INT64), scalar(DType.BOOL, True), *carried)

    carried, results = yield from steady(arguments, v_initial, 1, body, at)
    count = _iterations(limit, start=start, cond=cond is not None, after=results[0], at=at)
    return (*carried, *(with_rounds(scan, count) for scan in results[n + 1 :]))


def _iterations(
    limit: Size | None, *, start: Size | None, cond: bool, after: AbstractValue, at: RuleSite
) -> Dim:
    """How often the body runs: `limit` times where nothing else can end the loop."""
    goes_on = not cond or (
        isinstance(after, Abstract) and after.content is not None and after.content[0] is True
    )
    if isinstance(limit, (int, Expr)) and start is True and goes_on:
        return maximum(limit, 0)
    return at.fresh("iterations", high=limit if isinstance(limit, int) else None)


def _check_body(body: Subgraph, n_carried: int, n_outputs: int) -> None:
    if body.n_inputs != n_carried + 2:
        raise Violation(
            f"a body with {body.n_inputs} inputs",
            f"the node passes {n_carried + 2}: the round, the condition and {n_carried} carried",
            code="subgraph-arity",
        )
    if body.n_outputs != n_outputs + 1:
        raise Violation(
            f"a body with {body.n_outputs} outputs",
            f"the node's {n_outputs} and the condition make {n_outputs + 1}",
            code="subgraph-arity",
        )


@LOOP.kernel(since=1)
def loop(
    M: NDArray[np.int64] | None = None,
    cond: NDArray[np.bool_] | None = None,
    *v_initial: object,
    body: Subgraph,
    at: RunSite,
) -> Steps[object]:
    n = len(v_initial)
    _check_body(body, n, len(at.wanted))
    limit = None if M is None else _one(M, "M")
    going = cond is None or bool(_one(cond, "cond"))
    carried: tuple[object, ...] = v_initial
    scans: list[list[object]] = [[] for _ in range(body.n_outputs - n - 1)]
    done = 0
    while going and (limit is None or done < limit):
        results = yield Call(body, (np.array(done, np.int64), np.array(True), *carried))
        carried = results[1 : n + 1]
        for scan, value in zip(scans, results[n + 1 :], strict=True):
            scan.append(value)
        if cond is not None:
            going = bool(_one(results[0], "the condition that the body returns"))
        done += 1
    declared = body.output_types[n + 1 :]
    return (*carried, *(stacked(s, t) for s, t in zip(scans, declared, strict=True)))


def _one(value: object, what: str) -> int:
    array = np.asarray(value)
    if array.size != 1:
        raise Violation(f"{what} of shape {list(array.shape)}", ONE)
    return array.item()


@LOOP.vjp(since=1)
def vjp(
    cotangents: Cotangents,
    inputs: tuple[NDArray[np.generic] | None, ...],
    outputs: tuple[object, ...],
    *,
    body: Subgraph,
    at: DerivativeSite,
) -> Cotangents:
    M, cond, *initial = (*inputs, None, None)[: max(len(inputs), 2)]
    n = len(initial)
    steps = loop(
        cast("NDArray[np.int64] | None", M),
        cast("NDArray[np.bool_] | None", cond),
        *initial,
        body=body,
        at=at,
    )
    rounds = arguments_of(steps, at)
    carried, _ = back_through(body, rounds, cotangents[:n], cotangents[n:], (2, 1), at)
    return (None, None, *carried)


NUMBER, YES_OR_NO = TensorType(DType.INT64, ()), TensorType(DType.BOOL, ())
# The carried value doubles each time, and is scanned.
DOUBLING = Graph(
    "doubling",
    (
        Node("Identity", ("more",), ("still_more",)),
        Node("Add", ("x", "x"), ("doubled",)),
        Node("Identity", ("doubled",), ("scanned",)),
    ),
    inputs=(Value("index", NUMBER), Value("more", YES_OR_NO), Value("x", NUMBER)),
    outputs=(Value("still_more", YES_OR_NO), Value("doubled", NUMBER), Value("scanned", NUMBER)),
)
LOOP.example((3, None, 1), (8, [2, 4, 8]), body=DOUBLING)
# A condition that is false from the start: no iteration.
LOOP.example((3, False, 1), (1, np.array([], np.int64)), body=DOUBLING)
