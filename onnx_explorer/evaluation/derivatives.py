"""Reverse-mode differentiation of a plan: forward once with every value kept, then back node by
node through the vector-Jacobian products of the pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.bodies import body_plan
from onnx_explorer.evaluation.plan import Body, Plan, PlanStep
from onnx_explorer.evaluation.site import Site
from onnx_explorer.ir import DType, RunValue, read_names
from onnx_explorer.ops.precision import narrowed, widened
from onnx_explorer.schema import Cotangents, OpSchema, PageFunction, Subgraph
from onnx_explorer.schema.attributes import arguments

Floats = NDArray[np.floating]
Forward = Callable[[Plan, Mapping[str, RunValue], int, tuple[int, ...]], Mapping[str, RunValue]]
"""Runs a plan on values, with a seed and the iterations around it; gives all its values."""


@dataclass(frozen=True, slots=True)
class Context:
    """What all nodes of a differentiation share."""

    seed: int
    forward: Forward


@dataclass(frozen=True)
class DifferentiatingSite:
    """The `DifferentiatingSite` of a Gradient: `part` is what it differentiates, `around` the values of the
    graph that it stands in.
    """

    site: Site
    context: Context
    part: Plan
    around: Mapping[str, RunValue]

    @property
    def wanted(self) -> tuple[bool, ...]:
        return self.site.wanted

    @property
    def version(self) -> int:
        return self.site.version

    def derivatives(self, values: tuple[RunValue, ...], n: int) -> tuple[RunValue, ...]:
        visits = self.site.visits
        return derivatives(self.context, self.part, self.around, values, n, visits)


def derivatives(
    context: Context,
    part: Plan,
    around: Mapping[str, RunValue],
    values: tuple[RunValue, ...],
    n: int,
    visits: tuple[int, ...],
) -> tuple[RunValue, ...]:
    """The derivatives of the sum of a plan's only output by its first `n` inputs.

    Raises:
        EvaluationError: the output or one of these inputs is no tensor of floats; an operator on
            the way has no derivative.
    """
    for name, value in zip(part.inputs[:n], values, strict=False):
        _expect_floats(name, value)
    tape = Tape(context, part, around, values, (True,) * n, (), visits)
    y = tape.outputs[0]
    _expect_floats(part.outputs[0], y)
    tape.back((np.ones_like(widened(cast("Floats", y))),))
    return tuple(
        narrowed(np.zeros(x.shape, widened(x).dtype) if found is None else found, x)
        for x, found in zip(cast("tuple[Floats, ...]", values[:n]), tape.cotangents, strict=False)
    )


class Tape:
    """One run of a plan, which can be gone back through once: `back` with the cotangents of the
    outputs, then `cotangents` and `captured_cotangents`.
    """

    def __init__(
        self,
        context: Context,
        plan: Plan,
        around: Mapping[str, RunValue],
        values: tuple[RunValue, ...],
        needed: tuple[bool, ...],
        captured: Iterable[str],
        visits: tuple[int, ...],
    ) -> None:
        """`needed` says for each input, and `captured` of the values around, whether its
        cotangent is asked for.
        """
        given: dict[str, RunValue] = {n: around[n] for n in plan.captured if n in around}
        given |= dict.fromkeys(plan.inputs)
        given |= dict(zip(plan.inputs, values, strict=False))
        self._context = context
        self._plan = plan
        self._visits = visits
        self._values = context.forward(plan, given, context.seed, visits)
        self._active = {n for n, wanted in zip(plan.inputs, needed, strict=False) if wanted}
        self._active |= set(captured) & set(plan.captured)
        self._active = {name for name in self._active if _is_floats(self._values.get(name))}
        self._cotangents: dict[str, Floats] = {}
        for step in plan.steps:
            if self._carries(step):
                outputs = step.node.outputs
                self._active |= {name for name in outputs if _has_floats(self._values.get(name))}

    @property
    def outputs(self) -> tuple[RunValue, ...]:
        """What the plan gave."""
        for name in self._plan.outputs:
            if name not in self._values:
                raise EvaluationError(f"nothing makes {name!r}, which is to be differentiated")
        return tuple(self._values[name] for name in self._plan.outputs)

    @property
    def cotangents(self) -> Cotangents:
        """Those of the inputs, in their order."""
        return tuple(map(self._cotangents.get, self._plan.inputs))

    @property
    def captured_cotangents(self) -> dict[str, Floats]:
        """Those of the values around that the plan reads."""
        found = self._cotangents
        return {name: found[name] for name in self._plan.captured if name in found}

    def back(self, cotangents: Cotangents) -> None:
        """Go back from the outputs to the inputs."""
        # A function may be called for its first outputs only.
        for name, cotangent in zip(self._plan.outputs, cotangents, strict=False):
            self.add(name, cotangent)
        for step in reversed(self._plan.steps):
            of_outputs = tuple(map(self._cotangents.get, step.node.outputs))
            if self._carries(step) and any(c is not None for c in of_outputs):
                for name, cotangent in zip(
                    step.node.inputs, self._of_inputs(step, of_outputs), strict=False
                ):
                    self.add(name, cotangent)

    def add(self, name: str, cotangent: Floats | None) -> None:
        """Add to the cotangent of a value, if one is asked for."""
        if cotangent is not None and name in self._active:
            before = self._cotangents.get(name)
            self._cotangents[name] = cotangent if before is None else before + cotangent

    def _carries(self, step: PlanStep) -> bool:
        """Whether a derivative flows through a node."""
        inputs = step.node.inputs
        return any(self._flows(step, place) for place in range(len(inputs))) or any(
            name in self._active for name in read_names(step.node) if name not in inputs
        )

    def _flows(self, step: PlanStep, place: int) -> bool:
        name = step.node.inputs[place]
        if name not in self._active:
            return False
        schema = step.schema
        port = schema.port(place) if schema is not None else None
        if schema is None or port is None or port.differentiable is not False:
            return True
        # What the standard calls not differentiable counts as constant beside inputs that are. An
        # operator that has no derivative at all is refused: zeros would be a guess.
        return not (_vjp_of(schema) or schema.has_body)

    def _of_inputs(self, step: PlanStep, cotangents: Cotangents) -> Cotangents:
        inputs = tuple(self._values[name] if name else None for name in step.node.inputs)
        needed = tuple(self._flows(step, place) for place in range(len(inputs)))
        if step.function is not None:
            return self._through(step.function, inputs, needed, cotangents, (*self._visits, 0))
        schema = step.schema
        if schema is None:
            msg = f"node {step.id!r}: the kernel supplied for {step.operator} has no derivative"
            raise EvaluationError(msg)
        vjp = _vjp_of(schema)
        if vjp is not None:
            outputs = tuple(self._values[name] if name else None for name in step.node.outputs)
            site = DerivativeSite(self, step, needed)
            made = vjp.function(
                cotangents,
                tuple(map(_widened, inputs)),
                tuple(map(_widened, outputs)),
                **arguments(vjp, step.attributes),
                **({"at": site} if vjp.takes_at else {}),
            )
            return cast("Cotangents", made if isinstance(made, tuple) else (made,))
        body = body_plan(step, inputs)
        if body is not None:
            return self._through(body, inputs, needed, cotangents, self._visits)
        msg = f"node {step.id!r}: {schema.label} has no derivative, and what is differentiated needs it"
        if schema.name == "Gradient":
            msg = f"node {step.id!r} is a Gradient; derivatives of derivatives are not computed"
        raise EvaluationError(msg)

    def _through(
        self,
        plan: Plan,
        inputs: tuple[RunValue, ...],
        needed: tuple[bool, ...],
        cotangents: Cotangents,
        visits: tuple[int, ...],
    ) -> Cotangents:
        """Back through what stands for a node: a function."""
        tape = Tape(self._context, plan, {}, inputs, needed, (), visits)
        tape.back(cotangents)
        return tape.cotangents

    def call(self, body: Body, values: tuple[RunValue, ...], visit: int) -> tuple[RunValue, ...]:
        """The outputs of a subgraph of a node."""
        return self._inside(body, values, (), visit).outputs

    def pull(
        self, body: Body, values: tuple[RunValue, ...], cotangents: Cotangents, visit: int
    ) -> Cotangents:
        """The cotangents of a subgraph's inputs; those of what it captured are added up here."""
        tape = self._inside(body, values, (True,) * len(values), visit)
        tape.back(cotangents)
        for name, cotangent in tape.captured_cotangents.items():
            self.add(name, cotangent)
        return tape.cotangents

    def _inside(
        self, body: Body, values: tuple[RunValue, ...], needed: tuple[bool, ...], visit: int
    ) -> Tape:
        visits = (*self._visits, visit)
        return Tape(self._context, body.plan, self._values, values, needed, self._active, visits)

    def random_of(self, step: PlanStep) -> np.random.Generator:
        """The random numbers that the kernel of a node had."""
        return Site(step.wanted, step.version, self._context.seed, step.id, self._visits).rng


@dataclass(frozen=True)
class DerivativeSite:
    """The place of one vector-Jacobian product."""

    tape: Tape
    step: PlanStep
    needed: tuple[bool, ...]

    @property
    def wanted(self) -> tuple[bool, ...]:
        return self.step.wanted

    @property
    def version(self) -> int:
        return self.step.version

    @cached_property
    def rng(self) -> np.random.Generator:
        return self.tape.random_of(self.step)

    def call(
        self, subgraph: Subgraph, arguments: tuple[RunValue, ...] = (), *, visit: int = 0
    ) -> tuple[RunValue, ...]:
        return self.tape.call(cast("Body", subgraph), arguments, visit)

    def pull(
        self,
        subgraph: Subgraph,
        arguments: tuple[RunValue, ...],
        cotangents: Cotangents,
        *,
        visit: int = 0,
    ) -> Cotangents:
        return self.tape.pull(cast("Body", subgraph), arguments, cotangents, visit)


def _vjp_of(schema: OpSchema) -> PageFunction | None:
    return schema.operator.vjp_at(schema.since_version) if schema.operator else None


def _widened(value: RunValue) -> RunValue:
    return widened(cast("Floats", value)) if isinstance(value, np.ndarray) else value


def _is_floats(value: RunValue) -> bool:
    if not isinstance(value, np.ndarray):
        return False
    return value.dtype.kind == "f" or DType.from_numpy(value.dtype).family == "float"


def _has_floats(value: RunValue) -> bool:
    """Whether derivatives flow through a value; that no operator takes those of a list is for the
    way back to find.
    """
    if isinstance(value, list):
        return any(map(_has_floats, value))
    return _is_floats(value)


def _expect_floats(name: str, value: RunValue) -> None:
    if not _is_floats(value):
        found = str(value.dtype) if isinstance(value, np.ndarray) else "no tensor"
        raise EvaluationError(f"{name!r} is {found}, but derivatives are of tensors of floats")
