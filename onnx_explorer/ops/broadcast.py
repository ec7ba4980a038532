"""Elementwise operators of two inputs: the rules that they share, new and old."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import known_different
from onnx_explorer.ops.again import Again
from onnx_explorer.ops.axes import axis_in
from onnx_explorer.ops.cotangents import Values, Vjp
from onnx_explorer.ops.elementwise import Array, Kernel
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Cotangents,
    DerivativeSite,
    RuleSite,
    Shape,
    Violation,
)

AXIS = Attr(
    "axis",
    "int",
    doc="the axis of the first input at which the axes of the second begin; default: the last ones",
)
BROADCAST = Attr("broadcast", "int", 0, doc="1 lets the second input be smaller than the first")


def broadcast_rule(*inputs: Abstract, at: RuleSite) -> Abstract:
    """The rule of elementwise operators: shapes broadcast as numpy's do."""
    shape = at.broadcast(*(value.shape for value in inputs), of=tuple(range(len(inputs))))
    return Abstract(None, shape)


def broadcasting(kernel: Kernel) -> Kernel:
    """The kernel, which says what is wrong with shapes that do not broadcast as its rule does."""

    def checked(*inputs: Array, **attributes: object) -> Array:
        try:
            return kernel(*inputs, **attributes)
        except ValueError as error:
            clash = _clash([value.shape for value in inputs])
            if clash is None and attributes.pop("out", None) is not None:
                # The result is larger than the input that it might have been written over.
                return kernel(*inputs, **attributes)
            raise clash or error from None

    # A ufunc has a signature, but of its own options.
    return checked if isinstance(kernel, np.ufunc) else wraps(kernel)(checked)


def unchecked(function: Kernel) -> Callable[[Values, Values], Again | None]:
    """How to run again what is broadcast: by the function, where that is numpy's own."""
    call = function if isinstance(function, np.ufunc) else None
    return lambda inputs, outputs: call


def _clash(shapes: list[tuple[int, ...]]) -> Violation | None:
    rank = max(map(len, shapes))
    filled = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    for axis, sizes in enumerate(zip(*filled, strict=True)):
        first, *others = [size for size in sizes if size != 1] or [1]
        for other in others:
            if other != first:
                return Violation(
                    f"shapes {' and '.join(str(list(shape)) for shape in shapes)} have {first} and "
                    f"{other} at axis {axis} of the result",
                    "sizes broadcast only when they are equal or one of them is 1",
                    code="broadcast-mismatch",
                )
    return None


def one_way_rule(
    A: Abstract, B: Abstract, *, axis: int | None = None, broadcast: int = 0, at: RuleSite
) -> Abstract:
    """The rule before opset 7: B fits into A, starting at `axis`, and only when asked."""
    if A.shape is None or B.shape is None:
        return Abstract(None, A.shape)
    _check_one_way(A.shape, B.shape, axis, broadcast)
    return Abstract(None, A.shape)


def one_way(
    function: Callable[..., NDArray[np.generic]],
) -> Callable[..., NDArray[np.generic]]:
    """A kernel of two inputs with the broadcasting of before opset 7."""

    def kernel(
        A: NDArray[np.generic],
        B: NDArray[np.generic],
        *,
        axis: int | None = None,
        broadcast: int = 0,
    ) -> NDArray[np.generic]:
        return function(A, _aligned(A, B, axis, broadcast))

    return kernel


def one_way_vjp(vjp: Vjp) -> Vjp:
    """The vector-Jacobian product of before opset 7, from that with broadcasting both ways."""

    def of_window(
        cotangents: Values,
        inputs: Values,
        outputs: Values,
        *,
        axis: int | None = None,
        broadcast: int = 0,
        at: DerivativeSite,
    ) -> Cotangents:
        A, B = inputs
        found = vjp(cotangents, (A, _aligned(A, B, axis, broadcast)), outputs, at=at)
        by_b = found[1]
        return found[0], None if by_b is None else by_b.reshape(B.shape)

    return of_window


def _aligned(A: Array, B: Array, axis: int | None, broadcast: int) -> Array:
    """B with axes of size 1 behind its own, so that it broadcasts to A."""
    start = _check_one_way(A.shape, B.shape, axis, broadcast)
    return B.reshape(B.shape + (1,) * (A.ndim - start - B.ndim))


def _check_one_way(a: Shape, b: Shape, axis: int | None, broadcast: int) -> int:
    """Where in A the axes of B begin."""
    if not broadcast:
        if len(a) != len(b) or any(map(known_different, a, b)):
            raise Violation(
                f"B has shape {list(b)}",
                f"A has shape {list(a)}, and without broadcast = 1 they must be equal",
                port="B",
                code="broadcast-mismatch",
            )
        return 0
    start = len(a) - len(b) if axis is None else axis_in(axis, len(a))
    window = a[start : start + len(b)] if start >= 0 else ()
    if len(window) != len(b) or any(
        size != 1 and known_different(size, wanted) for size, wanted in zip(b, window, strict=True)
    ):
        raise Violation(
            f"B has shape {list(b)}",
            f"it must fit into A's shape {list(a)} from axis {start}",
            port="B",
            code="broadcast-mismatch",
        )
    return start
