"""Vector-Jacobian products that many pages share.

A cotangent of a value is the derivative of some number by it, and has its shape. A page gets those
of the outputs, None where one is zero, and gives those of the inputs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.schema import Cotangents, DerivativeSite

Floats = NDArray[np.floating]
Values = tuple[Floats, ...]
Vjp = Callable[..., Cotangents]
Slopes = Floats | NDArray[np.bool_]
"""Derivatives of elements; bools where each is 0 or 1."""


def constant_vjp(cotangents: Cotangents, inputs: Values, outputs: Values) -> Cotangents:
    """That of an operator whose floats stay the same when its inputs move a little."""
    return ()


def summed_to(cotangent: Floats, shape: tuple[int, ...]) -> Floats:
    """The cotangent of a value of this shape that was broadcast: summed over what repeats it."""
    extra = cotangent.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(
        extra + axis
        for axis, size in enumerate(shape)
        if size == 1 != cotangent.shape[extra + axis]
    )
    return np.add.reduce(cotangent, axis=axes).reshape(shape) if axes else cotangent


def elementwise_vjp(*partials: Callable[..., Slopes]) -> Vjp:
    """That of an elementwise operator with broadcasting, from its partial derivative by each
    input: a function of the inputs, the output and, by keyword, attributes.
    """

    def vjp(
        cotangents: Values,
        inputs: Values,
        outputs: Values,
        *,
        at: DerivativeSite,
        **attributes: object,
    ) -> Cotangents:
        (c,), (y,) = cotangents, outputs
        return tuple(
            summed_to(c * partial(*inputs, y, **attributes), x.shape) if needed else None
            for partial, x, needed in zip(partials, inputs, at.needed, strict=False)
        )

    return _with_attributes_of(partials[0], vjp)


def unary_vjp(slope: Callable[[Floats, Floats], Slopes]) -> Vjp:
    """That of an elementwise operator of one input, from its derivative: a function of the input
    and the output.
    """
    return elementwise_vjp(slope)


def binary_vjp(
    by_a: Callable[[Floats, Floats, Floats], Slopes],
    by_b: Callable[[Floats, Floats, Floats], Slopes],
) -> Vjp:
    """That of an elementwise operator of two inputs, from its partial derivatives: functions of
    the inputs and the output.
    """
    return elementwise_vjp(by_a, by_b)


def reshaped_vjp(cotangents: Values, inputs: Values, outputs: Values) -> Floats:
    """That of an operator that gives its first input another shape."""
    return cotangents[0].reshape(inputs[0].shape)


def moved_vjp(kernel: Callable[..., object], *places: int) -> Vjp:
    """That of an operator that only moves the elements of some inputs (the first, by default) to
    its outputs: the kernel moves their numbers instead, counted from 1, and each element gets the
    sum of the cotangents at the places that it went to. 0 stands for what came from elsewhere.
    """

    def vjp(
        cotangents: Cotangents, inputs: Values, outputs: Values, **attributes: object
    ) -> Cotangents:
        given: list[NDArray[np.generic]] = list(inputs)
        found: list[Floats | None] = [None] * len(inputs)
        n = 1
        for place in places or (0,):
            shape = inputs[place].shape
            given[place] = np.arange(n, n + inputs[place].size).reshape(shape)
            n += inputs[place].size
        made = kernel(*given, **attributes)
        numbers = cast(
            "tuple[NDArray[np.int64], ...]", made if isinstance(made, tuple) else (made,)
        )
        total = np.zeros(n, inputs[(places or (0,))[0]].dtype)
        for c, at in zip(cotangents, numbers, strict=False):
            if c is not None:
                np.add.at(total, np.reshape(at, -1), c.reshape(-1))
        for place in places or (0,):
            first = given[place].reshape(-1)[:1].sum()
            found[place] = total[first : first + inputs[place].size].reshape(inputs[place].shape)
        return tuple(found)

    return _with_attributes_of(kernel, vjp)


def _with_attributes_of(function: Callable[..., object], vjp: Vjp) -> Vjp:
    """The product, asking for the attributes that a kernel or partial derivative takes."""
    own = list(inspect.signature(vjp).parameters.values())[:-1]
    theirs = inspect.signature(function).parameters.values()
    parameters = [*own, *(p for p in theirs if p.kind is p.KEYWORD_ONLY)]
    setattr(vjp, "__signature__", inspect.Signature(parameters))  # noqa: B010 - unknown to the type
    return vjp
