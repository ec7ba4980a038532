"""Element types: one table that relates numbers in files, ONNX's names and numpy's names."""

from __future__ import annotations

from enum import Enum
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np

Family = Literal["undefined", "float", "int", "uint", "bool", "complex", "string"]


class DType(Enum):
    """The element type of a tensor; the value of a member is its number in the file format."""

    UNDEFINED = 0
    FLOAT32 = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    FLOAT64 = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16
    FLOAT8_E4M3FN = 17
    FLOAT8_E4M3FNUZ = 18
    FLOAT8_E5M2 = 19
    FLOAT8_E5M2FNUZ = 20
    UINT4 = 21
    INT4 = 22
    FLOAT4_E2M1FN = 23
    FLOAT8_E8M0FNU = 24
    UINT2 = 25
    INT2 = 26
    FLOAT6_E2M3FN = 27
    FLOAT6_E3M2FN = 28

    # Members are singletons: hashing by identity is several times faster than Enum's own hash.
    __hash__ = object.__hash__

    @cached_property
    def label(self) -> str:
        """The name that numpy or ml_dtypes uses: `float32`, `bfloat16`, `float8_e4m3fn`."""
        return "?" if self is DType.UNDEFINED else self.name.lower()

    @cached_property
    def onnx_name(self) -> str:
        """The name in ONNX's type notation, without `tensor(...)`: `float`, `float8e4m3fn`."""
        return _ONNX_NAMES.get(self, self.name.lower())

    @cached_property
    def notation(self) -> str:
        """The tensor type in ONNX's notation: `tensor(float)`."""
        return f"tensor({self.onnx_name})"

    @cached_property
    def bits(self) -> int:
        """Width of one element in bits; 0 where it varies (strings) or is not known."""
        return _BITS[self]

    @cached_property
    def family(self) -> Family:
        """What kind of number this is, whatever its width."""
        for prefix in ("float", "bfloat", "uint", "int", "bool", "complex", "string"):
            if self.name.lower().startswith(prefix):
                return "float" if prefix == "bfloat" else prefix
        return "undefined"

    @cached_property
    def numpy(self) -> np.dtype:
        """The dtype of arrays of this type; strings are object arrays of `str`."""
        import numpy as np

        if self is DType.STRING:
            return np.dtype(object)
        if self is DType.UNDEFINED:
            msg = "an undefined element type has no numpy dtype"
            raise TypeError(msg)
        if self in _ML_DTYPES:
            import ml_dtypes

            return np.dtype(getattr(ml_dtypes, self.label))
        return np.dtype(self.label)

    @classmethod
    def from_numpy(cls, dtype: np.dtype) -> DType:
        """The element type of an array; raises `TypeError` for one that ONNX does not have."""
        if dtype.kind in "OUST":
            return cls.STRING
        found = _of_name(dtype)
        if found is None:
            msg = f"numpy dtype {dtype} has no counterpart in ONNX"
            raise TypeError(msg)
        return found

    @classmethod
    def from_label(cls, label: str) -> DType:
        """The element type of this name, in numpy's (`float32`) or ONNX's (`float`) spelling."""
        found = _BY_LABEL.get(label) or _BY_ONNX_NAME.get(label)
        if found is None:
            msg = f"{label!r} is not an element type; expected one of {', '.join(_BY_LABEL)}"
            raise ValueError(msg)
        return found

    def __repr__(self) -> str:
        return f"DType.{self.name}"


@lru_cache(64)
def _of_name(dtype: np.dtype) -> DType | None:
    """Kept, since numpy makes the name up each time, in many steps."""
    return _BY_LABEL.get(dtype.name)


_ONNX_NAMES = {
    DType.FLOAT32: "float",
    DType.FLOAT64: "double",
    DType.FLOAT8_E4M3FN: "float8e4m3fn",
    DType.FLOAT8_E4M3FNUZ: "float8e4m3fnuz",
    DType.FLOAT8_E5M2: "float8e5m2",
    DType.FLOAT8_E5M2FNUZ: "float8e5m2fnuz",
    DType.FLOAT4_E2M1FN: "float4e2m1",
    DType.FLOAT8_E8M0FNU: "float8e8m0",
    DType.FLOAT6_E2M3FN: "float6e2m3",
    DType.FLOAT6_E3M2FN: "float6e3m2",
}
_ML_DTYPES = frozenset(
    d for d in DType if d.value in {16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28}
)
_BITS = {
    **dict.fromkeys((DType.UNDEFINED, DType.STRING), 0),
    **dict.fromkeys((DType.UINT2, DType.INT2), 2),
    **dict.fromkeys((DType.UINT4, DType.INT4, DType.FLOAT4_E2M1FN), 4),
    **dict.fromkeys((DType.FLOAT6_E2M3FN, DType.FLOAT6_E3M2FN), 6),
    **dict.fromkeys((DType.UINT8, DType.INT8, DType.BOOL), 8),
    **dict.fromkeys((d for d in DType if d.name.startswith("FLOAT8_")), 8),
    **dict.fromkeys((DType.UINT16, DType.INT16, DType.FLOAT16, DType.BFLOAT16), 16),
    **dict.fromkeys((DType.FLOAT32, DType.INT32, DType.UINT32), 32),
    **dict.fromkeys((DType.FLOAT64, DType.INT64, DType.UINT64, DType.COMPLEX64), 64),
    DType.COMPLEX128: 128,
}
_BY_LABEL = {d.label: d for d in DType if d is not DType.UNDEFINED}
_BY_ONNX_NAME = {d.onnx_name: d for d in DType if d is not DType.UNDEFINED}
