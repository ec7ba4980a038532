"""`infer` and what it returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar, cast, overload

from onnx_explorer.dims import clear_tables
from onnx_explorer.errors import InferenceError
from onnx_explorer.inference.abstraction import type_of
from onnx_explorer.inference.bindings import Binding, bound_inputs, plain_bindings
from onnx_explorer.inference.diagnostics import Assumption, Diagnostic, report_lines
from onnx_explorer.inference.engine import Engine
from onnx_explorer.inference.given_rules import GivenRules, checked_rules
from onnx_explorer.inference.known_symbols import known_symbols
from onnx_explorer.inference.memo import Memo
from onnx_explorer.inference.missing import no_such_value
from onnx_explorer.inference.naming import FreshNames
from onnx_explorer.inference.scope import OutOfOrder
from onnx_explorer.ir import Graph, Model, TensorType, Type, Value
from onnx_explorer.ir.collector import without_collector
from onnx_explorer.ir.expected import expect_flag, model_of
from onnx_explorer.ops.given import misspelt
from onnx_explorer.schema import UNKNOWN, AbstractValue

if TYPE_CHECKING:  # what tells about types is imported when somebody asks
    from onnx_explorer.inference.constraints import Constraint
    from onnx_explorer.inference.explain import Explanation
    from onnx_explorer.ir.expected import Source

_T = TypeVar("_T")
TABLE_ROWS = 60
"""How many values a notebook shows of a model; the others are counted."""


_MEMO = Memo()


class Types(Mapping[str, Type]):
    """The type of every value of a model's main graph, by name, and what inference had to say."""

    def __init__(
        self, model: Model, engine: Engine, bindings: Mapping[str, Binding], rules: GivenRules
    ) -> None:
        self._model = model
        self._engine = engine
        self._bindings = bindings
        self._rules = rules
        self._told: tuple[Diagnostic, ...] | None = None
        self._values = engine.scopes[""].values
        self._types: dict[int, Type] = {}
        self._scopes: Mapping[str, Mapping[str, Type]] | None = None

    def __getitem__(self, name: str) -> Type:
        value = self._values.get(name) if isinstance(cast("object", name), str) else None
        if value is None:
            raise no_such_value(name, self._engine.scopes)
        return self._type_of(value)

    @overload
    def get(self, key: str, /) -> Type | None: ...
    @overload
    def get(self, key: str, default: Type, /) -> Type: ...
    @overload
    def get(self, key: str, default: _T, /) -> Type | _T: ...
    def get(self, key: str, default: object = None, /) -> object:
        return self._type_of(value) if (value := self._values.get(key)) else default

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def _type_of(self, value: AbstractValue) -> Type:
        """Equal values are one object, and so are their types."""
        found = self._types.get(id(value))
        if found is None:
            found = self._types[id(value)] = type_of(value)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def model(self) -> Model:
        """The model that has these types: what was inferred, with the inputs as they are bound."""
        if not self._bindings:
            return self._model
        graph = self._model.graph
        inputs = tuple(replace(value, type=self.get(value.name)) for value in graph.inputs)
        return replace(self._model, graph=replace(graph, inputs=inputs))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything found, the main graph first, then the graphs inside its nodes."""
        if self._told is None:
            from onnx_explorer.inference.told import told

            self._told = told(self._engine)
        return self._told

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that are errors, not warnings."""
        return tuple(d for d in self.diagnostics if d.severity == "error")

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What must hold for the graph to work although nothing proves it."""
        return self._engine.journal.assumptions

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """Which values of the symbols in its inputs let the graph work, and the nodes that ask for
        it: what the assumptions come to. Of subgraphs that run on a condition nothing is said.
        """
        from onnx_explorer.inference.constraints import constraints, size_claims
        from onnx_explorer.inference.positions import position_claims

        engine = self._engine
        claims = [
            (assumed.node, assumed.claim)
            for path, scope in engine.scopes.items()
            if scope.always_runs
            for assumed in engine.journal.assumed_in(path)
            if assumed.claim is not None
        ]
        nodes = self._model.graph.nodes
        sizes = size_claims(nodes, self._values)
        positions = position_claims(nodes, self._values)
        return constraints([*claims, *sizes, *positions], engine.input_symbols)

    @property
    def scopes(self) -> Mapping[str, Mapping[str, Type]]:
        """The types inside subgraphs and function calls too, by the scope's path: "" is the main
        graph, `loop_1/body/` the body of the node `loop_1`.
        """
        if self._scopes is None:
            self._scopes = MappingProxyType(
                {
                    path: {name: self._type_of(value) for name, value in scope.values.items()}
                    for path, scope in self._engine.scopes.items()
                }
            )
        return self._scopes

    def explain(self, name: str, axis: int | None = None) -> Explanation:
        """Where a value's type, or the size of one of its axes, comes from.

        Raises:
            InferenceError: the main graph has no such value (a KeyError, too), or the value has no
                such axis.
        """
        from onnx_explorer.inference.explain import explanation

        return explanation(self._engine, name, axis)

    def with_inputs(self, inputs: Mapping[str, Binding]) -> Types:
        """The types with these shapes and sizes bound, beside those that were bound before.

        Raises:
            InferenceError: they do not fit the model.
        """
        bindings = {**self._bindings, **plain_bindings(inputs)}
        return _types(self._model, bindings, self._rules, self._engine)

    def with_type(self, name: str, declared: str | Type) -> Types:
        """The types if a value of the main graph were declared like this (`"float32[N, 10]"`). What
        inference works out itself wins over a declaration, here as everywhere.

        Raises:
            InferenceError: the graph has no such value, or the type is none.
        """
        from onnx_explorer.inference.what_if import with_type

        return self._of(with_type(self._model, name, declared))

    def with_attribute(self, node: str, name: str, value: object) -> Types:
        """The types if an attribute of a node of the main graph had this value; None: if it were not
        there. The node goes by its name, or by one of its outputs.

        Raises:
            InferenceError: there is no such node or attribute, or the value does not fit.
        """
        from onnx_explorer.inference.what_if import with_attribute

        return self._of(with_attribute(self._model, node, name, value))

    def with_initializer(self, name: str, values: object) -> Types:
        """The types if an initializer of the main graph held these values.

        Raises:
            InferenceError: the graph has no such initializer, or the values are no tensor.
        """
        from onnx_explorer.inference.what_if import with_initializer

        return self._of(with_initializer(self._model, name, values))

    def _of(self, model: Model) -> Types:
        return _types(model, self._bindings, self._rules, self._engine)

    def annotate(self) -> Model:
        """The model with the inferred types written into its main graph and subgraphs, also for
        outputs that declare none.
        """
        return replace(self._model, graph=self._annotated(self._model.graph, ""))

    def _annotated(self, graph: Graph, path: str) -> Graph:
        scope = self._engine.scopes.get(path)
        if scope is None:
            return graph
        stated = {value.name: value for value in graph.value_info}
        edges = {value.name for value in (*graph.inputs, *graph.outputs)}
        written = [
            replace(stated.get(name, Value(name)), type=type_of(scope.values[name]))
            for node in graph.nodes
            for name in node.outputs
            if name and name not in edges and scope.values.get(name, UNKNOWN) != UNKNOWN
        ]
        fresh = {value.name for value in written}
        kept = [value for value in graph.value_info if value.name not in fresh]
        outputs = tuple(_declared(value, scope.values.get(value.name)) for value in graph.outputs)
        return replace(graph, value_info=(*kept, *written), outputs=outputs)

    def __repr__(self) -> str:
        n = len(self.diagnostics)
        graph = self._model.graph
        ends = {
            label: ", ".join(f"{value.name}: {self.get(value.name)}" for value in values[:4])
            for label, values in (("in", graph.inputs), ("out", graph.outputs))
        }
        return (
            f"<types of {len(self)} values, {n} diagnostic{'' if n == 1 else 's'}\n"
            f"  in   {ends['in']}\n  out  {ends['out']}>"
        )

    def _repr_html_(self) -> str:
        """A table of the computed values: what each node gives, and what there is to say."""
        rows = [
            f"<tr><td>{escape(node.label)}</td><td>{escape(node.op_type)}</td>"
            f"<td>{escape(name)}</td><td><code>{escape(str(self[name]))}</code></td></tr>"
            for node in self._model.graph.nodes
            for name in node.outputs
            if name in self
        ]
        more = len(rows) - TABLE_ROWS
        rest = f"<p>and {more} more values</p>" if more > 0 else ""
        said = "".join(f"<li>{escape(str(found))}</li>" for found in self.diagnostics[:TABLE_ROWS])
        return (
            "<table><thead><tr><th>node</th><th>operator</th><th>value</th><th>type</th></tr>"
            f"</thead><tbody>{''.join(rows[:TABLE_ROWS])}</tbody></table>{rest}"
            + (f"<ul>{said}</ul>" if said else "")
        )


def _declared(value: Value, found: AbstractValue | None) -> Value:
    """An output with a type: what it declares, or else what was found."""
    stated = value.type
    is_open = stated is None or (isinstance(stated, TensorType) and stated.shape is None)
    return (
        replace(value, type=type_of(found)) if is_open and found not in (None, UNKNOWN) else value
    )


def infer(
    model: Source,
    inputs: Mapping[str, Binding] | None = None,
    *,
    strict: bool = False,
    rules: GivenRules | None = None,
) -> Types:
    """The types of all values of a model, in one walk that does not stop at a fault.

    `inputs` binds the shape of an input (`{"x": [1, 3, 224, 224]}`) or a symbol that occurs in
    one (`{"batch": 4}`). `rules` are for operators that are not known here, by domain and name:
    `{("com.acme", "Foo"): rule}`. A rule takes an `Abstract` per input and attributes by keyword
    and returns an `Abstract` per output, as the rules of operator pages do. They may name operators
    that this model does not have; one spelled nearly as one that it has is refused.

    Raises:
        InferenceError: `inputs` or `rules` do not fit; with `strict`, also when there is any
            error, all of them in one message.
        ModelError: the nodes form a cycle, or what was given is no model.
    """
    model = model_of(model)
    expect_flag("strict", strict, InferenceError)
    given = checked_rules(rules)
    problem = misspelt(model, given) if given else ""
    if problem:
        raise InferenceError(f"a rule is given for {problem}")
    types = _types(model, plain_bindings(inputs), given)
    if strict and types.errors:
        raise InferenceError("\n".join(report_lines(types.errors)))
    return types


def forget() -> None:
    """Empty what inferences remember for each other. Nothing but speed and memory depends on it."""
    _MEMO.clear()
    clear_tables()


def _types(
    model: Model,
    bindings: Mapping[str, Binding],
    rules: GivenRules,
    before: Engine | None = None,
) -> Types:
    """What the walk finds. Most files hold their nodes in order, so that is tried first."""
    _MEMO.trim()
    with without_collector():
        try:
            engine = _walked(model, bindings, rules, before, sorting=False)
        except OutOfOrder:
            engine = _walked(model, bindings, rules, before, sorting=True)
    return Types(model, engine, bindings, rules)


def _walked(
    model: Model,
    bindings: Mapping[str, Binding],
    rules: GivenRules,
    before: Engine | None,
    *,
    sorting: bool,
) -> Engine:
    names = FreshNames(lambda: known_symbols(model, bindings))
    engine = Engine(model, names, _MEMO, rules, before=before, sorting=sorting)
    engine.run(*bound_inputs(model.graph, bindings, names))
    return engine
