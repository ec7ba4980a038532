"""The types of values: tensors and what ONNX builds around them."""

from __future__ import annotations

from dataclasses import dataclass, field

from onnx_explorer.dims import Dim, symbol
from onnx_explorer.ir.dtypes import DType

UNKNOWN_DIM = symbol("?")
"""A dim of a declared type that the file leaves open. Inference gives each one a name of its own;
two of them say nothing about each other."""


@dataclass(frozen=True, slots=True)
class TensorType:
    """A dense tensor: `float32[N, 3, 224, 224]`; `shape` is None where the rank is unknown."""

    dtype: DType
    shape: tuple[Dim, ...] | None = None
    denotation: str = field(default="", compare=False, repr=False)
    # One entry per dim: the text in the file where it differs from the dim's own, else "".
    spelling: tuple[str, ...] = field(default=(), compare=False, repr=False)
    dim_denotations: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.dtype.label}{shape_text(self.shape)}"

    def __repr__(self) -> str:
        return str(self)

    @property
    def notation(self) -> str:
        """ONNX's notation, which leaves shapes out: `tensor(float)`."""
        return self.dtype.notation


@dataclass(frozen=True, slots=True)
class SparseTensorType:
    """A tensor stored as coordinates and values."""

    dtype: DType
    shape: tuple[Dim, ...] | None = None
    denotation: str = field(default="", compare=False, repr=False)
    spelling: tuple[str, ...] = field(default=(), compare=False, repr=False)
    dim_denotations: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return f"sparse({self.dtype.label}{shape_text(self.shape)})"

    def __repr__(self) -> str:
        return str(self)

    @property
    def notation(self) -> str:
        return f"sparse_tensor({self.dtype.onnx_name})"


@dataclass(frozen=True, slots=True)
class SequenceType:
    """A list of values of one type; `element` is None where that is unknown."""

    element: Type | None
    denotation: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        return f"seq({self.element or '?'})"

    def __repr__(self) -> str:
        return str(self)

    @property
    def notation(self) -> str:
        return f"seq({self.element.notation if self.element else '?'})"


@dataclass(frozen=True, slots=True)
class OptionalType:
    """A value that may be missing while the model runs."""

    element: Type | None
    denotation: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        return f"optional({self.element or '?'})"

    def __repr__(self) -> str:
        return str(self)

    @property
    def notation(self) -> str:
        return f"optional({self.element.notation if self.element else '?'})"


@dataclass(frozen=True, slots=True)
class MapType:
    """A dictionary with integer or string keys."""

    key: DType
    value: Type | None
    denotation: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        return f"map({self.key.label}, {self.value or '?'})"

    def __repr__(self) -> str:
        return str(self)

    @property
    def notation(self) -> str:
        # ONNX writes the tensors in a map by their dtype alone: `map(int64, float)`.
        if isinstance(self.value, TensorType):
            return f"map({self.key.onnx_name}, {self.value.dtype.onnx_name})"
        return f"map({self.key.onnx_name}, {self.value.notation if self.value else '?'})"


@dataclass(frozen=True, slots=True)
class OpaqueType:
    """A type that only its domain can explain."""

    domain: str
    name: str
    denotation: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        return f"opaque({self.domain}, {self.name})"

    def __repr__(self) -> str:
        return str(self)

    @property
    def notation(self) -> str:
        return f"opaque({self.domain},{self.name})"


Type = TensorType | SparseTensorType | SequenceType | OptionalType | MapType | OpaqueType


def shape_text(shape: tuple[Dim, ...] | None) -> str:
    """A shape as people write it: `[N, 3]`, `[]` for a scalar, `[...]` for an unknown rank."""
    return "[...]" if shape is None else f"[{', '.join(map(str, shape))}]"
