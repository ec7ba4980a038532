"""Reductions as functions of ReduceSum and ReduceMax."""

from __future__ import annotations

from collections.abc import Callable

from onnx_explorer.ir import DType
from onnx_explorer.schema import Body, BodyValue

Reduced = Callable[..., BodyValue]
"""A reduction along the axes of the node: `reduced("ReduceSum", values)`; its sizes stay or go as
the node says, or stay for certain with `keep`."""
BodyOfReduction = Callable[[Body, BodyValue, Reduced], BodyValue]


def body_of(write: BodyOfReduction) -> Callable[..., BodyValue]:
    """The body of a reduction whose axes are an input."""

    def body(
        f: Body,
        data: BodyValue,
        axes: BodyValue | None = None,
        *,
        keepdims: int,
        noop_with_empty_axes: int,
    ) -> BodyValue:
        def reduced(op_type: str, values: BodyValue, *, keep: bool = False) -> BodyValue:
            (result,) = f.node(
                op_type,
                values,
                axes,
                keepdims=1 if keep else keepdims,
                noop_with_empty_axes=noop_with_empty_axes,
            )
            return result

        return write(f, data, reduced)

    return body


def sum_of_squares(f: Body, data: BodyValue, reduced: Reduced) -> BodyValue:
    return reduced("ReduceSum", f.Mul(data, data))


def sum_of_magnitudes(f: Body, data: BodyValue, reduced: Reduced) -> BodyValue:
    return reduced("ReduceSum", f.Abs(data))


def length(f: Body, data: BodyValue, reduced: Reduced) -> BodyValue:
    wide = f.Cast(data, to=DType.FLOAT64)
    return f.CastLike(f.Sqrt(reduced("ReduceSum", f.Mul(wide, wide))), data)


def log_of_sum(f: Body, data: BodyValue, reduced: Reduced) -> BodyValue:
    wide = f.Cast(data, to=DType.FLOAT64)
    return f.CastLike(f.Log(reduced("ReduceSum", wide)), data)


def log_of_sum_of_exponentials(f: Body, data: BodyValue, reduced: Reduced) -> BodyValue:
    wide = f.Cast(data, to=DType.FLOAT64)
    # The largest element comes out of the sum, so that no exponential overflows.
    largest = reduced("ReduceMax", wide, keep=True)
    shift = f.Where(f.IsInf(largest), f.constant(0.0, DType.FLOAT64), largest)
    logarithm = f.Log(reduced("ReduceSum", f.Exp(f.Sub(wide, shift))))
    # Along the axes there is one shift, so that its largest is itself, in the shape of the sum.
    return f.CastLike(f.Add(logarithm, reduced("ReduceMax", shift)), data)
