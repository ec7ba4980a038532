"""Values with their declared types, from the wire format."""

from __future__ import annotations

from typing import Any

from onnx_explorer.files import limits
from onnx_explorer.files.drafts import ValueDraft
from onnx_explorer.files.memo import Memo, Metadata
from onnx_explorer.files.wire import LENGTH, Buffer, read_field, read_varint, text_of
from onnx_explorer.ir import Value
from onnx_explorer.ir.tensor import NO_METADATA

_NAME, _TYPE, _DOC, _METADATA = (number << 3 | LENGTH for number in range(1, 5))


def read_values(buffer: Buffer, memo: Memo, start: int, limit: int, read: list[Value]) -> int:
    """Add the ValueInfoProtos of one field that follow each other from `start` on; returns where
    they end.
    """
    tag = buffer[start]
    while start < limit and buffer[start] == tag:
        window = buffer[start : min(limit, start + limits.WINDOW_BYTES)]
        taken = _run(window, memo, read)
        start += taken
        if not taken or (taken < len(window) and buffer[start] == tag):
            _, _, first, start = read_field(buffer, start, limit)
            read.append(read_value(buffer, memo, first, start))
    return start


def _run(window: bytes, memo: Memo, read: list[Value]) -> int:
    """Add the values at the beginning of a window; returns where something else begins, or one that
    is not written as nearly all are: a name of few letters in ASCII, a type of few bytes.
    """
    text, tag, begin, last = window.decode("latin-1"), window[0], 0, len(window)
    types, add = memo.types, read.append
    try:
        while begin < last and window[begin] == tag:
            size, start = window[begin + 1], begin + 2
            if size > 0x7F:
                if window[start] > 0x7F:
                    break
                size, start = size + (window[start] << 7) - 0x80, start + 1
            named = start + 2 + window[start + 1]
            typed = named + 2 + window[named + 1]
            end = start + size
            if typed > end or end > last:
                break
            # Lengths of more than one byte, as letters that are not ASCII, show up here.
            head = text[start : named + 2]
            if head[0] != "\n" or head[-2] != "\x12" or not head.isascii():
                break
            draft: Any = ValueDraft()
            draft.metadata = NO_METADATA
            if typed < end:
                position = typed
                while position < end and window[position] == _METADATA:
                    size, position = window[position + 1], position + 2
                    if size > 0x7F:
                        size, position = read_varint(window, position - 1)
                    position += size
                if position != end:
                    break
                draft.metadata = Metadata(window[typed:end])
            draft.name = text[start + 2 : named]
            draft.type = types[window[named + 2 : typed]]
            draft.doc = ""
            draft.__class__ = Value
            add(draft)
            begin = end
    except IndexError:
        pass  # the last one is not all in the window
    return begin


def read_value(buffer: Buffer, memo: Memo, start: int, end: int) -> Value:
    """The ValueInfoProto at `start` to `end`."""
    name = doc = ""
    types: list[bytes] = []
    metadata: list[bytes] = []
    position = start
    while position < end:
        begin = position
        number, wire, first, position = read_field(buffer, begin, end)
        if wire != LENGTH:
            continue
        match number:
            case 1:
                name = text_of(buffer[first:position])
            case 2:
                types.append(buffer[first:position])
            case 3:
                doc = text_of(buffer[first:position])
            case 4:
                metadata.append(buffer[begin:position])
            case _:
                pass
    declared = memo.types[types[0] if len(types) == 1 else b"".join(types)]
    return Value(name, declared, doc, Metadata(b"".join(metadata)) if metadata else NO_METADATA)
