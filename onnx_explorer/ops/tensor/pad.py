"""Pad: a tensor with elements added at the ends of its axes, or taken away from them.

`pads` first lists what to add before each axis, then what to add behind each: for two axes
[before 0, before 1, behind 0, behind 1]. A negative number takes elements away; that happens
first. What is added depends on `mode`: "constant" adds one value (0, False or the empty string
by default), "edge" repeats the outermost element, "reflect" mirrors the axis at its outermost
element without repeating it, "wrap" continues with the other end, as on a ring. Until version 2
everything is an attribute; from version 18 `axes` can say which axes are meant.

Spec: ai.onnx Pad-25
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, less, minimum
from onnx_explorer.ops.axes import axes_in
from onnx_explorer.ops.contents import dims_in, ints_in, ints_of, length_of
from onnx_explorer.ops.cotangents import moved_vjp
from onnx_explorer.ops.tensor.padding import MODES, Mode, padded
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import (
    BF16,
    BOOL,
    COMPLEX,
    FLOAT4,
    FLOAT8,
    FLOAT8_E8M0,
    FLOATS,
    INDICES,
    INT2,
    INT4,
    INTEGERS,
    STRING,
)

D = TypeVar("D", bound=Dim)

MODE_DOC = "what is added: a constant, the mirrored axis, its outermost element, its other end"

DATA = Port("data", "T", "the tensor to pad")
PADS = Port(
    "pads",
    "tensor(int64)",
    "1-D; elements added before each axis, then behind each; negative ones are taken away",
)
CONSTANT = Port(
    "constant_value",
    "T",
    "a scalar: what constant mode adds; default: 0, False or an empty string",
    option="optional",
)
AXES = Port(
    "axes",
    "Tind",
    "1-D; the axes that `pads` is about, negative ones from the end; default: all",
    option="optional",
)
OUTPUT = Port("output", "T", "the padded tensor")

PAD = Operator(
    "Pad",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(DATA,),
            outputs=(OUTPUT,),
            attributes=(
                Attr("mode", "string", "constant", one_of=MODES[:3], doc=MODE_DOC),
                Attr(
                    "paddings",
                    "ints",
                    required=True,
                    doc="elements added before each axis, then behind each",
                ),
                Attr("value", "float", 0.0, doc="what constant mode adds"),
            ),
            types={"T": FLOATS},
        ),
        Change(
            2,
            "paddings is called pads, and may be negative",
            attributes=(
                Attr(
                    "pads",
                    "ints",
                    required=True,
                    doc="elements added before each axis, then behind each; negative: taken away",
                ),
            ),
            drop=("paddings",),
        ),
        Change(
            11,
            "pads and the constant become inputs; integers",
            inputs=(DATA, PADS, CONSTANT),
            drop=("pads", "value"),
            widen={"T": INTEGERS},
        ),
        Change(
            13,
            "every dtype of the time",
            widen={"T": COMPLEX | BF16 | BOOL | STRING},
            differentiable={
                "data": True,
                "pads": False,
                "constant_value": False,
                "output": True,
            },
        ),
        Change(
            18,
            "axes can be named",
            inputs=(DATA, PADS, CONSTANT, AXES),
            types={"Tind": INDICES},
            differentiable={
                "data": True,
                "pads": False,
                "constant_value": False,
                "axes": False,
            },
        ),
        Change(
            19,
            "wrap mode",
            attributes=(Attr("mode", "string", "constant", one_of=MODES, doc=MODE_DOC),),
        ),
        Change(21, "8-bit floats and 4-bit integers", widen={"T": FLOAT8 | INT4}),
        Change(23, "4-bit floats", widen={"T": FLOAT4}),
        Change(24, "float8_e8m0fnu", widen={"T": FLOAT8_E8M0}),
        Change(25, "2-bit integers", widen={"T": INT2}),
    ),
)


@PAD.infer(since=1)
def infer_v1(data: Abstract, *, paddings: tuple[int, ...], at: RuleSite) -> Abstract:
    return _infer(data, paddings, None, at)


@PAD.infer(since=2)
def infer_from_attribute(data: Abstract, *, pads: tuple[int, ...], at: RuleSite) -> Abstract:
    return _infer(data, pads, None, at)


@PAD.infer(since=11)
def infer(
    data: Abstract,
    pads: Abstract,
    constant_value: Abstract | None = None,
    axes: Abstract | None = None,
    *,
    at: RuleSite,
) -> Abstract:
    known_axes = None if axes is None else ints_in(axes)
    known = dims_in(pads)
    if data.shape is not None and (known is None or (axes is not None and known_axes is None)):
        touched = (
            range(len(data.shape)) if known_axes is None else axes_in(known_axes, len(data.shape))
        )
        return data.like(
            tuple(
                at.fresh(f"dim{axis}") if axis in touched else size
                for axis, size in enumerate(data.shape)
            )
        )
    if known is None:
        n_pads = None if axes is not None else length_of(pads)
        known = None if n_pads is None else tuple(at.fresh("pad") for _ in range(n_pads))
    if known is None or (data.shape is None and axes is not None):
        return data.like(None)
    return _infer(data, known, known_axes, at)


def _infer(
    data: Abstract, pads: Sequence[Dim], axes: Sequence[int] | None, at: RuleSite
) -> Abstract:
    if data.shape is None:
        return data.like(tuple(at.fresh(f"dim{axis}") for axis in range(len(pads) // 2)))
    sizes = list(data.shape)
    for axis, before, behind in _per_axis(len(sizes), pads, axes):
        _check_left(axis, sizes[axis], before, behind)
        sizes[axis] += before + behind
    return data.like(tuple(sizes))


def _per_axis(rank: int, pads: Sequence[D], axes: Sequence[int] | None) -> list[tuple[int, D, D]]:
    named = axes_in(range(rank) if axes is None else axes, rank)
    n = len(named)
    if len(pads) != 2 * n:
        raise Violation(
            f"{len(pads)} values in pads = {list(pads)}",
            f"2 for each of {n} axes, {2 * n}, are needed",
            port="pads",
            code="wrong-count",
        )
    return list(zip(named, pads[:n], pads[n:], strict=True))


def _check_left(axis: int, size: Dim, before: Dim, behind: Dim) -> None:
    left = size + minimum(before, 0) + minimum(behind, 0)
    if less(left, 0) is True:
        raise Violation(
            f"pads {before} and {behind} on axis {axis}",
            f"its size is {size}, and no more than that can be taken away",
            port="pads",
            code="pad-too-large",
        )


@PAD.kernel(since=1)
def pad_v1(
    data: NDArray[np.generic], *, mode: Mode, paddings: tuple[int, ...], value: float
) -> NDArray[np.generic]:
    return _pad(data, paddings, None, mode, value)


@PAD.kernel(since=2)
def pad_by_attribute(
    data: NDArray[np.generic], *, mode: Mode, pads: tuple[int, ...], value: float
) -> NDArray[np.generic]:
    return _pad(data, pads, None, mode, value)


def pad_sizes(
    data: NDArray[np.generic],
    pads: NDArray[np.generic],
    constant_value: NDArray[np.generic] | None = None,
    axes: NDArray[np.generic] | None = None,
    *,
    mode: Mode,
) -> NDArray[np.generic]:
    """The same on sizes, of which an array looks like one of strings."""
    zero = np.zeros(1, object) if constant_value is None else constant_value
    return pad(data, pads, zero, axes, mode=mode)


@PAD.kernel(since=11, sizes=pad_sizes)
def pad(
    data: NDArray[np.generic],
    pads: NDArray[np.generic],
    constant_value: NDArray[np.generic] | None = None,
    axes: NDArray[np.generic] | None = None,
    *,
    mode: Mode,
) -> NDArray[np.generic]:
    if constant_value is None:
        value = "" if data.dtype.kind == "O" else 0
    else:
        if constant_value.size != 1:
            raise Violation(
                f"shape {list(constant_value.shape)}",
                "one element",
                port="constant_value",
                code="wrong-shape",
            )
        value = constant_value.reshape(-1)[0]
    return _pad(data, ints_of(pads), None if axes is None else ints_of(axes), mode, value)


def _pad(
    data: NDArray[np.generic],
    pads: tuple[int, ...],
    axes: tuple[int, ...] | None,
    mode: Mode,
    value: object,
) -> NDArray[np.generic]:
    widths = [(0, 0)] * data.ndim
    for axis, before, behind in _per_axis(data.ndim, pads, axes):
        if before < 0 or behind < 0:
            _check_left(axis, data.shape[axis], before, behind)
        widths[axis] = (before, behind)
    if not any(pads):
        return data
    return padded(data, widths, mode, value)


def _moved_v1(
    data: NDArray[np.generic], *, mode: Mode, paddings: tuple[int, ...]
) -> NDArray[np.generic]:
    return _pad(data, paddings, None, mode, 0)


def _moved_by_attribute(
    data: NDArray[np.generic], *, mode: Mode, pads: tuple[int, ...]
) -> NDArray[np.generic]:
    return _pad(data, pads, None, mode, 0)


def _moved(
    data: NDArray[np.generic],
    pads: NDArray[np.generic],
    constant_value: NDArray[np.generic] | None = None,
    axes: NDArray[np.generic] | None = None,
    *,
    mode: Mode,
) -> NDArray[np.generic]:
    return pad(data, pads, None, axes, mode=mode)


# A constant is no number of an element.
PAD.vjp(since=1)(moved_vjp(_moved_v1))
PAD.vjp(since=2)(moved_vjp(_moved_by_attribute))
PAD.vjp(since=11)(moved_vjp(_moved))


PAD.example(([1, 2, 3], [2, 1]), ([0, 0, 1, 2, 3, 0],))
PAD.example(([[1, 2]], [0, 1, 1, 0], 9), ([[9, 1, 2], [9, 9, 9]],))
PAD.example(([1, 2, 3], [2, 1]), ([1, 1, 1, 2, 3, 3],), mode="edge")
PAD.example(([1, 2, 3], [2, 1]), ([3, 2, 1, 2, 3, 2],), mode="reflect")
PAD.example(([1, 2, 3], [2, 1]), ([2, 3, 1, 2, 3, 1],), mode="wrap")
PAD.example(([1, 2, 3], [-1, 1]), ([2, 3, 0],))
