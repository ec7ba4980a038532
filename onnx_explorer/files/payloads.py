"""Payloads of tensors that were read: nothing is copied or decoded until somebody looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnx_explorer.errors import ModelError
from onnx_explorer.files import elements
from onnx_explorer.files.external import DataFolder, Location
from onnx_explorer.files.sources import MemorySource
from onnx_explorer.files.wire import Malformed, read_fields
from onnx_explorer.ir import DType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# Not frozen: a frozen dataclass takes five times as long to make, and there is one per tensor.
@dataclass(slots=True, eq=False)
class StoredPayload:
    """Elements inside the model's own file. The tensor's message is `start` to `end` of the source,
    its raw bytes `raw_start` to `raw_end`, where `raw_start` is not -1.
    """

    source: MemorySource
    start: int
    end: int
    raw_start: int
    raw_end: int
    nbytes: int
    name: str

    def raw(self) -> bytes | None:
        """A copy of the elements in raw form, little-endian; None where they are in typed fields."""
        start = self.raw_start
        return self.source.checked()[start : self.raw_end] if start >= 0 else None

    def array(self, dtype: DType, dims: tuple[int, ...]) -> NDArray[np.generic]:
        try:
            if self.raw_start >= 0:
                raw = self.source.view(self.raw_start, self.raw_end)
                return elements.from_raw(raw, dtype, dims)
            return elements.from_typed(self.source.checked(), self.start, self.end, dtype, dims)
        except Malformed as error:
            raise ModelError(f"tensor {self.name!r}: damaged elements: {error.reason}") from None
        except ModelError as error:
            raise ModelError(f"tensor {self.name!r}: {error}") from None

    def fields(self) -> list[memoryview]:
        """The payload fields as they are stored, with their tags."""
        buffer, found, position = self.source.checked(), list[memoryview](), self.start
        for number, _, _, stop in read_fields(buffer, self.start, self.end):
            if number in elements.PAYLOAD_FIELDS or number == elements.SEGMENT:
                found.append(memoryview(buffer)[position:stop])
            position = stop
        return found


@dataclass(frozen=True, slots=True, eq=False)
class ExternalPayload:
    """Elements in a data file beside the model, always in raw form."""

    folder: DataFolder
    location: Location
    nbytes: int
    name: str

    def array(self, dtype: DType, dims: tuple[int, ...]) -> NDArray[np.generic]:
        try:
            return elements.from_raw(self.folder.view(self.location), dtype, dims)
        except ModelError as error:
            raise ModelError(f"tensor {self.name!r}: {error}") from None
