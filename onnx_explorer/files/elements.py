"""The elements of a tensor as files hold them, to and from numpy arrays."""

from __future__ import annotations

import sys
from math import prod
from typing import TYPE_CHECKING

from onnx_explorer.errors import ModelError
from onnx_explorer.files import limits
from onnx_explorer.files.wire import (
    FIXED32,
    FIXED64,
    LENGTH,
    VARINT,
    Buffer,
    read_fields,
    read_varint,
)
from onnx_explorer.ir import DType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.generic]

SEGMENT = 3
FLOAT_DATA, INT32_DATA, STRING_DATA, INT64_DATA, RAW_DATA, DOUBLE_DATA, UINT64_DATA = (
    4,
    5,
    6,
    7,
    9,
    10,
    11,
)
PAYLOAD_FIELDS = {
    FLOAT_DATA: "float_data",
    INT32_DATA: "int32_data",
    STRING_DATA: "string_data",
    INT64_DATA: "int64_data",
    RAW_DATA: "raw_data",
    DOUBLE_DATA: "double_data",
    UINT64_DATA: "uint64_data",
}
_TYPED_FIELD = {
    DType.FLOAT32: FLOAT_DATA,
    DType.COMPLEX64: FLOAT_DATA,
    DType.STRING: STRING_DATA,
    DType.INT64: INT64_DATA,
    DType.FLOAT64: DOUBLE_DATA,
    DType.COMPLEX128: DOUBLE_DATA,
    DType.UINT32: UINT64_DATA,
    DType.UINT64: UINT64_DATA,
}


def typed_field(dtype: DType) -> int:
    """The typed list that holds elements of this type; whatever has none of its own is int32."""
    return _TYPED_FIELD.get(dtype, INT32_DATA)


def packed_bytes(dtype: DType, dims: tuple[int, ...]) -> int:
    """Size of the raw form: elements narrower than a byte lie side by side."""
    return -(-prod(dims) * dtype.bits // 8)


def describe(dtype: DType, dims: tuple[int, ...]) -> str:
    """The tensor's type for a message: `float32[2, 3]`."""
    return f"{dtype.label}[{', '.join(map(str, dims))}]"


def check_dims(dtype: DType, dims: tuple[int, ...]) -> None:
    """Raises ModelError for dims that no array can have."""
    if len(dims) > limits.MAX_RANK:
        raise ModelError(f"{len(dims)} axes; numpy holds {limits.MAX_RANK} at most")
    if any(d < 0 for d in dims):
        raise ModelError(f"{describe(dtype, dims)} has a negative size")
    # numpy refuses sizes that alone are too large, even where another one is 0.
    if prod(d for d in dims if d) > limits.MAX_ELEMENTS:
        raise ModelError(f"{describe(dtype, dims)} is larger than any memory")


def from_raw(raw: memoryview, dtype: DType, dims: tuple[int, ...]) -> Array:
    """The array that raw bytes hold: a view of them where their form and alignment allow it."""
    array = _from_raw(raw, dtype, dims)
    array.flags.writeable = False
    return array


def _from_raw(raw: memoryview, dtype: DType, dims: tuple[int, ...]) -> Array:
    import numpy as np

    check_dims(dtype, dims)
    if dtype in {DType.STRING, DType.UNDEFINED}:
        raise ModelError(f"raw bytes cannot hold elements of type {dtype.name.lower()}")
    needed = packed_bytes(dtype, dims)
    if len(raw) != needed:
        raise ModelError(f"{len(raw)} bytes stored, but {describe(dtype, dims)} needs {needed}")
    if dtype.bits < 8:
        return _from_bits(np.frombuffer(raw, np.uint8), dtype, prod(dims)).reshape(dims)
    if dtype is DType.BOOL:
        octets = np.frombuffer(raw, np.uint8)
        # A bool array whose bytes are not 0 or 1 misbehaves in numpy.
        clean = octets.view(np.bool_) if octets.max(initial=0) <= 1 else octets != 0
        return clean.reshape(dims)
    array = np.frombuffer(raw, dtype.numpy).reshape(dims)
    if sys.byteorder == "big":
        return array.byteswap()
    # Each kernel would copy an array that does not lie on its own alignment.
    return array if array.flags.aligned else array.copy()


def to_raw(array: Array, dtype: DType) -> memoryview:
    """The raw form of an array; a view of it where possible. Not for strings."""
    import numpy as np

    flat = np.ascontiguousarray(array, dtype.numpy).reshape(-1)
    if dtype.bits < 8:
        return _to_bits(flat, dtype).data
    if sys.byteorder == "big":
        flat = flat.byteswap()
    return flat.view(np.uint8).data


def _from_bits(octets: NDArray[np.uint8], dtype: DType, count: int) -> Array:
    import numpy as np

    width = dtype.bits
    group = 3 if width == 6 else 1  # bytes that hold a whole number of elements
    padded = np.zeros(-(-octets.size // group) * group, np.uint8)
    padded[: octets.size] = octets
    words = np.zeros(padded.size // group, np.uint32)
    for i in range(group):
        words |= padded[i::group].astype(np.uint32) << np.uint32(8 * i)
    each = 8 * group // width
    out = np.empty((words.size, each), np.uint8)
    for i in range(each):
        out[:, i] = (words >> np.uint32(width * i)) & np.uint32(2**width - 1)
    codes = out.reshape(-1)[:count]
    if dtype.family == "int":  # the sign bit is the element's highest
        sign = np.int8(2 ** (width - 1))
        return ((codes.view(np.int8) ^ sign) - sign).astype(dtype.numpy)
    return codes.astype(dtype.numpy) if dtype.family == "uint" else codes.view(dtype.numpy)


def _to_bits(flat: Array, dtype: DType) -> NDArray[np.uint8]:
    import numpy as np

    width = dtype.bits
    # 4-bit integers only convert by value; the bits above the element's own are cut off below.
    codes = (flat if dtype.family == "float" else flat.astype(np.int8)).view(np.uint8)
    group = 3 if width == 6 else 1
    each = 8 * group // width
    padded = np.zeros(-(-codes.size // each) * each, np.uint32)
    padded[: codes.size] = codes & np.uint8(2**width - 1)
    words = np.zeros(padded.size // each, np.uint32)
    for i in range(each):
        words |= padded[i::each] << np.uint32(width * i)
    out = np.empty((words.size, group), np.uint8)
    for i in range(group):
        out[:, i] = (words >> np.uint32(8 * i)) & np.uint32(0xFF)
    return out.reshape(-1)[: -(-flat.size * width // 8)]


def from_typed(buffer: Buffer, start: int, end: int, dtype: DType, dims: tuple[int, ...]) -> Array:
    """The array that the typed list of a TensorProto holds; the message is `buffer[start:end]`."""
    check_dims(dtype, dims)
    if dtype is DType.UNDEFINED:
        raise ModelError("the tensor does not say its element type")
    if dtype is DType.STRING:
        return _shaped(_texts(buffer, start, end), dtype, dims)
    field = typed_field(dtype)
    stored = _numbers(buffer, start, end, field)
    if field == INT32_DATA and dtype is not DType.INT32:
        return _shaped(_narrowed(stored, dtype, prod(dims)), dtype, dims)
    if dtype.family == "complex":
        if stored.size % 2:
            raise ModelError(f"{stored.size} numbers stored; complex elements take two each")
        return _shaped(stored.view(dtype.numpy), dtype, dims)
    return _shaped(stored.astype(dtype.numpy, copy=False), dtype, dims)


def _texts(buffer: Buffer, start: int, end: int) -> Array:
    import numpy as np

    texts = [
        buffer[a:b].decode(errors="backslashreplace")
        for number, wire, a, b in read_fields(buffer, start, end)
        if number == STRING_DATA and wire == LENGTH
    ]
    return np.array(texts, object)


def _shaped(elements: Array, dtype: DType, dims: tuple[int, ...]) -> Array:
    if elements.size != prod(dims):
        place = PAYLOAD_FIELDS[typed_field(dtype)]
        raise ModelError(
            f"{elements.size} elements in {place}, but {describe(dtype, dims)} has {prod(dims)}"
        )
    shaped = elements.reshape(dims)
    shaped.flags.writeable = False
    return shaped


def _narrowed(stored: Array, dtype: DType, count: int) -> Array:
    """Elements whose bit patterns travel as int32, one each, or packed bytes of the narrowest."""
    import numpy as np

    if dtype.bits in {2, 4}:
        return _from_bits(stored.astype(np.uint8), dtype, count)
    if dtype is DType.BOOL:
        return stored != 0
    if dtype.bits == 6:
        return (stored.astype(np.uint8) & np.uint8(0x3F)).view(dtype.numpy)
    return stored.astype(np.uint16 if dtype.bits == 16 else np.uint8).view(dtype.numpy)


def _numbers(buffer: Buffer, start: int, end: int, wanted: int) -> Array:
    """All numbers of a repeated field, packed or not."""
    import numpy as np

    spans = [
        (wire, a, b) for number, wire, a, b in read_fields(buffer, start, end) if number == wanted
    ]
    if wanted in {FLOAT_DATA, DOUBLE_DATA}:
        return _fixed(buffer, spans, wanted)
    pieces: list[Array] = [np.empty(0, np.uint64)]
    for wire, a, b in spans:
        if wire == LENGTH:
            pieces.append(_varints(buffer[a:b]))
        elif wire == VARINT:
            pieces.append(np.array([read_varint(buffer, a)[0]], np.uint64))
    values = np.concatenate(pieces)
    if wanted == UINT64_DATA:
        return values
    return (
        values.view(np.int64) if wanted == INT64_DATA else values.astype(np.uint32).view(np.int32)
    )


def _fixed(buffer: Buffer, spans: list[tuple[int, int, int]], field: int) -> Array:
    import numpy as np

    single, number = (
        (FIXED32, np.dtype("<f4")) if field == FLOAT_DATA else (FIXED64, np.dtype("<f8"))
    )
    pieces: list[Array] = []
    for wire, a, b in spans:
        if wire == LENGTH and (b - a) % number.itemsize:
            raise ModelError(f"{b - a} bytes in {PAYLOAD_FIELDS[field]} are no whole numbers")
        if wire in {LENGTH, single}:
            pieces.append(np.frombuffer(buffer, number, (b - a) // number.itemsize, a))
    if len(pieces) != 1:
        return np.concatenate(pieces) if pieces else np.empty(0, number)
    return pieces[0] if pieces[0].flags.aligned else pieces[0].copy()


def _varints(packed: bytes) -> Array:
    import numpy as np

    octets = np.frombuffer(packed, np.uint8)
    last = np.flatnonzero(octets < 0x80)
    if octets.size and (not last.size or last[-1] != octets.size - 1):
        raise ModelError("the last number of a packed list is cut off")
    first = np.empty_like(last)
    first[:1] = 0
    first[1:] = last[:-1] + 1
    length = last - first + 1
    if length.size and length.max() > 10:
        raise ModelError("a number of a packed list takes more than 10 bytes")
    values = np.zeros(last.size, np.uint64)
    for i in range(int(length.max(initial=0))):
        longer = length > i
        part = (octets[first[longer] + i] & np.uint8(0x7F)).astype(np.uint64)
        values[longer] |= part << np.uint64(7 * i)
    return values
