"""Tensors from the wire format: heads are read, elements stay where they are."""

from __future__ import annotations

from collections.abc import Sequence
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
    VARINT,
    Buffer,
    read_field,
    read_varint,
    signed,
    split,
    text_of,
)
from onnx_explorer.ir import DType, Payload, SparseTensor, Tensor
from onnx_explorer.ir.tensor import NO_METADATA
from onnx_explorer.proto import onnx_explorer_pb2 as pb

_DIM, _DTYPE, _NAME, _RAW = 0x08, 0x10, 0x42, 0x4A
_VALUES, _INDICES = 1, 2


def read_tensors(
    source: MemorySource, memo: Memo, start: int, limit: int, read: list[Tensor]
) -> int:
    """Add the TensorProtos of one field that follow each other from `start` on; returns where they
    end.
    """
    whole = source.buffer
    tag = whole[start]
    while start < limit and whole[start] == tag:
        size, base = whole[start + 1], start + 2
        if size > 0x7F:
            size, base = read_varint(whole, start + 1)
        end = base + size
        if end > limit:
            read_field(whole, start, limit)  # tells what is wrong
        read.append(read_tensor(source, memo, base, end))
        start = end
    return start


def read_tensor(source: MemorySource, memo: Memo, start: int, end: int) -> Tensor:
    """The TensorProto at `start` to `end`."""
    head = source.buffer[start : min(end, start + limits.SMALL_MESSAGE_BYTES)]
    try:
        usual = _usual(source, head, start, end)
    except IndexError:
        usual = None
    return usual or _unusual(source, memo, start, end)


def _usual(source: MemorySource, head: bytes, base: int, end: int) -> Tensor | None:
    """A tensor that is written as nearly all are: dims and dtype in numbers of one or two bytes, no
    name or one of few letters in ASCII, and elements in raw form.
    """
    dims: list[int] = []
    position = 0
    while head[position] == _DIM:
        dim, position = head[position + 1], position + 2
        if dim > 0x7F:
            more = head[position]
            if more > 0x7F:
                return None
            dim, position = dim + (more << 7) - 0x80, position + 1
        dims.append(dim)
    dtype, named, name = DTYPES.get(head[position + 1]), position + 2, b""
    if dtype is None or head[position] != _DTYPE:
        return None
    if head[named] == _NAME:
        position, named = named + 2, named + 2 + head[named + 1]
        name = head[position:named]
    if len(name) > 0x7F or not name.isascii() or head[named] != _RAW:
        return None
    size, first = head[named + 1], named + 2
    if size > 0x7F:
        size, first = read_varint(head, named + 1)
    if first + size != end - base:
        return None
    payload = object.__new__(StoredPayload)
    payload.source = source
    payload.start = base
    payload.end = payload.raw_end = end
    payload.raw_start = base + first
    payload.nbytes = size
    draft: Any = TensorDraft()
    payload.name = draft.name = name.decode()
    draft.dtype = dtype
    draft.dims = tuple(dims)
    draft.payload = payload
    draft.doc = ""
    draft.metadata = NO_METADATA
    draft.__class__ = Tensor
    return draft


def _unusual(source: MemorySource, memo: Memo, start: int, end: int) -> Tensor:
    buffer = source.buffer
    name, doc, dims, number = "", "", list[int](), 0
    raw: tuple[int, int] | None = None
    string_bytes, outside = 0, False
    entries: list[bytes] = []
    metadata: list[bytes] = []
    position = start
    while position < end:
        begin = position
        field, wire, first, position = read_field(buffer, begin, end)
        if wire == VARINT:
            value = signed(read_varint(buffer, first)[0])
            if field == 1:
                dims.append(value)
            elif field == 2:
                number = value
            elif field == 14:
                outside = value == pb.TensorProto.EXTERNAL
        elif wire == LENGTH:
            match field:
                case 1:
                    dims += _packed(buffer, first, position)
                case 6:
                    string_bytes += position - first
                case 8:
                    name = text_of(buffer[first:position])
                case 9:
                    raw = first, position
                case 12:
                    doc = text_of(buffer[first:position])
                case 13:
                    entries.append(buffer[first:position])
                case 16:
                    metadata.append(buffer[begin:position])
                case _:
                    pass
    shape = tuple(dims)
    try:
        dtype = dtype_of(number)
        payload: Payload
        if outside:
            payload = _external(memo, entries, name, dtype, shape)
        else:
            if raw is not None:
                stored = raw[1] - raw[0]
            else:
                stored = string_bytes if dtype is DType.STRING else packed_bytes(dtype, shape)
            payload = StoredPayload(source, start, end, *(raw or (-1, -1)), stored, name)
    except ModelError as error:
        raise ModelError(f"tensor {name!r}: {error}") from None
    kept = Metadata(b"".join(metadata)) if metadata else NO_METADATA
    return Tensor(name, dtype, shape, payload, doc, kept)


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
    values, indices = (
        _merged(source, memo, [(a, b) for number, a, b in spans if number == part], end)
        for part in (_VALUES, _INDICES)
    )
    return SparseTensor(values, indices, tuple(pb.SparseTensorProto.FromString(rest).dims))


def _merged(source: MemorySource, memo: Memo, spans: Sequence[tuple[int, int]], end: int) -> Tensor:
    """The one tensor that several occurrences of a singular field mean together."""
    if len(spans) < 2:
        return read_tensor(source, memo, *(spans[0] if spans else (end, end)))
    raw = b"".join(source.buffer[a:b] for a, b in spans)
    return read_tensor(MemorySource(raw), memo, 0, len(raw))
