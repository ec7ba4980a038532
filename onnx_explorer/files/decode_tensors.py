"""Tensors from the wire format: heads are read, elements stay where they are."""

from __future__ import annotations

from typing import Any

from onnx_explorer.errors import ModelError
from onnx_explorer.files import limits
from onnx_explorer.files.drafts import TensorDraft
from onnx_explorer.files.elements import packed_bytes
from onnx_explorer.files.external import Location
from onnx_explorer.files.memo import Memo, Metadata, read_entry
from onnx_explorer.files.payloads import ExternalPayload, StoredPayload
from onnx_explorer.files.sources import MemorySource
from onnx_explorer.files.types import DTYPES, dtype_of
from onnx_explorer.files.wire import (
    LENGTH,
    Buffer,
    Malformed,
    read_field,
    read_varint,
    signed,
    split,
    text_of,
)
from onnx_explorer.ir import DType, Payload, SparseTensor, Tensor
from onnx_explorer.ir.tensor import NO_METADATA
from onnx_explorer.proto import onnx_explorer_pb2 as pb

_DIM, _DTYPE, _METADATA = 0x08, 0x10, 16
_VALUES, _INDICES = 1, 2


def read_tensor(source: MemorySource, memo: Memo, start: int, end: int) -> Tensor:
    """The TensorProto at `start` to `end`."""
    buffer, base, position, last = source.buffer, 0, start, end
    if end - start <= limits.SMALL_MESSAGE_BYTES:
        buffer, base, position, last = buffer[start:end], start, 0, end - start
    name, doc, dims, number = "", "", list[int](), 0
    raw_start = raw_end = -1
    string_bytes, outside = 0, False
    entries: list[bytes] = []
    metadata: list[bytes] = []
    # Nearly always the dims and the dtype stand first, in numbers of one or two bytes.
    while position + 2 < last and buffer[position] == _DIM:
        size, position = buffer[position + 1], position + 2
        if size > 0x7F:
            more = buffer[position]
            if more > 0x7F:
                position -= 2
                break
            size += (more << 7) - 0x80
            position += 1
        dims.append(size)
    if position + 2 < last and buffer[position] == _DTYPE and buffer[position + 1] < 0x80:
        number, position = buffer[position + 1], position + 2
    while position < last:
        begin, tag, size = position, buffer[position], buffer[position + 1]
        position += 2
        if size > 0x7F and tag & 5 == 0:  # a number, or the length of something
            size, position = read_varint(buffer, position - 1)
        if tag == _DIM:
            dims.append(size if size < 0x80 else signed(size))
            continue
        if tag == _DTYPE:
            number = size
            continue
        stop = position + size
        if tag == 0x4A:
            raw_start, raw_end = base + position, base + stop
        elif tag == 0x42:
            name = buffer[position:stop].decode("utf-8", "backslashreplace")
        elif tag == 0x0A:
            dims += _packed(buffer, position, stop)
        elif tag == 0x32:
            string_bytes += size
        elif tag == 0x62:
            doc = text_of(buffer[position:stop])
        elif tag == 0x6A:
            entries.append(buffer[position:stop])
        elif tag == 0x70:
            outside, stop = size == pb.TensorProto.EXTERNAL, position
        else:
            field, wire, a, stop = read_field(buffer, begin, last)
            if field == _METADATA and wire == LENGTH:
                metadata.append(buffer[a:stop])
        position = stop
    if position != last:
        raise Malformed("a field of a tensor runs past its end", start)
    shape = tuple(dims)
    try:
        dtype = DTYPES.get(number) or dtype_of(number)
        payload: Payload
        if outside:
            payload = _external(memo, entries, name, dtype, shape)
        else:
            if raw_start >= 0:
                stored = raw_end - raw_start
            else:
                stored = string_bytes if dtype is DType.STRING else packed_bytes(dtype, shape)
            payload = StoredPayload(source, start, end, raw_start, raw_end, stored, name)
    except ModelError as error:
        raise ModelError(f"tensor {name!r}: {error}") from None
    draft: Any = TensorDraft()
    draft.name = name
    draft.dtype = dtype
    draft.dims = shape
    draft.payload = payload
    draft.doc = doc
    draft.metadata = Metadata(tuple(metadata)) if metadata else NO_METADATA
    draft.__class__ = Tensor
    return draft


def _packed(buffer: Buffer, position: int, end: int) -> list[int]:
    values: list[int] = []
    while position < end:
        value, position = read_varint(buffer, position)
        values.append(signed(value))
    return values


def _external(
    memo: Memo, entries: list[bytes], name: str, dtype: DType, dims: tuple[int, ...]
) -> ExternalPayload:
    memo.external += 1
    location = Location.of(dict(map(read_entry, entries)))
    memo.folder.confine(location.path)
    stored = packed_bytes(dtype, dims) if location.length is None else location.length
    return ExternalPayload(memo.folder, location, stored, name)


def read_sparse_tensor(source: MemorySource, memo: Memo, start: int, end: int) -> SparseTensor:
    """The SparseTensorProto at `start` to `end`."""
    spans, rest = split(source.buffer, start, end, {_VALUES, _INDICES})
    found = {number: read_tensor(source, memo, a, b) for number, a, b in spans}
    empty = read_tensor(source, memo, end, end)
    dims = tuple(pb.SparseTensorProto.FromString(rest).dims)
    return SparseTensor(found.get(_VALUES, empty), found.get(_INDICES, empty), dims)
