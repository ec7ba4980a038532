"""Values with their declared types, from the wire format."""

from __future__ import annotations

from typing import Any

from onnx_explorer.files.drafts import ValueDraft
from onnx_explorer.files.memo import Memo, Metadata
from onnx_explorer.files.wire import LENGTH, Buffer, Malformed, read_field, read_varint, text_of
from onnx_explorer.ir import Value
from onnx_explorer.ir.tensor import NO_METADATA


def read_value(buffer: Buffer, memo: Memo, start: int, end: int) -> Value:
    """The ValueInfoProto at `start` to `end`."""
    raw, position = buffer[start:end], 0
    last = len(raw)
    draft: Any = ValueDraft()
    if last > 4 and raw[0] == 0x0A and raw[1] < 0x80:
        stop = 2 + raw[1]
        # Nearly always there is a name and a type of few bytes, and nothing else.
        if stop + 2 < last and raw[stop] == 0x12 and raw[stop + 1] == last - stop - 2 < 0x80:
            draft.name = raw[2:stop].decode("utf-8", "backslashreplace")
            draft.type = memo.types[raw[stop + 2 :]]
            draft.doc, draft.metadata = "", NO_METADATA
            draft.__class__ = Value
            return draft
    name, doc, metadata = "", "", list[bytes]()
    types: list[bytes] = []
    while position < last:
        begin, tag, size = position, raw[position], raw[position + 1]
        position += 2
        if size > 0x7F and tag & 7 == LENGTH:
            size, position = read_varint(raw, position - 1)
        stop = position + size
        if tag == 0x0A:
            name = memo.texts[raw[position:stop]]
        elif tag == 0x12:
            types.append(raw[position:stop])
        elif tag == 0x1A:
            doc = text_of(raw[position:stop])
        elif tag == 0x22:
            metadata.append(raw[position:stop])
        else:
            stop = read_field(raw, begin, last)[3]
        position = stop
    if position != last:
        raise Malformed("a field of a value runs past its end", start)
    draft.name = name
    draft.type = memo.types[types[0] if len(types) == 1 else b"".join(types)]
    draft.doc = doc
    draft.metadata = Metadata(tuple(metadata)) if metadata else NO_METADATA
    draft.__class__ = Value
    return draft
