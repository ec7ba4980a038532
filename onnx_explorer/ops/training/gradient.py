"""Gradient: the partial derivatives of one value of the graph by some others.

The node stands in the same graph as what it differentiates. `y` names the value to differentiate,
`xs` the values to differentiate by, `zs` what else `y` depends on; they name values of the graph,
and the inputs of the node are these values, `xs` first, then `zs`. Output i is the derivative of
the sum of `y` by `xs[i]`, and has the shape of `xs[i]`. What lies between `xs` and `y` may not
stand in `xs` or `zs` itself. On the way, an input that the standard calls not differentiable (the
grid of GridSample, the bounds of Clip) counts as a constant, beside others that are not; an operator
without any derivative is refused. Derivatives of derivatives are not computed.

Spec: ai.onnx.preview.training Gradient-1
"""

from __future__ import annotations

from onnx_explorer.ir import Node, RunValue
from onnx_explorer.schema import (
    AbstractValue,
    Attr,
    Change,
    DifferentiatingSite,
    Operator,
    Port,
    Violation,
)
from onnx_explorer.schema.typesets import EVERY_V1, FLOATS

GRADIENT = Operator(
    "Gradient",
    domain="ai.onnx.preview.training",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(
                Port(
                    "Inputs",
                    "T1",
                    "the values that `xs` names, then those that `zs` names",
                    option="variadic",
                    homogeneous=False,
                ),
            ),
            outputs=(
                Port(
                    "Outputs",
                    "T2",
                    "the derivatives by `xs`, in their order and of their shapes",
                    option="variadic",
                    homogeneous=False,
                ),
            ),
            attributes=(
                Attr("xs", "strings", required=True, doc="values to differentiate by"),
                Attr("y", "string", required=True, doc="the value to differentiate"),
                Attr("zs", "strings", doc="what else `y` depends on"),
            ),
            types={"T1": EVERY_V1, "T2": FLOATS},
        ),
    ),
)


@GRADIENT.infer(since=1)
def infer(
    *Inputs: AbstractValue, xs: tuple[str, ...], zs: tuple[str, ...] | None
) -> tuple[AbstractValue, ...]:
    _check_named(Inputs, xs, zs)
    return Inputs[: len(xs)]


@GRADIENT.kernel(since=1)
def gradient(
    *Inputs: RunValue, xs: tuple[str, ...], zs: tuple[str, ...] | None, at: DifferentiatingSite
) -> tuple[RunValue, ...]:
    _check_named(Inputs, xs, zs)
    return at.derivatives(Inputs, len(xs))


def _check_named(
    inputs: tuple[object, ...], xs: tuple[str, ...], zs: tuple[str, ...] | None
) -> None:
    named = len(xs) + len(zs or ())
    if len(inputs) != named:
        raise Violation(f"{len(inputs)} inputs", f"`xs` and `zs` name {named}", code="wrong-count")


# d(a·b)/da is b, and d(a·b)/db is a.
GRADIENT.example(
    ([1.0, 2.0], [3.0, 4.0]),
    ([3.0, 4.0], [1.0, 2.0]),
    around=(Node("Mul", ("a", "b"), ("c",)),),
    xs=("a", "b"),
    y="c",
)
