"""The graphs and function bodies that are walked, each with the values it has so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from onnx_explorer.dims import Expr
from onnx_explorer.inference.diagnostics import Diagnostic
from onnx_explorer.ir import Attribute, Graph, Node, Type, node_ids
from onnx_explorer.schema import (
    Abstract,
    AbstractMap,
    AbstractOptional,
    AbstractSequence,
    AbstractSparse,
    AbstractValue,
)


class OutOfOrder(Exception):
    """A name that no node before gives, or that is given twice: the nodes have to be sorted."""


@dataclass(slots=True)
class Scope:
    """The values of one graph or function body while it is walked. A name that is not here is
    looked for in `outer`. `tainted` are values that follow from a fault. A graph inside a node may
    not run at all; the others `always_run`.
    """

    path: str
    imports: Mapping[str, int]
    outer: Scope | None = None
    attributes: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])
    values: dict[str, AbstractValue] = field(default_factory=dict[str, AbstractValue])
    constants: dict[str, AbstractValue] = field(default_factory=dict[str, AbstractValue])
    declared: dict[str, Type] = field(default_factory=dict[str, Type])
    nodes: Sequence[Node] = ()
    tainted: dict[str, Diagnostic] = field(default_factory=dict[str, Diagnostic])
    # What declarations in it were found to ask for.
    assumed: set[str] = field(default_factory=set[str])
    absent: frozenset[str] = frozenset()
    always_runs: bool = True
    _ids: dict[int, str] = field(default_factory=dict[int, str])
    _makers: dict[str, Node] = field(default_factory=dict[str, Node])

    def id_of(self, node: Node) -> str:
        """The id of one of the nodes; all are worked out when the first is asked for."""
        if not self._ids:
            self._ids = dict(zip(map(id, self.nodes), node_ids(self.nodes), strict=True))
        return self._ids[id(node)]

    def maker_of(self, name: str) -> str:
        """The id of the node that makes a value; "" where none does."""
        if not self._makers:
            self._makers = {output: node for node in self.nodes for output in node.outputs}
        maker = self._makers.get(name)
        return "" if maker is None else self.id_of(maker)

    def is_absent(self, name: str) -> bool:
        """Whether a name is an input of a function that the call leaves out."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.absent:
                return True
            scope = scope.outer
        return False

    def find(self, name: str) -> tuple[AbstractValue, Diagnostic | None] | None:
        scope: Scope | None = self
        while scope is not None:
            value = scope.values.get(name)
            if value is not None:
                return value, scope.tainted.get(name)
            scope = scope.outer
        return None


@dataclass(frozen=True, slots=True)
class Body:
    """A graph attribute as a rule sees it, with the scope around it."""

    graph: Graph
    path: str
    scope: Scope

    @property
    def name(self) -> str:
        return self.graph.name

    @property
    def n_inputs(self) -> int:
        return len(self.graph.inputs)

    @property
    def n_outputs(self) -> int:
        return len(self.graph.outputs)

    @property
    def outer_symbols(self) -> frozenset[str]:
        """Names of the sizes of all values around the graph."""
        names: set[str] = set()
        scope: Scope | None = self.scope
        while scope is not None:
            for value in scope.values.values():
                names.update(_symbols_in(value))
            scope = scope.outer
        return frozenset(names)

    @property
    def output_types(self) -> tuple[Type | None, ...]:
        return tuple(value.type for value in self.graph.outputs)


def _symbols_in(value: AbstractValue | None) -> frozenset[str]:
    match value:
        case Abstract(shape=shape) | AbstractSparse(shape=shape):
            sizes = [size for size in shape or () if isinstance(size, Expr)]
            return frozenset[str]().union(*(size.symbols for size in sizes))
        case AbstractSequence(element) | AbstractOptional(element) | AbstractMap(value=element):
            return _symbols_in(element) - {"?"}
        case None:
            return frozenset()
