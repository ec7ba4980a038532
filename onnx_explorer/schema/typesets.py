"""Sets of types that operators allow, in ONNX's notation. Pages combine them with `|` and `-`.

The first half are groups of dtypes that appeared together; the second half are the sets that
operators of some era took as "everything there is".
"""

from __future__ import annotations

from onnx_explorer.ir.dtypes import DType

TypeSet = frozenset[str]


def tensors(*dtypes: DType) -> TypeSet:
    """`tensor(...)` of each of the dtypes."""
    return frozenset(d.notation for d in dtypes)


def sequences(types: TypeSet) -> TypeSet:
    """`seq(...)` of each of the types."""
    return frozenset(f"seq({t})" for t in types)


def optionals(types: TypeSet) -> TypeSet:
    """`optional(...)` of each of the types."""
    return frozenset(f"optional({t})" for t in types)


FLOAT32 = tensors(DType.FLOAT32)
FLOAT64 = tensors(DType.FLOAT64)
FLOAT16 = tensors(DType.FLOAT16)
BF16 = tensors(DType.BFLOAT16)
BOOL = tensors(DType.BOOL)
STRING = tensors(DType.STRING)
COMPLEX = tensors(DType.COMPLEX64, DType.COMPLEX128)
INT8 = tensors(DType.INT8)
INT16 = tensors(DType.INT16)
INT32 = tensors(DType.INT32)
INT64 = tensors(DType.INT64)
UINT8 = tensors(DType.UINT8)
UINT16 = tensors(DType.UINT16)
UINT32 = tensors(DType.UINT32)
UINT64 = tensors(DType.UINT64)
FLOAT8 = tensors(
    DType.FLOAT8_E4M3FN, DType.FLOAT8_E4M3FNUZ, DType.FLOAT8_E5M2, DType.FLOAT8_E5M2FNUZ
)
INT4 = tensors(DType.INT4, DType.UINT4)
FLOAT4 = tensors(DType.FLOAT4_E2M1FN)
FLOAT8_E8M0 = tensors(DType.FLOAT8_E8M0FNU)
INT2 = tensors(DType.INT2, DType.UINT2)
FLOAT6 = tensors(DType.FLOAT6_E2M3FN, DType.FLOAT6_E3M2FN)

SIGNED = INT8 | INT16 | INT32 | INT64
UNSIGNED = UINT8 | UINT16 | UINT32 | UINT64
INTEGERS = SIGNED | UNSIGNED
BYTES = INT8 | UINT8
SMALL_INTEGERS = INT8 | INT16 | UINT8 | UINT16
WIDE_INTEGERS = INT32 | INT64 | UINT32 | UINT64
INDICES = INT32 | INT64
FLOATS = FLOAT16 | FLOAT32 | FLOAT64
FLOATS_BF16 = FLOATS | BF16
WIDE_NUMBERS = FLOATS | WIDE_INTEGERS
NUMBERS = FLOATS | INTEGERS
NUMBERS_BF16 = NUMBERS | BF16

EVERY_V1 = NUMBERS | BOOL | STRING | COMPLEX
"""All tensors of IR version 3: what "any type" meant before bfloat16."""
EVERY_V4 = EVERY_V1 | BF16
EVERY_V9 = EVERY_V4 | FLOAT8
EVERY_V10 = EVERY_V9 | INT4
EVERY_V11 = EVERY_V10 | FLOAT4
EVERY_V12 = EVERY_V11 | FLOAT8_E8M0
EVERY_V13 = EVERY_V12 | INT2
"""All tensors of IR versions 4 (bfloat16), 9 (8-bit floats), 10 (4-bit integers), 11 (float4),
12 (float8 of exponents) and 13 (2-bit integers)."""

SEQUENCES_V1 = sequences(EVERY_V1)
SEQUENCES_V4 = sequences(EVERY_V4)
