"""The functions that recurrent layers apply to their gates, by the names that models use."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Violation

Activation = Callable[[Floats], Floats]


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + exp(-x)), by a tanh that cannot overflow."""
    result = np.tanh(x * 0.5)
    result *= 0.5
    result += 0.5
    return result


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


# By name: a function of x and of the alpha and beta that it has, and their defaults.
_KNOWN: dict[str, tuple[Callable[..., Floats], tuple[float, ...]]] = {
    "relu": (_relu, ()),
    "tanh": (np.tanh, ()),
    "sigmoid": (sigmoid, ()),
    "affine": (_affine, (1.0, 0.0)),
    "leakyrelu": (_leaky_relu, (0.01,)),
    "thresholdedrelu": (_thresholded_relu, (1.0,)),
    "scaledtanh": (_scaled_tanh, (1.0, 1.0)),
    "hardsigmoid": (_hard_sigmoid, (0.2, 0.5)),
    "elu": (_elu, (1.0,)),
    "softsign": (_softsign, ()),
    "softplus": (_softplus, ()),
}


def activations(
    names: Sequence[str],
    n_needed: int,
    alphas: Sequence[float] | None,
    betas: Sequence[float] | None,
) -> list[Activation]:
    """The functions of these names. Those that have an alpha or beta take the next one given, or
    their default once none is left.

    Raises:
        Violation: there are too few or too many names, or one is not known.
    """
    if len(names) != n_needed:
        raise Violation(
            f"activations = {list(names)}", f"{n_needed} are needed", code="attribute-value"
        )
    rest = (iter(alphas or ()), iter(betas or ()))
    found: list[Activation] = []
    for name in names:
        if name.lower() not in _KNOWN:
            raise Violation(f"activation {name!r}", f"known ones are {', '.join(_KNOWN)}")
        function, defaults = _KNOWN[name.lower()]
        # Each takes from its own list, and only what it uses.
        found.append(_bound(function, [next(rest[i], d) for i, d in enumerate(defaults)]))
    return found


def clipped(function: Activation, clip: float | None) -> Activation:
    """The function of an input cut to [-clip, clip]; None leaves it as it is."""
    if clip is None:
        return function
    return lambda x: function(np.minimum(np.maximum(x, -clip), clip))


def _bound(function: Callable[..., Floats], parameters: list[float]) -> Activation:
    return (lambda x: function(x, *parameters)) if parameters else function
