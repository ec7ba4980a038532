"""If: one of two subgraphs runs, as `cond` says.

The branches take no inputs: they read the values around them by name. Both have as many outputs
as the node, and what the branch that ran returns becomes the node's outputs. The two may return
different shapes; the output then has only what both agree on.

Spec: ai.onnx If-25
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import known_different, known_equal
from onnx_explorer.ir import Graph, Tensor, Value
from onnx_explorer.ops.again import Again
from onnx_explorer.ops.control.history import type_steps
from onnx_explorer.ops.control.join import join
from onnx_explorer.ops.control.single import only_element
from onnx_explorer.schema import (
    Abstract,
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
    Steps,
    Subgraph,
    Violation,
)
from onnx_explorer.schema.typesets import BOOL, EVERY_V1

COND = Port("cond", "B", "one boolean: true runs `then_branch`")
OUTPUTS = Port(
    "outputs", "V", "what the branch that ran returned", option="variadic", homogeneous=False
)

DECIDES = "one boolean decides"

IF = Operator(
    "If",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(COND,),
            outputs=(OUTPUTS,),
            attributes=(
                Attr(
                    "else_branch",
                    "graph",
                    required=True,
                    doc="runs when `cond` is false; no inputs, one output per output of the node",
                ),
                Attr(
                    "then_branch",
                    "graph",
                    required=True,
                    doc="runs when `cond` is true; no inputs, one output per output of the node",
                ),
            ),
            types={"V": EVERY_V1, "B": BOOL},
        ),
        Change(11, "the branches may return different shapes"),
        *type_steps("V"),
    ),
)


@IF.infer(since=1)
def infer(
    cond: Abstract, *, then_branch: Subgraph, else_branch: Subgraph, at: RuleSite
) -> Steps[AbstractValue]:
    _check_branches(then_branch, else_branch, len(at.wanted))
    answer = only_element(cond, DECIDES, port="cond", at=at)
    if isinstance(answer, bool):
        return (yield Call(then_branch if answer else else_branch))
    taken = yield Call(then_branch)
    other = yield Call(else_branch)
    return tuple(
        _squeezed(a, b, at) or join(a, b, f"out{i}", at)
        for i, (a, b) in enumerate(zip(taken, other, strict=True))
    )


def _squeezed(a: AbstractValue, b: AbstractValue, at: RuleSite) -> Abstract | None:
    """The squeezed side where one branch only lacks an axis that the other has; else None.

    Exporters write `x.squeeze(axis)` as an If on whether the size there is 1. Ranks that differ
    have nothing in common, so the rank that the author wrote is taken, and that the size is 1
    is recorded as an assumption. A size that is 1 for certain says nothing of the branch taken.
    """
    if not isinstance(a, Abstract) or not isinstance(b, Abstract) or a.dtype is not b.dtype:
        return None
    small, large = sorted((a, b), key=lambda value: value.rank or 0)
    if small.shape is None or large.shape is None or len(small.shape) + 1 != len(large.shape):
        return None
    for axis, size in enumerate(large.shape):
        rest = large.shape[:axis] + large.shape[axis + 1 :]
        if known_equal(size, 1) or known_different(size, 1):
            continue
        if all(map(known_equal, rest, small.shape)):
            at.assume(size, 1)
            return small
    return None


def _check_branches(then_branch: Subgraph, else_branch: Subgraph, n_outputs: int) -> None:
    for name, branch in (("then_branch", then_branch), ("else_branch", else_branch)):
        if branch.n_outputs != n_outputs:
            raise Violation(
                f"{name} with {branch.n_outputs} outputs",
                f"the node has {n_outputs}",
                code="subgraph-arity",
            )


@IF.kernel(since=1)
def run_branch(
    cond: NDArray[np.bool_], *, then_branch: Subgraph, else_branch: Subgraph, at: RunSite
) -> Steps[object]:
    _check_branches(then_branch, else_branch, len(at.wanted))
    if cond.size != 1:
        raise Violation(f"shape {list(cond.shape)}", DECIDES, port="cond", code="wrong-shape")
    return (yield Call(then_branch if cond.item() else else_branch))


@IF.again(since=1)
def again(
    inputs: tuple[object, ...],
    outputs: tuple[object, ...],
    *,
    then_branch: Subgraph,
    else_branch: Subgraph,
    at: RunSite,
) -> Again | None:
    if {then_branch.n_outputs, else_branch.n_outputs} != {len(at.wanted)}:
        return None
    to_then, to_else = Call(then_branch), Call(else_branch)

    def choose(cond: NDArray[np.bool_]) -> object:
        if cond.size != 1:
            return NotImplemented
        return to_then if cond.item() else to_else

    return choose


@IF.vjp(since=1)
def vjp(
    cotangents: Cotangents,
    inputs: tuple[NDArray[np.bool_]],
    outputs: tuple[object, ...],
    *,
    then_branch: Subgraph,
    else_branch: Subgraph,
    at: DerivativeSite,
) -> Cotangents:
    return at.pull(then_branch if inputs[0].item() else else_branch, (), cotangents)


def _returning(*numbers: int) -> Graph:
    """A branch that returns these numbers."""
    constant = Tensor.of(np.array(numbers), "numbers")
    return Graph("branch", outputs=(Value("numbers"),), initializers={"numbers": constant})


IF.example((True,), ([1, 2],), then_branch=_returning(1, 2), else_branch=_returning(3))
IF.example((False,), ([3],), then_branch=_returning(1, 2), else_branch=_returning(3))
