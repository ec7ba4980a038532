"""`Stepper`: a model run node by node, forward and back."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, cast

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.absent import no_such_value
from onnx_explorer.evaluation.breakpoints import Breakpoint, Breakpoints, Condition, Predicate
from onnx_explorer.evaluation.course import Course
from onnx_explorer.evaluation.events import Event, Log
from onnx_explorer.evaluation.feeds import checked_feeds, replacement
from onnx_explorer.evaluation.foresight import Foresight
from onnx_explorer.evaluation.frames import Failure, Move
from onnx_explorer.evaluation.keeping import checked_budget
from onnx_explorer.evaluation.past import NewPlan, NewValue
from onnx_explorer.evaluation.places import foresee
from onnx_explorer.evaluation.plan import plan_of, with_attributes
from onnx_explorer.evaluation.progress import Progress
from onnx_explorer.evaluation.run import new_seed
from onnx_explorer.evaluation.steps import PlanStep
from onnx_explorer.evaluation.supplied import Kernels, handed_out, own
from onnx_explorer.evaluation.targets import Goal, goal_of, scopes_of, values_of
from onnx_explorer.evaluation.views import FrameView, VisibleValues
from onnx_explorer.evaluation.walk import Walk
from onnx_explorer.evaluation.watch import Watches, expression
from onnx_explorer.ir import RunValue
from onnx_explorer.ir.expected import (
    expect_dict,
    expect_flag,
    expect_name,
    model_of,
    near_or_some,
    shown,
)

if TYPE_CHECKING:
    from onnx_explorer.ir.expected import Source


class Stepper:
    """A run that stops between nodes.

    A node that fails does not raise: `failure` holds what went wrong and what went in, every
    value computed so far stays readable, and `back`, `set` or `retry` lead on from there. An
    interrupted run (Ctrl-C, a notebook's stop button) stays where it was, between two nodes.
    """

    def __init__(
        self,
        model: Source,
        feeds: Mapping[str, object],
        *,
        seed: int | None = None,
        kernels: Kernels | None = None,
        budget_bytes: int | None = None,
    ) -> None:
        """`seed` and `kernels` are as for `run`; within one stepper, random operators always give
        the same again. Computed values are kept within `budget_bytes` (default: a quarter of the memory); older ones are
        computed again when they are asked for.

        Raises:
            EvaluationError: a feed is missing, unknown or not as declared.
        """
        self.model = model = model_of(model)
        self.feeds = {n: handed_out(own(fed)) for n, fed in checked_feeds(model, feeds).items()}
        self.seed = new_seed(seed)
        self._budget = checked_budget(budget_bytes)
        self._plan = plan_of(model, kernels=kernels)
        self._foresight = Foresight(model, self.feeds)
        self._breakpoints = Breakpoints(self._foresight)
        self._watches = Watches()
        self._log = Log()
        self._course = self._begun()

    def _begun(self) -> Course:
        walk = Walk(self._plan, self.feeds, self.seed, self._budget)
        return Course(self._plan, walk, self._breakpoints, self._log)

    def restart(self) -> None:
        """Go back to before the first node. Breakpoints and watches stay."""
        self._log.follow(self.walk.past)
        self._course = self._begun()
        self._log.forget(self.walk.past)
        self._log.add("restart", "", self.walk.past)

    # -- where it stands ---------------------------------------------------------------------

    @property
    def walk(self) -> Walk:
        """The run with its past; recordings read it."""
        return self._course.walk

    @property
    def current(self) -> PlanStep | None:
        """The node that runs next (`.node`, `.id`, `.operator`); None when all have run. In a
        subgraph that is through, the node that it belongs to.
        """
        for frame in reversed(self.walk.stack):
            if frame.step is not None:
                return frame.step
        return None

    @property
    def values(self) -> Mapping[str, RunValue]:
        """Every value computed so far that the current graph can see, by name."""
        return VisibleValues(self.walk)

    @property
    def frames(self) -> tuple[FrameView, ...]:
        """The graphs on their way, the main graph first, each one called by a node of the one
        before.
        """
        return tuple(FrameView(frame, self.walk) for frame in self.walk.stack)

    def iterations(self, path: str) -> tuple[FrameView, ...]:
        """Every run of a subgraph so far, the one on its way included: `iterations("loop/body")[7]`
        has the values of iteration 7.

        Raises:
            EvaluationError: there is no such subgraph.
        """
        expect_name("the subgraph", path, EvaluationError)
        path = f"{path.rstrip('/')}/".removeprefix("/")
        past = [m.popped for m in self.walk.past.passages if m.popped is not None]
        frames = (*past, *self.walk.stack)
        found = tuple(FrameView(frame, self.walk) for frame in frames if frame.path == path)
        if not found and path not in (known := scopes_of(self.walk)):
            there = near_or_some(path, sorted(known))
            raise EvaluationError(f"there is no subgraph {path!r}{there}")
        return found

    @property
    def done(self) -> bool:
        """Whether every node has run."""
        return self.walk.done

    @property
    def failure(self) -> Failure | None:
        """The node that failed, if the last thing that happened was a failure."""
        return self._course.failure

    @property
    def position(self) -> int:
        """How many nodes of the main graph have run."""
        return self.walk.stack[0].index

    @property
    def total(self) -> int:
        """How many nodes the main graph has."""
        return len(self._plan.steps)

    @property
    def completed(self) -> tuple[str, ...]:
        """The full ids of all nodes that have run, in order, those of subgraphs included."""
        return tuple(step.id for step in self.walk.completed)

    @property
    def outputs(self) -> dict[str, RunValue]:
        """The outputs of the model that are computed already."""
        values = self.walk.stack[0].values
        names = self._plan.outputs
        return {name: handed_out(values[name]) for name in names if name in values}

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened since the stepper was made, in order."""
        self._log.follow(self.walk.past)
        return tuple(self._log)

    # -- breakpoints and watches -------------------------------------------------------------

    def add_breakpoint(
        self,
        node: str | None = None,
        *,
        operator: str | None = None,
        group: str | None = None,
        value: str | None = None,
        when: Predicate | None = None,
        condition: Condition | None = None,
        larger_than: float | None = None,
        skip: int = 0,
    ) -> Breakpoint:
        """Stop runs before a node (id, name or pattern), an operator, a group of names; or after a
        node with an output of this name or pattern (`value`), with one for which `when(array)`
        holds, which has a `condition` ("nan", "inf"; "dtype" or "shape" other than inferred), or an
        element `larger_than` this. What is given has to fit together; `skip` hits pass first.

        Nodes inside an operator are named behind it: for `norm/body/sqrt_1` a run goes into `norm`,
        for `norm/body/*` with `condition="nan"` up to the first NaN in there, for `*/body/sqrt_*`
        into every operator that the standard gives as a function of others. Of a long name the last
        parts are enough where no other node ends so. An `operator` that only such functions have
        stops a run in those that somebody steps into; `note` says so, and where a node is not there
        with the inputs that came.

        Raises:
            EvaluationError: the model has nothing of the kind, or several nodes that end so, or
                there is no such condition.
        """
        made = Breakpoint(node, operator, group, value, when, condition, larger_than, skip)
        self._breakpoints.add(made, self.walk)
        return made

    def remove_breakpoint(self, breakpoint: Breakpoint) -> None:  # noqa: A002 - its name
        """Take a breakpoint away. Raises EvaluationError where it is none of this stepper's."""
        if not any(breakpoint is each for each in self._breakpoints.every):
            given = shown(cast("object", breakpoint))
            raise EvaluationError(
                f"{given} is none of the stepper's breakpoints; they are "
                f"in .breakpoints, {len(self._breakpoints.every)} now"
            )
        self._breakpoints.remove(breakpoint)

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """All breakpoints, in the order in which they were set."""
        return tuple(self._breakpoints.every)

    @property
    def stopped_at(self) -> Breakpoint | None:
        """The breakpoint that ended the last run, if one did."""
        return self._course.stopped_at

    @property
    def stops_inside(self) -> bool:
        """Whether a breakpoint is in the function of the operator that comes next."""
        return self._course.stops_inside

    def watch(self, text: str) -> object:
        """Add an expression to `watched`, and give what it comes to now (None before its values
        are there). `mean(abs(x))`: names of values, numbers, arithmetic, comparisons, indices, and
        a list of functions that an unknown one is answered with, as EvaluationError.
        """
        known = values_of(self.walk, self.feeds)
        for name in expression(text).names - known:
            if foresee(name, self.walk, self._foresight):
                known = values_of(self.walk, self.feeds)
        self._watches.add(text, known)
        return self.watched[text]

    def unwatch(self, text: str) -> None:
        """Take an expression away. Raises EvaluationError where it is not watched."""
        self._watches.remove(text)

    @property
    def watched(self) -> dict[str, object]:
        """What each watched expression comes to; None where its values are not there yet, an
        `EvaluationError` where they do not go together.
        """
        return self._watches.values(self.values)

    # -- moves -------------------------------------------------------------------------------

    def step(self) -> None:
        """Run the next node whole, with everything inside it."""
        self._course.step()

    def step_into(self, *, operators: bool = True) -> None:
        """Run the next node, or stop before the first node inside it: in its subgraph, in the
        function that it calls, or (with `operators`) in the function that the standard gives for
        its operator. Looking into an operator does not change what it gives.
        """
        expect_flag("operators", operators, EvaluationError)
        self._course.step_into(operators=operators)

    def step_out(self) -> None:
        """Run until the node that the current graph belongs to is through, all iterations of it;
        in the main graph, to the end.
        """
        if len(self.walk.stack) == 1:
            self.run()
        else:
            self._course.step_out()

    def back(self) -> None:
        """Take back the latest step: a failure if there is one, else what one step did."""
        self._course.back()
        self._log.add("back", self.current.id if self.current else "", self.walk.past)

    def run(self, *, progress: bool | None = None) -> None:
        """Run to the end, to a breakpoint or to the first failure; `back` then takes one node of the
        main graph back. A long run tells its progress; `progress` forces or forbids that.
        """
        with Progress(self.total, progress) as shown:
            self._course.run(shown)

    def moves(self) -> Generator[None]:
        """`run` with a rest after every node, inside subgraphs too, so that others get their turn.
        `back` then takes back one node, wherever it is.
        """
        return self._course.moves()

    def run_to(self, target: str) -> None:
        """Run until the value of this name is there, or the node of this id or name comes next, or
        the first node of a group of names. `value:NAME`, `node:ID` and `group:SCOPE` tell them
        apart where several have one name: a value goes before a node, a node before a group. Of
        long names the last parts are enough where nothing else ends so, and `norm/body/sqrt_1`
        leads into the operator of `norm`.

        Raises:
            KeyError: the model has no such value, node or group, or several that end so.
        """
        expect_name("the value, node or group to run to", target, EvaluationError)
        for _ in self.moves_to(self.goal(target)):
            pass

    def goal(self, target: str) -> Goal:
        """Where `run_to` leads with a name. Raises KeyError as that does."""
        return goal_of(target, self.walk, self._foresight)

    def moves_to(self, goal: Goal) -> Generator[None]:
        """The way to a goal with a rest after every node, inside subgraphs too."""
        since = self.walk.past.n
        while not goal.is_reached(self.walk, since) and not self.done:
            since = self.walk.past.n
            step = self.walk.frame.step
            if step is not None and goal.is_inside(step):
                self.step_into()
            else:
                self.step()
            if self.failure is not None:
                return
            yield

    def goto(self, position: int | str) -> None:
        """Go to where so many nodes of the main graph have run, forward or back, or to the first
        failure. A name, as `run_to` takes it, stands for the first time in the run that its node
        comes next, or that its value is there.

        Raises:
            EvaluationError: the graph has fewer nodes.
            KeyError: the model has no such value, node or group, or several that end so.
        """
        if isinstance(position, str):
            self._go_to(self.goal(position))
            return
        if not isinstance(cast("object", position), Integral) or not 0 <= position <= self.total:
            given = shown(cast("object", position))
            raise EvaluationError(
                f"position {given}; expected a number from 0 to {self.total}, or the name of a node "
                "or value"
            )
        while self.position > position or (self.position == position and len(self.walk.stack) > 1):
            self.back()
        while self.position < position:
            self.step()
            if self.failure is not None:
                return

    def _go_to(self, goal: Goal) -> None:
        """Go back to before the first time that a goal was reached, or run over, and from there to
        it.
        """
        ids = {place.step.id for place in goal.places}
        ran = (
            (n, move.computed)
            for n, move in enumerate(self.walk.past)
            if isinstance(move, Move) and move.computed is not None
        )
        passed = (n for n, step in ran if step.id in ids or goal.is_inside(step))
        # What was fed is there from the beginning.
        first = next(passed, self.walk.past.n) if ids else 0
        while self.walk.past.n > first:
            self.back()
        for _ in self.moves_to(goal):
            pass

    # -- changes -----------------------------------------------------------------------------

    def set(self, name: str, value: object) -> None:
        """Go on with another value: nodes still to come read it, those that have run stay as they
        are. `back` takes it back.

        Raises:
            KeyError: no such value is there.
            EvaluationError: it is nothing that a node could take.
        """
        expect_name("the value to set", name, EvaluationError)
        stack, seen = self.walk.stack, VisibleValues(self.walk)
        around = next((f for f in reversed(stack) if self.walk.has(f, name)), None)
        home = (around, name) if around is not None else seen.home(name)
        if home is None:
            raise no_such_value(name, seen, self.walk)
        frame, inner = home
        old = self.walk.value(frame, inner)
        new = own(replacement(f"value {name!r}", value, old))
        self._course.change(NewValue(stack.index(frame), inner, new, old))
        self._log.add("set", name, self.walk.past)

    def retry(
        self,
        inputs: Mapping[str, object] | None = None,
        attributes: Mapping[str, object] | None = None,
    ) -> None:
        """Run the next node, the one that failed, with other inputs (by the names of the values)
        or other attributes. Only this run of the node sees the attributes; `back` takes it back.

        Raises:
            EvaluationError: there is no next node, or it does not read such a value.
            ModelError: its operator has no such attribute, or takes no such value of it.
        """
        self._course.forget_attributes()
        frame = self.walk.frame
        if frame.step is None:
            raise EvaluationError("every node has run; there is none to try again")
        if inputs is not None:
            expect_dict("the inputs to try", inputs, "{'x': array}", EvaluationError)
        if attributes is not None:
            expect_dict("the attributes to try", attributes, "{'axis': 1}", EvaluationError)
        for name, value in (inputs or {}).items():
            if name not in frame.step.node.inputs:
                given = ", ".join(map(repr, frame.step.node.inputs))
                msg = f"node {frame.step.id!r} does not read {name!r}; it reads {given}"
                raise EvaluationError(msg)
            self.set(name, value)
        if attributes:
            changed = with_attributes(frame.step, attributes)
            steps = [changed if step is frame.step else step for step in frame.plan.steps]
            plan = replace(frame.plan, steps=steps)
            self._course.change(
                NewPlan(len(self.walk.stack) - 1, plan, frame.plan, dict(attributes))
            )
        self._log.add("retry", frame.step.id, self.walk.past)
        self.step()

    def record(self, path: str | Path) -> None:
        """Write the run as it stands to a file (`.oxrun`) that `ox.replay` opens: model, feeds,
        changes, and every value of the main graph. Raises ModelError for a model over 2 GiB.
        """
        # An arrow that points back on purpose: a method people look for on the stepper.
        from onnx_explorer.recording import write

        write(self, path)

    def __repr__(self) -> str:
        if self.failure is not None:
            return f"<Stepper failed: {self.failure}>"
        step = self.current
        where = f"next is {step.id!r} ({step.operator})" if step else "done"
        return f"<Stepper {self.position}/{self.total}: {where}>"
