"""BatchNormalization: brings each channel to mean 0 and variance 1, then scales and shifts it.

`Y = (X - mean) / sqrt(var + epsilon) × scale + B`, where all four are one number per channel. In use,
mean and var are inputs: the statistics gathered while training. In training they are those of the
batch itself, over all axes but the channels (the population variance: divided by the count, not by
the count less one), and running statistics come out as well:
`running = input × momentum + batch × (1 - momentum)`.

What says that it is training changed over time: `is_test` = 0 up to version 6, more than one output
in versions 7 and 9, `training_mode` = 1 since 14. Up to version 7, `spatial` = 0 keeps statistics for
each element of (C, *spatial) instead of each channel. An X of rank 1 counts as one channel.

Spec: ai.onnx BatchNormalization-15
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np

from onnx_explorer.dims import known_different
from onnx_explorer.ir import shape_text
from onnx_explorer.ops.costs import per_output
from onnx_explorer.ops.cotangents import Values, summed_to
from onnx_explorer.ops.nn.norms import standardized_back
from onnx_explorer.ops.nn.patches import BLOCK_BYTES
from onnx_explorer.ops.precision import Floats, narrowed, widened
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Cotangents,
    DerivativeSite,
    Operator,
    Port,
    RuleSite,
    RunSite,
    Shape,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOATS, FLOATS_BF16

X = Port("X", "T", "input, (N, C, *spatial)")
SCALE = Port("scale", "T", "factor of each channel, (C,)")
B = Port("B", "T", "what is added to each channel, (C,)")
MEAN = Port("mean", "T", "mean of each channel, gathered so far, (C,)")
VAR = Port("var", "T", "variance of each channel, gathered so far, (C,)")
Y = Port("Y", "T", "the normalized input, same shape as X")
OUT_MEAN = Port("mean", "T", "running mean, in training, (C,)", option="optional")
OUT_VAR = Port("var", "T", "running variance, in training, (C,)", option="optional")
SAVED_MEAN = Port("saved_mean", "T", "mean of this batch, in training, (C,)", option="optional")
SAVED_VAR = Port("saved_var", "T", "variance of this batch, in training, (C,)", option="optional")

BATCH_NORMALIZATION = Operator(
    "BatchNormalization",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(X, SCALE, B, MEAN, VAR),
            outputs=(Y, OUT_MEAN, OUT_VAR, SAVED_MEAN, SAVED_VAR),
            attributes=(
                Attr(
                    "consumed_inputs",
                    "ints",
                    required=True,
                    doc="a hint for in-place execution, without effect",
                ),
                Attr("epsilon", "float", 1e-5, doc="keeps the divisor away from 0"),
                Attr("is_test", "int", 0, doc="0: training; else the given statistics are used"),
                Attr("momentum", "float", 0.9, doc="weight of the running statistics so far"),
                Attr("spatial", "int", 1, doc="0: one statistic per element of (C, *spatial)"),
            ),
            types={"T": FLOATS},
        ),
        Change(6, "the hint for in-place execution is gone", drop=("consumed_inputs",)),
        Change(7, "the number of outputs tells training from use", drop=("is_test",)),
        Change(
            9,
            "always one statistic per channel",
            drop=("spatial",),
            inputs=tuple(replace(p, differentiable=True) for p in (X, SCALE, B, MEAN, VAR)),
            outputs=(
                replace(Y, differentiable=True),
                *(
                    replace(p, differentiable=False)
                    for p in (OUT_MEAN, OUT_VAR, SAVED_MEAN, SAVED_VAR)
                ),
            ),
        ),
        Change(
            14,
            "an attribute tells training from use; the statistics have a type of their own; bfloat16",
            inputs=(
                Port("X", "T", X.doc, differentiable=True),
                Port("scale", "T", SCALE.doc, differentiable=True),
                Port("B", "T", B.doc, differentiable=True),
                Port("input_mean", "U", MEAN.doc, differentiable=True),
                Port("input_var", "U", VAR.doc, differentiable=True),
            ),
            outputs=(
                Port("Y", "T", Y.doc, differentiable=True),
                Port("running_mean", "U", OUT_MEAN.doc, option="optional", differentiable=False),
                Port("running_var", "U", OUT_VAR.doc, option="optional", differentiable=False),
            ),
            attributes=(
                Attr("training_mode", "int", 0, doc="1: the statistics of this batch are used"),
            ),
            types={"U": FLOATS_BF16},
            widen={"T": BF16},
        ),
        Change(
            15,
            "scale and B may differ from X in type",
            inputs=(
                Port("X", "T", X.doc, differentiable=True),
                Port("scale", "T1", SCALE.doc, differentiable=True),
                Port("B", "T1", B.doc, differentiable=True),
                Port("input_mean", "T2", MEAN.doc, differentiable=True),
                Port("input_var", "T2", VAR.doc, differentiable=True),
            ),
            outputs=(
                Port("Y", "T", Y.doc, differentiable=True),
                Port("running_mean", "T2", OUT_MEAN.doc, option="optional", differentiable=False),
                Port("running_var", "T2", OUT_VAR.doc, option="optional", differentiable=False),
            ),
            types={"T1": FLOATS_BF16, "T2": FLOATS_BF16},
            drop_types=("U",),
        ),
    ),
)


def _checked(X: Abstract, parameters: dict[str, Abstract], spatial: int, at: RuleSite) -> Abstract:
    """The shape of the statistics; faults of the inputs are reported on the way."""
    if X.shape is None:
        shapes = [value.shape for value in parameters.values() if value.shape is not None]
        return Abstract(None, shapes[0] if shapes else (at.fresh("channels"),))
    if not X.shape:
        raise Violation(
            "a scalar", "(N, C, *spatial) has rank 1 or more", port="X", code="wrong-rank"
        )
    expected = _expected(X.shape, spatial)
    shapes = {port: value.shape for port, value in parameters.items()}
    for fault in _faults(X.shape, shapes, spatial):
        at.fail(fault.found, fault.expected, port=fault.port, code=fault.code, sides=fault.sides)
    for shape in shapes.values():
        if spatial and shape and not known_different(shape[0], expected[0]):
            at.assume(shape[0], expected[0])
    return Abstract(None, expected)


def _expected(X: Shape, spatial: int) -> Shape:
    """The shape of each parameter."""
    return (X[1] if len(X) > 1 else 1,) if spatial else X[1:]


def _faults(X: Shape, parameters: Mapping[str, Shape | None], spatial: int) -> list[Violation]:
    """The parameters, by port, that are known not to fit X."""
    expected = _expected(X, spatial)
    return [
        Violation(
            f"shape {shape_text(shape)}",
            f"X of shape {shape_text(X)} needs {shape_text(expected)}",
            port=port,
            code="parameter-shape",
        )
        for port, shape in parameters.items()
        if shape is not None
        and (spatial or len(shape) != 1)
        and (len(shape) != len(expected) or any(map(known_different, shape, expected)))
    ]


def _check(X: Floats, spatial: int, **parameters: Floats) -> None:
    expected = _expected(X.shape, spatial)
    if all(value.shape == expected for value in parameters.values()):
        return
    shapes = {port: value.shape for port, value in parameters.items()}
    for fault in _faults(X.shape, shapes, spatial):
        raise fault


@BATCH_NORMALIZATION.infer(since=1)
def infer(
    X: Abstract,
    scale: Abstract,
    B: Abstract,
    mean: Abstract,
    var: Abstract,
    *,
    spatial: int = 1,
    at: RuleSite,
) -> tuple[Abstract, ...]:
    parameters = {"scale": scale, "B": B, "mean": mean, "var": var}
    statistics = _checked(X, parameters, spatial, at)
    return (X.like(X.shape), statistics, statistics, statistics, statistics)


@BATCH_NORMALIZATION.infer(since=14)
def infer_with_running_statistics(
    X: Abstract,
    scale: Abstract,
    B: Abstract,
    input_mean: Abstract,
    input_var: Abstract,
    *,
    training_mode: int,
    at: RuleSite,
) -> tuple[Abstract, ...]:
    parameters = {"scale": scale, "B": B, "input_mean": input_mean, "input_var": input_var}
    statistics = _checked(X, parameters, 1, at)
    if not training_mode and any(at.wanted[1:]):
        at.fail(
            f"{len(at.wanted)} outputs",
            "with training_mode = 0 there is only Y",
            code="wrong-count",
        )
    return (X.like(X.shape), statistics, statistics)


BATCH_NORMALIZATION.cost(since=1)(per_output(2))
BATCH_NORMALIZATION.cost(since=14)(per_output(2))


@BATCH_NORMALIZATION.kernel(since=1)
def batch_normalization_by_flag(
    X: Floats,
    scale: Floats,
    B: Floats,
    mean: Floats,
    var: Floats,
    *,
    epsilon: float,
    is_test: int,
    momentum: float,
    spatial: int,
) -> Floats | tuple[Floats, ...]:
    _check(X, spatial, scale=scale, B=B, mean=mean, var=var)
    if is_test:
        return _normalized(X, scale, B, mean, var, epsilon, spatial)
    return _trained(X, scale, B, mean, var, epsilon, momentum, spatial)


@BATCH_NORMALIZATION.kernel(since=7, inplace=("X",))
def batch_normalization_by_outputs(
    X: Floats,
    scale: Floats,
    B: Floats,
    mean: Floats,
    var: Floats,
    *,
    epsilon: float,
    momentum: float,
    spatial: int = 1,
    at: RunSite,
    out: Floats | None = None,
) -> Floats | tuple[Floats, ...]:
    _check(X, spatial, scale=scale, B=B, mean=mean, var=var)
    if not any(at.wanted[1:]):
        return _normalized(X, scale, B, mean, var, epsilon, spatial, out)
    return _trained(X, scale, B, mean, var, epsilon, momentum, spatial)


@BATCH_NORMALIZATION.kernel(since=14, inplace=("X",))
def batch_normalization(
    X: Floats,
    scale: Floats,
    B: Floats,
    input_mean: Floats,
    input_var: Floats,
    *,
    epsilon: float,
    momentum: float,
    training_mode: int,
    out: Floats | None = None,
) -> Floats | tuple[Floats, ...]:
    _check(X, 1, scale=scale, B=B, input_mean=input_mean, input_var=input_var)
    if not training_mode:
        return _normalized(X, scale, B, input_mean, input_var, epsilon, 1, out)
    return _trained(X, scale, B, input_mean, input_var, epsilon, momentum, 1)[:3]


def _trained(
    X: Floats,
    scale: Floats,
    B: Floats,
    mean: Floats,
    var: Floats,
    epsilon: float,
    momentum: float,
    spatial: int,
) -> tuple[Floats, ...]:
    """Y, the running mean and variance, and those of the batch."""
    seen = widened(X)
    axes = (0, *range(2, X.ndim)) if spatial else (0,)
    batch_mean = np.mean(seen, axis=axes)
    batch_var = np.var(seen, axis=axes)
    Y = _normalized(X, scale, B, batch_mean, batch_var, epsilon, spatial)
    shape = batch_mean.shape
    running = (
        widened(before).reshape(shape) * momentum + batch * (1 - momentum)
        for before, batch in ((mean, batch_mean), (var, batch_var))
    )
    return (Y, *(narrowed(value, mean) for value in (*running, batch_mean, batch_var)))


def _normalized(
    X: Floats,
    scale: Floats,
    B: Floats,
    mean: Floats,
    var: Floats,
    epsilon: float,
    spatial: int,
    out: Floats | None = None,
) -> Floats:
    # All parameters fold into one factor and one summand for each channel.
    factor = widened(scale) / np.sqrt(widened(var) + epsilon)
    summand = widened(B) - widened(mean) * factor
    shape = _spread(factor.size, X.shape, spatial)
    if factor.size != prod(shape) or summand.size != factor.size:
        raise Violation(
            f"{factor.size} factors and {summand.size} summands",
            f"X has shape {shape_text(X.shape)}: expected {prod(shape)}",
            code="parameter-shape",
        )
    seen = widened(X)
    result = out if out is not None and seen is X else np.empty(seen.shape, seen.dtype)
    factor = factor.reshape(shape).astype(seen.dtype, copy=False)
    summand = summand.reshape(shape).astype(seen.dtype, copy=False)
    if seen.nbytes <= BLOCK_BYTES or seen.ndim < 2:
        np.multiply(seen, factor, out=result)
        np.add(result, summand, out=result)
        return narrowed(result, X)
    # Some images, or channels of one, at a time stay in the cache from the product to the sum.
    images = max(1, len(seen) * BLOCK_BYTES // 2 // seen.nbytes)
    some = max(1, len(seen) * seen.shape[1] * BLOCK_BYTES // 2 // seen.nbytes)
    for image, first in product(range(0, len(seen), images), range(0, seen.shape[1], some)):
        where = (slice(image, image + images), slice(first, first + some))
        np.multiply(seen[where], factor[where[1]], out=result[where])
        np.add(result[where], summand[where[1]], out=result[where])
    return narrowed(result, X)


def _spread(count: int, X: tuple[int, ...], spatial: int) -> tuple[int, ...]:
    """The shape under which so many parameters broadcast to X."""
    channels = X[1] if len(X) > 1 else 1
    of_elements = not spatial and count != channels
    return X[1:] if of_elements else (channels, *(1,) * (len(X) - 2))


@BATCH_NORMALIZATION.vjp(since=1)
@BATCH_NORMALIZATION.vjp(since=14)
def vjp(
    cotangents: Cotangents,
    inputs: Values,
    outputs: Cotangents,
    *,
    epsilon: float,
    is_test: int = 0,
    spatial: int = 1,
    training_mode: int = 0,
    at: DerivativeSite,
) -> Cotangents:
    # The outputs after the first are not differentiable.
    c, (x, scale, _, mean, var) = cotangents[0], inputs
    if c is None:
        return ()
    if at.version >= 14:
        trains = bool(training_mode)
    else:
        trains = any(at.wanted[1:]) if at.version >= 7 else not is_test
    each = _spread(scale.size, x.shape, spatial)
    axes = (0, *range(2, x.ndim)) if spatial else (0,)
    if trains:
        mean, var = np.mean(x, axis=axes), np.var(x, axis=axes)
    inverse = (1 / np.sqrt(var + epsilon)).reshape(each)
    normalized = (x - mean.reshape(each)) * inverse
    scaled = c * scale.reshape(each)
    by_scale = summed_to(c * normalized, each).reshape(scale.shape)
    by_b = summed_to(c, each).reshape(scale.shape)
    if trains:
        return standardized_back(scaled, normalized, inverse, axes), by_scale, by_b
    by_x = scaled * inverse
    return (
        by_x,
        by_scale,
        by_b,
        -summed_to(by_x, each).reshape(mean.shape),
        summed_to(by_x * normalized * (inverse / -2), each).reshape(var.shape),
    )


BATCH_NORMALIZATION.example(([[3.0]], [10.0], [1.0], [1.0], [4.0]), ([[11.0]],), epsilon=0.0)
# The batch has mean 2 and variance 1; running statistics take a tenth of them.
BATCH_NORMALIZATION.example(
    ([[1.0], [3.0]], [10.0], [1.0], [0.0], [2.0]),
    ([[-9.0], [11.0]], [0.2], [1.9]),
    epsilon=0.0,
    training_mode=1,
)
