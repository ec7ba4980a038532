"""`compare`: the same graph computed twice, value by value: where the two part, and which nodes
part them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.alone import reads, run_alone
from onnx_explorer.evaluation.comparison import Comparison, Row
from onnx_explorer.evaluation.differences import Tolerance, difference
from onnx_explorer.evaluation.feeds import checked_feeds
from onnx_explorer.evaluation.machine import Machine, NodeFailed
from onnx_explorer.evaluation.partners import (
    Float64,
    OnnxRuntime,
    OtherModel,
    Partner,
    Recorded,
    as_type_of,
)
from onnx_explorer.evaluation.plan import plan_of
from onnx_explorer.evaluation.progress import Progress
from onnx_explorer.evaluation.quiet import quiet
from onnx_explorer.evaluation.run import new_seed
from onnx_explorer.evaluation.steps import Plan, PlanStep
from onnx_explorer.evaluation.supplied import Kernels, only_supplied
from onnx_explorer.ir import Graph, Model, Node, RunValue
from onnx_explorer.ir.expected import model_of, shown

if TYPE_CHECKING:
    from onnx_explorer.ir.expected import Source

Against = Model | Mapping[str, object] | Literal["onnxruntime", "float64"]

CHUNK_BYTES = 1 << 29
"""Values of so many bytes are compared at once; a large model takes several rounds."""


def compare(
    model: Source,
    feeds: Mapping[str, object],
    against: Against = "onnxruntime",
    *,
    rtol: float = 1e-3,
    atol: float = 1e-4,
    seed: int | None = 0,
    kernels: Kernels | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Every value of the main graph as we compute it, beside what a partner gives: onnxruntime
    (if it is installed), another model, values recorded by name, or "float64", the same graph
    without rounding, which shows where precision is lost.

    Two numbers are the same within `atol + rtol × |the partner's|`. A node's own part in a
    difference is what it gives for the *partner's* inputs, against what the partner gives. Values
    of another model are matched by name, and else by what they are made of. A model that fails is
    compared up to there. `kernels` are for our side, as for `run`; those of operators that are
    unknown here serve "float64" and another model too.

    Raises:
        EvaluationError: a feed does not fit; the partner is unknown, is missing, or cannot run the
            model.
    """
    model = model_of(model)
    tolerance = Tolerance(_bound("rtol", rtol), _bound("atol", atol))
    seed = new_seed(seed)
    given = checked_feeds(model, feeds)
    partner = _partner(model, feeds, given, against, seed, kernels)
    plan = plan_of(model, kernels=kernels)
    work = _Comparing(plan, given, partner, tolerance, seed)
    with Progress(len(work.steps), progress) as shown:
        for done in work.chunks():
            shown.at(done)

    def theirs(value: str) -> RunValue | None:
        if value in model.graph.initializers:
            # Only another model has weights of its own.
            graph = against.graph if isinstance(against, Model) else model.graph
            weight = graph.initializers.get(value)
            return None if weight is None else weight.numpy()
        return _theirs(
            value, plan, given, _partner(model, feeds, given, against, seed, kernels), seed
        )

    return Comparison(
        model,
        dict(feeds),
        seed,
        partner.name,
        tolerance,
        tuple(work.rows),
        work.failed,
        theirs,
        partner.in_model_types if isinstance(partner, Float64) else (),
    )


@quiet
def _theirs(
    value: str, plan: Plan, given: Mapping[str, RunValue], partner: Partner, seed: int
) -> RunValue | None:
    """A value of the partner's, and on the way there those of ours that the partner reads."""
    machine = Machine(plan, given, seed)
    main, names = machine.stack[0], [value]
    while not machine.done and value not in main.values:
        machine.advance()
    if isinstance(partner, Float64):
        # It goes through the graph, from its beginning on.
        names = [name for step in plan.steps[: main.index] for name in step.outputs if name]
    return partner.values(names, main.values).get(value)


def _bound(name: str, bound: object) -> float:
    """A tolerance that a person gave.

    Raises:
        EvaluationError: it is no number, or less than 0.
    """
    try:
        if isinstance(bound, (int, float, np.number)) and bound >= 0:
            return float(cast("float", bound))
    except (OverflowError, TypeError):  # an integer beyond all floats, a complex number
        pass
    raise EvaluationError(f"{name} = {shown(cast('object', bound))}; expected a number, 0 or more")


def _partner(
    model: Model,
    feeds: Mapping[str, object],
    given: Mapping[str, RunValue],
    against: Against,
    seed: int,
    kernels: Kernels | None,
) -> Partner:
    if isinstance(against, Model):
        theirs = only_supplied(against, kernels)
        return OtherModel(against, feeds, aligned(model.graph, against.graph), seed, theirs)
    if isinstance(cast("object", against), Mapping):
        recorded = cast("Mapping[str, object]", against)
        known = {name for node in model.graph.nodes for name in node.outputs}
        if not known & recorded.keys():
            named = ", ".join(map(repr, recorded)) or "nothing"
            raise EvaluationError(f"recorded is {named}; no node makes a value of such a name")
        return Recorded(recorded)
    name = against if isinstance(cast("object", against), str) else ""
    match name:
        case "onnxruntime":
            return OnnxRuntime(model, given)
        case "float64":
            return Float64(model, given, seed, only_supplied(model, kernels))
        case _:
            found = shown(cast("object", against))
            expected = "'onnxruntime', 'float64', a model or values by name"
            raise EvaluationError(f"against = {found}; expected {expected}")


class _Comparing:
    """One comparison on its way: a run of ours that stops for every chunk of values."""

    def __init__(
        self,
        plan: Plan,
        given: Mapping[str, RunValue],
        partner: Partner,
        tolerance: Tolerance,
        seed: int,
    ) -> None:
        self.steps = plan.steps
        self.rows: list[Row] = []
        self.failed = ""
        self._partner = partner
        self._tolerance = tolerance
        self._seed = seed
        self._constants: dict[str, RunValue] = {**plan.constants, **given}
        self._machine = Machine(plan, given, seed)
        self._theirs: dict[str, RunValue] = {}

    def chunks(self) -> Iterator[int]:
        """Compare chunk after chunk; gives how many nodes are through."""
        begin = 0
        while begin < len(self.steps) and not self.failed:
            end = self._run_chunk()
            self._compare(begin, end)
            begin = end
            yield end

    @quiet
    def _run_chunk(self) -> int:
        """Run nodes until their values are a chunk; the first that did not run."""
        main, n_bytes = self._machine.stack[0], 0
        while main.index < len(self.steps) and n_bytes < CHUNK_BYTES:
            before = main.index
            try:
                self._machine.advance()
            except NodeFailed as failed:
                self.failed = str(failed)
                return main.index
            if main.index > before:
                made = (main.values.get(name) for name in self.steps[before].outputs)
                n_bytes += sum(v.nbytes for v in made if isinstance(v, np.ndarray))
        return main.index

    @quiet
    def _compare(self, begin: int, end: int) -> None:
        ours = self._machine.stack[0].values
        steps = self.steps[begin:end]
        made = [name for step in steps for name in step.outputs if name]
        read = [name for step in steps for name in reads(step)]
        names = [n for n in dict.fromkeys((*made, *read)) if n not in self._theirs]
        self._theirs.update(self._partner.values(names, ours))
        for step in steps:
            alone = self._alone(step, ours)
            for name in filter(None, step.outputs):
                if name in self._theirs:
                    theirs = self._theirs[name]
                    found = difference(ours[name], theirs, self._tolerance)
                    own = (
                        None if alone is None else difference(alone[name], theirs, self._tolerance)
                    )
                    self.rows.append(Row(name, step.id, step.operator, found, own))
        self._forget(end)

    def _alone(self, step: PlanStep, ours: Mapping[str, RunValue]) -> Mapping[str, RunValue] | None:
        """What our node gives for the partner's inputs; None where not all are known."""
        values: dict[str, RunValue] = {}
        for name in reads(step):
            theirs = self._theirs.get(name, self._constants.get(name))
            if theirs is None and name not in self._theirs:
                return None
            values[name] = as_type_of(theirs, ours[name])
        try:
            return run_alone(step, values, self._seed)
        except NodeFailed:
            return None

    def _forget(self, end: int) -> None:
        """Let go of what no node to come reads."""
        still = {name for step in self.steps[end:] for name in reads(step)}
        for values in (self._theirs, self._machine.stack[0].values):
            for name in [n for n in values if n not in still and n not in self._constants]:
                del values[name]


def aligned(ours: Graph, theirs: Graph) -> dict[str, str]:
    """For values of one graph, those of another that are the same: of the same name, or else made
    by the same operators from inputs and initializers of the same place, dtype and shape.
    """
    names = {name for node in theirs.nodes for name in node.outputs if name}
    found = {n: n for node in ours.nodes for n in node.outputs if n in names}
    marks = {mark: name for name, mark in _marks(theirs).items()}
    for name, mark in _marks(ours).items():
        if name not in found and mark in marks:
            found[name] = marks[mark]
    return found


def _marks(graph: Graph) -> dict[str, tuple[int, int]]:
    """What each value is made of, as a number, and which of those with the same it is."""
    made: dict[str, int] = {}
    for place, value in enumerate(graph.inputs):
        made[value.name] = hash(("input", place))
    for name, tensor in graph.initializers.items():
        made[name] = hash(("initializer", tensor.type))
    times: Counter[int] = Counter()
    found: dict[str, tuple[int, int]] = {}
    for node in graph.nodes:
        whole = hash((node.domain, node.op_type, _text(node), *map(made.get, node.inputs)))
        for place, name in enumerate(node.outputs):
            made[name] = hash((whole, place))
            found[name] = (made[name], times[made[name]])
            times[made[name]] += 1
    return found


def _text(node: Node) -> str:
    return str([(a.name, a.kind, a.value) for _, a in sorted(node.attributes.items())])
