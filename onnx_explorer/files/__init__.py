"""Models in files, and bytes: `load`, `save`, `encode`."""

from onnx_explorer.files.encode import encode, encode_whole
from onnx_explorer.files.load import Source, load
from onnx_explorer.files.save import save

__all__ = ["Source", "encode", "encode_whole", "load", "save"]
