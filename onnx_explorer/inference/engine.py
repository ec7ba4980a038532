"""The walk: every node once, in order, into subgraphs and functions; it never stops at a fault."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import cast

from onnx_explorer.dims import Dim, DimError, DimLimitError, UndecidedError
from onnx_explorer.errors import ModelError
from onnx_explorer.inference.abstraction import constant, type_of
from onnx_explorer.inference.contents import with_content
from onnx_explorer.inference.declared import conflict_text, refined
from onnx_explorer.inference.diagnostics import Diagnostic
from onnx_explorer.inference.journal import Journal
from onnx_explorer.inference.naming import FreshNames
from onnx_explorer.inference.node import (
    Finding,
    Inputs,
    Outcome,
    arity_finding,
    checked_inputs,
    finished,
)
from onnx_explorer.inference.scope import Body, Scope
from onnx_explorer.inference.site import Site
from onnx_explorer.ir import (
    Attribute,
    Function,
    Graph,
    Model,
    Node,
    Type,
    Value,
    inner_path,
    node_ids,
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
    UNKNOWN,
    Abstract,
    AbstractValue,
    Call,
    PageFunction,
    Violation,
    abstract_of,
)
from onnx_explorer.schema.attributes import arguments, decoded

MemoKey = tuple[object, ...]


class Engine:
    """One inference of one model. `scopes` holds the values of every graph by path, in the state
    of its last walk; `journal` what there is to say.
    """

    def __init__(self, model: Model, names: FreshNames) -> None:
        self.model = model
        self.scopes: dict[str, Scope] = {}
        self.journal = Journal()
        self._resolver = Resolver(model)
        self._interned: dict[AbstractValue, AbstractValue] = {}
        self._memo: dict[MemoKey, Outcome] = {}
        self._attributes_alive: list[Mapping[str, Attribute]] = []
        self._names = names
        self._calls: list[tuple[str, str, str]] = []
        self._around: list[str] = []  # the paths of the scopes being walked, the innermost last
        self._inside: dict[str, list[str]] = {}

    def run(self, inputs: Mapping[str, AbstractValue]) -> Scope:
        """Walk the main graph with these inputs bound; the others as declared."""
        graph = self.model.graph
        scope = self._enter("", self.model.opset_imports, None, {})
        for value in graph.inputs:
            given = inputs.get(value.name)
            scope.values[value.name] = self._intern(
                given if given is not None else self.declared_input(value, "")
            )
        self._add_constants(scope, graph, keep=inputs.keys())
        self._walk(scope, graph.nodes, (*graph.value_info, *graph.outputs))
        self._check_outputs(scope, graph)
        return scope

    def declared_input(self, value: Value, path: str) -> AbstractValue:
        """The declared type of an input, open dims named after it."""
        return self._names.filled(abstract_of(value.type), path, value.name)

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
        for name, tensor in graph.initializers.items():
            if name not in bound:
                scope.values[name] = self._intern(constant(tensor))
        for sparse in graph.sparse_initializers:
            if sparse.name not in bound:
                scope.values[sparse.name] = self._intern(Abstract(sparse.values.dtype, sparse.dims))

    def _check_outputs(self, scope: Scope, graph: Graph) -> None:
        for output in graph.outputs:
            if output.name and scope.find(output.name) is None:
                self.journal.report(
                    scope.path,
                    "missing-value",
                    "nothing produces this graph output",
                    value=output.name,
                )
                scope.values[output.name] = self._names.filled(
                    abstract_of(output.type), scope.path, output.name
                )

    def _argument(self, given: AbstractValue, value: Value, path: str) -> AbstractValue:
        """What a subgraph's input is: what is passed, refined by what the subgraph declares."""
        stated = abstract_of(value.type)
        if conflict_text(given, stated):
            return given
        return refined(given, self._names.filled(stated, path, value.name), self._names)

    def _walk(self, scope: Scope, nodes: Sequence[Node], declared: Sequence[Value]) -> None:
        scope.declared = {v.name: v.type for v in declared if v.type is not None}
        ids = dict(zip(map(id, nodes), node_ids(nodes), strict=True))
        self._around.append(scope.path)
        try:
            for node in sorted_nodes(nodes):
                self._node(scope, node, ids[id(node)])
        finally:
            self._around.pop()

    def _call_body(self, call: Call) -> tuple[AbstractValue, ...]:
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
            found[0] if (found := scope.find(output.name)) else self._intern(UNKNOWN)
            for output in graph.outputs
        )

    # -- nodes -------------------------------------------------------------------------------

    def _node(self, scope: Scope, node: Node, node_id: str) -> None:
        inputs: list[AbstractValue | None] = []
        cause: Diagnostic | None = None
        for name in node.inputs:
            found = scope.find(name) if name else None
            if found is None and name and scope.is_absent(name):
                name = ""
            if found is None and name:
                diagnostic = self.journal.report(
                    scope.path,
                    "missing-value",
                    f"nothing before this node produces its input {name!r}",
                    node=scope.path + node_id,
                    operator=node.op_type,
                    value=name,
                )
                cause = cause or diagnostic
            inputs.append(found[0] if found else self._intern(UNKNOWN) if name else None)
            cause = cause or (found[1] if found else None)
        meaning = self._resolver.meaning(node, scope.imports)
        attributes = bound_attributes(node, scope.attributes)
        match meaning:
            case Unresolved(code, reason):
                outputs: tuple[AbstractValue, ...] = ()
                self.journal.report(
                    scope.path,
                    code,
                    reason,
                    severity="warning" if code == "unknown-operator" else "error",
                    node=scope.path + node_id,
                    operator=node.op_type,
                )
            case Function():
                outputs = self._function(scope, node, node_id, meaning, inputs, attributes)
            case Resolved():
                outcome = self._operator(scope, node, node_id, meaning, inputs, attributes)
                outputs = outcome.outputs
                if outcome.findings or outcome.assumptions:
                    reported = self.journal.place(
                        scope.path,
                        scope.path + node_id,
                        str(meaning.schema),
                        outcome,
                        _flows(node, meaning),
                        cause,
                    )
                    cause = cause or reported
        for index, name in enumerate(node.outputs):
            if not name:
                continue
            value = outputs[index] if index < len(outputs) else self._intern(UNKNOWN)
            declared = scope.declared.get(name)
            if declared is not None:
                value = self._against_declared(scope, name, value, declared)
            scope.values[name] = value
            if cause is not None:
                scope.tainted[name] = cause

    def _operator(
        self,
        scope: Scope,
        node: Node,
        node_id: str,
        resolved: Resolved,
        inputs: Inputs,
        attributes: Mapping[str, Attribute],
    ) -> Outcome:
        wanted = tuple(map(bool, node.outputs))
        key: MemoKey = (
            id(resolved),
            wanted,
            tuple(map(id, inputs)),
            tuple(map(id, attributes.values())),
        )
        known = self._memo.get(key)
        if known is not None:
            return known
        outcome = Outcome()

        def body(name: str, graph: Graph) -> Body:
            return Body(graph, inner_path(scope.path, node_id, name), scope)

        values = decoded(
            attributes,
            resolved.schema,
            body,
            lambda violation: outcome.findings.append(Finding("attribute", violation)),
        )
        made_names = 0

        def fresh(hint: str, low: int | None, high: int | None) -> Dim:
            nonlocal made_names
            made_names += 1
            return self._names.size(scope.path, node_id, hint, made_names, low=low, high=high)

        site = Site(wanted, resolved.version, resolved.opset, fresh)
        bound = checked_inputs(resolved.schema, inputs, outcome)
        arity = arity_finding(resolved.schema, inputs, len(node.outputs))
        rule = resolved.operator.rule_at(resolved.version)
        attrs = resolved.schema.attributes
        raw: object = None
        if arity is not None:
            outcome.findings.append(arity)
        elif rule is None:
            text = f"{resolved.schema} has no inference rule"
            outcome.findings.append(Finding("no-rule", Violation(text, "its outputs stay unknown")))
        elif all(values[a.name] is not None or not a.required for a in attrs.values()):
            raw = self._rule(rule, inputs, values, site, outcome)
        outcome.outputs = finished(raw, resolved, len(node.outputs), bound, outcome)
        if arity is None and not outcome.findings:
            outcome.outputs = with_content(outcome.outputs, resolved, inputs, values, site)
        outcome.outputs = tuple(map(self._intern, outcome.outputs))
        # Sizes made up for this node are its own; a body sees the values around it.
        if not site.made_up and not any(isinstance(v, Body) for v in values.values()):
            self._memo[key] = outcome
            # The key holds identities: attributes bound for a call must outlive it.
            self._attributes_alive.append(attributes)
        return outcome

    def _rule(
        self,
        rule: PageFunction,
        inputs: Inputs,
        values: Mapping[str, object],
        site: Site,
        outcome: Outcome,
    ) -> object:
        keywords = arguments(rule, values)
        if rule.takes_at:
            keywords["at"] = site
        raw: object = None
        try:
            raw = rule.function(*inputs, **keywords)
            if rule.is_generator:
                raw = self._drive(cast("Generator[Call, tuple[object, ...], object]", raw))
        except Violation as violation:
            raw = site.kept
            outcome.findings.append(Finding("violation", violation))
        except (UndecidedError, DimLimitError):
            raw = None  # no fault of the model: what the rule would have said stays unknown
        except DimError as error:
            finding = Violation(str(error), "sizes have to go together")
            outcome.findings.append(Finding("violation", finding))
        except ModelError:
            raise  # the nodes of a body form a cycle
        except Exception as error:  # noqa: BLE001  one bad rule must not cost the whole drawing
            text = f"the rule failed with {type(error).__name__}: {error}"
            finding = Violation(text, "this is a fault of onnx_explorer; the outputs stay unknown")
            outcome.findings.append(Finding("internal", finding))
        outcome.findings.extend(Finding("violation", v) for v in site.violations)
        outcome.assumptions.extend(site.assumptions)
        return raw

    def _drive(self, steps: Generator[Call, tuple[object, ...], object]) -> object:
        try:
            call = next(steps)
            while True:
                call = steps.send(self._call_body(call))
        except StopIteration as stop:
            return stop.value

    def _function(
        self,
        scope: Scope,
        node: Node,
        node_id: str,
        function: Function,
        inputs: Inputs,
        given: Mapping[str, Attribute],
    ) -> tuple[AbstractValue, ...]:
        place = scope.path + node_id
        if function.key in self._calls:
            self.journal.report(
                scope.path,
                "recursive-function",
                f"function {function.name!r} calls itself",
                node=place,
                operator=node.op_type,
            )
            return ()
        for name in function.attributes:
            if name not in given:
                self.journal.report(
                    scope.path,
                    "attribute",
                    f"no attribute {name!r}, but function {function.name!r} requires it",
                    node=place,
                    operator=node.op_type,
                )
        if len(inputs) > len(function.inputs):
            self.journal.report(
                scope.path,
                "arity",
                f"{len(inputs)} inputs, but function {function.name!r} takes "
                f"{len(function.inputs)}",
                node=place,
                operator=node.op_type,
            )
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
            found[0] if (found := inner.find(name)) else self._intern(UNKNOWN)
            for name in function.outputs
        )

    # -- for explanations --------------------------------------------------------------------

    def schema_text(self, node: Node) -> str:
        """What a node of the main graph means, as text: `Conv-11`, `function f`."""
        meaning = self._resolver.meaning(node, self.model.opset_imports)
        if isinstance(meaning, Resolved):
            return str(meaning.schema)
        return f"{'function ' if isinstance(meaning, Function) else ''}{node.op_type}"

    def try_rule(self, node: Node, inputs: Inputs) -> tuple[AbstractValue, ...]:
        """The outputs that a node of the main graph would have for other inputs; () where its
        rule runs subgraphs or there is none. Nothing is recorded.

        Raises:
            Violation: the rule refuses the inputs.
        """
        meaning = self._resolver.meaning(node, self.model.opset_imports)
        if not isinstance(meaning, Resolved):
            return ()
        rule = meaning.operator.rule_at(meaning.version)
        if rule is None or rule.is_generator:
            return ()
        values = decoded(node.attributes, meaning.schema, lambda _, graph: graph, lambda _: None)
        site = Site(
            tuple(map(bool, node.outputs)),
            meaning.version,
            meaning.opset,
            lambda hint, low, high: self._names.size("", node.label, hint, low=low, high=high),
        )
        outcome = Outcome()
        raw = self._rule(rule, inputs, values, site, outcome)
        if outcome.findings:
            raise outcome.findings[0].violation
        outputs = finished(raw, meaning, len(node.outputs), {}, outcome)
        return with_content(outputs, meaning, inputs, values, site)

    # -- what is said ------------------------------------------------------------------------

    def _against_declared(
        self, scope: Scope, name: str, value: AbstractValue, declared: Type
    ) -> AbstractValue:
        """Inference wins over what the file declares; where it knows less, the file helps."""
        stated = abstract_of(declared)
        conflict = conflict_text(value, stated)
        if conflict:
            self.journal.report(
                scope.path,
                "declared-mismatch",
                f"declared as {declared}, inferred as {type_of(value)}: {conflict}",
                severity="warning",
                value=name,
            )
            return value
        return self._intern(
            refined(value, self._names.filled(stated, scope.path, name), self._names)
        )

    def _intern(self, value: AbstractValue) -> AbstractValue:
        return self._interned.setdefault(value, value)


def _flows(node: Node, resolved: Resolved) -> Iterator[tuple[str, str]]:
    """The input ports of a node with the values that flow into them."""
    for index, name in enumerate(node.inputs):
        port = resolved.schema.port(index)
        if port is not None:
            yield port.name, name
