"""Models to files: written beside the target, then put in its place."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path, PureWindowsPath
from typing import IO

from onnx_explorer.errors import ModelError
from onnx_explorer.files import limits
from onnx_explorer.files.encode import Inside, pieces, raw_bytes, write_elements, write_location
from onnx_explorer.files.external import Location
from onnx_explorer.files.sources import Origin, check_regular, path_of, paths_checked
from onnx_explorer.files.wire import Rope
from onnx_explorer.ir import DType, Model, Payload, Tensor
from onnx_explorer.ir.expected import expect_model, expect_name


class Outside:
    """Elements go into a data file; small tensors and strings stay inside."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self._name = name
        # The payloads are kept alive, so that no other can take the place of one in memory.
        self._placed: dict[int, tuple[Payload, Location]] = {}

    def keeps(self, origin: Origin) -> bool:  # noqa: ARG002
        return False

    def place(self, rope: Rope, tensor: Tensor) -> None:
        payload = tensor.payload
        if tensor.nbytes < limits.EXTERNAL_BYTES or tensor.dtype in {DType.STRING, DType.UNDEFINED}:
            write_elements(rope, tensor)
            return
        if id(payload) not in self._placed:
            self._placed[id(payload)] = (payload, self._write(raw_bytes(tensor)))
        write_location(rope, self._placed[id(payload)][1])

    def _write(self, raw: bytes | memoryview) -> Location:
        position = self._file.tell()
        gap = -position % limits.EXTERNAL_ALIGNMENT
        self._file.write(bytes(gap))
        self._file.write(raw)
        return Location(self._name, position + gap, len(raw))


def save(model: Model, path: str | os.PathLike[str], external_data: str | None = None) -> None:
    """Write a model to a file, which appears whole or not at all.

    Without `external_data` everything goes into the one file. With it, it is the name of a data
    file in the same folder that takes every tensor of 1 KiB or more.

    Raises:
        ModelError: the model takes more than 2 GiB and no data file is named, its own data
            cannot be read, or the path is none that a file can have.
    """
    expect_model(model, ModelError)
    target = Path(os.path.realpath(path_of(path, "the name of the file to write")))
    if external_data is None:
        with _replacing(target) as file:
            file.writelines(pieces(model, Inside()).pieces)
        return
    _check_name(external_data, target)
    data = target.parent / external_data
    # The data comes first: a reader must never find a model whose data is not there yet.
    with _replacing(target) as file, _replacing(data) as data_file:
        file.writelines(pieces(model, Outside(data_file, external_data)).pieces)


def _check_name(name: str, target: Path) -> None:
    expect_name("external_data, the data file,", name, ModelError)
    plain = PureWindowsPath(name).name == name and name not in {"", ".", ".."} and "\0" not in name
    if not plain:
        raise ModelError(f"external_data={name!r}; expected the name of a file beside the model")
    path_of(name, "the name of a file beside the model")
    if name == target.name:
        raise ModelError(f"external_data={name!r} is the model's own file; give it another name")


@contextmanager
def _replacing(target: Path) -> Generator[IO[bytes]]:
    """A new file that takes the place of `target` when all went well.

    Never written in place: the model that is saved may be the one that `target` is mapped for.
    """
    with paths_checked(target):
        if target.is_dir():
            raise ModelError(f"{str(target)!r} is a directory; expected the name of a file")
        if target.exists():
            check_regular(target)
        elif not target.parent.is_dir():
            raise FileNotFoundError(
                f"{str(target)!r} has no place: there is no folder {str(target.parent)!r}"
            )
    temporary = target.with_name(f".{secrets.token_hex(6)}.tmp")
    try:
        with temporary.open("xb") as file:
            yield file
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
