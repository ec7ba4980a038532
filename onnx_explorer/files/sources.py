"""Where bytes come from: memory, or a mapped file that is checked again before a late read."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from weakref import finalize

from onnx_explorer.errors import ModelError
from onnx_explorer.files import limits
from onnx_explorer.files.wire import Buffer
from onnx_explorer.ir.expected import expected_path


class MemorySource:
    """Bytes that nobody can change."""

    __slots__ = ("buffer",)

    def __init__(self, buffer: Buffer) -> None:
        self.buffer = buffer

    def checked(self) -> Buffer:
        """The bytes, known to be the ones that were opened. Raises ModelError otherwise."""
        return self.buffer

    def view(self, start: int, end: int) -> memoryview:
        """The bytes from `start` to `end`, not copied, read-only; checked."""
        return memoryview(self.checked())[start:end]


class FileSource(MemorySource):
    """A mapped file. A file that was replaced stays readable; one that was written into does not."""

    __slots__ = ("__weakref__", "_descriptor", "_stamp", "path")

    def __init__(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        finalize(self, os.close, descriptor)
        self.path = path
        self._descriptor = descriptor
        self._stamp = self._stat()
        size = self._stamp[0]
        # An empty file cannot be mapped.
        super().__init__(mmap(descriptor, size, access=ACCESS_READ) if size else b"")

    def _stat(self) -> tuple[int, int]:
        stat = os.fstat(self._descriptor)
        return stat.st_size, stat.st_mtime_ns

    @property
    def size(self) -> int:
        """Length of the file in bytes, as it was when it was mapped."""
        return self._stamp[0]

    def checked(self) -> Buffer:
        # Reading a mapped page that the file no longer has would end the process.
        if self._stat() != self._stamp:
            raise ModelError(f"{str(self.path)!r} changed after it was loaded; load it again")
        return self.buffer


def path_of(given: object, expected: str) -> Path:
    """The path that a caller gave. Raises ModelError for what is none."""
    return expected_path(given, expected, ModelError)


@contextmanager
def paths_checked(path: Path) -> Generator[None]:
    """Failures of the operating system as ModelErrors, but for files that are not there and files
    that are not to be read.
    """
    try:
        yield
    except (FileNotFoundError, PermissionError):
        raise
    except OSError as error:
        raise ModelError(f"{str(path)!r:.200} cannot be opened: {error.strerror}") from None


def check_regular(path: Path) -> None:
    """Raises ModelError for a pipe or a device: opening it may wait for ever, replacing it would
    take it away.
    """
    if not path.is_file():
        raise ModelError(f"{str(path)!r} is a pipe or a device; expected a file")


def open_source(path: Path, size: int) -> MemorySource:
    """The bytes of a file of that size: read when it is small, mapped otherwise."""
    if size >= limits.WHOLE_READ_BYTES:
        return FileSource(path)
    with path.open("rb", buffering=0) as file:
        return MemorySource(file.readall())


@dataclass(frozen=True, slots=True)
class Origin:
    """The bytes that an object was read from, and whether any of its tensors lies in a data file."""

    source: MemorySource
    start: int
    end: int
    external: bool
