"""What a file is that is not a model, in the words of the person who has it."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import IO, cast

from onnx_explorer.files.wire import Buffer

# The first bytes of formats that people mistake for a model, or get instead of one.
_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (4, b"TFL3", "a TensorFlow Lite model; convert it, for instance with tf2onnx"),
    (4, b"ORTM", "a model in ORT format; load the .onnx file that it was made from"),
    (4, b"PTMF", "a PyTorch mobile model; export it with torch.onnx.export"),
    (0, b"GGUF", "weights in GGUF format, without a graph"),
    (0, b"GGML", "weights in GGML format, without a graph"),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file, such as Keras writes; convert it with tf2onnx"),
    (0, b"\x93NUMPY", "a numpy array"),
    (0, b"\x1f\x8b", "a gzip archive; unpack it first"),
    (0, b"BZh", "a bzip2 archive; unpack it first"),
    (0, b"\xfd7zXZ\x00", "an xz archive; unpack it first"),
    (0, b"\x28\xb5\x2f\xfd", "a zstd archive; unpack it first"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (0, b"Rar!", "a RAR archive; unpack it first"),
    (257, b"ustar", "a tar archive; unpack it first"),
    (0, b"%PDF", "a PDF document"),
    (0, b"\x89PNG", "a PNG picture"),
    (0, b"\xff\xd8\xff", "a JPEG picture"),
    (0, b"\x7fELF", "a program or library"),
    (0, b"ftrt", "a TensorRT engine; load the model that it was built from"),
)
_HEAD_BYTES = 4096


def recognise(content: Buffer) -> str | None:
    """A description of well-known content that is no model; None for anything else."""
    head, size = content[:_HEAD_BYTES], len(content)
    if not size:
        return "an empty file"
    if head.startswith(b"version https://git-lfs"):
        return _lfs(head)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _archive(content)
    for offset, signature, name in _SIGNATURES:
        if head.startswith(signature, offset):
            return name
    if head[:1] == b"\x80" and head[1:2] in {b"\x02", b"\x03", b"\x04", b"\x05"}:
        return (
            "a Python pickle, such as older versions of torch.save write; export the model to ONNX"
        )
    if len(head) > 8 and head[8:9] == b"{" and int.from_bytes(head[:8], "little") < size:
        return "weights in safetensors format, without a graph"
    return _text(head)


def _lfs(head: bytes) -> str:
    lines = head.decode(errors="replace").splitlines()
    size = next((line.split()[1] for line in lines if line.startswith("size ")), "")
    real = f" that stands for {int(size):,} bytes" if size.isdecimal() else ""
    return f"a Git LFS pointer{real}; fetch the file itself with `git lfs pull`"


def _archive(content: Buffer) -> str:
    # A map is a file that can be sought and read, which is all that an archive needs.
    readable = io.BytesIO(content) if isinstance(content, bytes) else cast("IO[bytes]", content)
    try:
        with zipfile.ZipFile(readable) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return "a damaged zip archive"
    models = [name for name in names if name.endswith(".onnx")]
    if models:
        return f"a zip archive with {models[0]!r} inside; unpack it first"
    if any(name.endswith(("data.pkl", "/byteorder", "constants.pkl")) for name in names):
        return (
            "a PyTorch file (a zip archive with a pickle inside); export it with torch.onnx.export"
        )
    if names and all(name.endswith(".npy") for name in names):
        return "a numpy .npz archive"
    if "config.json" in names and "model.weights.h5" in names:
        return "a Keras model; convert it with tf2onnx"
    return "a zip archive; unpack it first"


def _text(head: bytes) -> str | None:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith((b"<!doctype html", b"<html", b"<head")):
        return "an HTML page: the link led to a web page, or to a login, instead of the file"
    if text.startswith((b"<?xml", b"<net")):
        return "an XML document"
    try:
        decoded = head.decode()
    except UnicodeDecodeError as error:
        if error.end < len(head) - 3:  # a letter that the end of the head cuts in two is fine
            return None
        decoded = head[: error.start].decode()
    if any(ord(letter) < 32 and letter not in "\t\n\r\f" for letter in decoded):
        return None
    if text.startswith((b"{", b"[")):
        return "a JSON document"
    if text.startswith((b"<ir_version", b"ir_version")):
        return "a model written as text; expected the binary form"
    start = " ".join(decoded[:60].split())
    return f"a text file that begins {start!r}"


def describe_head(head: bytes) -> str:
    """The first bytes of something unknown, for a message."""
    return f"the first bytes are {head[:8].hex(' ')}"


def describe_directory(path: Path) -> str:
    """What a directory is, and which file in it may have been meant."""
    models = sorted(path.glob("*.onnx"))[:3]
    if models:
        names = ", ".join(repr(model.name) for model in models)
        return f"a directory; load a file in it, such as {names}"
    if (path / "saved_model.pb").exists():
        return "a directory with a TensorFlow SavedModel; convert it with tf2onnx"
    return "a directory; expected an .onnx file"
