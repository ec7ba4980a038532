"""Reshape: the same elements, in the same row-major order, under a new shape.

The target may hold one -1, which becomes whatever size makes the number of elements come out.
A 0 copies the size at the same axis of `data`; with `allowzero` = 1 it means an empty axis
instead (then it cannot stand beside a -1). An empty target makes a scalar.

Spec: ai.onnx Reshape-25
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, floordiv, known_different, product
from onnx_explorer.ops.again import reshaped_again
from onnx_explorer.ops.contents import dims_in, length_of
from onnx_explorer.ops.cotangents import reshaped_vjp
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Change,
    Operator,
    Port,
    RuleSite,
    Shape,
    Violation,
)
from onnx_explorer.schema.typesets import (
    BF16,
    EVERY_V1,
    FLOAT4,
    FLOAT8,
    FLOAT8_E8M0,
    FLOATS,
    INT2,
    INT4,
)

Sizes = tuple[int, ...]

DATA = Port("data", "T", "the tensor to reshape")
SHAPE = Port("shape", "tensor(int64)", "1-D; 0 copies a size, -1 is worked out, at most once")
RESHAPED = Port("reshaped", "T", "the elements of `data`, in the same order")

RESHAPE = Operator(
    "Reshape",
    doc=__doc__,
    history=(
        Change(
            1,
            "the target shape is an attribute",
            inputs=(DATA,),
            outputs=(RESHAPED,),
            attributes=(
                Attr(
                    "consumed_inputs", "ints", doc="a hint for in-place execution, without effect"
                ),
                Attr("shape", "ints", doc="the target shape"),
            ),
            types={"T": FLOATS},
        ),
        Change(
            5,
            "the target shape becomes an input",
            inputs=(DATA, SHAPE),
            drop=("consumed_inputs", "shape"),
            types={"T": EVERY_V1},
        ),
        Change(
            13,
            "bfloat16",
            widen={"T": BF16},
            differentiable={"data": True, "shape": False, "reshaped": True},
        ),
        Change(
            14,
            "a 0 may mean an empty axis",
            attributes=(
                Attr(
                    "allowzero",
                    "int",
                    0,
                    one_of=(0, 1),
                    doc="1: a 0 in `shape` is an empty axis; 0: it copies the size of `data`",
                ),
            ),
        ),
        Change(19, "8-bit floats", widen={"T": FLOAT8}),
        Change(21, "4-bit integers", widen={"T": INT4}),
        Change(23, "4-bit floats", widen={"T": FLOAT4}),
        Change(24, "float8_e8m0fnu", widen={"T": FLOAT8_E8M0}),
        Change(25, "2-bit integers", widen={"T": INT2}),
    ),
)


def _check_vector(shape: Shape | None) -> None:
    if shape is not None and len(shape) != 1:
        raise Violation(
            f"shape {list(shape)}",
            "a target is a tensor of rank 1",
            port="shape",
            code="wrong-rank",
        )


def target_shape(source: Shape, target: Sequence[Dim], allowzero: int) -> Shape:
    """The shape that the target asks for, with 0 and -1 worked out.

    Raises:
        Violation: the target is malformed, or its number of elements differs from the source's.
    """
    sizes: list[Dim] = []
    for axis, size in enumerate(target):
        if isinstance(size, int) and size == 0 and not allowzero:
            if axis >= len(source):
                raise Violation(
                    f"a 0 at position {axis} of the target {list(target)}",
                    f"data of shape {list(source)} has no axis {axis} to copy",
                    port="shape",
                    code="reshape-target",
                )
            sizes.append(source[axis])
        elif isinstance(size, int) and size < -1:
            raise Violation(
                f"{size} in the target {list(target)}",
                "sizes are -1 or more",
                port="shape",
                code="reshape-target",
            )
        else:
            sizes.append(size)
    holes = [i for i, size in enumerate(sizes) if isinstance(size, int) and size == -1]
    if len(holes) > 1:
        raise Violation(
            f"{len(holes)} times -1 in the target {list(target)}",
            "one at most",
            port="shape",
            code="reshape-target",
        )
    count = product(source)
    if holes:
        rest = product(size for i, size in enumerate(sizes) if i != holes[0])
        sizes[holes[0]] = _missing_size(count, rest, source, target)
    elif known_different(product(sizes), count):
        raise _different_counts(count, product(sizes), source, target)
    return tuple(sizes)


def _missing_size(count: Dim, rest: Dim, source: Shape, target: Sequence[Dim]) -> Dim:
    if isinstance(rest, int) and rest == 0:
        raise Violation(
            f"-1 beside an empty axis in the target {list(target)}",
            "its size cannot be told from 0 elements",
            port="shape",
            code="reshape-target",
        )
    if isinstance(count, int) and isinstance(rest, int) and count % rest:
        raise _different_counts(count, rest, source, target)
    return floordiv(count, rest)


def _different_counts(count: Dim, asked: Dim, source: Shape, target: Sequence[Dim]) -> Violation:
    whole = "a multiple of " if -1 in [t for t in target if isinstance(t, int)] else ""
    return Violation(
        f"data of shape {list(source)} has {count} elements",
        f"the target {list(target)} asks for {whole}{asked}",
        port="data",
        code="reshape-count",
    )


@RESHAPE.infer(since=1)
def infer_from_attribute(data: Abstract, *, shape: tuple[int, ...] | None = None) -> Abstract:
    if shape is None or data.shape is None:
        return data.like(None)
    return data.like(target_shape(data.shape, shape, 0))


@RESHAPE.infer(since=5)
def infer(data: Abstract, shape: Abstract, *, allowzero: int = 0, at: RuleSite) -> Abstract:
    _check_vector(shape.shape)
    target = dims_in(shape)
    if target is None:
        rank = length_of(shape)
        if rank is None:
            return data.like(None)
        return data.like(tuple(at.fresh(f"dim{axis}") for axis in range(rank)))
    if data.shape is None:
        return data.like(
            tuple(
                size if not isinstance(size, int) or size > 0 else at.fresh(f"dim{axis}")
                for axis, size in enumerate(target)
            )
        )
    result = target_shape(data.shape, target, allowzero)
    at.assume(product(data.shape), product(result))
    return data.like(result)


@RESHAPE.kernel(since=1)
def reshape_to_attribute(
    data: NDArray[np.generic], *, shape: tuple[int, ...] | None = None
) -> NDArray[np.generic]:
    return data.reshape(target_shape(data.shape, shape or (), 0))


@RESHAPE.kernel(since=5, sizes=True)
def reshape(
    data: NDArray[np.generic], shape: NDArray[np.generic], *, allowzero: int = 0
) -> NDArray[np.generic]:
    if shape.ndim == 1 and shape.dtype.kind == "i":
        return data.reshape(_known_target(data.shape, tuple(shape.tolist()), allowzero))
    _check_vector(shape.shape)
    return data.reshape(target_shape(data.shape, shape.tolist(), allowzero))


@lru_cache(1024)
def _known_target(source: Sizes, target: Sizes, allowzero: int) -> Sizes:
    """`target_shape` for numbers, which runs ask for again and again: it takes longer than numpy
    takes to reshape.
    """
    return cast("Sizes", target_shape(source, target, allowzero))


RESHAPE.again(since=1)(reshaped_again)
RESHAPE.again(since=5)(reshaped_again)
RESHAPE.vjp(since=1)(reshaped_vjp)

RESHAPE.example(([[1, 2, 3], [4, 5, 6]], [3, -1]), ([[1, 2], [3, 4], [5, 6]],))
RESHAPE.example(([[[1, 2], [3, 4]]], [0, -1]), ([[1, 2, 3, 4]],))
