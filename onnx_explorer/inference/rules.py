"""Runs the rule of a node, unless it ran for the same inputs before."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Protocol, cast

from onnx_explorer.dims import Dim, DimError, DimLimitError, UndecidedError
from onnx_explorer.errors import ModelError
from onnx_explorer.inference.contents import with_content
from onnx_explorer.inference.memo import Memo, Use
from onnx_explorer.inference.naming import FreshNames
from onnx_explorer.inference.node import (
    Inputs,
    Outcome,
    arity_violation,
    checked_inputs,
    finished,
)
from onnx_explorer.inference.scope import Body, OutOfOrder, Scope
from onnx_explorer.inference.site import Site
from onnx_explorer.ir import Graph, Node, inner_path
from onnx_explorer.schema import Abstract, AbstractValue, Call, Violation
from onnx_explorer.schema.attributes import arguments, decoded


class Caller(Protocol):
    """What walks subgraphs."""

    def call_body(self, call: Call) -> tuple[AbstractValue, ...]:
        """Walk the subgraph that a rule calls; returns the values of its outputs."""
        ...


class Rules:
    """The rules of one inference, which walks the subgraphs that they call."""

    def __init__(self, memo: Memo, names: FreshNames, caller: Caller) -> None:
        self._intern = memo.intern
        self._names = names
        self._caller = caller

    def outcome(self, use: Use, scope: Scope, node: Node, inputs: Inputs) -> Outcome:
        """What the rule gives for the inputs of a node."""
        key = tuple([id(value) for value in inputs])
        known = use.outcomes.get(key)
        if known is not None:
            return known
        outcome = Outcome(inputs, use.findings)
        values, resolved = use.values, use.resolved
        if use.has_bodies:
            values = self._with_bodies(use, scope, node)
        site = Site(use.wanted, resolved.version, resolved.opset, self._fresh(scope, node))
        arity: Violation | None = None
        bound = use.signature.bound(inputs, len(use.wanted))
        if bound is None:
            bound = checked_inputs(resolved.schema, inputs, outcome)
            arity = arity_violation(resolved.schema, inputs, len(use.wanted))
        raw: object = None
        if arity is not None:
            outcome.findings.append(arity)
        elif use.rule is None:
            text = f"{resolved.schema.label} has no inference rule"
            fault = Violation(text, "its outputs stay unknown", code="no-rule")
            outcome.findings.append(fault)
        elif use.complete:
            raw = self._run(use, values, inputs, site, outcome)
        outputs = finished(raw, use.signature, len(use.wanted), bound, outcome)
        if use.runs_on_sizes and not outcome.findings and _have_content(inputs):
            outputs = with_content(outputs, resolved, inputs, values, site)
        outcome.outputs = tuple([self._intern(value) for value in outputs])
        outcome.is_silent = not outcome.findings and not outcome.assumptions
        # Sizes made up for this node are its own; a body sees the values around it.
        if not site.made_up and not use.has_bodies:
            use.outcomes[key] = outcome
        return outcome

    def attempt(
        self, use: Use, node: Node, inputs: Inputs, *, certainly: bool = False
    ) -> tuple[AbstractValue, ...]:
        """The outputs that a node would have for other inputs; () where its rule runs subgraphs
        or there is none, or has to assume something and this must hold `certainly`. Nothing is
        recorded.

        Raises:
            Violation: the rule refuses the inputs.
        """
        if use.rule is None or use.rule.is_generator:
            return ()
        site = Site(
            use.wanted,
            use.resolved.version,
            use.resolved.opset,
            lambda hint, low, high: self._names.size("", node.label, hint, low=low, high=high),
        )
        outcome = Outcome()
        raw = self._run(use, use.values, inputs, site, outcome)
        if outcome.findings:
            raise outcome.findings[0]
        if certainly and outcome.assumptions:
            return ()
        outputs = finished(raw, use.signature, len(use.wanted), {}, outcome)
        return with_content(outputs, use.resolved, inputs, use.values, site)

    def _fresh(self, scope: Scope, node: Node) -> Callable[[str, int | None, int | None], Dim]:
        made = 0

        def fresh(hint: str, low: int | None, high: int | None) -> Dim:
            nonlocal made
            made += 1
            return self._names.size(scope.path, scope.id_of(node), hint, made, low=low, high=high)

        return fresh

    def _with_bodies(self, use: Use, scope: Scope, node: Node) -> dict[str, object]:
        """The attributes with graphs in the place where the node stands."""

        def body(name: str, graph: Graph) -> Body:
            return Body(graph, inner_path(scope.path, scope.id_of(node), name), scope)

        return decoded(use.attributes, use.resolved.schema, body, lambda _: None)

    def _run(
        self,
        use: Use,
        values: Mapping[str, object],
        inputs: Inputs,
        site: Site,
        outcome: Outcome,
    ) -> object:
        rule = use.rule
        if rule is None:
            return None
        keywords = use.keywords if values is use.values else arguments(rule, values)
        if rule.takes_at:
            keywords = {**keywords, "at": site}
        raw: object = None
        try:
            raw = rule.function(*inputs, **keywords)
            if rule.is_generator:
                raw = self._drive(cast("Generator[Call, tuple[object, ...], object]", raw))
        except Violation as violation:
            raw = site.kept
            # Outcomes are kept; the frames that an exception holds would keep the model.
            violation.__cause__ = violation.__context__ = None
            outcome.findings.append(violation.with_traceback(None))
        except (UndecidedError, DimLimitError):
            raw = None  # no fault of the model: what the rule would have said stays unknown
        except DimError as error:
            fault = Violation(str(error), "sizes have to go together", code="size-mismatch")
            outcome.findings.append(fault)
        except (ModelError, OutOfOrder):
            raise  # the nodes of a body form a cycle, or are not in order
        except Exception as error:  # noqa: BLE001  one bad rule must not cost the whole drawing
            if any(found.code == "type-not-allowed" for found in outcome.findings):
                return None  # it met kinds of values that it is not made for
            text = f"the rule failed with {type(error).__name__}: {error}"
            whose = "the rule given for it" if use.signature.is_open else "onnx_explorer"
            expected = f"this is a fault of {whose}; the outputs stay unknown"
            outcome.findings.append(Violation(text, expected, code="internal"))
        outcome.findings.extend(site.violations)
        outcome.assumptions.extend(site.assumptions)
        outcome.claims.extend(site.claims)
        return raw

    def _drive(self, steps: Generator[Call, tuple[object, ...], object]) -> object:
        try:
            call = next(steps)
            while True:
                call = steps.send(self._caller.call_body(call))
        except StopIteration as stop:
            return stop.value


def _have_content(inputs: Inputs) -> bool:
    """Whether the elements of all inputs are known; nearly always the first has none."""
    for value in inputs:
        if value is not None and (not isinstance(value, Abstract) or value.content is None):
            return False
    return True
