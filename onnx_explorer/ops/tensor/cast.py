"""Cast: every element converted to another type, `to`.

Between floats a number is rounded to the nearest one, ties to even; what is too large becomes
infinity. Floats become integers by cutting off the fraction, and nothing is promised for what does
not fit. Integers that do not fit lose their high bits (300 becomes 44 in uint8). 0 becomes false,
all else true, NaN included.

Types without infinity, or with `saturate`, have rules of their own. The four 8-bit floats clamp to
their largest number with `saturate` = 1; with 0 they overflow to infinity where the type has it and
to NaN where it has not. float8_e8m0fnu holds powers of two alone: `round_mode` "up" takes the next
one above, "down" the one below, "nearest" the nearer, upward when both are as near.

Strings hold numbers as people write them: "3.14", "1e-5", "-INF", "NaN", in any case.

Spec: ai.onnx Cast-28
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from onnx_explorer.dims import Dim, UndecidedError, bounds, equal, trunc
from onnx_explorer.ir import DType
from onnx_explorer.ops.cotangents import Floats, Values
from onnx_explorer.ops.elementwise import Array
from onnx_explorer.ops.sizes import fraction
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, Size, Violation
from onnx_explorer.schema.typesets import (
    BF16,
    BOOL,
    FLOAT4,
    FLOAT6,
    FLOAT8,
    FLOAT8_E8M0,
    INT2,
    INT4,
    NUMBERS,
    STRING,
    TypeSet,
)


def _named(value: object) -> DType:
    return DType.from_label(str(value).lower())


def _both(types: TypeSet) -> dict[str, TypeSet]:
    return {"T1": types, "T2": types}


CAST = Operator(
    "Cast",
    doc=__doc__,
    history=(
        Change(
            1,
            "the type is named in words",
            inputs=(Port("input", "T1", "what to convert"),),
            outputs=(Port("output", "T2", "the same numbers as `to` holds them"),),
            attributes=(
                Attr(
                    "to", "string", required=True, as_=_named, doc='name of the type, as "FLOAT16"'
                ),
            ),
            types=_both(NUMBERS | BOOL),
        ),
        Change(
            6,
            "the type is given by its number",
            attributes=(Attr("to", "int", required=True, as_=DType, doc="the new type"),),
        ),
        Change(9, "strings", widen=_both(STRING)),
        Change(13, "bfloat16", widen=_both(BF16), differentiable={"input": True, "output": True}),
        Change(
            19,
            "8-bit floats",
            widen=_both(FLOAT8),
            attributes=(
                Attr(
                    "saturate",
                    "int",
                    1,
                    one_of=(0, 1),
                    doc="what 8-bit floats make of numbers that do not fit: "
                    "1, the largest they have; 0, infinity or NaN",
                ),
            ),
        ),
        Change(21, "4-bit integers", widen=_both(INT4)),
        Change(23, "4-bit floats", widen=_both(FLOAT4)),
        Change(
            24,
            "float8_e8m0fnu",
            widen=_both(FLOAT8_E8M0),
            attributes=(
                Attr(
                    "round_mode",
                    "string",
                    "up",
                    one_of=("up", "down", "nearest"),
                    doc="how float8_e8m0fnu rounds; other types do not look at it",
                ),
            ),
        ),
        Change(25, "2-bit integers", widen=_both(INT2)),
        Change(28, "6-bit floats", widen=_both(FLOAT6)),
    ),
)


@CAST.infer(since=1)
def infer(input: Abstract, *, to: DType | None) -> Abstract:
    return Abstract(to, input.shape)


def cast_sizes(input: Array, *, to: DType) -> object:
    """Sizes in another type, where that loses nothing."""
    if to.family not in _OF_SIZES:
        raise UndecidedError(f"sizes do not travel as {to.label}")
    of_size = _OF_SIZES[to.family]
    return np.frompyfunc(lambda size: of_size(size, to), 1, 1)(input)


@CAST.kernel(since=1, sizes=cast_sizes)
def convert(input: Array, *, to: DType, saturate: int = 1, round_mode: str = "up") -> Array:
    if input.dtype == to.numpy:
        return input
    if input.dtype.kind in "OUT":
        return convert(_parsed(input, to), to=to, saturate=saturate, round_mode=round_mode)
    if to is DType.STRING:
        return _written(input)
    if to is DType.FLOAT8_E8M0FNU:
        return _powers_of_two(input, bool(saturate), round_mode)
    if to.bits == 8 and to.family == "float":
        return _eight_bits(input, to, bool(saturate))
    return _native(input).astype(to.numpy)


@CAST.vjp(since=1)
def vjp(cotangents: Values, inputs: Values, outputs: Values) -> Floats:
    # From floats to floats: rounding changes nothing that a derivative sees.
    return cotangents[0].astype(inputs[0].dtype, copy=False)


def _native(values: Array) -> Array:
    """Numbers in a type of numpy's own that holds all of them: the small types of ml_dtypes
    convert to few others.
    """
    if values.dtype.isbuiltin == 1:
        return values
    is_float = DType.from_numpy(values.dtype).family == "float"
    return values.astype(np.float32 if is_float else np.int32)


def _eight_bits(values: Array, to: DType, saturate: bool) -> Array:
    wide = _native(values)
    if saturate:
        largest = _LARGEST[to]
        wide = np.clip(
            wide.astype(np.float32) if wide.dtype.kind != "f" else wide, -largest, largest
        )
    return wide.astype(to.numpy)


_LARGEST = {
    DType.FLOAT8_E4M3FN: 448.0,
    DType.FLOAT8_E4M3FNUZ: 240.0,
    DType.FLOAT8_E5M2: 57344.0,
    DType.FLOAT8_E5M2FNUZ: 57344.0,
}


def _powers_of_two(values: Array, saturate: bool, round_mode: str) -> Array:
    """Numbers as float8_e8m0fnu: the exponents of powers of two from -127 to 127, plus 127."""
    mantissa, exponent = np.frexp(_native(values).astype(np.float64))
    # A number is mantissa × 2^exponent with a mantissa from 0.5 on, so 2^(exponent - 1) lies below.
    first_to_go_up = {"up": np.nextafter(0.5, 1), "nearest": 0.75, "down": 2.0}[round_mode]
    power = exponent - 1 + (mantissa >= first_to_go_up)
    power = np.where(mantissa == 0, -1000, np.where(np.isinf(mantissa), 1000, power))
    outside = np.isnan(mantissa) | (mantissa < 0)
    if not saturate:
        outside |= (power < -127) | (power > 127)
    bits = np.where(outside, 255, np.clip(power, -127, 127) + 127)
    return bits.astype(np.uint8).view(DType.FLOAT8_E8M0FNU.numpy)


def _parsed(texts: Array, to: DType) -> Array:
    """The numbers that strings spell, in a type wide enough for `to`."""
    whole = to.family in {"int", "uint"}
    numbers = [_number(str(text), whole) for text in texts.reshape(-1).tolist()]
    wide = np.float64 if not whole else np.uint64 if to is DType.UINT64 else np.int64
    return np.array(numbers, wide).reshape(texts.shape)


def _number(text: str, whole: bool) -> float:
    try:
        return int(text) if whole else float(text)
    except ValueError:
        pass
    try:
        return int(float(text))
    except (ValueError, OverflowError):
        raise Violation(f"the string {text!r}", "a number is needed", port="input") from None


def _written(values: Array) -> Array:
    """Numbers as strings: the shortest that stand for them in their own type."""
    plain = values.astype(np.int8) if values.dtype == bool else _native(values)
    texts = plain.astype(str).astype(object)
    return _spelled(texts) if plain.dtype.kind == "f" else texts


def _spelled(texts: Array) -> Array:
    special = {"nan": "NaN", "inf": "INF", "-inf": "-INF"}
    flat = [special.get(text, text) for text in texts.reshape(-1).tolist()]
    return np.array(flat, object).reshape(texts.shape)


def _as_integer(size: Size, to: DType) -> Dim:
    whole = trunc(size)
    low, high = bounds(whole)
    smallest = -(1 << (to.bits - 1)) if to.family == "int" else 0
    largest = smallest + (1 << to.bits) - 1
    if low is not None and high is not None and smallest <= low and high <= largest:
        return whole
    if isinstance(whole, int):
        if isinstance(size, int):
            return (whole - smallest) % (1 << to.bits) + smallest
        raise UndecidedError(f"{size} does not fit into {to.label}")
    # A size that overflows 32 bits is no size of an axis.
    if to.bits < 32:
        raise UndecidedError(f"{whole} may not fit into {to.label}")
    return whole


def _as_float(size: Size, to: DType) -> Size:
    numerator, denominator = fraction(size)
    if isinstance(numerator, int):
        rounded = float(np.array(numerator / denominator).astype(to.numpy))
        exact = Fraction(rounded)
        return exact.numerator if exact.denominator == 1 else exact
    low, high = bounds(numerator)
    limit = 1 << 8
    # Sizes that float32 would round, beyond 16 million, are not met on an axis.
    if to.bits < 32 and (low is None or high is None or low < -limit or high > limit):
        raise UndecidedError(f"{to.label} may round {size}")
    return size


def _as_bool(size: Size, to: DType) -> bool:
    zero = equal(fraction(size)[0], 0)
    if zero is None:
        raise UndecidedError(f"cannot decide whether {size} is 0")
    return not zero


_OF_SIZES: dict[str, Callable[[Size, DType], Size]] = {
    "int": _as_integer,
    "uint": _as_integer,
    "float": _as_float,
    "bool": _as_bool,
}

CAST.example(([1.7, -1.7, 0.0],), (np.array([1, -1, 0], np.int32),), to="int32")
CAST.example(([1.7, float("nan"), 0.0],), ([True, True, False],), to="bool")
CAST.example(([300],), (np.array([44], np.uint8),), to="uint8")
CAST.example((["3.14", "1e-5", "-INF"],), ([3.14, 1e-5, float("-inf")],), to="float32")
