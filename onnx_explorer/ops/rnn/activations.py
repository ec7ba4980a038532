"""The functions that recurrent layers apply to their gates, by the names that models use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Violation

Activation = Callable[[Floats], Floats]


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + exp(-x)), by a tanh that cannot overflow."""
    result = np.multiply(x, HALF)
    np.tanh(result, out=result)
    result *= HALF
    result += HALF
    return result


HALF = np.asarray(0.5, np.float32)
"""An array: numpy takes twice as long with Python's number."""


def _relu(x: Floats) -> Floats:
    return np.maximum(x, 0)


def _affine(x: Floats, alpha: float, beta: float) -> Floats:
    return alpha * x + beta


def _leaky_relu(x: Floats, alpha: float) -> Floats:
    return np.where(x >= 0, x, alpha * x)


def _thresholded_relu(x: Floats, alpha: float) -> Floats:
    return np.where(x >= alpha, x, x.dtype.type(0))


def _scaled_tanh(x: Floats, alpha: float, beta: float) -> Floats:
    return alpha * np.tanh(beta * x)


def _hard_sigmoid(x: Floats, alpha: float, beta: float) -> Floats:
    return np.minimum(np.maximum(alpha * x + beta, 0), 1)


def _elu(x: Floats, alpha: float) -> Floats:
    return np.where(x >= 0, x, alpha * np.expm1(np.minimum(x, 0)))


def _softsign(x: Floats) -> Floats:
    return x / (1 + np.absolute(x))


def _softplus(x: Floats) -> Floats:
    return np.logaddexp(x, x.dtype.type(0))


def _relu_slope(x: Floats) -> Floats:
    return _where(x > 0, x, 1)


def _tanh_slope(x: Floats) -> Floats:
    return 1 - np.tanh(x) ** 2


def _sigmoid_slope(x: Floats) -> Floats:
    y = sigmoid(x)
    return y * (1 - y)


def _affine_slope(x: Floats, alpha: float, beta: float) -> Floats:
    return np.full_like(x, alpha)


def _leaky_relu_slope(x: Floats, alpha: float) -> Floats:
    return _where(x >= 0, x, 1, alpha)


def _thresholded_relu_slope(x: Floats, alpha: float) -> Floats:
    return _where(x >= alpha, x, 1)


def _scaled_tanh_slope(x: Floats, alpha: float, beta: float) -> Floats:
    return alpha * beta * _tanh_slope(beta * x)


def _hard_sigmoid_slope(x: Floats, alpha: float, beta: float) -> Floats:
    line = alpha * x + beta
    return _where((line > 0) & (line < 1), x, alpha)


def _elu_slope(x: Floats, alpha: float) -> Floats:
    return np.where(x >= 0, x.dtype.type(1), alpha * np.exp(np.minimum(x, 0)))


def _softsign_slope(x: Floats) -> Floats:
    return 1 / (1 + np.absolute(x)) ** 2


def _where(test: NDArray[np.bool_], x: Floats, then: float, other: float = 0) -> Floats:
    """One number or the other, in the type of x."""
    return np.where(test, x.dtype.type(then), x.dtype.type(other))


@dataclass(frozen=True, slots=True)
class _Known:
    """A function of x and of the alpha and beta that it has, its slope, and their defaults."""

    function: Callable[..., Floats]
    slope: Callable[..., Floats]
    defaults: tuple[float, ...] = ()


_KNOWN = {
    "relu": _Known(_relu, _relu_slope),
    "tanh": _Known(np.tanh, _tanh_slope),
    "sigmoid": _Known(sigmoid, _sigmoid_slope),
    "affine": _Known(_affine, _affine_slope, (1.0, 0.0)),
    "leakyrelu": _Known(_leaky_relu, _leaky_relu_slope, (0.01,)),
    "thresholdedrelu": _Known(_thresholded_relu, _thresholded_relu_slope, (1.0,)),
    "scaledtanh": _Known(_scaled_tanh, _scaled_tanh_slope, (1.0, 1.0)),
    "hardsigmoid": _Known(_hard_sigmoid, _hard_sigmoid_slope, (0.2, 0.5)),
    "elu": _Known(_elu, _elu_slope, (1.0,)),
    "softsign": _Known(_softsign, _softsign_slope),
    "softplus": _Known(_softplus, sigmoid),
}


@lru_cache(64)
def activations(
    names: tuple[str, ...],
    n_needed: int,
    alphas: tuple[float, ...] | None,
    betas: tuple[float, ...] | None,
) -> tuple[Activation, ...]:
    """The functions of these names: the same one for the same parameters. Those that have an alpha
    or beta take the next one given, or their default once none is left.

    Raises:
        Violation: there are too few or too many names, or one is not known.
    """
    if len(names) != n_needed:
        raise Violation(
            f"activations = {list(names)}", f"{n_needed} are needed", code="attribute-value"
        )
    for name in names:
        if name.lower() not in _KNOWN:
            raise Violation(f"activation {name!r}", f"known ones are {', '.join(_KNOWN)}")
    return tuple(_bound(known.function, p) for known, p in _chosen(names, alphas, betas))


def slopes(
    names: Sequence[str], alphas: Sequence[float] | None, betas: Sequence[float] | None
) -> list[Activation]:
    """The derivatives of those functions."""
    return [_bound(known.slope, p) for known, p in _chosen(names, alphas, betas)]


def _chosen(
    names: Sequence[str], alphas: Sequence[float] | None, betas: Sequence[float] | None
) -> Iterator[tuple[_Known, tuple[float, ...]]]:
    rest = (iter(alphas or ()), iter(betas or ()))
    for name in names:
        known = _KNOWN[name.lower()]
        # Each takes from its own list, and only what it uses.
        yield known, tuple(next(rest[i], d) for i, d in enumerate(known.defaults))


@lru_cache(256)
def clipped(function: Activation, clip: float | None) -> Activation:
    """The function of an input cut to [-clip, clip]; None leaves it as it is."""
    if clip is None:
        return function
    return lambda x: function(np.minimum(np.maximum(x, -clip), clip))


def clipped_slope(slope: Activation, clip: float | None) -> Activation:
    """The derivative of a function of an input that is cut to [-clip, clip]."""
    if clip is None:
        return slope
    return lambda x: np.where(np.absolute(x) <= clip, slope(x), x.dtype.type(0))


@lru_cache(256)
def _bound(function: Callable[..., Floats], parameters: tuple[float, ...]) -> Activation:
    return (lambda x: function(x, *parameters)) if parameters else function
