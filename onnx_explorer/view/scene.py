"""The scene: everything that can be drawn of a model, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Literal

from onnx_explorer.ir import Tensor
from onnx_explorer.view.categories import Category
from onnx_explorer.view.figures import Figure
from onnx_explorer.view.travel import packed

VERSION = 1
GroupKind = Literal["root", "scope", "function", "subgraph", "operator"]
"""`operator` is the function that the standard gives for one, there once a run has gone into it."""
BoxKind = Literal["input", "output", "node", "constant", "initializer"]
Mark = Literal["known", "unknown", "mismatch"]
Severity = Literal["error", "warning"]
PortRow = tuple[str, str, str]
"""Port, value, type."""
ProblemRow = tuple[Severity, str, str, tuple[str, ...]]
"""Severity, message, code, repairs."""
DiagnosticRow = tuple[Severity, str, str, int, int, tuple[str, ...]]
"""Severity, code, text, box or -1, the row that it follows from or -1, repairs."""


FunctionRow = tuple[str, str, tuple[str, ...], tuple[str, ...], int, int]
"""Name, domain, inputs, outputs, number of nodes, number of nodes that call it."""


@dataclass(frozen=True, slots=True)
class Group:
    """Boxes that can be folded into one. Group 0 is the whole graph; `box` is the node that owns
    a subgraph or function body, else -1.
    """

    parent: int
    label: str
    kind: GroupKind
    box: int = -1


@dataclass(frozen=True, slots=True)
class Box:
    """Something with edges: a node, or an input or output of a graph."""

    group: int
    kind: BoxKind
    id: str
    op: str = ""
    domain: str = ""
    version: int = 0
    name: str = ""
    detail: str = ""
    category: Category = "io"
    # name, text, and 1 where the text is the operator's default
    attributes: tuple[tuple[str, str, int], ...] = ()
    inputs: tuple[PortRow, ...] = ()
    outputs: tuple[PortRow, ...] = ()
    doc: str = ""
    metadata: tuple[tuple[str, str], ...] = ()
    problems: tuple[ProblemRow, ...] = ()
    bytes: Figure = ""
    macs: Figure = ""
    flops: Figure = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A value on its way from the box that makes it to one that reads it. `declared` is what the
    file says of its type, "" where it says nothing or the same as `label`; `from_file` is 1 where
    the file alone knows it.
    """

    value: str
    source: int
    target: int
    label: str
    mark: Mark = "known"
    note: str = ""
    declared: str = ""
    from_file: int = 0


@dataclass(frozen=True, slots=True)
class Initializer:
    """A constant that is not drawn but listed with the boxes that read it. `group` is the graph that
    it stands in, `text` its element where it has but one, and of `notes` there is one a reader: why
    it does not fit there, or "".
    """

    name: str
    type: str
    bytes: int
    boxes: tuple[int, ...]
    group: int = 0
    text: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """A model ready to be drawn. A box's place in `boxes` is what edges refer to."""

    title: str
    model: tuple[tuple[str, str], ...]
    groups: tuple[Group, ...]
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    initializers: tuple[Initializer, ...] = ()
    diagnostics: tuple[DiagnosticRow, ...] = ()
    # Long names of dims and their short forms.
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    # Nodes that are drawn as part of those that read them: constants and their copies.
    hidden: frozenset[str] = field(default_factory=frozenset[str])
    # The tensors of `initializers`, by name.
    constants: Mapping[str, Tensor] = field(default_factory=dict[str, Tensor])
    # Name, domain, inputs, outputs, number of nodes, number of calls.
    functions: tuple[FunctionRow, ...] = ()
    # Sizes that the symbols of the inputs are likely to have.
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])

    def columns(self) -> dict[str, object]:
        """The scene as the front end reads it: parallel lists per table."""
        return {
            "version": VERSION,
            "title": self.title,
            "model": [list(row) for row in self.model],
            "groups": _columns(Group, self.groups),
            "boxes": _columns(Box, self.boxes),
            "edges": _columns(Edge, self.edges),
            "initializers": _columns(Initializer, self.initializers),
            "diagnostics": [list(row) for row in self.diagnostics],
            "aliases": [list(pair) for pair in self.aliases.items()],
            "functions": [list(row) for row in self.functions],
            "sizes": [list(pair) for pair in self.sizes.items()],
        }

    def to_bytes(self) -> bytes:
        """The columns as they travel."""
        return packed(self.columns())


def _columns(row_type: type, rows: tuple[object, ...]) -> dict[str, list[object]]:
    return {f.name: list(map(attrgetter(f.name), rows)) for f in fields(row_type)}
