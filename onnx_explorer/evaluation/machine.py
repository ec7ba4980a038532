"""The machine that runs plans: a stack of frames, moved on one node at a time. Running to the
end and stepping are the same moves; subgraphs and function calls are frames, not recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import cast

import numpy as np

from onnx_explorer.errors import EvaluationError, ExplorerError
from onnx_explorer.evaluation.derivatives import Context, DifferentiatingSite
from onnx_explorer.evaluation.dtypes import check_again, check_dtypes, dtypes_of, expect
from onnx_explorer.evaluation.frames import Control, Failure, Frame, Move, NodeFailed, Steps
from onnx_explorer.evaluation.outcome import as_value, listed, make_ready, store, unless_kernel
from onnx_explorer.evaluation.quiet import quiet
from onnx_explorer.evaluation.reuse import (
    is_as_assumed,
    keep,
    keep_again,
    own_bytes,
    quicken,
    quickest,
    serves,
    slim,
    unshared,
)
from onnx_explorer.evaluation.site import Site
from onnx_explorer.evaluation.steps import Body, Plan, PlanStep
from onnx_explorer.ir import RunValue
from onnx_explorer.schema import Call, PageFunction, Violation

Look = Callable[[Frame], bool]


class Machine:
    """Frames over one plan, from the feeds on.

    `free` lets values go when nobody reads them any more, or writes over them; then there is no
    undoing. Without it values are never changed once they are computed.
    """

    def __init__(
        self,
        plan: Plan,
        feeds: Mapping[str, RunValue],
        seed: int,
        *,
        free: bool = False,
        visits: tuple[int, ...] = (0,),
    ) -> None:
        """`visits` are those of the frames that this plan runs in, its own included: a plan that
        is a part of another has the random numbers of that.
        """
        self._seed = seed
        self._free = free
        self._visits_around = visits[:-1]
        # A constant may be an input too, and then another value may be fed in its place.
        self._as_planned = plan.constants.keys().isdisjoint(feeds)
        if free and plan.lean is not None and self._as_planned:
            plan = quickest(plan.lean)
        self.stack = [Frame(plan, {**plan.constants, **feeds}, visit=visits[-1])]
        if not self._as_planned:
            self.frame.part()
        self.room: float = inf
        """How many bytes nodes may give before `run_plain` rests; for a machine that keeps them."""

    @property
    def frame(self) -> Frame:
        """The innermost frame."""
        return self.stack[-1]

    @property
    def done(self) -> bool:
        frame = self.stack[0]
        return len(self.stack) == 1 and frame.index >= len(frame.plan.steps)

    @quiet
    def finish(self) -> None:
        """Run to the end.

        Raises:
            NodeFailed: a node cannot run.
        """
        while True:
            frame = self.stack[-1]
            self.run_plain(frame, len(frame.plan.steps))
            if self.done:
                break
            self.advance()
        plan = self.stack[0].plan
        if plan.lean is None and self._as_planned:
            slim(plan, self.stack[0].values)
        elif not self.stack[0].apart:
            quicken(plan)

    def run_plain(self, frame: Frame, end: int, look: Look | None = None) -> bool:
        """Run nodes of the innermost frame up to the `end`-th, or to one that needs more than its
        kernel, or until there is no more room. A machine that keeps values lets somebody `look` at
        the frame after each node: whether it rests there, which is what comes back.

        Raises:
            NodeFailed: a node cannot run; those before it have.
        """
        values, steps, free, room = frame.values, frame.plan.steps, self._free, self.room
        first = index = frame.index
        try:
            for index in range(first, end):
                step = steps[index]
                # Read once: another thread may run the same plan.
                kept, call = step.kept, step.call
                if (
                    kept is not None
                    and kept.generation is frame.generation
                    and not (step.of_shape and _shape(values, step.inputs[0]) != kept.seen)
                ):
                    result = kept.result
                elif call is not None:
                    if step.input:
                        given = values[step.input]
                        out = unshared(step, values) if step.over and free else None
                        try:
                            result = call(given) if out is None else call(given, out=out)
                        except Exception:  # noqa: BLE001  (the kernel says what it is)
                            result = unless_kernel(step, call)
                    else:
                        given = step.fetch(values)
                        out = unshared(step, values) if step.over and free else None
                        try:
                            result = call(*given) if out is None else call(*given, out=out)
                        except Exception:  # noqa: BLE001  (the kernel says what it is)
                            result = unless_kernel(step, call)
                    if result is NotImplemented:
                        given = out = None
                        result = self._result(frame, step, cast("PageFunction", step.plain))
                elif frame.plan.whole is not None and step.of_shape and kept is not None:
                    # A shape is not what it was: what was left out because of it has to run.
                    frame.leave_nothing_out(step)
                    return False
                elif step.plain is not None:
                    result = self._result(frame, step, step.plain)
                elif free and self._run_inside(frame, step):
                    continue
                else:
                    return False
                if step.output and type(result) is np.ndarray:
                    values[step.output] = result
                    if not free:
                        room -= result.nbytes
                else:
                    stored = store(values, step, result)
                    if not free:
                        room -= sum(map(own_bytes, stored))
                frame.index = index + 1
                if free:
                    for name in step.dead:
                        values.pop(name, None)
                    # What is held here could not be written over, nor freed.
                    result = given = out = stored = None
                elif look is not None and look(frame):
                    return True
                elif room < 0:
                    return False
        except NodeFailed:
            raise  # by a node inside
        except Exception as error:
            if frame.index > index:
                raise  # by who looks: the node has run
            step = steps[frame.index]
            raise NodeFailed(_failure(frame, step, _told(error, step, values))) from error
        finally:
            self.room = room
        return False

    def results(self) -> dict[str, RunValue]:
        """The outputs of the plan; only when `done`."""
        values = self.stack[0].values
        return {name: values[name] for name in self.stack[0].plan.outputs}

    def advance(self) -> Move:
        """One move: run the next node, enter its first subgraph, or return from a frame that is
        through.

        Raises:
            NodeFailed: the next node cannot run; nothing has changed.
        """
        frame = self.stack[-1]
        if frame.index == len(frame.plan.steps):
            return self._return()
        step = frame.plan.steps[frame.index]
        if step.plain is not None:
            self.run_plain(frame, frame.index + 1)
            return Move(step, frame)
        try:
            inputs = _arguments(frame, step)
            if step.kernel is not None:
                return self._start(frame, step, step.kernel, inputs)
            return self._call(step, inputs)
        except Exception as error:
            raise NodeFailed(_failure(frame, step, error)) from error

    def enter(self, plan: Plan) -> Move:
        """Go into a function that says the same as the kernel of the next node. When it is
        through, the kernel runs.

        Raises:
            NodeFailed: an input of the node is missing; nothing has changed.
        """
        frame = self.stack[-1]
        step = frame.plan.steps[frame.index]
        try:
            inputs = _arguments(frame, step)
        except EvaluationError as error:
            raise NodeFailed(_failure(frame, step, error)) from error
        values: dict[str, RunValue] = dict(zip(plan.inputs, inputs, strict=True))
        self.stack.append(Frame(plan, {**plan.constants, **values}, stands_for_kernel=True))
        return Move(entered=self.stack[-1])

    def undo(self, move: Move) -> None:
        """Take back the latest move."""
        if move.entered is not None:
            self.stack.pop()
            if move.popped is None:
                self.stack[-1].control = None
        if move.computed is not None:
            frame = self.stack[-1]
            frame.index -= 1
            for name in move.computed.node.outputs:
                frame.values.pop(name, None)
        if move.popped is not None:
            if move.control is not None:
                move.control.take_back()
                self.stack[-1].control = move.control
            self.stack.append(move.popped)

    def _result(self, frame: Frame, step: PlanStep, kernel: PageFunction) -> object:
        """What a node gives that has more to it than a call: dtypes to be checked, a place that
        the kernel wants to know, results to be kept.
        """
        inputs = _arguments(frame, step)
        kept = step.kept
        if kept is not None and serves(kept, step, inputs):
            keep_again(frame, step, kept)
            return kept.result
        keywords = self._keywords(frame, step, inputs)
        out = unshared(step, frame.values) if step.over and self._free else None
        if out is None:
            result = kernel.function(*inputs, **keywords)
        else:
            result = kernel.function(*inputs, out=out, **keywords)
        if step.steady and not (step.keeps or step.varies):
            call = partial(kernel.function, **keywords) if keywords else kernel.function
            make_ready(step, call, inputs, listed(result))
        if step.keeps:
            result = tuple(map(as_value, listed(result)))
            keep(frame, step, inputs, result)
        return result

    def _keywords(
        self, frame: Frame, step: PlanStep, inputs: Sequence[RunValue]
    ) -> dict[str, object]:
        """What the kernel takes beside its inputs, which are checked on the way."""
        if step.schema is not None and not (step.steady and step.checked is not None):
            dtypes = tuple([getattr(value, "dtype", None) for value in inputs])
            if dtypes != step.checked:
                check_dtypes(step.schema, inputs)
                step.checked = dtypes
        if not step.varies:
            return step.keywords
        return {**step.keywords, "at": self._site(frame, step)}

    def _site(self, frame: Frame, step: PlanStep) -> object:
        visits = (*self._visits_around, *(f.visit for f in self.stack))
        site = Site(step.wanted, step.version, self._seed, step.id, visits)
        if step.part is None:
            return site
        context = Context(self._seed, _all_values)
        return DifferentiatingSite(site, context, step.part, frame.values)

    def _start(
        self, frame: Frame, step: PlanStep, kernel: PageFunction, inputs: Sequence[RunValue]
    ) -> Move:
        """Start a node that runs subgraphs: enter the first."""
        control = self._control(frame, step, kernel, inputs)
        try:
            call = next(cast("Steps", control.steps))
        except StopIteration as stop:
            self._store(frame, step, stop.value)
            return Move(step, frame)
        entered = self._enter(call, 0)
        frame.control = control
        return Move(entered=entered)

    def _control(
        self, frame: Frame, step: PlanStep, kernel: PageFunction, inputs: Sequence[RunValue]
    ) -> Control:
        """The kernel of a node that runs subgraphs, before its first call."""
        keywords = self._keywords(frame, step, inputs)

        def start() -> Steps:
            return cast("Steps", kernel.function(*inputs, **keywords))

        return Control(start, start())

    def _run_inside(self, frame: Frame, step: PlanStep) -> bool:
        """Run a function, or the subgraph that a node gives the outputs of, to the end: what takes
        a stepper many moves. Where it does not come to an end so, the moves go on from there.
        """
        if len(self.stack) >= DEEP:
            return False
        inputs = _arguments(frame, step)
        if step.function is not None:
            self._call(step, inputs)
        elif step.choose is None or step.checked is None or not step.steady:
            return False
        else:
            call = step.choose(*inputs)
            if call is NotImplemented:
                return False
            self._enter(cast("Call", call), 0)
        inner = self.stack[-1]
        self.run_plain(inner, len(inner.plan.steps))
        if self.stack[-1] is not inner or inner.index < len(inner.plan.steps):
            if step.kernel is not None:
                frame.control = self._control(frame, step, step.kernel, inputs)
                next(cast("Steps", frame.control.steps))
            return False
        self._learn(inner)
        self.stack.pop()
        results = _results(inner)
        self._store(frame, step, results[0] if len(results) == 1 else results)
        return True

    def _learn(self, through: Frame) -> None:
        """Leave nodes out of further runs of a graph inside another, now that it is through."""
        if self._free and self._as_planned and through.plan.lean is None:
            slim(through.plan, through.values)
        elif self._free and not through.apart:
            quicken(through.plan)

    def _call(self, step: PlanStep, inputs: Sequence[RunValue]) -> Move:
        plan = step.function
        if plan is None:
            raise EvaluationError(step.problem)
        if len(inputs) > len(plan.inputs):
            msg = f"{len(inputs)} inputs, but the function takes {len(plan.inputs)}"
            raise EvaluationError(msg)
        values: dict[str, RunValue] = dict.fromkeys(plan.inputs)
        values.update(zip(plan.inputs, inputs, strict=False))
        self._open(self._leanest(plan, values), values)
        return Move(entered=self.stack[-1])

    def _enter(self, call: Call, visit: int) -> Frame:
        body = cast("Body", call.subgraph)
        outer = self.stack[-1].values
        plan = self._leanest(body.plan, outer)
        if len(call.arguments) != len(plan.inputs):
            msg = (
                f"subgraph {body.name!r} takes {len(plan.inputs)} inputs, "
                f"but {len(call.arguments)} are passed"
            )
            raise EvaluationError(msg)
        values: dict[str, RunValue] = {name: outer[name] for name in plan.captured if name in outer}
        if plan.inputs:
            arguments = cast("tuple[RunValue, ...]", call.arguments)
            values.update(zip(plan.inputs, arguments, strict=True))
        return self._open(plan, values, visit)

    def _leanest(self, plan: Plan, around: Mapping[str, RunValue]) -> Plan:
        """The plan of a graph inside another, without what is known already."""
        lean = plan.lean if self._free else None
        if lean is None or (lean.assumed and not is_as_assumed(lean, around)):
            return plan
        return quickest(lean)

    def _open(self, plan: Plan, values: dict[str, RunValue], visit: int = 0) -> Frame:
        """Enter a graph inside another, with what it was given and captures."""
        expect(plan, values)
        frame = Frame(plan, {**plan.constants, **values}, visit=visit)
        if plan.around:
            frame.part()  # what is constant around it has not been looked at
        self.stack.append(frame)
        return frame

    def _return(self) -> Move:
        """Hand the outputs of the innermost frame, which is through, to the node below it."""
        popped = self.stack[-1]
        caller = self.stack[-2]
        step = caller.plan.steps[caller.index]
        control = caller.control
        n_sent = len(control.sent) if control is not None else 0
        self._learn(popped)
        self.stack.pop()
        try:
            results = _results(popped)
            if control is None:
                if popped.stands_for_kernel and step.plain is not None:
                    self.run_plain(caller, caller.index + 1)
                    return Move(step, caller, popped=popped)
                if popped.stands_for_kernel and step.kernel is not None:
                    move = self._start(caller, step, step.kernel, _arguments(caller, step))
                    return replace(move, popped=popped)
                self._store(caller, step, results)
                return Move(step, caller, popped=popped)
            try:
                call = control.send(results)
            except StopIteration as stop:
                self._store(caller, step, stop.value)
                caller.control = None
                return Move(step, caller, popped=popped, control=control)
            return Move(entered=self._enter(call, n_sent + 1), popped=popped, control=control)
        except BaseException as error:
            # Also where a person interrupts: the machine stays where it was.
            if control is not None:
                control.forget(n_sent)
                caller.control = control
            self.stack.append(popped)
            if isinstance(error, Exception) and not isinstance(error, NodeFailed):
                raise NodeFailed(_failure(caller, step, error)) from error
            raise

    def _store(self, frame: Frame, step: PlanStep, result: object) -> None:
        """Store what a node gave that ran subgraphs."""
        stored = store(frame.values, step, result)
        if not self._free:
            self.room -= sum(map(own_bytes, stored))
        if step.tensors:
            gave = dtypes_of(map(frame.values.get, step.outputs))
            if gave != step.gave:
                check_again(frame.plan, frame.index + 1)
                step.gave = gave
        frame.index += 1
        if self._free:
            for name in step.dead:
                frame.values.pop(name, None)


DEEP = 50
"""How many graphs inside one another are run without moves: these calls go as deep as they."""


def _shape(values: Mapping[str, RunValue], name: str) -> object:
    return getattr(values.get(name), "shape", None)


def _arguments(frame: Frame, step: PlanStep) -> Sequence[RunValue]:
    try:
        return step.fetch(frame.values)
    except KeyError as error:
        raise _missing(error) from None


def _told(error: Exception, step: PlanStep, values: Mapping[str, RunValue]) -> Exception:
    """What went wrong with a node, where that was to look its inputs up."""
    if isinstance(error, KeyError) and any(name and name not in values for name in step.inputs):
        return _missing(error)
    return error


def _missing(error: KeyError) -> EvaluationError:
    return EvaluationError(f"its input {error.args[0]!r} is produced by nothing before it")


def _all_values(
    plan: Plan, given: Mapping[str, RunValue], seed: int, visits: tuple[int, ...]
) -> Mapping[str, RunValue]:
    """Every value of a plan, run to its end."""
    machine = Machine(plan, given, seed, visits=visits)
    while not machine.done:
        machine.advance()
    return machine.frame.values


def _results(frame: Frame) -> tuple[RunValue, ...]:
    """The outputs of a frame that is through."""
    try:
        return tuple([frame.values[name] for name in frame.plan.outputs])
    except KeyError as error:
        name = error.args[0]
        raise EvaluationError(f"nothing produces {name!r}, an output of {frame.path!r}") from None


def _failure(frame: Frame, step: PlanStep, error: Exception) -> Failure:
    message = str(error) if isinstance(error, ExplorerError) else f"{type(error).__name__}: {error}"
    if isinstance(error, Violation) and error.port:
        message = f"input {error.port}: {message}"
    inputs = {name: frame.values[name] for name in step.node.inputs if name in frame.values}
    return Failure(step.id, step.operator, message, inputs, error)
