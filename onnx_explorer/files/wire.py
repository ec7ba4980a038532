"""protobuf's wire format: fields as spans of a buffer, and the pieces that make up a field.

Offsets go into a buffer that gives ints when indexed and bytes when sliced, so that a mapped file is
read only where somebody looks.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from mmap import mmap

from onnx_explorer.errors import ModelError

Buffer = bytes | mmap

VARINT, FIXED64, LENGTH, START_GROUP, END_GROUP, FIXED32 = range(6)
_MAX_FIELD = 2**29 - 1
_MAX_GROUP_DEPTH = 100


class Malformed(Exception):
    """Bytes that are no protobuf message. `missing`: how far a field runs past the end; `place`:
    where, from the inside out.
    """

    def __init__(self, reason: str, offset: int, missing: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset
        self.missing = missing
        self.place: list[str] = []


def read_varint(buffer: Buffer, position: int) -> tuple[int, int]:
    """The unsigned number at `position`, and the position after it."""
    start = position
    value = shift = 0
    while shift < 70:
        byte = buffer[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, position
        shift += 7
    raise Malformed("a number takes more than 10 bytes", start)


def signed(value: int) -> int:
    """The number as `int64` and `int32` fields mean it."""
    return value - 2**64 if value >= 2**63 else value


def read_field(buffer: Buffer, position: int, end: int) -> tuple[int, int, int, int]:
    """The field at `position`: number, wire type, and the span of its content."""
    start = position
    try:
        tag = buffer[position]
        position += 1
        if tag > 0x7F:
            tag, position = read_varint(buffer, start)
            # A second way to write a field would hide it from readers that look for one.
            if buffer[position - 1] == 0:
                raise Malformed("a field number is written too long", start)
        wire = tag & 7
        if wire == LENGTH:
            size = buffer[position]
            position += 1
            if size > 0x7F:
                size, position = read_varint(buffer, position - 1)
            stop = position + size
        elif wire == VARINT:
            stop = position + 1 if buffer[position] < 0x80 else read_varint(buffer, position)[1]
        else:
            stop = _rare_end(buffer, position, end, tag)
    except IndexError:
        raise Malformed("the data ends inside the head of a field", start, 1) from None
    number = tag >> 3
    if not 0 < number <= _MAX_FIELD:
        raise Malformed(f"{number} is no field number", start)
    if stop > end:
        raise Malformed(f"field {number} runs past its end", start, stop - end)
    return number, wire, position, stop


def _rare_end(buffer: Buffer, position: int, end: int, tag: int) -> int:
    match tag & 7:
        case 5:
            return position + 4
        case 1:
            return position + 8
        case 3:
            return _group_end(buffer, position, end, tag >> 3)
        case wire:
            raise Malformed(f"field {tag >> 3} has the impossible wire type {wire}", position)


def _group_end(buffer: Buffer, position: int, end: int, number: int) -> int:
    open_groups = [number]
    while True:
        start = position
        tag, after = read_varint(buffer, position)
        if tag & 7 == END_GROUP:
            if open_groups.pop() != tag >> 3:
                raise Malformed("a group ends that did not begin", start)
            position = after
            if not open_groups:
                return position
        elif tag & 7 == START_GROUP:
            if len(open_groups) >= _MAX_GROUP_DEPTH:
                raise Malformed(f"more than {_MAX_GROUP_DEPTH} nested groups", start)
            open_groups.append(tag >> 3)
            position = after
        else:
            _, _, _, position = read_field(buffer, position, end)


def read_fields(buffer: Buffer, position: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """All fields of a message: number, wire type, and the span of the content."""
    while position < end:
        field = read_field(buffer, position, end)
        yield field
        position = field[3]


def split(
    buffer: Buffer, position: int, end: int, apart: Container[int]
) -> tuple[list[tuple[int, int, int]], bytes]:
    """A message in two: the length-delimited fields named in `apart` as (number, start, end), and
    the bytes of all others, which are a message again.
    """
    spans: list[tuple[int, int, int]] = []
    rest: list[bytes] = []
    while position < end:
        number, wire, start, stop = read_field(buffer, position, end)
        if wire == LENGTH and number in apart:
            spans.append((number, start, stop))
        else:
            rest.append(buffer[position:stop])
        position = stop
    return spans, b"".join(rest)


def text_of(raw: bytes) -> str:
    """Text of a file. Bytes that are not UTF-8 are escaped, so that such files open all the same."""
    return raw.decode("utf-8", "backslashreplace")


def octets(text: str) -> bytes:
    """Text as a file holds it.

    Raises:
        ModelError: it is no Unicode.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start]
        msg = f"it holds {text!r}, which is no Unicode: {half!r} is half of a character"
        raise ModelError(msg) from None


def proto_text(value: str | bytes) -> str:
    """Text of a protobuf message, which gives bytes where they are not UTF-8."""
    return value if isinstance(value, str) else text_of(value)


def varint(value: int) -> bytes:
    """A number as it is written; negative ones as 64 bits."""
    if 0 <= value < 0x80:
        return bytes((value,))
    value &= 0xFFFF_FFFF_FFFF_FFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class Rope:
    """A message in pieces, so that a payload goes from file to file without being joined."""

    __slots__ = ("pieces", "size")

    def __init__(self) -> None:
        self.pieces: list[bytes | memoryview] = []
        self.size = 0

    def add(self, piece: bytes | memoryview) -> None:
        """Append bytes as they are."""
        self.pieces.append(piece)
        self.size += len(piece)

    def head(self, number: int, size: int) -> None:
        """Begin a length-delimited field; its content is added next."""
        self.add(varint(number << 3 | LENGTH) + varint(size))

    def data(self, number: int, content: bytes | memoryview) -> None:
        """Append a length-delimited field."""
        if len(content) > 256:
            self.head(number, len(content))
            self.add(content)
        else:
            self.add(varint(number << 3 | LENGTH) + varint(len(content)) + bytes(content))

    def message(self, number: int, content: Rope) -> None:
        """Append a field that is a message."""
        self.head(number, content.size)
        self.pieces += content.pieces
        self.size += content.size

    def text(self, number: int, content: str) -> None:
        """Append a string, unless it is empty."""
        if content:
            self.data(number, octets(content))

    def texts(self, number: int, contents: tuple[str, ...]) -> None:
        """Append a list of strings, empty ones too."""
        for content in contents:
            self.data(number, octets(content))

    def number(self, number: int, value: int) -> None:
        """Append an integer."""
        self.add(varint(number << 3) + varint(value))

    def joined(self) -> bytes:
        """The message in one piece."""
        return b"".join(self.pieces)
