"""`Stepper`: a model run node by node, forward and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast

import numpy as np

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.feeds import checked_feeds
from onnx_explorer.evaluation.machine import Failure, Frame, Machine, Move, NodeFailed
from onnx_explorer.evaluation.plan import plan_of
from onnx_explorer.evaluation.run import new_seed
from onnx_explorer.evaluation.steps import PlanStep
from onnx_explorer.evaluation.supplied import Kernels, handed_out
from onnx_explorer.ir import Model, RunValue
from onnx_explorer.ir.expected import expect_model


class FrameView(Mapping[str, RunValue]):
    """The values of one graph on its way, by name; arrays are read-only."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    @property
    def path(self) -> str:
        """The place of the graph: `loop_1/body/` for the body of the node `loop_1`, empty for the
        main graph.
        """
        return self._frame.path

    @property
    def iteration(self) -> int:
        """How often this subgraph was entered before during the same run of its node."""
        return self._frame.visit

    def __getitem__(self, name: str) -> RunValue:
        return handed_out(self._frame.values[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._frame.values)

    def __len__(self) -> int:
        return len(self._frame.values)

    def __repr__(self) -> str:
        return f"<frame {self.path or 'main'!r}: {len(self)} values>"


class MissingOutput(Failure):
    """An output of the graph that nothing produces, found when every node has run."""

    def __str__(self) -> str:
        return self.message


class Stepper:
    """A run that stops between nodes.

    A node that fails does not raise: `failure` holds what went wrong and what went in, every
    value computed so far stays readable, and `back` leads on from there.
    """

    def __init__(
        self,
        model: Model,
        feeds: Mapping[str, object],
        *,
        seed: int | None = None,
        kernels: Kernels | None = None,
    ) -> None:
        """`seed` and `kernels` are as for `run`.

        Raises:
            EvaluationError: a feed is missing, unknown or not as declared.
        """
        expect_model(model, EvaluationError)
        self._model = model
        self._feeds = {name: _own(value) for name, value in checked_feeds(model, feeds).items()}
        self._seed = new_seed(seed)
        self._plan = plan_of(model, kernels=kernels)
        self.restart()

    def restart(self) -> None:
        """Go back to before the first node."""
        self._machine = Machine(self._plan, self._feeds, self._seed)
        self._moves: list[Move] = []
        self._begins: list[int] = []  # of each step, among the moves
        self._failure: Failure | None = None

    # -- where it stands ---------------------------------------------------------------------

    @property
    def current(self) -> PlanStep | None:
        """The node that runs next (`.node`, `.id`, `.operator`); None when all have run. In a
        subgraph that is through, the node that it belongs to.
        """
        for frame in reversed(self._machine.stack):
            if frame.step is not None:
                return frame.step
        return None

    @property
    def values(self) -> Mapping[str, RunValue]:
        """Every value computed so far that the current graph can see, by name."""
        seen: dict[str, RunValue] = {}
        for frame in self._machine.stack:
            if frame is not self._machine.stack[0] and "/function/" in f"/{frame.path}":
                seen = {}
            seen.update(frame.values)
        return {name: handed_out(value) for name, value in seen.items()}

    @property
    def frames(self) -> tuple[FrameView, ...]:
        """The graphs on their way, the main graph first, each one called by a node of the one
        before.
        """
        return tuple(map(FrameView, self._machine.stack))

    @property
    def done(self) -> bool:
        """Whether every node has run."""
        return self._machine.done

    @property
    def failure(self) -> Failure | None:
        """The node that failed, if the last thing that happened was a failure."""
        return self._failure

    @property
    def position(self) -> int:
        """How many nodes of the main graph have run."""
        return self._machine.stack[0].index

    @property
    def total(self) -> int:
        """How many nodes the main graph has."""
        return len(self._plan.steps)

    @property
    def completed(self) -> tuple[str, ...]:
        """The full ids of all nodes that have run, in order, those of subgraphs included."""
        return tuple(move.computed.id for move in self._moves if move.computed is not None)

    @property
    def outputs(self) -> dict[str, RunValue]:
        """The outputs of the model that are computed already."""
        values = self._machine.stack[0].values
        names = self._plan.outputs
        return {name: handed_out(values[name]) for name in names if name in values}

    # -- moves -------------------------------------------------------------------------------

    def step(self) -> None:
        """Run the next node whole, with everything inside it."""
        with np.errstate(all="ignore"):
            self._step(len(self._machine.stack))

    def step_into(self) -> None:
        """Run the next node, or stop before the first node inside it."""
        with np.errstate(all="ignore"):
            self._step(None)

    def step_out(self) -> None:
        """Run until the node that the current graph belongs to is through, all iterations of it;
        in the main graph, to the end.
        """
        depth = len(self._machine.stack)
        if depth == 1:
            self.run()
            return
        with np.errstate(all="ignore"):
            self._step(depth - 1)

    def back(self) -> None:
        """Take back the latest step: a failure if there is one, else what one step did."""
        if self._failure is not None:
            self._failure = None
        elif self._begins:
            begin = self._begins.pop()
            while len(self._moves) > begin:
                self._machine.undo(self._moves.pop())

    def run(self) -> None:
        """Run to the end or to the first failure."""
        with np.errstate(all="ignore"):
            self._step(len(self._machine.stack))
            while not self.done and self._failure is None:
                self._step(len(self._machine.stack))

    def run_to(self, target: str) -> None:
        """Run until the value of this name is there, or the node of this id or name comes next.
        `value:NAME` and `node:ID` tell them apart where both have one name, which else is the
        value's.

        Raises:
            KeyError: the model has no such node or value.
        """
        kind, name = self._found(target)
        is_value = kind == "value"
        main = self._machine.stack[0]
        inside = not any(name in _names(step, kind) for step in self._plan.steps)
        if is_value and name in main.values:
            return
        while not self.done:
            frame = self._machine.frame
            step = frame.step
            if is_value and name in (frame if inside else main).values:
                return
            if not is_value and step is not None and name in _names(step, kind):
                return
            if inside:
                self.step_into()
            else:
                self.step()
            if self._failure is not None:
                return

    def _step(self, depth: int | None) -> None:
        """One step, which `back` takes back as a whole even when it was interrupted: one move, and
        on until no more than `depth` graphs are on their way.
        """
        begin = len(self._moves)
        stack = self._machine.stack
        try:
            while self._advance() and depth is not None and len(stack) > depth:
                pass
        finally:
            if len(self._moves) > begin:
                self._begins.append(begin)

    def _advance(self) -> bool:
        """One move of the machine, and on out of graphs that are through, so that it rests before
        a node. False when there is nothing to run or a node failed.
        """
        machine, moves = self._machine, self._moves
        self._failure = None
        try:
            while not machine.done:
                moves.append(machine.advance())
                frame = machine.stack[-1]
                if frame.index < len(frame.plan.steps):
                    return True
        except NodeFailed as failed:
            inputs = {name: handed_out(v) for name, v in failed.failure.inputs.items()}
            self._failure = replace(failed.failure, inputs=inputs)
            return False
        self._failure = self._missing_output()
        return False

    def _missing_output(self) -> Failure | None:
        values = self._machine.stack[0].values
        for name in self._plan.outputs:
            if name not in values:
                return MissingOutput(f"out:{name}", "output", f"nothing produces {name!r}", {})
        return None

    def _found(self, target: str) -> tuple[str, str]:
        """What a text names, `value` or `node`, and its name without that prefix."""
        kind, colon, name = target.partition(":")
        if colon and kind in {"value", "node"} and self._known(kind, name):
            return kind, name
        for kind in ("value", "node"):
            if self._known(kind, target):
                return kind, target
        raise KeyError(f"{target!r} is neither a node nor a value of the model")

    def _known(self, kind: str, name: str) -> bool:
        if kind == "value" and name in self._machine.stack[0].values:
            return True
        return name != "" and any(
            name in _names(step, kind) for step in all_steps(self._plan.steps)
        )

    def __repr__(self) -> str:
        if self._failure is not None:
            return f"<Stepper failed: {self._failure}>"
        step = self.current
        where = f"next is {step.id!r} ({step.operator})" if step else "done"
        return f"<Stepper {self.position}/{self.total}: {where}>"


def _own(value: RunValue) -> RunValue:
    """A value that nobody outside can change."""
    if isinstance(value, np.ndarray):
        return value.copy() if value.flags.writeable else value
    if isinstance(value, list):
        return [_own(item) for item in value]
    if isinstance(value, dict):
        return cast("RunValue", {key: _own(item) for key, item in value.items()})
    return value


def _names(step: PlanStep, kind: str) -> tuple[str, ...]:
    """What the node is called, or what the values that it makes are called."""
    return step.node.outputs if kind == "value" else (step.id, step.node.name)


def all_steps(steps: list[PlanStep]) -> Iterator[PlanStep]:
    """The steps and those of every subgraph and function inside them."""
    for step in steps:
        yield step
        if step.function is not None:
            yield from all_steps(step.function.steps)
        for value in step.keywords.values():
            plan = getattr(value, "plan", None)
            if plan is not None:
                yield from all_steps(plan.steps)
