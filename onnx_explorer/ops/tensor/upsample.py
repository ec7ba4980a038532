"""Upsample: a tensor with more elements per axis, by repeating or interpolating; deprecated.

The new size of an axis is `floor(size × scale)`, scales are 1 or more. The element at x of the
result lies at `x / scale` of the input: "nearest" takes the element before that place, "linear"
("bilinear" in version 1) weighs the two around it by their distance, axis after axis, and
repeats the last element where there is none behind. Version 1 scales height and width of images
(N, C, H, W) only. Resize took its place in opset 10; version 10 only says so.

Spec: ai.onnx Upsample-10
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.ops.contents import length_of
from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.tensor.interpolation import OPSET_10, Mode
from onnx_explorer.ops.tensor.scaling import by_scales, check_vector, fractions_in, stretches
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import (
    BOOL,
    COMPLEX,
    FLOATS,
    INDICES,
    INT8,
    INT16,
    STRING,
    UNSIGNED,
)

X = Port("X", "T", "the tensor to enlarge; in version 1 images (N, C, H, W)")
SCALES = Port("scales", "tensor(float)", "1-D; one scale of 1 or more for each axis")
Y = Port("Y", "T", "the enlarged tensor")

UPSAMPLE = Operator(
    "Upsample",
    doc=__doc__,
    history=(
        Change(
            1,
            "first version",
            inputs=(X,),
            outputs=(Y,),
            attributes=(
                Attr("height_scale", "float", required=True, doc="scale of axis 2, 1 or more"),
                Attr(
                    "mode",
                    "string",
                    "nearest",
                    one_of=("nearest", "bilinear"),
                    doc="how elements between elements are found",
                ),
                Attr("width_scale", "float", required=True, doc="scale of axis 3, 1 or more"),
            ),
            types={"T": FLOATS | INDICES | BOOL},
        ),
        Change(
            7,
            "any rank, with a scale for each axis; every dtype",
            attributes=(
                Attr(
                    "mode",
                    "string",
                    "nearest",
                    one_of=("nearest", "linear"),
                    doc="how elements between elements are found",
                ),
                Attr("scales", "floats", required=True, doc="one scale of 1 or more for each axis"),
            ),
            drop=("height_scale", "width_scale"),
            widen={"T": UNSIGNED | COMPLEX | STRING | INT8 | INT16},
        ),
        Change(9, "the scales become an input", inputs=(X, SCALES), drop=("scales",)),
        Change(10, "deprecated: Resize takes its place", deprecated=True),
    ),
)


@UPSAMPLE.infer(since=1)
def infer_v1(X: Abstract, *, height_scale: float, width_scale: float, at: RuleSite) -> Abstract:
    if X.shape is not None:
        _check_images(len(X.shape))
    return _infer(X, (1, 1, height_scale, width_scale), at)


@UPSAMPLE.infer(since=7)
def infer_from_attribute(X: Abstract, *, scales: tuple[float, ...], at: RuleSite) -> Abstract:
    return _infer(X, scales, at)


@UPSAMPLE.infer(since=9)
def infer(X: Abstract, scales: Abstract, *, at: RuleSite) -> Abstract:
    check_vector(scales.shape, port="scales")
    known = fractions_in(scales)
    if known is None:
        return by_scales(X, None, None, length_of(scales), at)
    return _infer(X, known, at)


def _infer(X: Abstract, scales: Sequence[float | Fraction], at: RuleSite) -> Abstract:
    for scale in scales:
        if scale < 1:
            at.fail(f"scale {float(scale):g}", "Upsample's scales are 1 or more", port="scales")
    if X.shape is None:
        return by_scales(X, None, None, len(scales), at)
    return by_scales(X, None, [Fraction(scale) for scale in scales], len(scales), at)


def _check_images(rank: int) -> None:
    if rank != 4:
        raise Violation(
            f"rank {rank}", "images (N, C, H, W) have rank 4", port="X", code="wrong-rank"
        )


@UPSAMPLE.kernel(since=1)
def upsample_v1(
    X: NDArray[np.generic],
    *,
    height_scale: float,
    mode: Literal["nearest", "bilinear"],
    width_scale: float,
) -> NDArray[np.generic]:
    _check_images(X.ndim)
    how = OPSET_10["nearest" if mode == "nearest" else "linear"]
    return how(X, stretches(X.shape, (1.0, 1.0, height_scale, width_scale)))


@UPSAMPLE.kernel(since=7)
def upsample_by_attribute(
    X: NDArray[np.generic], *, mode: Mode, scales: tuple[float, ...]
) -> NDArray[np.generic]:
    return OPSET_10[mode](X, stretches(X.shape, scales))


@UPSAMPLE.kernel(since=9)
def upsample(
    X: NDArray[np.generic], scales: NDArray[np.generic], *, mode: Mode
) -> NDArray[np.generic]:
    check_vector(scales.shape, port="scales")
    return OPSET_10[mode](X, stretches(X.shape, [float(scale) for scale in scales.tolist()]))


@UPSAMPLE.vjp(since=1)
def vjp_v1(
    cotangents: tuple[Floats],
    inputs: tuple[Floats],
    outputs: object,
    *,
    height_scale: float,
    mode: Literal["nearest", "bilinear"],
    width_scale: float,
) -> Floats:
    how = OPSET_10["nearest" if mode == "nearest" else "linear"]
    scales = (1.0, 1.0, height_scale, width_scale)
    return how.transposed(cotangents[0], stretches(inputs[0].shape, scales))


@UPSAMPLE.vjp(since=7)
def vjp_by_attribute(
    cotangents: tuple[Floats],
    inputs: tuple[Floats],
    outputs: object,
    *,
    mode: Mode,
    scales: tuple[float, ...],
) -> Floats:
    return OPSET_10[mode].transposed(cotangents[0], stretches(inputs[0].shape, scales))


@UPSAMPLE.vjp(since=9)
def vjp(
    cotangents: tuple[Floats], inputs: tuple[Floats, Floats], outputs: object, *, mode: Mode
) -> Floats:
    scales = [float(scale) for scale in inputs[1].tolist()]
    return OPSET_10[mode].transposed(cotangents[0], stretches(inputs[0].shape, scales))


UPSAMPLE.example(([1.0, 2.0], [2.0]), ([1.0, 1.0, 2.0, 2.0],))
UPSAMPLE.example(([1.0, 2.0], [2.0]), ([1.0, 1.5, 2.0, 2.0],), mode="linear")
