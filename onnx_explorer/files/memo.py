"""What loads remember: equal bytes give one object, which is quick and saves memory.

Names are remembered for one load. Types and small attributes are the same in many models, so they
stay until there are many of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from onnx_explorer.errors import ModelError
from onnx_explorer.files.external import DataFolder
from onnx_explorer.files.types import read_type
from onnx_explorer.files.wire import LENGTH, Malformed, read_fields, text_of
from onnx_explorer.ir import Attribute, Type
from onnx_explorer.proto import onnx_explorer_pb2 as pb

MAX_SHARED = 1 << 13
"""With more entries than this a table that loads share is emptied before the next load."""


def read_entry(raw: bytes) -> tuple[str, str]:
    """Key and value of a StringStringEntryProto."""
    found = {1: b"", 2: b""}
    try:
        for number, wire, start, end in read_fields(raw, 0, len(raw)):
            if wire == LENGTH:
                found[number] = raw[start:end]
    except Malformed as error:
        raise ModelError(f"damaged metadata: {error.reason}") from None
    return text_of(found[1]), text_of(found[2])


class Texts(dict[bytes, str]):
    """Names, decoded once: operators, domains, values with a declared type."""

    __slots__ = ()

    def __missing__(self, raw: bytes) -> str:
        text = self[raw] = text_of(raw)
        return text


class Types(dict[bytes, "Type | None"]):
    """Types by their TypeProto."""

    __slots__ = ()

    def __missing__(self, raw: bytes) -> Type | None:
        found = self[raw] = read_type(pb.TypeProto.FromString(raw))
        return found


class Metadata(Mapping[str, str]):
    """String pairs that stay encoded until somebody looks: exporters write kilobytes per node. `raw`
    are the fields of the message around them, one a pair.
    """

    __slots__ = ("_raw", "_table")

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._table: dict[str, str] | None = None

    def _read(self) -> dict[str, str]:
        if self._table is None:
            self._table = dict(self._entries())
        return self._table

    def _entries(self) -> Iterator[tuple[str, str]]:
        try:
            for _, wire, start, end in read_fields(self._raw, 0, len(self._raw)):
                if wire == LENGTH:
                    yield read_entry(self._raw[start:end])
        except Malformed as error:
            raise ModelError(f"damaged metadata: {error.reason}") from None

    def __getitem__(self, key: str) -> str:
        return self._read()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return repr(self._read())

    def repeated(self) -> list[str]:
        """Keys that the file gives more than once; the last value counts."""
        times = Counter(key for key, _ in self._entries())
        return [key for key, count in times.items() if count > 1]


Tail = tuple[str, Mapping[str, Attribute], str]
"""What most nodes say beside names: operator, attributes, domain."""


class Memo:
    """The tables of one load, and the folder of its data files."""

    __slots__ = ("attributes", "external", "folder", "tails", "texts", "types")

    def __init__(self, folder: DataFolder) -> None:
        self.folder = folder
        self.texts = Texts()
        # How many tensors with external data were read so far.
        self.external = 0
        for table in (_TYPES, _ATTRIBUTES, _TAILS):
            if len(table) > MAX_SHARED:
                table.clear()
        self.types = _TYPES
        self.attributes = _ATTRIBUTES
        self.tails = _TAILS


_TYPES = Types()
_ATTRIBUTES: dict[bytes, Attribute] = {}
_TAILS: dict[bytes, Tail] = {}
