"""Elementwise operators: the rule, the history and the precision that those of one input share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import Slopes, unary_vjp
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import Abstract, Attr, Body, BodyValue, Change, Operator, Port
from onnx_explorer.schema.typesets import BF16, FLOATS, TypeSet

Array = NDArray[np.generic]
Kernel = Callable[..., Array]
BodyWriter = Callable[..., BodyValue | None]

CONSUMED = Attr("consumed_inputs", "ints", doc="a hint for in-place execution, without effect")


def unary_rule(*inputs: Abstract) -> Abstract:
    """The rule of an elementwise operator of one input: the shape stays."""
    return Abstract(None, inputs[0].shape)


def in_float32(kernel: Kernel) -> Kernel:
    """The kernel, computing floats of 16 bits in float32: they are rounded once, at the end."""

    @wraps(kernel)
    def wide(values: Array, *rest: object, **attributes: object) -> Array:
        floats = cast("Floats", values)
        seen = widened(floats)
        if seen is values:
            return kernel(values, *rest, **attributes)
        attributes.pop("out", None)
        return narrowed(cast("Floats", kernel(seen, *rest, **attributes)), floats)

    return wide


BLOCK = 1 << 14
"""Elements worked on at a time where a formula takes many steps: they stay in a core's cache."""


def by_blocks(fill: Callable[[Array, Array], None]) -> Kernel:
    """A kernel made of `fill(values, out)`, which works on flat blocks and may not keep them. The
    kernel may write over its input, `fill` need not expect that.
    """

    def kernel(values: Array, *, out: Array | None = None) -> Array:
        if values.size <= BLOCK or out is None or not values.flags.c_contiguous:
            flat = np.ascontiguousarray(values).reshape(-1)
            whole = np.empty(values.shape, values.dtype)
            result = whole.reshape(-1)
            for start in range(0, flat.size, BLOCK):
                fill(flat[start : start + BLOCK], result[start : start + BLOCK])
            return whole
        flat = out.reshape(-1)
        for start in range(0, flat.size, BLOCK):
            block = flat[start : start + BLOCK]
            result = np.empty_like(block)
            fill(block, result)
            block[...] = result
        return out

    return kernel


def unary_history(
    x: str,
    y: str,
    *,
    ports: tuple[str, str] = ("X", "Y"),
    attributes: tuple[Attr, ...] = (),
    differentiable: bool = True,
    in_6: TypeSet | None = None,
) -> tuple[Change, ...]:
    """The versions 1, 6 and 13 of elementwise operators: `x` and `y` are the words of their
    ports, `in_6` are the types that version 6 added.
    """
    X, Y = Port(ports[0], "T", x), Port(ports[1], "T", y)
    return (
        Change(
            1,
            "first version",
            inputs=(X,),
            outputs=(Y,),
            attributes=(*attributes, CONSUMED),
            types={"T": FLOATS},
        ),
        Change(
            6,
            "integers" if in_6 else "the hint for in-place execution goes",
            drop=("consumed_inputs",),
            widen={"T": in_6} if in_6 else {},
        ),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable=dict.fromkeys(ports, differentiable),
        ),
    )


def float_history(
    since: int,
    x: str,
    y: str,
    *,
    ports: tuple[str, str] = ("X", "Y"),
    attributes: tuple[Attr, ...] = (),
    differentiable: bool = True,
) -> tuple[Change, ...]:
    """The versions `since` and 22 of elementwise operators on floats that came after version 6, or
    never had a hint for in-place execution.
    """
    X = Port(ports[0], "T", x, differentiable=differentiable)
    Y = Port(ports[1], "T", y, differentiable=differentiable)
    return (
        Change(
            since,
            "first version",
            inputs=(X,),
            outputs=(Y,),
            attributes=attributes,
            types={"T": FLOATS},
        ),
        Change(22, "bfloat16", widen={"T": BF16}),
    )


def unary(
    name: str,
    doc: str | None,
    history: tuple[Change, ...],
    kernel: Kernel,
    *,
    sizes: bool | Callable[..., object] = False,
    slope: Callable[[Floats, Floats], Slopes] | None = None,
) -> Operator:
    """An elementwise operator of one input, the same computation in all its versions. `slope` is
    its derivative, of the input and the output.
    """
    op = Operator(name, doc=doc, history=history)
    op.infer(since=op.versions[0])(unary_rule)
    takes_out = isinstance(kernel, np.ufunc) or "out" in signature(kernel).parameters
    inplace = tuple(p.name for p in history[0].inputs or () if takes_out)
    op.kernel(since=op.versions[0], sizes=sizes, inplace=inplace)(kernel)
    op.cost(since=op.versions[0])(per_output())
    if slope is not None:
        op.vjp(since=op.versions[0])(unary_vjp(slope))
    return op


def from_opset_18(write: BodyWriter) -> BodyWriter:
    """The body, where it is written in opset 18 or later: for operators that are older than that,
    the standard gives none in the operator sets before.
    """

    @wraps(write)
    def body(f: Body, *inputs: BodyValue | None, **attributes: object) -> BodyValue | None:
        return write(f, *inputs, **attributes) if f.opset >= 18 else None

    return body
