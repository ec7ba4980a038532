"""The walk: every node once, in order, into subgraphs and functions; it never stops at a fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import cast
from weakref import proxy

from onnx_explorer.dims import symbols
from onnx_explorer.inference.abstraction import type_of
from onnx_explorer.inference.declarations import Declarations
from onnx_explorer.inference.declared import conflict_text, refined
from onnx_explorer.inference.diagnostics import Diagnostic
from onnx_explorer.inference.given_rules import GivenRules, RuleResolver
from onnx_explorer.inference.journal import Case, Journal
from onnx_explorer.inference.memo import Memo, Use, UseKey, UseTable
from onnx_explorer.inference.naming import FreshNames
from onnx_explorer.inference.node import Inputs, Outcome, arity_violation, checked_inputs
from onnx_explorer.inference.rules import Rules
from onnx_explorer.inference.scope import Body, OutOfOrder, Scope
from onnx_explorer.inference.signature import signature_of
from onnx_explorer.ir import (
    Attribute,
    Function,
    Graph,
    Model,
    Node,
    Tensor,
    Value,
    inner_path,
    sorted_nodes,
)
from onnx_explorer.ops.resolve import (
    Resolved,
    Resolver,
    Unresolved,
    bound_attributes,
    call_attributes,
)
from onnx_explorer.schema import (
    Abstract,
    AbstractValue,
    Call,
    Violation,
    abstract_of,
)


class Engine:
    """One inference of one model. `scopes` holds the values of every graph by path, in the state
    of its last walk; `journal` what there is to say. The constants of a model that is changed are
    taken over from the engine `before`.
    """

    def __init__(
        self,
        model: Model,
        names: FreshNames,
        memo: Memo,
        rules: GivenRules,
        *,
        before: Engine | None = None,
        sorting: bool = False,
    ) -> None:
        self.model = model
        self.scopes: dict[str, Scope] = {}
        self.journal = Journal()
        self._resolver = RuleResolver(model, rules) if rules else Resolver(model)
        self._shares = not rules and not model.functions
        self._memo = memo
        self._intern = memo.intern
        # Not the engine itself: it would hold itself, and the model until the next collection.
        this = cast("Engine", proxy(self))
        self._rules = Rules(memo, names, this)
        self._names = names
        self._sorting = sorting
        self._before = before
        # Tables of uses by the identity of the opset imports in force, and uses of this model only.
        self._tables: dict[int, UseTable] = {}
        self._own: dict[tuple[int, UseKey], Use] = {}
        self._declarations = Declarations(memo, names, self.journal, lambda: this.input_symbols)
        self._settled = self._declarations.settled
        self._calls: list[tuple[str, str, str]] = []
        self._around: list[str] = []  # the paths of the scopes being walked, the innermost last
        self._inside: dict[str, list[str]] = {}

    def run(self, inputs: Mapping[str, AbstractValue], numbers: Mapping[str, int]) -> Scope:
        """Walk the main graph with these inputs bound; the others as declared. `numbers` are what
        the symbols stand for that were bound.
        """
        graph = self.model.graph
        self._declarations.numbers = numbers
        scope = self._enter("", self.model.opset_imports, None, {})
        for value in graph.inputs:
            given = inputs.get(value.name)
            if given is not None:
                scope.values[value.name] = self._intern(given)
            elif value.name not in graph.initializers:
                scope.values[value.name] = self._declarations.of_input(value, "")
        self._add_constants(scope, graph, keep=inputs.keys())
        self._walk(scope, graph.nodes, (*graph.value_info, *graph.outputs))
        self._check_outputs(scope, graph)
        self._before = None
        for place, step in enumerate(self.model.training):
            if step.initialization is not None:
                self._train(f"training[{place}]/initialization/", step.initialization, None)
            if step.algorithm is not None:
                self._train(f"training[{place}]/algorithm/", step.algorithm, scope)
        return scope

    def _train(self, path: str, graph: Graph, around: Scope | None) -> None:
        """Walk a graph of the training; an algorithm reads what the main graph gives."""
        scope = self._enter(path, self.model.opset_imports, around, {})
        for value in graph.inputs:
            scope.values[value.name] = self._declarations.of_input(value, path)
        self._add_constants(scope, graph)
        self._walk(scope, graph.nodes, (*graph.value_info, *graph.outputs))
        self._check_outputs(scope, graph)

    @property
    def walked_in_order(self) -> bool:
        """Whether the nodes of the main graph were met in order, each name once."""
        return not self._sorting

    # -- graphs ------------------------------------------------------------------------------

    def _enter(
        self,
        path: str,
        imports: Mapping[str, int],
        outer: Scope | None,
        attributes: Mapping[str, Attribute],
    ) -> Scope:
        if path in self.scopes:
            self._void(path)
        scope = Scope(path, imports, outer, attributes)
        around = self.scopes[self._around[-1]] if self._around else scope
        scope.always_runs = outer is None and around.always_runs
        self.scopes[path] = scope
        self.journal.open(path)
        self._inside[path] = []
        if self._around:
            self._inside[self._around[-1]].append(path)
        return scope

    def _void(self, path: str) -> None:
        """Forget what the last walk of a body said, and everything below it."""
        for inner in self._inside.pop(path):
            if inner in self._inside:
                self._void(inner)
        del self.scopes[path]
        self.journal.close(path)

    def _add_constants(self, scope: Scope, graph: Graph, keep: object = ()) -> None:
        bound = cast("Sequence[str]", keep)
        values, constant = scope.values, self._memo.constant
        before = self._before
        if before is not None and graph is self.model.graph:
            old, known = before.model.graph.initializers, before.scopes[""].constants
            scope.constants = {
                name: known[name] if old.get(name) is tensor else constant(tensor)
                for name, tensor in graph.initializers.items()
            }
        else:
            scope.constants = {name: constant(t) for name, t in graph.initializers.items()}
        free = {n: v for n, v in scope.constants.items() if n not in bound} if bound else None
        values.update(scope.constants if free is None else free)
        for sparse in graph.sparse_initializers:
            if sparse.name not in bound:
                scope.values[sparse.name] = self._intern(Abstract(sparse.values.dtype, sparse.dims))

    def _check_outputs(self, scope: Scope, graph: Graph) -> None:
        for output in graph.outputs:
            if output.name and scope.find(output.name) is None:
                self.journal.report(
                    scope.path,
                    "missing-value",
                    "nothing makes this output of the graph",
                    value=output.name,
                )
                scope.values[output.name] = self._names.filled(
                    abstract_of(output.type), scope.path, output.name
                )

    def _argument(self, given: AbstractValue, value: Value, path: str) -> AbstractValue:
        """What a subgraph's input is: what is passed, refined by what the subgraph declares."""
        stated = abstract_of(value.type)
        if conflict := conflict_text(given, stated):
            text = f"declared as {value.type}, but {type_of(given)} is passed: {conflict}"
            self.journal.report(path, "declared-mismatch", text, value=value.name)
            return given
        return refined(given, self._names.filled(stated, path, value.name), self._names)

    def _walk(self, scope: Scope, nodes: Sequence[Node], declared: Sequence[Value]) -> None:
        scope.declared = {v.name: v.type for v in declared if v.type is not None}
        scope.nodes = nodes
        self._around.append(scope.path)
        try:
            self._visit(scope, self._ordered(scope, nodes))
        finally:
            self._around.pop()

    def _ordered(self, scope: Scope, nodes: Sequence[Node]) -> Sequence[Node]:
        # A name from outside that the body gives again later hides that it is out of order.
        return sorted_nodes(nodes) if self._sorting or scope.outer is not None else nodes

    def _visit(self, scope: Scope, nodes: Sequence[Node]) -> None:
        """Every node in turn: what was met before is told from here, in one loop for all, since
        calls would cost as much as the rest.
        """
        values, tainted, declared = scope.values, scope.tainted, scope.declared
        get, agreements = values.get, self._memo.agreements
        table = self._table(scope)
        results = table.results
        expected = len(values) + len(nodes)
        for node in nodes:
            given, outputs = node.inputs, node.outputs
            if len(given) == 2:
                a, b = given
                ids = id(get(a)), id(get(b))
            elif len(given) == 1:
                ids = (id(get(given[0])),)
            else:
                ids = tuple([id(get(name)) for name in given])
            value = results.get(
                (node.op_type, id(node.attributes), node.domain, node.overload, ids)
            )
            if value is None or tainted or len(outputs) != 1 or not (name := outputs[0]):
                expected += self._visit_new(scope, node, table, ids) - 1
                continue
            if name in declared:
                stated = declared[name]
                agreed = agreements.get((id(value), id(stated)))
                value = agreed[0] if agreed else self._settled(scope, name, value, stated)
            values[name] = value
        if len(values) != expected and not self._sorting:
            raise OutOfOrder

    def _visit_new(self, scope: Scope, node: Node, table: UseTable, ids: tuple[int, ...]) -> int:
        """Visit a node that is not known to give one value and nothing to tell; returns how many
        values it makes.
        """
        outputs = node.outputs
        n_made = len(outputs) - outputs.count("")
        use = table.uses.get(
            (node.op_type, node.domain, node.overload, id(node.attributes), len(outputs))
        )
        key = (node.op_type, id(node.attributes), node.domain, node.overload, ids)
        if use is None and node.op_type == "Constant":
            constant = self._constant(scope, node)
            if constant is not None:
                self._assign(scope, node, (constant,), None)
                if constant.content is not None:
                    table.results[key] = constant
                    table.kept.append(node.attributes)
                return n_made
        inputs = [scope.values.get(name) for name in node.inputs]
        # Not here: a name left out, one from outside, what follows from a fault.
        if use is None or scope.tainted or None in inputs or n_made < len(outputs):
            self._node(scope, node)
            return n_made
        found = use.outcomes.get(ids)
        if found is None:
            found = self._rules.outcome(use, scope, node, inputs)
        cause = None if found.is_silent else self._tell(scope, node, use, found, inputs)
        if found.is_silent and len(outputs) == 1 and ids in use.outcomes:
            table.results[key] = found.outputs[0]
        self._assign(scope, node, found.outputs, cause)
        return n_made

    def call_body(self, call: Call) -> tuple[AbstractValue, ...]:
        """Walk the subgraph that a rule calls; returns the values of its outputs."""
        body = cast("Body", call.subgraph)
        graph, outer = body.graph, body.scope
        scope = self._enter(body.path, outer.imports, outer, outer.attributes)
        if len(call.arguments) != len(graph.inputs):
            raise Violation(
                f"subgraph {graph.name!r} with {len(graph.inputs)} inputs",
                f"the operator passes {len(call.arguments)}",
            )
        for value, argument in zip(graph.inputs, call.arguments, strict=True):
            given = cast("AbstractValue", argument)
            scope.values[value.name] = self._intern(self._argument(given, value, body.path))
        self._add_constants(scope, graph)
        self._walk(scope, graph.nodes, (*graph.value_info, *graph.outputs))
        self._check_outputs(scope, graph)
        return tuple(
            found[0] if (found := scope.find(output.name)) else self._memo.unknown
            for output in graph.outputs
        )

    # -- nodes -------------------------------------------------------------------------------

    def _node(self, scope: Scope, node: Node) -> None:
        inputs: list[AbstractValue | None] = []
        cause: Diagnostic | None = None
        missing: list[str] = []
        for name in node.inputs:
            found = scope.find(name) if name else None
            if found is None and name and scope.is_absent(name):
                name = ""
            if found is None and name:
                if not self._sorting:
                    raise OutOfOrder
                missing.append(name)
            inputs.append(found[0] if found else self._memo.unknown if name else None)
            cause = cause or (found[1] if found else None)
        meaning = self._resolver.meaning(node, scope.imports)
        attributes = bound_attributes(node, scope.attributes)
        for name in missing:
            case = Case(scope, node, meaning, inputs, attributes)
            text = f"nothing makes its input {name!r}"
            diagnostic = self.journal.report(
                scope.path, "missing-value", text, value=name, case=case
            )
            cause = cause or diagnostic
        match meaning:
            case Unresolved(code, reason):
                outputs: tuple[AbstractValue, ...] = ()
                case = Case(scope, node, meaning, inputs, attributes)
                self.journal.report(scope.path, code, reason, case=case)
            case Function():
                node_id = scope.id_of(node)
                outputs = self._function(scope, node, node_id, meaning, inputs, attributes)
            case Resolved():
                use = self._use(scope, node, meaning, attributes)
                outcome = self._rules.outcome(use, scope, node, inputs)
                outputs = outcome.outputs
                if not outcome.is_silent:
                    reported = self._tell(scope, node, use, outcome, inputs, cause)
                    cause = cause or reported
        self._assign(scope, node, outputs, cause)

    def _constant(self, scope: Scope, node: Node) -> Abstract | None:
        """What a node gives that only is another way to write an initializer; None for others."""
        attributes = node.attributes
        if len(attributes) != 1 or node.inputs or len(node.outputs) != 1:
            return None
        value = attributes["value"].value if "value" in attributes else None
        meaning = self._resolver.meaning(node, scope.imports)
        if not isinstance(value, Tensor) or not isinstance(meaning, Resolved):
            return None
        return None if signature_of(meaning.schema).is_open else self._memo.constant(value)

    def _tell(
        self,
        scope: Scope,
        node: Node,
        use: Use,
        outcome: Outcome,
        inputs: Inputs,
        cause: Diagnostic | None = None,
    ) -> Diagnostic | None:
        """Record what the rule of a node found and assumed; returns the first finding."""
        case = Case(scope, node, use.resolved, inputs, use.attributes)
        return self.journal.place(case, outcome, cause)

    def _assign(
        self,
        scope: Scope,
        node: Node,
        outputs: Sequence[AbstractValue],
        cause: Diagnostic | None,
    ) -> None:
        for index, name in enumerate(node.outputs):
            if not name:
                continue
            value = outputs[index] if index < len(outputs) else self._memo.unknown
            declared = scope.declared.get(name)
            if declared is not None:
                value = self._settled(scope, name, value, declared)
            scope.values[name] = value
            if cause is not None:
                scope.tainted[name] = cause

    def _use(
        self, scope: Scope, node: Node, meaning: Resolved, attributes: Mapping[str, Attribute]
    ) -> Use:
        """What the node has in common with others; remembered where `_visit` looks for it."""
        outputs = node.outputs
        if attributes is not node.attributes or "" in outputs:
            return self._memo.use(meaning, attributes, tuple(map(bool, outputs)))
        key = (node.op_type, node.domain, node.overload, id(attributes), len(outputs))
        own_key = (id(scope.imports), key)
        use = self._own.get(own_key)
        if use is None:
            use = self._memo.use(meaning, attributes, (True,) * len(outputs))
            if use.is_shared:
                self._table(scope).uses[key] = use
            else:
                self._own[own_key] = use
        return use

    def _table(self, scope: Scope) -> UseTable:
        found = self._tables.get(id(scope.imports))
        if found is None:
            # A function or a given rule may stand where other models use an operator.
            found = self._memo.table(scope.imports) if self._shares else UseTable()
            self._tables[id(scope.imports)] = found
        return found

    def _function(
        self,
        scope: Scope,
        node: Node,
        node_id: str,
        function: Function,
        inputs: Inputs,
        given: Mapping[str, Attribute],
    ) -> tuple[AbstractValue, ...]:
        case = Case(scope, node, function, inputs, given)
        if function.key in self._calls:
            text = f"function {function.name!r} calls itself"
            self.journal.report(scope.path, "recursive-function", text, case=case)
            return ()
        for what, found, wanted in (
            ("input", len(inputs), len(function.inputs)),
            ("output", len(node.outputs), len(function.outputs)),
        ):
            if found > wanted:
                text = f"{found} {what}s, but function {function.name!r} has {wanted}"
                self.journal.report(scope.path, f"{what}-count", text, case=case)
        self._calls.append(function.key)
        inner = self._enter(
            inner_path(scope.path, node_id, "function"),
            function.opset_imports,
            None,
            call_attributes(function, given),
        )
        for name, value in zip(function.inputs, inputs, strict=False):
            if value is not None:
                inner.values[name] = value
        inner.absent = frozenset(name for name in function.inputs if name not in inner.values)
        self._walk(inner, function.nodes, function.value_info)
        self._calls.pop()
        return tuple(
            found[0] if (found := inner.find(name)) else self._memo.unknown
            for name in function.outputs
        )

    # -- for explanations --------------------------------------------------------------------

    def schema_text(self, node: Node, scope: Scope) -> str:
        """What a node of a scope means, as text: `Conv-11`, `function f`."""
        meaning = self._resolver.meaning(node, scope.imports)
        if isinstance(meaning, Resolved):
            return meaning.schema.label
        return f"{'function ' if isinstance(meaning, Function) else ''}{node.op_type}"

    def try_rule(self, node: Node, inputs: Inputs, scope: Scope) -> tuple[AbstractValue, ...]:
        """The outputs that a node of this scope would have for other inputs; () where its rule
        runs subgraphs or there is none. Nothing is recorded.

        Raises:
            Violation: the rule refuses the inputs.
        """
        meaning = self._resolver.meaning(node, scope.imports)
        if not isinstance(meaning, Resolved):
            return ()
        attributes = bound_attributes(node, scope.attributes)
        use = self._memo.use(meaning, attributes, tuple(map(bool, node.outputs)))
        return self._rules.attempt(use, node, inputs)

    def attempt(
        self,
        node: Node,
        resolved: Resolved,
        attributes: Mapping[str, Attribute],
        inputs: Inputs,
    ) -> tuple[AbstractValue, ...]:
        """The outputs that a node would certainly have if it were changed like this; () where its
        rule runs subgraphs, assumes something, or there is none. Nothing is recorded.

        Raises:
            Violation: the changed node is refused, too.
        """
        use = self._memo.use(resolved, attributes, tuple(map(bool, node.outputs)))
        outcome = Outcome(findings=use.findings)
        if use.signature.bound(inputs, len(use.wanted)) is None:
            checked_inputs(resolved.schema, inputs, outcome)
            arity = arity_violation(resolved.schema, inputs, len(use.wanted))
            outcome.findings.extend([arity] if arity else [])
        if outcome.findings:
            raise outcome.findings[0]
        return self._rules.attempt(use, node, inputs, certainly=True)

    @cached_property
    def input_symbols(self) -> frozenset[str]:
        """Names that the sizes of the inputs have, those that were bound left out."""
        values = self.scopes[""].values
        inputs = (values[value.name] for value in self.model.graph.inputs)
        shapes = {value.shape or () for value in inputs if isinstance(value, Abstract)}
        return frozenset(name for shape in shapes for size in shape for name in symbols(size))
