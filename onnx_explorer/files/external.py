"""External data: tensors whose elements lie in a file beside the model."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from onnx_explorer.errors import ModelError
from onnx_explorer.files import limits
from onnx_explorer.files.sources import FileSource


@dataclass(frozen=True, slots=True)
class Location:
    """What a tensor's `external_data` entries say. Without a length: to the end of the file."""

    path: str
    offset: int = 0
    length: int | None = None
    checksum: str = ""

    @classmethod
    def of(cls, entries: Mapping[str, str]) -> Location:
        """The entries as read from a file.

        Raises:
            ModelError: there is no location, or a number is none.
        """
        if not entries.get("location"):
            raise ModelError("external data without a `location`: nothing says which file holds it")
        length = entries.get("length")
        return cls(
            entries["location"],
            _count("offset", entries.get("offset", "0")),
            None if length is None else _count("length", length),
            entries.get("checksum", ""),
        )


def _count(key: str, text: str) -> int:
    # `int` alone would take "+1", "1_0" and digits of every script.
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise ModelError(f"external data with {key} {text[:40]!r}; expected a number of bytes")
    return int(text)


class DataFolder:
    """The folder that the data files of one model are confined to; each is mapped once.

    `model` is the path of the model's file, or None when the model came from memory.
    """

    __slots__ = ("_confined", "_files", "_model", "_verified")

    def __init__(self, model: Path | None) -> None:
        self._model = model
        self._confined: dict[str, Path] = {}
        self._files: dict[str, FileSource] = {}
        self._verified: set[tuple[str, str]] = set()

    def confine(self, location: str) -> Path | None:
        """The path of a data file, whether it exists or not; None for a model from memory.

        Raises:
            ModelError: the path leads out of the folder.
        """
        windows, posix = PureWindowsPath(location), PurePosixPath(location)
        if windows.drive or windows.root or posix.root or "\0" in location:
            raise ModelError(
                f"external data at {location!r}: expected a path relative to the model"
            )
        if ".." in windows.parts:
            raise ModelError(f"external data at {location!r} leaves the model's folder")
        if self._model is None:
            return None
        if location in self._confined:
            return self._confined[location]
        path = self._model.parent / location
        # A download cache keeps files under other names elsewhere and links to them, the model
        # included: the folder that the model's own link leads to is its folder as well.
        roots = (self._model.parent.resolve(), self._model.resolve().parent)
        try:
            real = path.resolve()
        except (OSError, RuntimeError) as error:  # a loop of links
            raise ModelError(f"external data at {location!r} cannot be followed: {error}") from None
        if not any(real.is_relative_to(root) for root in roots):
            raise ModelError(
                f"external data at {location!r} is a link that leaves the model's folder, to "
                f"{str(real)!r}"
            )
        self._confined[location] = path
        return path

    def open(self, location: Location) -> FileSource:
        """The mapped data file, with the checksum verified where there is one.

        Raises:
            ModelError: there is no such file, or it is not the one that the model means.
        """
        source = self._files.get(location.path)
        if source is None:
            path = self.confine(location.path)
            if path is None:
                raise ModelError(
                    f"the elements lie in {location.path!r}, and a model that came from memory has "
                    "no folder; load it by its path"
                )
            source = self._files[location.path] = _open(path)
        expected = location.checksum.lower()
        if expected and (location.path, expected) not in self._verified:
            found = _sha1(source)
            if found != expected:
                raise ModelError(
                    f"the data file {str(source.path)!r} has the SHA-1 {found}, but the model "
                    f"expects {expected[:64]!r}: it belongs to another model, or is damaged"
                )
            self._verified.add((location.path, expected))
        return source

    def view(self, location: Location) -> memoryview:
        """The bytes that the location names."""
        source = self.open(location)
        size = source.size
        end = size if location.length is None else location.offset + location.length
        if location.offset > size or end > size:
            raise ModelError(
                f"the data file {str(source.path)!r} has {size} bytes, but bytes "
                f"{location.offset} to {end} are expected: it is cut off, or belongs to another model"
            )
        return source.view(location.offset, end)


def _open(path: Path) -> FileSource:
    try:
        if path.is_file():
            return FileSource(path)
        if path.is_dir():
            found = "is a directory"
        else:
            found = "is a pipe or a device" if path.exists() else "does not exist"
    except OSError as error:
        found = f"cannot be opened ({error.strerror})"
    raise ModelError(f"the data file {str(path)!r:.200} {found}; put it beside the model")


def _sha1(source: FileSource) -> str:
    digest = hashlib.sha1(usedforsecurity=False)
    for start in range(0, source.size, limits.COPY_BYTES):
        digest.update(source.view(start, min(start + limits.COPY_BYTES, source.size)))
    return digest.hexdigest()
