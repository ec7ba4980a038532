"""Tensors that a model holds: initializers, constants, tensor attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from onnx_explorer.errors import ModelError
from onnx_explorer.ir.dtypes import DType
from onnx_explorer.ir.types import TensorType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

NO_METADATA: Mapping[str, str] = {}


@runtime_checkable
class Payload(Protocol):
    """Where the elements of a tensor are: in memory, in the model's file or beside it."""

    @property
    def nbytes(self) -> int:
        """Size of the stored elements in bytes, known without reading them."""
        ...

    def array(self, dtype: DType, dims: tuple[int, ...]) -> NDArray[np.generic]:
        """The elements as a read-only array of `dtype.numpy`, one element per item.

        Raises:
            ModelError: the stored bytes cannot be read or do not fill `dims`.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class ArrayPayload:
    """Elements that are an array already."""

    values: NDArray[np.generic]

    @property
    def nbytes(self) -> int:
        return self.values.nbytes

    def array(self, dtype: DType, dims: tuple[int, ...]) -> NDArray[np.generic]:
        view = self.values.astype(dtype.numpy, copy=False).reshape(dims).view()
        view.flags.writeable = False
        return view


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tensor:
    """A constant: element type, dims and a payload that is decoded when it is looked at."""

    name: str
    dtype: DType
    dims: tuple[int, ...]
    payload: Payload
    doc: str = ""
    metadata: Mapping[str, str] = field(default_factory=lambda: NO_METADATA)

    @classmethod
    def of(cls, values: ArrayLike, name: str = "", dtype: DType | None = None) -> Tensor:
        """A tensor of the given values; `dtype` defaults to that of the array made of them.

        The values are copied, but for an array that nobody can write into.

        Raises:
            ModelError: nothing like an array, or elements that no element type of ONNX holds.
        """
        import numpy as np

        wanted = None if dtype is None else dtype.numpy
        try:
            array = np.asarray(values, dtype=wanted)
            if (array is values or array.base is not None) and is_writeable(array):
                array = array.copy()
            kind = dtype or DType.from_numpy(array.dtype)
        except (TypeError, ValueError, OverflowError) as error:
            raise ModelError(f"no tensor holds {values!r}: {error}") from error
        if array.dtype.kind in "US":
            array = array.astype(object)
        if kind is DType.STRING:
            for element in array.flat:
                if not isinstance(element, (str, bytes)):
                    found = type(element).__name__
                    raise ModelError(f"no tensor holds {values!r}: {found} is no element type")
            if any(isinstance(element, bytes) for element in array.flat):
                array = _texts(array)
        return cls(name, kind, array.shape, ArrayPayload(array))

    @property
    def type(self) -> TensorType:
        return TensorType(self.dtype, self.dims)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.dims)

    @property
    def nbytes(self) -> int:
        return self.payload.nbytes

    def numpy(self) -> NDArray[np.generic]:
        """The elements, read-only, shape `dims`."""
        return self.payload.array(self.dtype, self.dims)

    def __str__(self) -> str:
        return f"{self.name or 'tensor'}: {self.type}"

    def __repr__(self) -> str:
        return f"<tensor {self}>"


@dataclass(frozen=True, slots=True, eq=False)
class SparseTensor:
    """A constant in coordinate form: `values` of shape `(nnz,)`, `indices` `(nnz,)` or
    `(nnz, rank)`, and the dims of the dense tensor.
    """

    values: Tensor
    indices: Tensor
    dims: tuple[int, ...]

    @property
    def name(self) -> str:
        return self.values.name


def _texts(array: NDArray[np.object_]) -> NDArray[np.object_]:
    """The texts of an array, those given as bytes decoded."""
    import numpy as np

    texts = np.empty(array.shape, object)
    for place, element in np.ndenumerate(array):
        try:
            texts[place] = element.decode() if isinstance(element, bytes) else element
        except UnicodeDecodeError:
            raise ModelError(f"no tensor holds {element!r}: it is no text in UTF-8") from None
    return texts


def is_writeable(array: NDArray[np.generic]) -> bool:
    """Whether somebody can write into the elements, also through what the array is a view of."""
    import numpy as np

    seen: object = array
    while isinstance(seen, np.ndarray):
        if seen.flags.writeable:
            return True
        seen = cast("object", seen.base)
    return False
