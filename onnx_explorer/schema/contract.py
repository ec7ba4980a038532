"""What operator pages are written against: abstract values, calls into subgraphs, and the sites
that rules and kernels run at.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeVar

from onnx_explorer.dims import Dim, Ratio
from onnx_explorer.errors import ExplorerError
from onnx_explorer.ir.dtypes import DType
from onnx_explorer.ir.types import Type, shape_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from onnx_explorer.ir import RunValue

Shape = tuple[Dim, ...]
Size = Dim | Ratio | Fraction | bool
"""One element of a content: a size, or the exact rational that a size became in floats."""
Content = tuple[Size, ...]
"""All elements of a small tensor, row-major."""

CONTENT_LIMIT = 64
"""Tensors with more elements than this do not carry their content."""


@dataclass(frozen=True, slots=True)
class Abstract:
    """A tensor of which only some things are known: None stands for an unknown dtype, an unknown
    rank, unknown elements.
    """

    dtype: DType | None = None
    shape: Shape | None = None
    content: Content | None = None

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    def like(self, shape: Shape | None, content: Content | None = None) -> Abstract:
        """The same dtype under another shape."""
        return Abstract(self.dtype, shape, content)

    def cast(self, dtype: DType | None) -> Abstract:
        """The same shape with another dtype, its content dropped."""
        return Abstract(dtype, self.shape)

    def __str__(self) -> str:
        return f"{self.dtype.label if self.dtype else '?'}{shape_text(self.shape)}"


@dataclass(frozen=True, slots=True)
class AbstractSequence:
    """A list of values. `element` is what all of them have in common, with the dim `?` where their
    sizes may differ. `items` are the values one by one, where they are known and few.
    """

    element: AbstractValue | None
    length: Dim | None = None
    items: tuple[AbstractValue, ...] | None = None

    def __str__(self) -> str:
        return f"seq({self.element or '?'})"


@dataclass(frozen=True, slots=True)
class AbstractOptional:
    """A value that may be missing; `present` is None where that is not known."""

    element: AbstractValue | None
    present: bool | None = None

    def __str__(self) -> str:
        return f"optional({self.element or '?'})"


@dataclass(frozen=True, slots=True)
class AbstractMap:
    """A dictionary."""

    key: DType
    value: AbstractValue | None

    def __str__(self) -> str:
        return f"map({self.key.label}, {self.value or '?'})"


@dataclass(frozen=True, slots=True)
class AbstractSparse:
    """A tensor in coordinate form."""

    dtype: DType | None = None
    shape: Shape | None = None

    def __str__(self) -> str:
        return f"sparse({self.dtype.label if self.dtype else '?'}{shape_text(self.shape)})"


AbstractValue = Abstract | AbstractSequence | AbstractOptional | AbstractMap | AbstractSparse

UNKNOWN = Abstract()
"""A tensor of which nothing is known."""


def scalar(dtype: DType | None, content: Size | None = None) -> Abstract:
    """An abstract tensor of rank 0."""
    return Abstract(dtype, (), None if content is None else (content,))


def with_shape(value: AbstractValue, shape: Shape | None) -> AbstractValue:
    """A tensor under another shape; other kinds of value unchanged."""
    return replace(value, shape=shape, content=None) if isinstance(value, Abstract) else value


@dataclass(frozen=True, slots=True)
class Side:
    """One of two sizes that do not go together: it stands on `axis` of an input, which is named by
    its place or its port. `note` says what was done to it (`× group 2`).
    """

    size: Dim
    input: int | str
    axis: int
    note: str = ""


class Violation(ExplorerError):
    """A rule of an operator broken by its inputs or attributes: what was found, what was
    expected, and at which port. The driver adds the node.

    `code` is the kind of mistake, one of the codes that inference documents. `sides` are the two
    sizes that clash, where it is two sizes.
    """

    def __init__(
        self,
        found: str,
        expected: str,
        *,
        port: str | None = None,
        code: str = "operator-rule",
        sides: tuple[Side, ...] = (),
    ) -> None:
        super().__init__(f"{found}, but {expected}")
        self.found = found
        self.expected = expected
        self.port = port
        self.code = code
        self.sides = sides


class Subgraph(Protocol):
    """A graph attribute as a page sees it: something to call."""

    @property
    def name(self) -> str: ...

    @property
    def n_inputs(self) -> int: ...

    @property
    def n_outputs(self) -> int: ...

    @property
    def output_types(self) -> tuple[Type | None, ...]:
        """What the file declares for each output."""
        ...


class AbstractSubgraph(Subgraph, Protocol):
    """A graph attribute as a rule sees it."""

    @property
    def outer_symbols(self) -> frozenset[str]:
        """Names of the sizes that are known around the subgraph. All others that its outputs
        speak of are made anew in every call.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """What a control-flow page yields: run this subgraph on these arguments. It is sent the
    outputs, a tuple.
    """

    subgraph: Subgraph
    arguments: tuple[object, ...] = ()


Result = TypeVar("Result")
Steps = Generator[Call, tuple[Result, ...], tuple[Result, ...]]
"""The generator form of rules (of `AbstractValue`) and kernels (of run-time values)."""


class RuleSite(Protocol):
    """Where a rule runs: its node, seen only through what a rule may depend on."""

    @property
    def wanted(self) -> tuple[bool, ...]:
        """For each output that the node lists, whether it has a name."""
        ...

    @property
    def version(self) -> int:
        """The version of the operator that is in force."""
        ...

    @property
    def opset(self) -> int:
        """The opset of the operator's domain that the model imports."""
        ...

    def fresh(self, hint: str, *, low: int | None = 0, high: int | None = None) -> Dim:
        """A new symbol named after the node and `hint`, for a size only a run can tell."""
        ...

    def assume(self, a: Dim, b: Dim, text: str | None = None) -> None:
        """Record that the graph only works if this holds; the default is `a = b`."""
        ...

    def same(self, a: Dim, b: Dim) -> Dim | None:
        """The one size that two sizes must be: None when they are known to differ; an undecided
        pair is recorded as an assumption and the better known one is returned.
        """
        ...

    def broadcast(self, *shapes: Shape | None, of: tuple[int | str, ...] = ()) -> Shape | None:
        """The common shape after numpy broadcasting; None where a rank is unknown. `of` says whose
        shapes they are, or begin: of which inputs, by place or port.

        Raises:
            Violation: two sizes differ and neither is 1.
        """
        ...

    def keep(self, outputs: AbstractValue | tuple[AbstractValue, ...]) -> None:
        """Say what the outputs are even if a check that follows raises a violation."""
        ...

    def fail(
        self,
        found: str,
        expected: str,
        *,
        port: str | None = None,
        code: str = "operator-rule",
        sides: tuple[Side, ...] = (),
        partial: Abstract | tuple[Abstract, ...] | None = None,
    ) -> Abstract | tuple[Abstract, ...] | None:
        """Record a violation and go on; returns `partial`, what can be said all the same."""
        ...


class RunSite(Protocol):
    """Where a kernel runs."""

    @property
    def wanted(self) -> tuple[bool, ...]:
        """For each output that the node lists, whether it has a name."""
        ...

    @property
    def version(self) -> int:
        """The version of the operator that is in force."""
        ...


class RandomSite(RunSite, Protocol):
    """Where the kernel of an operator runs that draws random numbers."""

    @property
    def rng(self) -> np.random.Generator:
        """Random numbers that are the same at every visit of this node in this run."""
        ...


class DifferentiatingSite(RunSite, Protocol):
    """Where the kernel of an operator runs that differentiates the graph around it."""

    def derivatives(self, values: tuple[RunValue, ...], n: int) -> tuple[RunValue, ...]:
        """The derivatives of the value that the attribute `y` names by the first `n` inputs of
        the node; `values` are all of them.
        """
        ...


Cotangents = tuple["NDArray[np.floating] | None", ...]
"""For each of several values, the derivative of some number by it; None where that is zero."""


class DerivativeSite(RandomSite, Protocol):
    """Where a vector-Jacobian product runs: it gets the cotangents of a node's outputs, and what
    went in and came out, and gives the cotangents of the inputs. Its random numbers are those
    that the kernel had.
    """

    @property
    def needed(self) -> tuple[bool, ...]:
        """For each input, whether its cotangent is asked for."""
        ...

    def call(
        self, subgraph: Subgraph, arguments: tuple[RunValue, ...] = (), *, visit: int = 0
    ) -> tuple[RunValue, ...]:
        """The outputs of a subgraph; `visit` counts the calls of one node, as in its kernel."""
        ...

    def pull(
        self,
        subgraph: Subgraph,
        arguments: tuple[RunValue, ...],
        cotangents: Cotangents,
        *,
        visit: int = 0,
    ) -> Cotangents:
        """The cotangents of a subgraph's arguments, given those of its outputs. What the subgraph
        captured is taken care of.
        """
        ...
