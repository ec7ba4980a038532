"""The model behind a path, bytes, an open file or another library's model."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import IO, Protocol, runtime_checkable

from onnx_explorer.errors import ModelError
from onnx_explorer.files.decode import read_model
from onnx_explorer.files.external import DataFolder
from onnx_explorer.files.memo import Memo
from onnx_explorer.files.recognise import describe_directory, describe_head, recognise
from onnx_explorer.files.sources import (
    MemorySource,
    check_regular,
    open_source,
    path_of,
    paths_checked,
)
from onnx_explorer.files.unique import Twice
from onnx_explorer.files.wire import Malformed
from onnx_explorer.ir import Model
from onnx_explorer.ir.collector import without_collector


@runtime_checkable
class Serializable(Protocol):
    """A protobuf message, of `onnx` or of any other library."""

    def SerializeToString(self) -> bytes: ...  # noqa: N802 - protobuf's own name


@runtime_checkable
class HasModelProto(Protocol):
    """Something that wraps a message, such as the result of an exporter."""

    @property
    def model_proto(self) -> Serializable: ...


Source = (
    str
    | os.PathLike[str]
    | bytes
    | bytearray
    | memoryview
    | IO[bytes]
    | Serializable
    | HasModelProto
    | Model
)


def load(source: Source) -> Model:
    """The model at a path, in bytes, in a binary file, or of another library's model object.

    Weights are not read: each tensor knows where its elements lie and decodes them when it is
    looked at. A large file is mapped, so it must not be written into while the model is in use;
    replacing it is safe. A model that is one already comes back as it is.

    Raises:
        FileNotFoundError: there is no such file.
        ModelError: what is there is no model; the message says what it is instead.
    """
    match source:
        case Model():
            return source
        case str() | os.PathLike():
            return _load_path(path_of(source, "the name of an ONNX file"))
        case bytes() | bytearray() | memoryview():
            return _decode(MemorySource(bytes(source)), None, "the data")
        case HasModelProto():
            return _load_message(source.model_proto)
        case Serializable():
            return _load_message(source)
        case _:
            return _load_file(source)


def _load_path(path: Path) -> Model:
    with paths_checked(path):
        stat = path.stat()
        if S_ISDIR(stat.st_mode):
            raise ModelError(f"{str(path)!r} is {describe_directory(path)}")
        if not S_ISREG(stat.st_mode):
            check_regular(path)
        source = open_source(path, stat.st_size)
    return _decode(source, path, repr(str(path)))


def _load_message(message: Serializable) -> Model:
    kind = type(message).__name__
    try:
        content = message.SerializeToString()
    except Exception as error:  # the message's own library decides what it raises
        raise ModelError(
            f"this {kind} does not turn into bytes ({error}); a model of more than 2 GiB must be "
            "saved to a file with external data first, and loaded from there"
        ) from error
    return _decode(MemorySource(content), None, f"this {kind}")


def _load_file(file: IO[bytes]) -> Model:
    read = getattr(file, "read", None)
    if read is None:
        raise ModelError(
            f"cannot load a model from {type(file).__name__!r}; expected a path, bytes, a binary "
            "file or an ONNX model object"
        )
    try:
        content = read()
    except (OSError, ValueError) as error:
        raise ModelError(
            f'the file cannot be read ({error}); expected one that is open, with mode "rb"'
        ) from None
    if not isinstance(content, bytes):
        raise ModelError('the file is open in text mode; open it with mode "rb"')
    name = getattr(file, "name", None)
    path = Path(name) if isinstance(name, str) and Path(name).is_file() else None
    return _decode(MemorySource(content), path, "the file" if path is None else repr(name))


def _decode(source: MemorySource, path: Path | None, what: str) -> Model:
    head = source.buffer[:8]
    # A model begins with its IR version, nearly always: no other format is asked for then.
    if head[:1] != b"\x08":
        found = recognise(source.buffer)
        if found:
            raise ModelError(f"{what} is no ONNX model: it is {found}")
    try:
        with without_collector(acyclic=True):
            return read_model(source, Memo(DataFolder(path)))
    except Malformed as error:
        raise ModelError(_explain(error, what, head, source)) from None
    except ModelError as error:
        raise ModelError(f"{what}: {error}") from None


def _explain(error: Malformed, what: str, head: bytes, source: MemorySource) -> str:
    place = f" in {', '.join(error.place)}" if error.place else ""
    if isinstance(error, Twice):
        return f"{what} is ambiguous: {error.reason}{place}; keep one of them"
    size = len(source.buffer)
    found = recognise(source.buffer)
    if found:
        return f"{what} is no ONNX model: it is {found}"
    if error.missing and not error.place and head[:1] == b"\x08":
        return (
            f"{what} is cut off: it ends after {size:,} bytes, at least {error.missing:,} are "
            "missing; copy or download it again"
        )
    return (
        f"{what} is no ONNX model, or a damaged one: {error.reason}{place} ({describe_head(head)})"
    )
