"""Graphs made ready to run: kernels resolved, attributes decoded, constants read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from threading import RLock
from typing import cast
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.build.attributes import attribute
from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.dtypes import fixes_dtypes
from onnx_explorer.evaluation.reuse import mark
from onnx_explorer.evaluation.site import Place
from onnx_explorer.evaluation.steps import Body, Plan, PlanStep
from onnx_explorer.evaluation.supplied import (
    Kernels,
    as_kernel,
    checked_kernels,
    given_attributes,
    how_to_supply,
)
from onnx_explorer.inference import infer
from onnx_explorer.inference.node import arity_violation
from onnx_explorer.ir import (
    Attribute,
    Function,
    Graph,
    Model,
    Node,
    TensorType,
    Type,
    Value,
    captured_names,
    inner_path,
    node_ids,
    read_names,
    sorted_nodes,
)
from onnx_explorer.ir.expected import near, shown
from onnx_explorer.ops.given import misspelt
from onnx_explorer.ops.registry import canonical_domain
from onnx_explorer.ops.resolve import (
    Meaning,
    Resolved,
    Resolver,
    bound_attributes,
    call_attributes,
    opset_of,
)
from onnx_explorer.ops.tensor.constant import dense
from onnx_explorer.schema import UNKNOWN, PageFunction, Violation
from onnx_explorer.schema.attributes import arguments, decoded

Values = Mapping[str, object]
"""Attributes by name, decoded."""


_Outputs = tuple[str, ...] | None
_PLANS: WeakKeyDictionary[Model, dict[_Outputs, Plan]] = WeakKeyDictionary()
_LATEST: WeakKeyDictionary[Model, tuple[object, Plan]] = WeakKeyDictionary()
PLANS = 16
"""How many plans of a model are kept, for the latest of the outputs that were asked for: each keeps
what depends on constants for itself.
"""


def plan_of(model: Model, outputs: _Outputs = None, kernels: Kernels | None = None) -> Plan:
    """The plan of a model's main graph, with only the nodes that `outputs` need (default: all
    outputs of the graph, and then every node). It is made once and lives as long as the model, or
    until many others have been asked for; with kernels that a person supplies, until it is asked
    for with others.
    """
    supplied = checked_kernels(kernels)
    if supplied:
        key = (outputs, {name: id(function) for name, function in supplied.items()})
        latest = _LATEST.get(model)
        # The plan keeps the functions alive: an id is not given again.
        if latest is None or latest[0] != key:
            problem = misspelt(model, supplied)
            if problem:
                raise EvaluationError(f"a kernel is supplied for {problem}")
            latest = _LATEST[model] = key, Planner(model, supplied).graph(outputs)
        return latest[1]
    plans = _PLANS.setdefault(model, {})
    # Taken out and put in again, so that the one asked for last stands last.
    plan = plans.pop(outputs, None) or Planner(model).graph(outputs)
    plans[outputs] = plan
    if len(plans) > PLANS:
        for oldest in list(plans)[:-PLANS]:
            plans.pop(oldest, None)
    return plan


class Planner:
    """Makes the plans of one model, without keeping it alive. Kernels that are supplied, by
    canonical domain and operator, win over those of the pages and over functions of the model.
    """

    def __init__(
        self, model: Model, kernels: Mapping[tuple[str, str], Callable[..., object]] | None = None
    ) -> None:
        self._model = ref(model)
        self._graph = model.graph
        self._imports = model.opset_imports
        self._resolver = Resolver(model)
        self._kernels = kernels or {}
        self._calls: list[tuple[str, str, str]] = []
        self._path = ""

    def graph(self, outputs: tuple[str, ...] | None, path: str = "") -> Plan:
        """The plan of the main graph, as `plan_of` describes it; `path` is where it stands."""
        graph = self._graph
        self._path = path
        wanted = tuple(v.name for v in graph.outputs) if outputs is None else outputs
        nodes = graph.nodes if outputs is None else needed(graph.nodes, wanted)
        plan = self._plan(
            path,
            nodes,
            graph.nodes,
            tuple(v.name for v in graph.inputs),
            wanted,
            graph,
            self._imports,
            {},
        )
        parts = (step.part.captured for step in plan.steps if step.part is not None)
        plan.reads = frozenset(chain(wanted, *map(read_names, nodes), *parts))
        mark(plan)
        return plan

    def _body(
        self, path: str, graph: Graph, imports: Mapping[str, int], caller: Mapping[str, Attribute]
    ) -> Body:
        outputs = tuple(v.name for v in graph.outputs)
        plan = self._plan(
            path,
            graph.nodes,
            graph.nodes,
            tuple(v.name for v in graph.inputs),
            outputs,
            graph,
            imports,
            caller,
        )
        plan.captured = tuple(sorted(captured_names(graph)))
        # What a graph inside another is given is looked at when it is entered.
        _mark_steady(plan, {*plan.inputs, *plan.captured})
        model = self._model

        @cache
        def inferred() -> Mapping[str, Type]:
            alive = model()
            inner = path.removeprefix(self._path)
            return infer(alive).scopes.get(inner, {}) if alive else {}

        return Body(graph.name, plan, tuple(v.type for v in graph.outputs), inferred)

    def _plan(
        self,
        path: str,
        nodes: Iterable[Node],
        all_nodes: tuple[Node, ...],
        inputs: tuple[str, ...],
        outputs: tuple[str, ...],
        graph: Graph | None,
        imports: Mapping[str, int],
        caller: Mapping[str, Attribute],
    ) -> Plan:
        """The plan of some of `all_nodes`, with what they read of the initializers of `graph`."""
        ids = dict(zip(map(id, all_nodes), node_ids(all_nodes), strict=True))
        plan = Plan(path, inputs, outputs)
        if graph is not None:
            plan.constants = _constants(graph, nodes, outputs)

        def part(node: Node, attributes: Values) -> Plan:
            return self._part(path, node, attributes, all_nodes, graph, imports, caller)

        for node in sorted_nodes(tuple(nodes)):
            plan.steps.append(self._step(path, node, ids[id(node)], imports, caller, part))
        _mark_dead(plan)
        # What is fed to the main graph is checked against what it declares, and nothing else is.
        fed = graph.inputs if graph is not None and graph is self._graph else ()
        checked = {v.name for v in fed if fixes_dtypes(v.type)}
        if len(checked) < len(fed):
            plan.turns = RLock()
        _mark_steady(plan, checked, {v.name for v in fed} - checked)
        return plan

    def _part(
        self,
        path: str,
        gradient: Node,
        attributes: Values,
        all_nodes: tuple[Node, ...],
        graph: Graph | None,
        imports: Mapping[str, int],
        caller: Mapping[str, Attribute],
    ) -> Plan:
        """What a Gradient differentiates: the nodes from the values that it names to `y`."""
        named = (cast("tuple[str, ...]", attributes[key] or ()) for key in ("xs", "zs"))
        given, output = tuple(chain.from_iterable(named)), cast("str", attributes["y"])
        if (
            graph is not None and graph is self._graph
        ):  # others may name values of the graphs around them
            made = (name for node in all_nodes for name in node.outputs)
            known = {*made, *(v.name for v in graph.inputs), *graph.initializers}
            for name in (*given, output):
                if name not in known:
                    raise EvaluationError(f"it names {name!r}, but the graph has no such value")
        nodes = needed(all_nodes, (output,), given)
        if any(set(node.outputs) & set(gradient.outputs) - {""} for node in nodes):
            raise EvaluationError(f"y = {output!r} depends on the derivatives themselves")
        plan = self._plan(path, nodes, all_nodes, given, (output,), graph, imports, caller)
        made = {name for inner in nodes for name in inner.outputs}
        read = {name for inner in nodes for name in read_names(inner)} | {output}
        plan.captured = tuple(sorted(read - made - set(given) - set(plan.constants)))
        mark(plan)
        return plan

    def _step(
        self,
        path: str,
        node: Node,
        node_id: str,
        imports: Mapping[str, int],
        caller: Mapping[str, Attribute],
        part: Callable[[Node, Values], Plan],
    ) -> PlanStep:
        attributes = bound_attributes(node, caller)
        if attributes is not node.attributes:
            node = replace(node, attributes=attributes)
        step = PlanStep(node, path + node_id, operator=node.op_type)
        meaning: Meaning = self._resolver.meaning(node, imports)
        key = (canonical_domain(node.domain), node.op_type)
        if key in self._kernels:
            self._fill_supplied(step, self._kernels[key], meaning, attributes)
        elif isinstance(meaning, Function):
            self._fill_function(step, meaning, inner_path(path, node_id, "function"), attributes)
        elif isinstance(meaning, Resolved):
            self._fill_operator(step, meaning, path, node_id, imports, caller)
            if meaning.operator.name == "Gradient" and not step.problem:
                try:
                    step.part = part(node, step.attributes)
                except EvaluationError as error:
                    step.problem = str(error)
        else:
            step.problem = meaning.reason
            if meaning.code == "unknown-operator":
                step.problem = f"{node.op_type!r} of domain {key[0]!r} is not known; "
                step.problem += how_to_supply(*key)
        return step

    def _fill_supplied(
        self,
        step: PlanStep,
        function: Callable[..., object],
        meaning: Meaning,
        attributes: Mapping[str, Attribute],
    ) -> None:
        known = isinstance(meaning, Resolved)
        if known:
            step.operator, step.version = meaning.schema.label, meaning.version
        try:
            step.keywords = given_attributes(attributes, meaning.schema if known else None)
        except Violation as violation:
            step.problem = str(violation)
            return
        step.kernel = as_kernel(function)
        step.plain = step.kernel

    def _fill_operator(
        self,
        step: PlanStep,
        resolved: Resolved,
        path: str,
        node_id: str,
        imports: Mapping[str, int],
        caller: Mapping[str, Attribute],
    ) -> None:
        step.operator = resolved.schema.label
        step.schema = resolved.schema
        step.version = resolved.version
        step.opset = opset_of("", imports) or 0
        kernel = resolved.operator.kernel_at(resolved.version)
        if kernel is None:
            domain, name = resolved.schema.domain, resolved.schema.name
            step.problem = f"{resolved.schema.label} has no kernel; {how_to_supply(domain, name)}"
            return
        faults: list[Violation] = []
        step.attributes = decoded(
            step.node.attributes,
            resolved.schema,
            lambda name, graph: self._body(inner_path(path, node_id, name), graph, imports, caller),
            faults.append,
        )
        given = [UNKNOWN if name else None for name in step.node.inputs]
        arity = arity_violation(resolved.schema, given, len(step.node.outputs))
        if arity is not None:
            faults.append(arity)
        if faults:
            step.problem = "; ".join(map(str, faults))
            return
        step.kernel = kernel
        step.plain = None if kernel.is_generator else kernel
        step.keywords = _keywords(step, kernel, step.attributes)
        step.again = _again(step)
        if kernel.is_generator and step.again is not None:
            chooses = step.again((), ())
            step.choose = cast("Callable[..., object] | None", chooses)

    def _fill_function(
        self,
        step: PlanStep,
        function: Function,
        path: str,
        attributes: Mapping[str, Attribute],
    ) -> None:
        if function.key in self._calls:
            step.problem = f"function {function.name!r} calls itself"
            return
        self._calls.append(function.key)
        step.function = self._plan(
            path,
            function.nodes,
            function.nodes,
            function.inputs,
            function.outputs,
            None,
            function.opset_imports,
            call_attributes(function, attributes),
        )
        _mark_steady(step.function, set(function.inputs))
        self._calls.pop()


def with_attributes(step: PlanStep, attributes: Mapping[str, object]) -> PlanStep:
    """The step with other attributes; subgraphs stay as they are.

    Raises:
        EvaluationError: the node has no kernel whose attributes could be changed.
        ModelError: the operator has no such attribute, or takes no such value of it.
    """
    if step.schema is None or step.kernel is None:
        raise EvaluationError(
            f"node {step.id!r} ({step.operator}): it is no operator with a kernel"
        )
    given = {n: attribute(n, v, step.schema, step.operator) for n, v in attributes.items()}
    node = replace(step.node, attributes={**step.node.attributes, **given})
    faults: list[Violation] = []
    values = decoded(
        node.attributes, step.schema, lambda name, _: step.attributes[name], faults.append
    )
    if faults:
        raise EvaluationError(f"node {step.id!r} ({step.operator}): {faults[0]}")
    keywords = _keywords(step, step.kernel, values)
    made = PlanStep(node, step.id, step.kernel, keywords, step.schema, values)
    made.operator, made.version, made.plain = step.operator, step.version, step.plain
    made.dead, made.opset = step.dead, step.opset
    made.again = _again(made)
    return made


def _keywords(step: PlanStep, kernel: PageFunction, attributes: Values) -> dict[str, object]:
    """What a kernel gets in every run beside its inputs."""
    keywords = arguments(kernel, attributes)
    if kernel.takes_at and not kernel.random:
        keywords["at"] = Place(step.wanted, step.version)
    return keywords


def _again(step: PlanStep) -> Callable[..., object] | None:
    """How the node's page has it run again, for these attributes."""
    operator = None if step.schema is None else step.schema.operator
    page = None if operator is None else operator.again_at(step.version)
    return (
        None if page is None else partial(page.function, **_keywords(step, page, step.attributes))
    )


def needed(
    nodes: tuple[Node, ...], outputs: Iterable[str], given: Iterable[str] = ()
) -> tuple[Node, ...]:
    """The nodes that the outputs depend on when some values are given, in the order of `nodes`."""
    producer = {name: node for node in nodes for name in node.outputs if name}
    for name in given:
        producer.pop(name, None)
    found: set[int] = set()
    names = list(outputs)
    while names:
        node = producer.get(names.pop())
        if node is not None and id(node) not in found:
            found.add(id(node))
            names.extend(read_names(node))
    return tuple(node for node in nodes if id(node) in found)


def _constants(
    graph: Graph, nodes: Iterable[Node], outputs: Iterable[str]
) -> dict[str, NDArray[np.generic]]:
    """The initializers that some nodes of a graph read."""
    read = set(outputs)
    for node in nodes:
        read.update(read_names(node))
    constants = {n: tensor.numpy() for n, tensor in graph.initializers.items() if n in read}
    constants.update({s.name: dense(s) for s in graph.sparse_initializers if s.name in read})
    return constants


def _mark_steady(plan: Plan, checked: set[str], loose: Iterable[str] = ()) -> None:
    """Say for each step whether the dtypes of its inputs are the same in every run, as long as those
    of `checked` values are: of a kernel that a person supplied nothing is known, and what is `loose`
    may be fed in the place of a constant. What the machine compares with the run before counts too.
    """
    steady = checked | set(plan.constants).difference(loose)
    for step in plan.steps:
        step.steady = all(name in steady for name in step.inputs if name)
        bodies = [value for value in step.keywords.values() if isinstance(value, Body)]
        declared = [type_ for body in bodies for type_ in body.declared]
        step.tensors = bool(bodies) and all(isinstance(t, TensorType | None) for t in declared)
        if step.function is not None:
            passes_on = step.function.steady
        else:
            passes_on = step.plain is not None and step.schema is not None
        if step.tensors or (step.steady and passes_on):
            steady.update(step.outputs)
    plan.steady = steady.issuperset(plan.outputs)


def _mark_dead(plan: Plan) -> None:
    """Say for each step which values nobody reads after it."""
    kept = set(plan.outputs) | set(plan.constants)
    seen: set[str] = set()
    for step in reversed(plan.steps):
        used = {*read_names(step.node), *(o for o in step.node.outputs if o)}
        if step.part is not None:
            used.update(step.part.captured)
        step.dead = tuple(sorted(used - seen - kept))
        seen |= used


def check_outputs(model: Model, outputs: Iterable[str]) -> tuple[str, ...]:
    """The names as a tuple.

    Raises:
        EvaluationError: a name that no node, input or initializer of the main graph has.
    """
    if isinstance(outputs, str):
        msg = f"the outputs are the text {outputs!r}; expected a list of names: [{outputs!r}]"
        raise EvaluationError(msg)
    try:
        names = tuple(outputs)
    except TypeError:
        given = shown(cast("object", outputs))
        msg = f"the outputs are {given}; expected a list of names of values"
        raise EvaluationError(msg) from None
    graph = model.graph
    known = {v.name for v in graph.inputs} | set(graph.initializers)
    known |= {sparse.name for sparse in graph.sparse_initializers}
    known.update(name for node in graph.nodes for name in node.outputs)
    for name in names:
        if not isinstance(cast("object", name), str):
            msg = f"the outputs hold {shown(cast('object', name))}; expected names of values"
            raise EvaluationError(msg)
        if name not in known and any(name == v.name for v in graph.outputs):
            msg = f"nothing produces {name!r}, an output of the graph"
            raise EvaluationError(msg)
        if name not in known or not name:
            outputs_text = ", ".join(repr(v.name) for v in graph.outputs)
            hint = near(name, known) or f"; its outputs are {outputs_text}"
            gives = next((node.outputs for node in graph.nodes if name and node.name == name), ())
            if gives:
                hint = f", but a node, which gives {', '.join(map(repr, filter(None, gives)))}"
            msg = f"{name!r} is not a value of the graph{hint}"
            raise EvaluationError(msg)
    return names


def declared_inputs(model: Model) -> dict[str, Value]:
    """The inputs of the main graph that have to be fed: all but those with an initializer."""
    graph = model.graph
    return {v.name: v for v in graph.inputs if v.name not in graph.initializers}
