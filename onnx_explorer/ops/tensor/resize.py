"""Resize: a tensor with more or fewer elements per axis, by interpolation between its elements.

Either `scales` or `sizes` says how far. With scales the new size of an axis is
`floor(size × scale)`, exactly; the scales are float32, so 0.7 is a little less than 7/10 and makes
6 of 10, where programs that multiply in float32 make 7. With sizes the new size is what they say,
and scale = new / old. `keep_aspect_ratio_policy` fits it: "not_larger" and "not_smaller" use the
least or the greatest of the scales on all axes, and round half up. `axes` limits everything to
some axes.

The element at x of the result lies at x' of the input (n elements there, m here):
- half_pixel: `(x + 0.5) / scale - 0.5`, the centres of elements are aligned;
- pytorch_half_pixel: the same, but 0 where m = 1;
- half_pixel_symmetric: the same about the middle of the axis, where `m / scale` is no integer;
- align_corners: `x (n - 1) / (m - 1)`, the first and the last elements are aligned;
- asymmetric: `x / scale`;
- tf_half_pixel_for_nn (version 11 only): `(x + 0.5) / scale`;
- tf_crop_and_resize: `start (n - 1) + x (end - start)(n - 1) / (m - 1)`, the part of the input
  between `start` and `end` of `roi`; outside of the input it is `extrapolation_value`. The `roi`
  does not enter the size of the result.

"nearest" takes the element at x' rounded by `nearest_mode`; "linear" weighs the two neighbours by
their distance, "cubic" four by a cubic with coefficient `cubic_coeff_a`, axis after axis.
Neighbours outside of the input repeat its edge, or weigh nothing with `exclude_outside`. Shrinking
skips elements; `antialias` widens the neighbourhood by 1 / scale, so that all count. Integers are
rounded. Version 10 is asymmetric, and its "nearest" rounds down where an axis grows, else up.

Spec: ai.onnx Resize-19
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, bounds
from onnx_explorer.ops.contents import dims_in, ints_of, length_of
from onnx_explorer.ops.precision import Floats
from onnx_explorer.ops.tensor.interpolation import (
    OPSET_10,
    Coordinates,
    Interpolation,
    Mode,
    Rounding,
    Stretch,
)
from onnx_explorer.ops.tensor.scaling import (
    Policy,
    by_scales,
    check_vector,
    fitted,
    fractions_in,
    one_each,
    stretches,
    stretches_to,
)
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import BF16, EVERY_V1, FLOATS

X_V10 = Port("X", "T", "the tensor to resize")
X = replace(X_V10, type="T1")
SCALES_V10 = Port("scales", "tensor(float)", "1-D; one scale above 0 for each axis")
ROI = Port(
    "roi",
    "T2",
    "1-D; for tf_crop_and_resize: all starts, then all ends, as parts of "
    "the axes: 0 is the first element, 1 the last",
)
SCALES = Port(
    "scales",
    "tensor(float)",
    "1-D; one scale above 0 for each axis; empty or absent where `sizes` is given",
)
SIZES = Port("sizes", "tensor(int64)", "1-D; the size to reach on each axis", option="optional")
Y = Port("Y", "T1", "the resized tensor")

COORDINATES: tuple[Coordinates, ...] = (
    "half_pixel",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_crop_and_resize",
)


def _coordinates(*more: Coordinates) -> Attr:
    return Attr(
        "coordinate_transformation_mode",
        "string",
        "half_pixel",
        one_of=(*COORDINATES, *more),
        doc="how places in the result and in the input belong together",
    )


RESIZE = Operator(
    "Resize",
    doc=__doc__,
    history=(
        Change(
            10,
            "first version, after Upsample",
            inputs=(X_V10, SCALES_V10),
            outputs=(replace(Y, type="T"),),
            attributes=(
                Attr(
                    "mode",
                    "string",
                    "nearest",
                    one_of=("nearest", "linear"),
                    doc="how elements between elements are found",
                ),
            ),
            types={"T": EVERY_V1},
        ),
        Change(
            11,
            "sizes, cubic mode, and a choice of coordinates and rounding",
            inputs=(X, ROI, SCALES, SIZES),
            outputs=(Y,),
            attributes=(
                _coordinates("tf_half_pixel_for_nn"),
                Attr(
                    "cubic_coeff_a",
                    "float",
                    -0.75,
                    doc="coefficient of the cubic; -0.75 and -0.5 are in use",
                ),
                Attr(
                    "exclude_outside",
                    "int",
                    0,
                    one_of=(0, 1),
                    doc="1: neighbours outside of the input weigh nothing",
                ),
                Attr(
                    "extrapolation_value",
                    "float",
                    0.0,
                    doc="what tf_crop_and_resize puts where it looks outside of the input",
                ),
                Attr(
                    "mode",
                    "string",
                    "nearest",
                    one_of=("nearest", "linear", "cubic"),
                    doc="how elements between elements are found",
                ),
                Attr(
                    "nearest_mode",
                    "string",
                    "round_prefer_floor",
                    one_of=("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"),
                    doc="how nearest mode rounds places; the first two differ at halves",
                ),
            ),
            types={"T1": EVERY_V1, "T2": FLOATS},
            drop_types=("T",),
        ),
        Change(
            13,
            "roi and scales may be absent; tf_half_pixel_for_nn is gone; bfloat16",
            inputs=(X, replace(ROI, option="optional"), replace(SCALES, option="optional"), SIZES),
            attributes=(_coordinates(),),
            widen={"T1": BF16},
            differentiable={"X": True, "roi": False, "scales": False, "sizes": False, "Y": True},
        ),
        Change(
            18,
            "antialiasing, a choice of axes, and sizes that keep the aspect ratio",
            attributes=(
                Attr(
                    "antialias",
                    "int",
                    0,
                    one_of=(0, 1),
                    doc="1: where an axis shrinks, linear and cubic mode use wider filters",
                ),
                Attr(
                    "axes",
                    "ints",
                    doc="the axes that the inputs are about, negative ones from the end; "
                    "default: all",
                ),
                Attr(
                    "keep_aspect_ratio_policy",
                    "string",
                    "stretch",
                    one_of=("stretch", "not_larger", "not_smaller"),
                    doc="whether `sizes` is met exactly, or bounds sizes of the old ratio",
                ),
            ),
        ),
        Change(19, "half_pixel_symmetric", attributes=(_coordinates("half_pixel_symmetric"),)),
    ),
)


@RESIZE.infer(since=10)
def infer_v10(X: Abstract, scales: Abstract, *, at: RuleSite) -> Abstract:
    check_vector(scales.shape, port="scales")
    return by_scales(X, None, fractions_in(scales), length_of(scales), at)


@RESIZE.infer(since=11)
def infer(
    X: Abstract,
    roi: Abstract | None = None,
    scales: Abstract | None = None,
    sizes: Abstract | None = None,
    *,
    axes: tuple[int, ...] | None = None,
    keep_aspect_ratio_policy: Policy = "stretch",
    at: RuleSite,
) -> Abstract:
    for port, value in (("scales", scales), ("sizes", sizes)):
        check_vector(value and value.shape, port=port)
    if sizes is None or length_of(sizes) == 0:
        if scales is None or length_of(scales) == 0:
            raise Violation("neither scales nor sizes", "one of the two must be given")
        return by_scales(X, axes, fractions_in(scales), length_of(scales), at)
    if scales is not None and length_of(scales):
        at.fail(
            f"{length_of(scales)} scales and {length_of(sizes)} sizes",
            "only one of the two may be given",
            code="wrong-count",
        )
    wanted = dims_in(sizes)
    if X.shape is None:
        if axes is not None or wanted is None or keep_aspect_ratio_policy != "stretch":
            return by_scales(X, axes, None, length_of(sizes), at)
        return X.like(wanted)
    touched = one_each("sizes", axes, len(X.shape), length_of(sizes))
    result = list(X.shape)
    if wanted is None:
        wanted = tuple(at.fresh(f"dim{axis}") for axis in touched)
    elif keep_aspect_ratio_policy != "stretch":
        wanted = _kept_ratio(
            touched, [X.shape[axis] for axis in touched], wanted, keep_aspect_ratio_policy, at
        )
    for axis, size in zip(touched, wanted, strict=True):
        result[axis] = size
    return X.like(tuple(result))


def _kept_ratio(
    axes: Sequence[int], sizes: Sequence[Dim], wanted: Sequence[Dim], policy: Policy, at: RuleSite
) -> tuple[Dim, ...]:
    old = [size for size in sizes if isinstance(size, int)]
    new = [size for size in wanted if isinstance(size, int)]
    if len(old) == len(sizes) and len(new) == len(wanted):
        return fitted(old, new, policy)[1]
    return tuple(
        at.fresh(
            f"dim{axis}",
            low=bounds(size)[0] if policy == "not_smaller" else 0,
            high=bounds(size)[1] if policy == "not_larger" else None,
        )
        for axis, size in zip(axes, wanted, strict=True)
    )


@RESIZE.kernel(since=10)
def resize_v10(
    X: NDArray[np.generic], scales: NDArray[np.generic], *, mode: Mode
) -> NDArray[np.generic]:
    check_vector(scales.shape, port="scales")
    return OPSET_10[mode](X, stretches(X.shape, [float(s) for s in scales.tolist()]))


@RESIZE.kernel(since=11)
def resize(
    X: NDArray[np.generic],
    roi: NDArray[np.generic] | None = None,
    scales: NDArray[np.generic] | None = None,
    sizes: NDArray[np.generic] | None = None,
    *,
    antialias: int = 0,
    axes: tuple[int, ...] | None = None,
    coordinate_transformation_mode: Coordinates,
    cubic_coeff_a: float,
    exclude_outside: int,
    extrapolation_value: float,
    keep_aspect_ratio_policy: Policy = "stretch",
    mode: Mode,
    nearest_mode: Rounding,
) -> NDArray[np.generic]:
    interpolation = Interpolation(
        mode,
        coordinate_transformation_mode,
        nearest_mode,
        cubic_coeff_a,
        bool(exclude_outside),
        bool(antialias),
        extrapolation_value,
    )
    crops = coordinate_transformation_mode == "tf_crop_and_resize"
    plan = _plan(X, roi, scales, sizes, axes=axes, policy=keep_aspect_ratio_policy, crops=crops)
    return interpolation(X, plan)


@RESIZE.vjp(since=10)
def vjp_v10(
    cotangents: tuple[Floats], inputs: tuple[Floats, Floats], outputs: object, *, mode: Mode
) -> Floats:
    scales = [float(scale) for scale in inputs[1].tolist()]
    return OPSET_10[mode].transposed(cotangents[0], stretches(inputs[0].shape, scales))


@RESIZE.vjp(since=11)
def vjp(
    cotangents: tuple[Floats],
    inputs: tuple[Floats, *tuple[NDArray[np.generic] | None, ...]],
    outputs: object,
    *,
    antialias: int = 0,
    axes: tuple[int, ...] | None = None,
    coordinate_transformation_mode: Coordinates,
    cubic_coeff_a: float,
    exclude_outside: int,
    keep_aspect_ratio_policy: Policy = "stretch",
    mode: Mode,
    nearest_mode: Rounding,
) -> Floats:
    interpolation = Interpolation(
        mode,
        coordinate_transformation_mode,
        nearest_mode,
        cubic_coeff_a,
        bool(exclude_outside),
        bool(antialias),
    )
    crops = coordinate_transformation_mode == "tf_crop_and_resize"
    plan = _plan(*inputs, axes=axes, policy=keep_aspect_ratio_policy, crops=crops)
    return interpolation.transposed(cotangents[0], plan)


def _plan(
    X: NDArray[np.generic],
    roi: NDArray[np.generic] | None = None,
    scales: NDArray[np.generic] | None = None,
    sizes: NDArray[np.generic] | None = None,
    *,
    axes: tuple[int, ...] | None,
    policy: Policy,
    crops: bool,
) -> list[Stretch]:
    """What becomes of each axis."""
    for port, value in (("roi", roi), ("scales", scales), ("sizes", sizes)):
        check_vector(None if value is None else value.shape, port=port)
    if sizes is not None and sizes.size:
        plan = stretches_to(X.shape, ints_of(sizes), axes, policy)
    elif scales is not None and scales.size:
        plan = stretches(X.shape, [float(s) for s in scales.tolist()], axes)
    else:
        raise Violation("neither scales nor sizes", "one of the two must be given")
    return _cropped(plan, roi) if crops else plan


def _cropped(plan: Sequence[Stretch], roi: NDArray[np.generic] | None) -> list[Stretch]:
    n = len(plan)
    if roi is None or roi.size != 2 * n:
        raise Violation(
            f"{0 if roi is None else roi.size} values in roi",
            f"tf_crop_and_resize needs a start and an end for each of {n} axes: {2 * n}",
            port="roi",
            code="wrong-count",
        )
    edges = [float(edge) for edge in roi.tolist()]
    return [replace(s, roi=(edges[i], edges[n + i])) for i, s in enumerate(plan)]


RESIZE.example(([1.0, 2.0], None, [2.0]), ([1.0, 1.0, 2.0, 2.0],))
# x' is -0.25, 0.25, 0.75 and 1.25.
RESIZE.example(([1.0, 2.0], None, [2.0]), ([1.0, 1.25, 1.75, 2.0],), mode="linear")
RESIZE.example(
    ([1.0, 2.0], None, None, [3]),
    ([1.0, 1.5, 2.0],),
    mode="linear",
    coordinate_transformation_mode="align_corners",
)
