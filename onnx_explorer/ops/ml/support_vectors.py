"""Support vectors: how near rows of features are to them, by one of four measures."""

from __future__ import annotations

from typing import Literal

import numpy as np

from onnx_explorer.ops.precision import Floats
from onnx_explorer.schema import Attr, Violation

Kernel = Literal["LINEAR", "POLY", "RBF", "SIGMOID"]

KERNEL_ATTRIBUTES = (
    Attr("kernel_params", "floats", doc="gamma, coef0 and degree; default: 0, 0, 0"),
    Attr(
        "kernel_type",
        "string",
        "LINEAR",
        one_of=("LINEAR", "POLY", "RBF", "SIGMOID"),
        doc="how x and a support vector v are compared: x·v, (γ x·v + c)^d, exp(−γ |x − v|²) or "
        "tanh(γ x·v + c)",
    ),
)


def vectors_of(values: tuple[float, ...] | None, count: int, like: Floats) -> Floats:
    """The support vectors, `(count, F)`.

    Raises:
        Violation: they do not have as many features as the rows.
    """
    flat = np.array(values or (), like.dtype)
    n_features = like.shape[1]
    if flat.size != count * n_features:
        raise Violation(
            f"{flat.size} numbers in support_vectors",
            f"{count} vectors of {n_features} features take {count * n_features}",
            port="X",
            code="wrong-count",
        )
    return flat.reshape(count, n_features)


def nearness(
    rows: Floats, vectors: Floats, kernel: Kernel, parameters: tuple[float, ...] | None
) -> Floats:
    """The measure for each row and each vector, `(N, count)`."""
    gamma, offset, degree = _three(parameters)
    if kernel == "RBF":
        # One vector at a time: |x|² + |v|² − 2 x·v would lose digits where x is near v.
        squares = [np.square(rows - vector).sum(axis=1) for vector in vectors]
        distances = np.stack(squares, axis=1) if squares else np.zeros((len(rows), 0), rows.dtype)
        return np.exp(-gamma * distances)
    products = np.matmul(rows, vectors.T)
    match kernel:
        case "LINEAR":
            return products
        case "POLY":
            return np.power(gamma * products + offset, degree)
        case "SIGMOID":
            return np.tanh(gamma * products + offset)


def _three(parameters: tuple[float, ...] | None) -> tuple[float, float, float]:
    if not parameters:
        return 0.0, 0.0, 0.0
    if len(parameters) != 3:
        raise Violation(f"{len(parameters)} kernel_params", "expected 3: gamma, coef0, degree")
    return parameters[0], parameters[1], parameters[2]
