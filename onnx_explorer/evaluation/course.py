"""The course of a stepper: its moves forward and back, and where it stops on its own."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from onnx_explorer.errors import ExplorerError
from onnx_explorer.evaluation.bodies import type_of
from onnx_explorer.evaluation.breakpoints import Breakpoint, Breakpoints
from onnx_explorer.evaluation.events import Log
from onnx_explorer.evaluation.frames import Failure, Frame, NodeFailed
from onnx_explorer.evaluation.inside import may_have_inside, shown_plan
from onnx_explorer.evaluation.machine import Look
from onnx_explorer.evaluation.past import Edit, NewPlan
from onnx_explorer.evaluation.progress import Progress
from onnx_explorer.evaluation.quiet import quiet
from onnx_explorer.evaluation.steps import Plan, PlanStep
from onnx_explorer.evaluation.supplied import handed_out
from onnx_explorer.evaluation.views import VisibleValues, missing_output
from onnx_explorer.evaluation.walk import Walk


class Course:
    """One walk from its beginning, with marks: what `back` takes back as one."""

    def __init__(self, plan: Plan, walk: Walk, breakpoints: Breakpoints, log: Log) -> None:
        self.walk = walk
        self.failure: Failure | None = None
        self.stopped_at: Breakpoint | None = None
        self._plan = plan
        self._breakpoints = breakpoints
        self._log = log
        # Places of the past, as ranges: each node that a run took in one stretch is one.
        self._marks: list[range] = []
        self._marked = 0
        # Whether nodes that were stepped over one by one are still to be marked.
        self._singles = False
        # What the run was to stop at in the function that it has gone into last, and is not there.
        self._missed: Breakpoint | None = None

    @quiet
    def step(self) -> None:
        """Run the next node whole, with everything inside it."""
        walk = self.walk
        stack = walk.machine.stack
        frame = stack[-1]
        steps, end = frame.plan.steps, frame.index + 1
        if end < len(steps) and steps[end - 1].plain is not None:
            self._singles = True
            self._run_plain(end)
            return
        self._mark_singles()
        depth = len(stack)
        try:
            going = self._along(end)
            while going and len(walk.machine.stack) > depth:
                going = self._along()
        finally:
            self._mark()

    @quiet
    def step_into(self, *, operators: bool) -> None:
        """One move, or into the function of an operator."""
        self._mark_singles()
        try:
            if not (operators and self._enter_operator()):
                self._along(self.walk.frame.index + 1)
        finally:
            self._mark()

    @quiet
    def step_out(self) -> None:
        """Run until the node that the current graph belongs to is through."""
        self._mark_singles()
        walk = self.walk
        depth = len(walk.stack)
        try:
            while self._along() and len(walk.stack) >= depth:
                pass
        finally:
            self._mark()

    @quiet
    def run(self, shown: Progress) -> None:
        """Run to the end, to a breakpoint or to the first failure."""
        self._mark_singles()
        walk = self.walk
        resumed, going = self._resumed(), True
        while going:
            each = _is_plain(walk) and len(walk.stack) == 1 and not self.stops_inside
            try:
                going = self._on(shown.stride, resumed=resumed)
                while going and len(walk.stack) > 1:
                    going = self._on(shown.stride, resumed=False)
            finally:
                self._mark(each=each)
            resumed = False
            if shown.active:
                shown.at(walk.stack[0].index)

    def moves(self) -> Generator[None]:
        """`run` with a rest after every node, inside subgraphs too."""
        resumed = self._resumed()
        while not self.walk.done:
            self._move(resumed=resumed)
            if self.stopped_at is not None or (self.failure is not None and not self.walk.done):
                return
            resumed = False
            yield

    def back(self) -> None:
        """Take back the latest step: a failure if there is one, else what one step did."""
        self.stopped_at = None
        self._log.follow(self.walk.past)
        self._mark_singles()
        self._mark()  # where a step was interrupted while it was marked
        if self.failure is not None:
            self.failure = None
        elif self._marks:
            self._undo()

    def change(self, edit: Edit) -> None:
        """Change a value or a node."""
        self._mark_singles()
        self.walk.edit(edit)
        self._mark()
        self.failure = None

    def forget_attributes(self) -> None:
        """Take attributes back that were tried in vain."""
        past = self.walk.past
        if past and isinstance(past[-1], NewPlan):
            self._undo()

    # -- inside ------------------------------------------------------------------------------

    def _resumed(self) -> bool:
        """Whether a run goes on from here: a breakpoint before the next node does not stop it."""
        resumed = bool(self.walk.past) or self.stopped_at is not None
        self.stopped_at = None
        return resumed

    @quiet
    def _move(self, *, resumed: bool) -> None:
        self._mark_singles()
        try:
            self._on(1, resumed=resumed)
        finally:
            self._mark()

    def _on(self, stride: int, *, resumed: bool) -> bool:
        """Run nodes of the innermost graph, at most so many, up to one that runs subgraphs, or that
        one. False where a breakpoint, a failure or the end stopped it.
        """
        walk, breakpoints = self.walk, self._breakpoints
        frame = walk.machine.stack[-1]
        steps, start = frame.plan.steps, frame.index
        last = min(start + stride, len(steps))
        lookout = breakpoints.lookout(frame.plan)
        if lookout is None:
            return self._along(last) and self.failure is None and not walk.machine.done
        after, before, entered = lookout.after, lookout.before, lookout.entered
        if not resumed:
            for each in before[start]:
                if each.stops_before(walk):
                    return self._stop(each, steps[start])
        if start in entered and self._enter_operator():
            return self._missed is None or self._stop(self._missed, walk.frame.plan.steps[0])
        hit: tuple[Breakpoint, PlanStep] | None = None
        seen = start

        def look(now: Frame) -> bool:
            nonlocal hit, seen
            place = seen = now.index
            for each, names, asks in after[place]:
                if asks is not None:
                    # Most runs ask this alone, and most values do not meet it.
                    values = now.values
                    for name in names:
                        if asks(values.get(name)):
                            if each.enabled and each.hit():
                                hit = each, steps[place - 1]
                                return True
                            break
                elif each.stops_after(names, now, breakpoints.inferred):
                    hit = each, steps[place - 1]
                    return True
            if place in entered:
                return True
            # Before what this stretch does not run, the next one looks.
            if before[place] and place < last and steps[place].plain is not None:
                for each in before[place]:
                    if each.stops_before(walk):
                        hit = each, steps[place]
                        return True
            return False

        so_far = walk.past.n
        if not self._along(last, look):
            return False
        if hit is None and breakpoints.conditions:
            # What is more than a kernel came after the nodes that were looked at.
            for step, around in walk.past.computed(so_far + seen - start):
                each = breakpoints.after(step, around)
                if each is not None:
                    return self._stop(each, step)
        if hit is not None:
            return self._stop(*hit)
        return self.failure is None and not walk.machine.done

    def _stop(self, hit: Breakpoint, step: PlanStep) -> bool:
        """Note that a breakpoint stopped the run, which does not go on."""
        self.stopped_at = hit
        self._log.add("breakpoint", step.id, self.walk.past)
        return False

    def _along(self, end: int | None = None, look: Look | None = None) -> bool:
        """Run nodes of the innermost graph up to the `end`-th, or one that runs subgraphs, or where
        `look` has it rest, and on out of graphs that are through, so that it stands before a node.
        False when there is nothing to run or a node failed.
        """
        walk = self.walk
        frame = walk.machine.stack[-1]
        steps, first = frame.plan.steps, frame.index
        if first == len(steps) and len(walk.stack) == 1:
            self.failure = missing_output(self._plan, walk)
            return False
        if first < len(steps) and steps[first].plain is not None:
            going = self._run_plain(len(steps) if end is None else end, look)
        else:
            going = first == len(steps) or self._advance()
        while going and (frame := walk.machine.stack[-1]).index == len(frame.plan.steps):
            if len(walk.stack) == 1:
                self.failure = missing_output(self._plan, walk)
                break
            going = self._advance()
        return going

    def _run_plain(self, end: int, look: Look | None = None) -> bool:
        """Run nodes that need no more than their kernels. False where one failed."""
        self.failure = None
        try:
            self.walk.run_plain(end, look)
        except NodeFailed as failed:
            return self._failed(failed)
        return True

    def _advance(self) -> bool:
        """Make one move of the machine. False where it failed."""
        self.failure = None
        try:
            self.walk.advance()
        except NodeFailed as failed:
            return self._failed(failed)
        return True

    def _failed(self, failed: NodeFailed) -> bool:
        """Note that a node failed: the run does not go on."""
        inputs = {name: handed_out(v) for name, v in failed.failure.inputs.items()}
        self.failure = replace(failed.failure, inputs=inputs)
        self._log.add("failed", failed.failure.id, self.walk.past)
        return False

    @property
    def stops_inside(self) -> bool:
        """Whether a breakpoint is in the function of the next node's operator."""
        step = self.walk.frame.step
        return step is not None and self._breakpoints.leads_into(step)

    def _enter_operator(self) -> bool:
        """Go into the function of the next node's operator, if it has one."""
        plan = plan_ahead(self.walk)
        if plan is None:
            return False
        self.failure = None
        self.walk.enter(plan)
        self._missed = self._breakpoints.enter(plan)
        return True

    def _mark(self, *, each: bool = False) -> None:
        """What came since the latest mark is one step, or one for `each` node."""
        now = self.walk.past.n
        if now > self._marked:
            self._marks.append(range(self._marked, now if each else self._marked + 1))
            self._marked = now

    def _mark_singles(self) -> None:
        """Mark the nodes that were stepped over one by one."""
        if self._singles:
            self._singles = False
            self._mark(each=True)

    def _undo(self) -> None:
        marks = self._marks.pop()
        if len(marks) > 1:
            self._marks.append(marks[:-1])
        while self.walk.past.n > marks[-1]:
            self.walk.undo()
        self._marked = self.walk.past.n
        self._log.forget(self.walk.past)


def plan_ahead(walk: Walk) -> Plan | None:
    """The plan to look inside the operator of the next node; None where there is none to look
    into, or where an input of the node is missing.
    """
    step = walk.frame.step
    if step is None or not may_have_inside(step):
        return None
    homes = VisibleValues(walk)
    if any(name and name not in homes for name in step.node.inputs):
        return None
    given = [type_of(homes[name]) if name else None for name in step.node.inputs]
    try:
        return shown_plan(step, given)
    except ExplorerError:
        return None  # the node itself will say what is wrong with it


def _is_plain(walk: Walk) -> bool:
    step = walk.frame.step
    return step is not None and step.plain is not None
