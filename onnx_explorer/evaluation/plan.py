"""A graph compiled for running: kernels resolved, attributes decoded, constants read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import cast
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.errors import EvaluationError
from onnx_explorer.inference import infer
from onnx_explorer.inference.node import arity_violation
from onnx_explorer.ir import (
    Attribute,
    Function,
    Graph,
    Model,
    Node,
    Type,
    Value,
    captured_names,
    inner_path,
    node_ids,
    read_names,
    sorted_nodes,
)
from onnx_explorer.ops.resolve import (
    Meaning,
    Resolved,
    Resolver,
    bound_attributes,
    call_attributes,
)
from onnx_explorer.ops.tensor.constant import dense
from onnx_explorer.schema import UNKNOWN, OpSchema, PageFunction, Violation
from onnx_explorer.schema.attributes import arguments, decoded

Values = Mapping[str, object]
"""Attributes by name, decoded."""
Types = tuple[tuple[str, Type], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A subgraph as a kernel sees it: a plan, and the values around it that it reads."""

    name: str
    plan: Plan
    declared: tuple[Type | None, ...]
    inferred: Callable[[], Mapping[str, Type]]

    @property
    def n_inputs(self) -> int:
        return len(self.plan.inputs)

    @property
    def n_outputs(self) -> int:
        return len(self.plan.outputs)

    @property
    def output_types(self) -> tuple[Type | None, ...]:
        """What the file declares for each output, or else what inference says."""
        if None not in self.declared:
            return self.declared
        types = self.inferred()
        return tuple(
            declared or types.get(name)
            for name, declared in zip(self.plan.outputs, self.declared, strict=True)
        )


@dataclass(slots=True, eq=False, repr=False)
class PlanStep:
    """One node, ready to run. Exactly one of `kernel`, `function` and `problem` is set.

    `problem` says why the node cannot run; it counts only when the node is reached.
    """

    node: Node
    id: str
    kernel: PageFunction | None = None
    keywords: dict[str, object] = field(default_factory=dict[str, object])
    schema: OpSchema | None = None
    attributes: dict[str, object] = field(default_factory=dict[str, object])
    """All attributes of an operator, decoded; `keywords` are those that its kernel takes."""
    function: Plan | None = None
    problem: str = ""
    operator: str = ""
    version: int = 0
    dead: tuple[str, ...] = ()
    checked: bool = False
    """Whether a run has shown that the dtypes of the inputs are what the schema takes: the dtypes
    of a plan are the same in every run.
    """
    part: Plan | None = None
    """What a Gradient differentiates: a part of the graph around it."""
    bodies: dict[Types, Plan | None] = field(default_factory=dict["Types", "Plan | None"])
    """The function that the standard gives for this node, by the types of its inputs; made when
    its derivative is asked for.
    """

    @property
    def wanted(self) -> tuple[bool, ...]:
        return tuple(map(bool, self.node.outputs))

    def __repr__(self) -> str:
        return f"<node {self.id!r} ({self.operator})>"


@dataclass(slots=True, eq=False)
class Plan:
    """The steps of one graph in running order. `captured` are names read from around it."""

    path: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    steps: list[PlanStep] = field(default_factory=list[PlanStep])
    constants: dict[str, NDArray[np.generic]] = field(
        default_factory=dict[str, NDArray[np.generic]]
    )
    captured: tuple[str, ...] = ()


_PLANS: WeakKeyDictionary[Model, dict[tuple[str, ...] | None, Plan]] = WeakKeyDictionary()


def plan_of(model: Model, outputs: tuple[str, ...] | None = None) -> Plan:
    """The plan of a model's main graph, with only the nodes that `outputs` need (default: all
    outputs of the graph, and then every node). It is made once and lives as long as the model.
    """
    plans = _PLANS.setdefault(model, {})
    if outputs not in plans:
        plans[outputs] = Planner(model).graph(outputs)
    return plans[outputs]


class Planner:
    """Makes the plans of one model, without keeping it alive."""

    def __init__(self, model: Model) -> None:
        self._model = ref(model)
        self._graph = model.graph
        self._imports = model.opset_imports
        self._resolver = Resolver(model)
        self._calls: list[tuple[str, str, str]] = []

    def graph(self, outputs: tuple[str, ...] | None, path: str = "") -> Plan:
        """The plan of the main graph, as `plan_of` describes it; `path` is where it stands."""
        graph = self._graph
        wanted = tuple(v.name for v in graph.outputs) if outputs is None else outputs
        nodes = graph.nodes if outputs is None else needed(graph.nodes, wanted)
        return self._plan(
            path,
            nodes,
            graph.nodes,
            tuple(v.name for v in graph.inputs),
            wanted,
            graph,
            self._imports,
            {},
        )

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
        model = self._model

        def inferred() -> Mapping[str, Type]:
            alive = model()
            return infer(alive).scopes.get(path, {}) if alive else {}

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

        def part(attributes: Values) -> Plan:
            return self._part(path, attributes, all_nodes, graph, imports, caller)

        for node in sorted_nodes(tuple(nodes)):
            plan.steps.append(self._step(path, node, ids[id(node)], imports, caller, part))
        _mark_dead(plan)
        return plan

    def _part(
        self,
        path: str,
        attributes: Values,
        all_nodes: tuple[Node, ...],
        graph: Graph | None,
        imports: Mapping[str, int],
        caller: Mapping[str, Attribute],
    ) -> Plan:
        """What a Gradient differentiates: the nodes from the values that it names to `y`."""
        named = (cast("tuple[str, ...]", attributes[key] or ()) for key in ("xs", "zs"))
        given, output = tuple(chain.from_iterable(named)), cast("str", attributes["y"])
        nodes = needed(all_nodes, (output,), given)
        plan = self._plan(path, nodes, all_nodes, given, (output,), graph, imports, caller)
        made = {name for inner in nodes for name in inner.outputs}
        read = {name for inner in nodes for name in read_names(inner)} | {output}
        plan.captured = tuple(sorted(read - made - set(given) - set(plan.constants)))
        return plan

    def _step(
        self,
        path: str,
        node: Node,
        node_id: str,
        imports: Mapping[str, int],
        caller: Mapping[str, Attribute],
        part: Callable[[Values], Plan],
    ) -> PlanStep:
        attributes = bound_attributes(node, caller)
        if attributes is not node.attributes:
            node = replace(node, attributes=attributes)
        step = PlanStep(node, path + node_id, operator=node.op_type)
        meaning: Meaning = self._resolver.meaning(node, imports)
        if isinstance(meaning, Function):
            self._fill_function(step, meaning, inner_path(path, node_id, "function"), attributes)
        elif isinstance(meaning, Resolved):
            self._fill_operator(step, meaning, path, node_id, imports, caller)
            if meaning.operator.name == "Gradient" and not step.problem:
                step.part = part(step.attributes)
        else:
            step.problem = meaning.reason
        return step

    def _fill_operator(
        self,
        step: PlanStep,
        resolved: Resolved,
        path: str,
        node_id: str,
        imports: Mapping[str, int],
        caller: Mapping[str, Attribute],
    ) -> None:
        step.operator = str(resolved.schema)
        step.schema = resolved.schema
        step.version = resolved.version
        kernel = resolved.operator.kernel_at(resolved.version)
        if kernel is None:
            step.problem = f"{resolved.schema} has no kernel"
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
        step.keywords = arguments(kernel, step.attributes)

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
        self._calls.pop()


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
    if not isinstance(cast("object", outputs), Iterable):
        msg = f"the outputs are {outputs!r}; expected a list of names of values"
        raise EvaluationError(msg)
    graph = model.graph
    known = {v.name for v in graph.inputs} | set(graph.initializers)
    known |= {sparse.name for sparse in graph.sparse_initializers}
    known.update(name for node in graph.nodes for name in node.outputs)
    names = tuple(outputs)
    for name in names:
        if not isinstance(cast("object", name), str):
            msg = f"the outputs hold {name!r}; expected names of values"
            raise EvaluationError(msg)
        if name not in known and any(name == v.name for v in graph.outputs):
            msg = f"nothing produces {name!r}, an output of the graph"
            raise EvaluationError(msg)
        if name not in known or not name:
            outputs_text = ", ".join(repr(v.name) for v in graph.outputs)
            msg = f"{name!r} is not a value of the graph; its outputs are {outputs_text}"
            raise EvaluationError(msg)
    return names


def declared_inputs(model: Model) -> dict[str, Value]:
    """The inputs of the main graph that have to be fed: all but those with an initializer."""
    graph = model.graph
    return {v.name: v for v in graph.inputs if v.name not in graph.initializers}
