"""GroupNormalization: brings each group of channels of each sample to mean 0 and variance 1, then scales
and shifts its channels.

`Y = scale × (X - mean) / sqrt(variance + epsilon) + bias`. The channels fall into `num_groups` equal
groups of neighbours; mean and population variance are taken over the channels of a group and all
spatial axes. With one group for each channel it is InstanceNormalization.

`scale` and `bias` have one element for each channel. In version 18 they had one for each group, which
was a mistake: that version is deprecated.

Spec: ai.onnx GroupNormalization-21
"""

from __future__ import annotations

import numpy as np

from onnx_explorer.dims import Dim, known_different
from onnx_explorer.ir import DType, shape_text
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.nn.rms_normalization import float_type
from onnx_explorer.ops.precision import Floats, narrowed
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Operator,
    Port,
    RuleSite,
    Shape,
    Violation,
)
from onnx_explorer.schema.typesets import FLOATS_BF16

GROUP_NORMALIZATION = Operator(
    "GroupNormalization",
    doc=__doc__,
    history=(
        Change(
            18,
            "first version, with one factor for each group",
            inputs=(
                Port("X", "T", "(N, C, *spatial)", differentiable=True),
                Port("scale", "T", "factors, (C,); version 18: (groups,)", differentiable=True),
                Port("bias", "T", "summands, shaped like scale", differentiable=True),
            ),
            outputs=(Port("Y", "T", "the normalized tensor, same shape", differentiable=True),),
            attributes=(
                Attr("epsilon", "float", 1e-5, doc="keeps the divisor away from 0"),
                Attr("num_groups", "int", required=True, doc="how many groups the channels form"),
            ),
            types={"T": FLOATS_BF16},
            deprecated=True,
        ),
        Change(
            21,
            "one factor for each channel",
            attributes=(
                Attr(
                    "stash_type",
                    "int",
                    1,
                    as_=float_type,
                    doc="number of the type to normalize in: 1 float32, 10 float16, 11 float64, "
                    "16 bfloat16",
                ),
            ),
        ),
    ),
)


@GROUP_NORMALIZATION.infer(since=18)
def infer_by_group(
    X: Abstract, scale: Abstract, bias: Abstract, *, num_groups: int, at: RuleSite
) -> Abstract:
    if X.shape is not None:
        _check_groups(X.shape, num_groups)
    _infer_parameters(num_groups, "groups", scale, bias, at)
    return X.like(X.shape)


@GROUP_NORMALIZATION.infer(since=21)
def infer(
    X: Abstract, scale: Abstract, bias: Abstract, *, num_groups: int, at: RuleSite
) -> Abstract:
    if X.shape is not None:
        _check_groups(X.shape, num_groups)
        _infer_parameters(X.shape[1], "channels", scale, bias, at)
    return X.like(X.shape)


def _infer_parameters(count: Dim, what: str, scale: Abstract, bias: Abstract, at: RuleSite) -> None:
    for port, value in (("scale", scale), ("bias", bias)):
        if value.shape is None:
            continue
        try:
            _check_parameter(value.shape, count, what, port)
        except Violation as violation:
            at.fail(
                violation.found,
                violation.expected,
                port=port,
                code=violation.code,
                sides=violation.sides,
            )
        else:
            at.assume(value.shape[0], count)


def _check_groups(X: Shape, num_groups: int) -> None:
    if len(X) < 2:
        raise Violation(
            f"rank {len(X)}", "(N, C, *spatial) has rank 2 or more", port="X", code="wrong-rank"
        )
    channels = X[1]
    if num_groups < 1 or (isinstance(channels, int) and channels % num_groups):
        raise Violation(
            f"num_groups = {num_groups}",
            f"X has {channels} channels, which it must divide",
            code="group-mismatch",
        )


def _check_parameter(shape: Shape, count: Dim, what: str, port: str) -> None:
    if len(shape) != 1 or known_different(shape[0], count):
        raise Violation(
            f"shape {shape_text(shape)}",
            f"there are {count} {what}: expected [{count}]",
            port=port,
            code="parameter-shape",
        )


GROUP_NORMALIZATION.cost(since=18)(per_output(7))


@GROUP_NORMALIZATION.kernel(since=18)
def normalize_by_group(
    X: Floats, scale: Floats, bias: Floats, *, epsilon: float, num_groups: int
) -> Floats:
    _check_groups(X.shape, num_groups)
    for port, value in (("scale", scale), ("bias", bias)):
        _check_parameter(value.shape, num_groups, "groups", port)
    if not X.size:
        return X.copy()
    normalized = _normalized(X, epsilon, num_groups, DType.FLOAT32)
    each = (1, num_groups, 1)
    grouped = normalized.reshape(X.shape[0], num_groups, -1)
    return (grouped * scale.reshape(each) + bias.reshape(each)).reshape(X.shape)


@GROUP_NORMALIZATION.kernel(since=21)
def group_normalization(
    X: Floats,
    scale: Floats,
    bias: Floats,
    *,
    epsilon: float,
    num_groups: int,
    stash_type: DType,
) -> Floats:
    _check_groups(X.shape, num_groups)
    for port, value in (("scale", scale), ("bias", bias)):
        _check_parameter(value.shape, X.shape[1], "channels", port)
    result = _normalized(X, epsilon, num_groups, stash_type)
    each = (-1, *(1,) * (X.ndim - 2))
    result *= scale.reshape(each)
    result += bias.reshape(each)
    return result


def _normalized(X: Floats, epsilon: float, num_groups: int, stash_type: DType) -> Floats:
    """X with mean 0 and variance 1 in each group: a new array."""
    if not X.size:
        return X.copy()
    # 16-bit floats are only how numbers are kept: sums in them lose digits.
    wide = np.float64 if stash_type is DType.FLOAT64 else np.float32
    groups = X.astype(wide, copy=False).reshape(X.shape[0] * num_groups, -1)
    difference = groups - np.add.reduce(groups, axis=1, keepdims=True) / wide(groups.shape[1])
    variance = np.einsum("gi,gi->g", difference, difference) / wide(groups.shape[1])
    difference /= np.sqrt(variance + wide(epsilon))[:, None]
    return narrowed(difference, X).reshape(X.shape)


@GROUP_NORMALIZATION.body(since=18)
def body_by_group(
    f: Body,
    X: BodyValue,
    scale: BodyValue,
    bias: BodyValue,
    *,
    epsilon: float,
    num_groups: int,
) -> BodyValue:
    groups = f.CastLike(_normalized_groups(f, X, epsilon, num_groups, DType.FLOAT32), X)
    return f.Reshape(_scaled(f, groups, scale, bias), f.Shape(X))


@GROUP_NORMALIZATION.body(since=21)
def body(
    f: Body,
    X: BodyValue,
    scale: BodyValue,
    bias: BodyValue,
    *,
    epsilon: float,
    num_groups: int,
    stash_type: DType,
) -> BodyValue:
    groups = f.CastLike(_normalized_groups(f, X, epsilon, num_groups, stash_type), X)
    shape = f.Shape(X)
    channels = f.Reshape(f.Reshape(groups, shape), f.constant([0, 0, -1]))
    return f.Reshape(_scaled(f, channels, scale, bias), shape)


def _normalized_groups(
    f: Body, X: BodyValue, epsilon: float, num_groups: int, stash_type: DType
) -> BodyValue:
    """(N, groups, elements), each with mean 0 and variance 1."""
    last = f.constant([2])
    groups = f.Reshape(f.Cast(X, to=stash_type), f.constant([0, num_groups, -1]))
    difference = f.Sub(groups, f.ReduceMean(groups, last))
    variance = f.ReduceMean(f.Mul(difference, difference), last)
    return f.Div(difference, f.Sqrt(f.Add(variance, f.constant(epsilon, stash_type))))


def _scaled(f: Body, rows: BodyValue, scale: BodyValue, bias: BodyValue) -> BodyValue:
    """(N, rows, elements), with one factor and summand for each row."""
    axis = f.constant([1])
    return f.Add(f.Mul(rows, f.Unsqueeze(scale, axis)), f.Unsqueeze(bias, axis))


GROUP_NORMALIZATION.example(
    ([[[1.0], [3.0], [10.0], [30.0]]], [1.0, 1.0, 1.0, 2.0], [0.0, 0.0, 0.0, 0.0]),
    ([[[-1.0], [1.0], [-1.0], [2.0]]],),
    num_groups=2,
    epsilon=0.0,
)
