"""Range: numbers from `start` in steps of `delta`, up to but without `limit`.

`output[i] = start + i × delta` for `max(ceil((limit - start) / delta), 0)` elements: none where
`delta` points away from `limit`. A `delta` of 0 is an error. Floats are computed in float64 and
rounded at the end, those of 16 bits in what `stash_type` says, from version 27 on.

Spec: ai.onnx Range-27
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from math import ceil, isfinite

import numpy as np

from onnx_explorer.dims import (
    Dim,
    Ratio,
    UndecidedError,
    ceildiv,
    known_different,
    less,
    less_equal,
    maximum,
    product,
)
from onnx_explorer.ir import DType
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.sizes import fraction
from onnx_explorer.ops.tensor.room import check_room
from onnx_explorer.schema import (
    Abstract,
    Attr,
    Body,
    BodyValue,
    Change,
    Operator,
    Port,
    RuleSite,
    Shape,
    Size,
    Violation,
)
from onnx_explorer.schema.typesets import BF16, FLOAT16, FLOAT32, FLOAT64, INDICES, INT16

RANGE = Operator(
    "Range",
    doc=__doc__,
    history=(
        Change(
            11,
            "first version",
            inputs=(
                Port("start", "T", "a scalar: the first number"),
                Port("limit", "T", "a scalar: the number to stop before"),
                Port("delta", "T", "a scalar: the step, which may be negative"),
            ),
            outputs=(Port("output", "T", "1-D: the numbers"),),
            types={"T": INDICES | FLOAT32 | FLOAT64 | INT16},
        ),
        Change(
            27,
            "16-bit floats",
            attributes=(
                Attr(
                    "stash_type",
                    "int",
                    1,
                    as_=DType,
                    one_of=(1, 11),
                    doc="the type that 16-bit floats are computed in: float32 (1) or float64 (11)",
                ),
            ),
            widen={"T": FLOAT16 | BF16},
        ),
    ),
)


def range_length(start: Size, limit: Size, delta: Size) -> Dim:
    """How many numbers there are.

    Raises:
        Violation: the step is 0.
        UndecidedError: the sign of the step is not known, or the length is no arithmetic of sizes.
    """
    if isinstance(delta, int | Fraction) and delta == 0:
        raise Violation(
            "delta = 0", "a step of 0 never gets to the limit", port="delta", code="input-value"
        )
    (a, b), (c, d), (e, f) = (fraction(size) for size in (start, limit, delta))
    way, step = c * b - a * d, e * (b * d)
    if less_equal(0, e) is True:
        return maximum(ceildiv(way * f, step), 0)
    if less(e, 0) is True:
        return maximum(ceildiv(-way * f, -step), 0)
    raise UndecidedError(f"the sign of the step {delta} is not known")


@RANGE.infer(since=11)
def infer(start: Abstract, limit: Abstract, delta: Abstract, *, at: RuleSite) -> Abstract:
    ends: list[Size] = []
    for name, value in (("start", start), ("limit", limit), ("delta", delta)):
        _check_one(value.shape, port=name)
        ends.extend(value.content or ())
    if len(ends) == 3:
        with suppress(UndecidedError):
            return Abstract(None, (_length(*ends),))
    return Abstract(None, (at.fresh("length"),))


def _check_one(shape: Shape | None, *, port: str) -> None:
    if shape is not None and known_different(product(shape), 1):
        raise Violation(
            f"shape {list(shape)}", "a scalar, of shape []", port=port, code="wrong-shape"
        )


def _length(start: Size, limit: Size, delta: Size) -> Dim:
    numbers = (start, limit, delta)
    if all(isinstance(n, int) for n in numbers):
        return range_length(*numbers)
    plain = [float(n) for n in numbers if isinstance(n, int | Fraction)]
    # Rounded as at run time: (1 - 0) / 0.1 is 10, though the 0.1 of a float is more than 1/10.
    return _float_length(*plain) if len(plain) == 3 else range_length(*numbers)


def _float_length(start: float, limit: float, delta: float) -> int:
    if delta == 0:
        raise Violation(
            "delta = 0.0", "a step of 0 never gets to the limit", port="delta", code="input-value"
        )
    steps = (limit - start) / delta
    if not isfinite(steps):
        raise Violation(
            f"{steps} steps of {delta} from {start} to {limit}",
            "a range ends",
            port="limit",
            code="wrong-count",
        )
    return max(ceil(steps), 0)


def range_of_sizes(start: Array, limit: Array, delta: Array) -> Array:
    """The numbers as sizes; how many there are must be a plain number."""
    first, last, step = (_only(value) for value in (start, limit, delta))
    count = int(_length(first, last, step))
    numbers = np.empty(count, object)
    for i in range(count):
        numbers[i] = Ratio(*fraction(first)) + Ratio(*fraction(step)) * i
    return numbers


@RANGE.kernel(since=11, sizes=range_of_sizes)
def arange(start: Array, limit: Array, delta: Array, *, stash_type: DType | None = None) -> Array:
    for port, value in (("start", start), ("limit", limit), ("delta", delta)):
        _check_one(value.shape, port=port)
    dtype = start.dtype
    if dtype.kind in "iu":
        first, last, step = (
            value.reshape(-1).astype(np.int64)[0].item() for value in (start, limit, delta)
        )
        count = int(range_length(first, last, step))
        check_room((count,), np.dtype(np.int64), port="limit")
        return (first + step * np.arange(count, dtype=np.int64)).astype(dtype)
    narrow = dtype.itemsize < 4 and stash_type is not None
    wide = stash_type.numpy if narrow and stash_type else np.dtype(np.float64)
    first, last, step = (value.astype(wide).reshape(-1)[0] for value in (start, limit, delta))
    count = _float_length(float(first), float(last), float(step))
    check_room((count,), wide, port="limit")
    return (np.arange(count, dtype=wide) * step + first).astype(dtype)


def _only(value: Array) -> Size:
    (element,) = value.reshape(-1).tolist()
    return element


@RANGE.body(since=11)
def body(
    f: Body,
    start: BodyValue,
    limit: BodyValue,
    delta: BodyValue,
    *,
    stash_type: DType | None = None,
) -> BodyValue:
    dtype = f.dtype(start)
    if dtype is not None:
        wide = _computed_in(dtype, stash_type)
        start, limit, delta = (f.Cast(value, to=wide) for value in (start, limit, delta))
    way, step = (f.Cast(v, to=DType.FLOAT64) for v in (f.Sub(limit, start), delta))
    count = f.Cast(f.Relu(f.Ceil(f.Div(way, step))), to=DType.INT64)
    steps = f.Expand(delta, f.Reshape(count, f.constant([1])))
    numbers = f.Add(start, f.CumSum(steps, f.constant(0), exclusive=1))
    return numbers if dtype is None else f.Cast(numbers, to=dtype)


def _computed_in(dtype: DType, stash_type: DType | None) -> DType:
    if f"tensor({dtype.onnx_name})" in INDICES | INT16:
        return DType.INT64
    narrow = dtype in {DType.FLOAT16, DType.BFLOAT16}
    return stash_type if narrow and stash_type else DType.FLOAT64


RANGE.example((10, 4, -2), ([10, 8, 6],))
RANGE.example((0.0, 1.0, 0.4), ([0.0, 0.4, 0.8],))
RANGE.example((4, 10, -2), (np.array([], np.int64),))
