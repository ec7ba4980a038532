"""Relu, Sigmoid, Tanh and HardSigmoid: the activations between the layers of a network, applied
to every element.

Spec: ai.onnx Relu-14, Sigmoid-13, Tanh-13, HardSigmoid-22
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from onnx_explorer.ops.again import Again
from onnx_explorer.ops.bounds import RUN, at_least, at_most
from onnx_explorer.ops.cotangents import Floats, Values, elementwise_vjp
from onnx_explorer.ops.elementwise import Array, from_opset_18, in_float32, unary, unary_history
from onnx_explorer.ops.sizes import larger
from onnx_explorer.schema import Attr, Body, BodyValue, Change
from onnx_explorer.schema.typesets import BF16, SIGNED


def relu(X: Array, *, out: Array | None = None) -> Array:
    return at_least(X, 0, out)


def relu_sizes(X: Array) -> Array:
    return larger(X, 0)


_ONE = np.asarray(1, np.float32)
"""An array: numpy takes longer with Python's number."""


@in_float32
def sigmoid(X: Array, *, out: Array | None = None) -> Array:
    # exp overflows to infinity far below 0, where 1 / (1 + infinity) is the right 0.
    Y = np.empty_like(X) if out is None else out
    np.negative(X, Y)
    np.exp(Y, Y)
    np.add(Y, _ONE, Y)
    return np.divide(_ONE, Y, Y)


@in_float32
def hard_sigmoid(X: Array, *, alpha: float, beta: float, out: Array | None = None) -> Array:
    Y = np.empty_like(X) if out is None else out
    np.multiply(X, alpha, out=Y)
    np.add(Y, beta, out=Y)
    return at_most(at_least(Y, 0, Y), 1, Y)


RELU = unary(
    "Relu",
    """Relu: the rectified linear unit, `Y[i] = max(0, X[i])`: negative elements become 0.

NaN stays NaN.

Spec: ai.onnx Relu-14
""",
    (
        *unary_history("numbers", "`X` with 0 in place of what is negative"),
        Change(14, "signed integers", widen={"T": SIGNED}),
    ),
    relu,
    sizes=relu_sizes,
    slope=lambda x, y: x > 0,
)

SIGMOID = unary(
    "Sigmoid",
    """Sigmoid: the logistic function, `Y[i] = 1 / (1 + e^-X[i])`, which maps every number to
between 0 and 1. The results of x and -x add up to 1.

Spec: ai.onnx Sigmoid-13
""",
    unary_history("numbers", "between 0 and 1"),
    sigmoid,
    slope=lambda x, y: y * (1 - y),
)

TANH = unary(
    "Tanh",
    """Tanh: the hyperbolic tangent, `output[i] = (e^x - e^-x) / (e^x + e^-x)` of every element x,
which maps every number to between -1 and 1.

Spec: ai.onnx Tanh-13
""",
    unary_history("numbers", "between -1 and 1", ports=("input", "output")),
    np.tanh,
    slope=lambda x, y: 1 - y * y,
)

_HARD_V1, _HARD_V6, _ = unary_history(
    "numbers",
    "between 0 and 1",
    attributes=(
        Attr("alpha", "float", 0.2, doc="the slope between the two flat ends"),
        Attr("beta", "float", 0.5, doc="the result at 0"),
    ),
)

HARD_SIGMOID = unary(
    "HardSigmoid",
    """HardSigmoid: a line cut off at 0 and 1, `Y[i] = max(0, min(1, alpha × X[i] + beta))`, a cheap
stand-in for Sigmoid.

Spec: ai.onnx HardSigmoid-22
""",
    (
        _HARD_V1,
        replace(_HARD_V6, differentiable={"X": True, "Y": True}),
        Change(22, "bfloat16", widen={"T": BF16}),
    ),
    hard_sigmoid,
)


def hard_sigmoid_slope(X: Floats, Y: Floats, *, alpha: float, beta: float) -> Floats:
    return np.multiply((Y > 0) & (Y < 1), X.dtype.type(alpha))


HARD_SIGMOID.vjp(since=1)(elementwise_vjp(hard_sigmoid_slope))


@RELU.again(since=1)
def relu_again(inputs: Values, outputs: Values) -> Again:
    zero = np.zeros((), inputs[0].dtype)

    def call(X: Array, *, out: Array | None = None) -> object:
        return np.maximum(X, zero, out=out) if X.size < RUN else NotImplemented

    return call


@RELU.body(since=14)
@from_opset_18
def relu_body(f: Body, X: BodyValue) -> BodyValue:
    return f.Max(X, f.like(0.0, X))


@HARD_SIGMOID.body(since=6)
@from_opset_18
def hard_sigmoid_body(f: Body, X: BodyValue, *, alpha: float, beta: float) -> BodyValue:
    line = f.Add(f.Mul(X, f.like(alpha, X)), f.like(beta, X))
    return f.Max(f.Min(line, f.like(1.0, X)), f.like(0.0, X))


RELU.example(([-2.0, 0.0, 3.0],), ([0.0, 0.0, 3.0],))
SIGMOID.example(([0.0, 2.0, -2.0, -1000.0],), ([0.5, 0.880797, 0.119203, 0.0],))
TANH.example(([0.0, 1.0, 1000.0],), ([0.0, 0.761594, 1.0],))
HARD_SIGMOID.example(([-3.0, 0.0, 1.0],), ([0.0, 0.5, 0.7],))
HARD_SIGMOID.example(([-1.0, 0.0, 1.0],), ([0.0, 0.5, 1.0],), alpha=0.5, beta=0.5)
