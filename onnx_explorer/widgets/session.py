"""A stepper as the front end sees it: nodes that are not drawn are stepped past, and where it
stands is a dictionary.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Integral
from typing import cast

import numpy as np

from onnx_explorer.errors import EvaluationError, ExplorerError
from onnx_explorer.evaluation import Stepper
from onnx_explorer.evaluation.breakpoints import Condition
from onnx_explorer.evaluation.places import BODY
from onnx_explorer.ir import Model, RunValue
from onnx_explorer.ir.expected import expect_name, shown
from onnx_explorer.view import Scene
from onnx_explorer.widgets.destinations import box_of, goal_at
from onnx_explorer.widgets.differing import Step
from onnx_explorer.widgets.entered import entered_attribute, entered_value
from onnx_explorer.widgets.frames import Frames, FrameState
from onnx_explorer.widgets.interiors import Interiors
from onnx_explorer.widgets.miniatures import Miniature, miniature
from onnx_explorer.widgets.standing import (
    arrival_note,
    breakpoint_state,
    clash_of,
    names_in_scene,
    ran_before,
    stop_note,
)
from onnx_explorer.widgets.summary import Summary, observed_type, summary
from onnx_explorer.widgets.watched import Watched

BREATH_S = 0.05
"""How long a run goes on before it lets messages in."""

Moves = Generator[None]
"""A move in progress; it stops now and then so that messages can come in."""


class Session:
    """One model being run for one explorer."""

    def __init__(
        self,
        model: Model,
        scene: Scene,
        feeds: Mapping[str, object],
        message: str = "",
        interiors: Interiors | None = None,
    ) -> None:
        """`message` is what a person should know about the feeds. Without `interiors` no operator's
        function is gone into.
        """
        self._plain = scene
        self._interiors = interiors
        self.message = message
        self.stepper = Stepper(model, feeds, seed=0)
        fed = self.stepper.values
        self._inputs = tuple(v.name for v in model.graph.inputs if v.name in fed)
        self._drawn = frozenset(
            box.id
            for box in scene.boxes
            if box.kind in {"node", "constant"} and _is_in_main_graph(scene, box.group)
        )
        self._scene = scene
        self._outputs: dict[str, list[str]] = {}
        self._look_at(scene if interiors is None else interiors.inside(scene))
        # Where the drawn nodes stand among those of the main graph.
        steps = self.stepper.walk.stack[0].plan.steps
        self._places = [place for place, step in enumerate(steps) if step.id in self._drawn]
        self._frames = Frames(self.stepper)
        # How many moves had been made when something was to be said of the last one.
        self._note = (0, "")
        self.watches = Watched(self.stepper)
        self.arrive()

    def _look_at(self, scene: Scene) -> None:
        """Draw with this scene: that of the model, with what was gone into."""
        # Mostly there is more in it behind what was there.
        known = len(self._outputs)
        if known and scene.boxes[known - 1 : known] != self._scene.boxes[-1:]:
            self._outputs, known = {}, 0
        for box in scene.boxes[known:]:
            self._outputs[box.id] = [key for _, key, _ in box.outputs]
        self._scene = scene

    def take_over(self, before: Session) -> None:
        """Set the breakpoints and watches of an earlier run, as far as the model still has what
        they are about.
        """
        for text in before.stepper.watched:
            with suppress(EvaluationError):
                self.watches.add(text)
        for known in before.stepper.breakpoints:
            with suppress(EvaluationError):
                self.stepper.add_breakpoint(
                    known.node,
                    operator=known.operator,
                    group=known.group,
                    value=known.value,
                    when=known.when,
                    condition=known.condition,
                    larger_than=known.larger_than,
                    skip=known.skip,
                )

    # -- moves -------------------------------------------------------------------------------

    @property
    def is_long(self) -> bool:
        """Whether the next step may take long, or stop inside: it runs a subgraph or a function, or
        a breakpoint is in its operator's.
        """
        step = self.stepper.current
        if step is None:
            return False
        if step.function is not None or (step.kernel is not None and step.kernel.is_generator):
            return True
        return self.stepper.stops_inside

    def step(self) -> Moves:
        """Run the next node that is drawn, with everything inside it."""
        if self.is_long:
            yield from self._step_over()
            return
        self.stepper.step()
        self.arrive()

    def step_into(self, *, operators: bool = True) -> None:
        """Run the next node that is drawn, or stop before the first one inside it: of a subgraph, of
        a function, or (with `operators`) of the function that its operator stands for.
        """
        is_drawn = operators and self._interiors is not None and self.current in self._outputs
        step, depth = self.stepper.current, self._depth
        self.stepper.step_into(operators=is_drawn)
        self.arrive()
        if step is not None and is_drawn and self.stepper.failure is None:
            inside = self._depth > depth
            self._note = self.stepper.walk.past.n, arrival_note(step, self.stepper, inside=inside)

    def step_out(self) -> Moves:
        """Run until the node that the current graph belongs to is through; in the main graph, to
        the end.
        """
        depth = self._depth
        return self._until(lambda: self._depth < depth)

    def goto(self, position: int | str) -> Moves:
        """Go to where so many drawn nodes of the main graph have run, forward or back; beyond its
        ends, to them. A name stands for what it stands for in `Stepper.goto`.
        """
        if isinstance(position, str):
            self.stepper.goto(position)
            self.arrive()
            return
        if not isinstance(cast("object", position), Integral):
            given = shown(cast("object", position))
            raise EvaluationError(f"position {given}; expected a whole number or a name")
        position = min(max(position, 0), len(self._places))
        behind = position == len(self._places)
        target = self.stepper.total if behind else self._places[position]
        yield from self._take_back(
            lambda: self._depth == 1 and (self.stepper.position <= target or behind)
        )
        rested = time.perf_counter()
        while self.position < position and not self.stepper.done and self.stepper.failure is None:
            if self.is_long:
                yield from self._step_over()
                if self._depth > 1:
                    break
            else:
                self.stepper.step()
            if time.perf_counter() - rested > BREATH_S:
                yield
                rested = time.perf_counter()
        self.arrive()

    def back(self) -> Moves:
        """Take the last drawn node back, with all that was inside it; inside a body, the last one
        there, or the way into it.
        """
        self._frames.moved()
        if self.stepper.failure is not None:
            self.stepper.back()
            return
        depth, past = self._depth, self.stepper.walk.past.n
        yield from self._take_back(
            lambda: (
                self.stepper.walk.past.n < past
                and self._depth <= depth
                and self.current not in self._scene.hidden
            )
        )

    def _take_back(self, enough: Callable[[], bool]) -> Moves:
        """Take steps back until it is enough, or none is left."""
        self._frames.moved()
        rested = time.perf_counter()
        while self.stepper.walk.past.n and not enough():
            self.stepper.back()
            if time.perf_counter() - rested > BREATH_S:
                yield
                rested = time.perf_counter()
        if not self.stepper.walk.past.n:
            # Before the first node that is drawn there may be hidden ones.
            self.arrive()

    def restart(self) -> None:
        self.stepper.restart()
        self.arrive()

    def run(self) -> Moves:
        """Run to the end or to the first failure."""
        return self._until(lambda: False)

    def run_to(self, target: str) -> Moves:
        """Run until the node of an id, or the one that makes `value:NAME`, has run, be it inside
        another. Where it has run already, begin anew.

        Raises:
            ExplorerError: there is no such node or value, or several whose names end so.
        """
        expect_name("the node or value to run to", target, EvaluationError)
        try:
            node = box_of(self._scene, target)
        except ExplorerError:
            if BODY not in target:
                raise
            # Nobody has looked into the operator yet.
            return self._breathing(self.stepper.moves_to(self.stepper.goal(target)))
        if node.startswith("in:"):
            return self._until(lambda: True)
        if node.startswith("out:"):
            return self.run()
        if node not in self._drawn:
            return self._run_inside(node)
        if self._has_run(node):
            self.restart()
        return self._until(lambda: self._has_run(node))

    def _run_inside(self, node: str) -> Moves:
        """Run until a node of a body has run, the next time that it does."""
        goal = goal_at(self.stepper, self._scene, node)
        live = any(frame.path and node.startswith(frame.path) for frame in self.stepper.frames)
        if not live and node in self.stepper.completed:
            self.restart()
        yield from self._breathing(self.stepper.moves_to(goal))

    # -- breakpoints, changes and iterations ---------------------------------------------------

    def add_breakpoint(self, node: str, when: str) -> None:
        """Stop before a node (`when` is `always`), or after it if an output has NaN or an infinity
        (`nan`, `inf`); without a node, after any.
        """
        condition: Condition | None = "nan" if when == "nan" else "inf" if when == "inf" else None
        self.stepper.add_breakpoint(node or None, condition=condition)

    def remove_breakpoint(self, index: int) -> None:
        """Take the breakpoint away that stands at this place of the list."""
        known = self.stepper.breakpoints
        if 0 <= index < len(known):
            self.stepper.remove_breakpoint(known[index])

    def set(self, name: str, text: str) -> None:
        """Go on with the value that `text` says."""
        for frame in reversed(self.stepper.frames):
            inner = name.removeprefix(frame.path)
            if name.startswith(frame.path) and inner in frame:
                self.stepper.set(inner, entered_value(text, frame[inner]))
                return
        raise KeyError(f"{name!r} has not been computed yet")

    def retry(self, attributes: Mapping[str, str]) -> None:
        """Run the node that failed again, with these attributes."""
        given = {name: entered_attribute(text) for name, text in attributes.items()}
        self.stepper.retry(attributes=given)
        self.arrive()

    def show_iteration(self, path: str, iteration: int) -> None:
        """Let the values of a subgraph be those of one of its iterations."""
        self._frames.show(path, iteration)

    def iterations(self, name: str) -> list[FrameState]:
        """The subgraphs around a node or a value, and which of their iterations is shown."""
        return self._frames.around(name)

    # -- what there is to see ----------------------------------------------------------------

    def state(self, *, running: bool = False) -> dict[str, object]:
        """Where the stepper stands, as the front end's `StepState`."""
        failure = self.stepper.failure
        # Once for all of it: a long loop has run hundreds of thousands of nodes.
        completed = self.stepper.completed
        is_last = self._note[0] == self.stepper.walk.past.n
        return {
            "position": self.position,
            "total": self.total,
            "current": None if failure else self.current,
            "done": self._done(completed),
            "failed": failure.id if failure else None,
            "failure": failure.message if failure else None,
            "clash": clash_of(failure),
            "running": running,
            "values": {} if running else self._latest(completed),
            "message": self.message,
            "note": stop_note(self.stepper) or (self._note[1] if is_last else ""),
            "frames": [] if running else self._frames.stack(),
            "iterations": self._frames.shown,
            "watches": [] if running else self.watches.rows(),
            "breakpoints": [breakpoint_state(b) for b in self.stepper.breakpoints],
            "stopped": self._stopped(),
        }

    def made_by(self, node: str) -> list[str]:
        """The values that a node makes, as the scene calls them."""
        return self._outputs.get(node, [])

    def value(self, name: str) -> RunValue:
        """A value that has been computed, by its name in the scene.

        Raises:
            KeyError: it has not been, it is not kept, or there is none of this name.
        """
        constant = self._scene.constants.get(name)
        if constant is not None:
            return constant.numpy()
        found = self._frames.find(name)
        if found is None:
            raise KeyError(f"{name!r} has not been computed yet")
        frame, inner = found
        return frame[inner]

    def of_iteration(self, name: str, iteration: int) -> RunValue:
        """A value as one iteration of the loop around it has made it; KeyError if it has not."""
        return self._frames.of_iteration(name, iteration)

    def steps_like(self, name: str) -> tuple[list[Step], int]:
        """The steps of the run whose values have the shape of this one, in their order, of a body
        those of the round that is shown; and which of them came just before it.
        """
        shape = getattr(self.value(name), "shape", None)
        done = self._done(self.stepper.completed)
        makers = {key: node for node in done for key in self.made_by(node)}
        boxes = {box.id: box for box in self._scene.boxes}
        steps: list[Step] = []
        before = 0
        homes = self._frames.find_all([*self._inputs, *makers])
        for key, (frame, inner) in homes.items():
            value = frame[inner] if frame.keeps(inner) else None
            if key == name:
                before = max(0, len(steps) - 1)
            elif isinstance(value, np.ndarray) and value.shape == shape:
                box = boxes.get(makers.get(key, ""))
                steps.append({"value": key, "node": f"{box.op} {box.name}" if box else "input"})
        return steps, before

    def observed(self, names: Iterable[str]) -> dict[str, str]:
        """The types of those of these values that a run has made and that are kept."""
        homes = self._frames.find_all(names)
        return {name: observed_type(frame[inner]) for name, (frame, inner) in homes.items()}

    def kept(self, names: Iterable[str]) -> dict[str, RunValue]:
        """Those of these values that a run has made and that are kept."""
        homes = self._frames.find_all(names)
        return {name: frame[inner] for name, (frame, inner) in homes.items()}

    def miniatures(self, names: Iterable[str]) -> dict[str, Miniature]:
        """Those of these values that a run has made, at the size of a label."""
        homes = self._frames.find_all(names)
        found = {name: miniature(frame[inner]) for name, (frame, inner) in homes.items()}
        return {name: small for name, small in found.items() if small is not None}

    def _stopped(self) -> int | None:
        """The place in the list of the breakpoint that ended the last run."""
        stopped, known = self.stepper.stopped_at, self.stepper.breakpoints
        return known.index(stopped) if stopped in known else None

    def _latest(self, completed: Sequence[str]) -> dict[str, Summary]:
        """What the last node made; before the first, what was fed; what a failed one read."""
        failure = self.stepper.failure
        last = next((i for i in reversed(completed) if i in self._outputs), None)
        found: dict[str, RunValue] = {}
        if failure is not None:
            names_here = names_in_scene(self._scene, self.stepper.current)
            found = {names_here.get(name, name): v for name, v in failure.inputs.items()}
        names = self._inputs if last is None else self._outputs[last]
        for name in names:
            with suppress(KeyError):
                found[name] = self._frames.made(name)
        return {name: summary(value) for name, value in found.items()}

    # -- inside ------------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """How many drawn nodes of the main graph have run."""
        return bisect_left(self._places, self.stepper.position)

    @property
    def total(self) -> int:
        """How many drawn nodes the main graph has."""
        return len(self._drawn)

    @property
    def scene(self) -> Scene:
        """The model's, with the functions of operators that were gone into."""
        return self._scene

    @property
    def hidden(self) -> frozenset[str]:
        """The nodes that are drawn as part of others."""
        return self._scene.hidden

    @property
    def _depth(self) -> int:
        """How many graphs are on their way."""
        return len(self.stepper.walk.stack)

    @property
    def current(self) -> str | None:
        """The node that runs next."""
        step = self.stepper.current
        return step.id if step else None

    def _done(self, completed: Sequence[str]) -> list[str]:
        """The nodes that have run, the latest last: one of a loop's body once, and only in the round
        that is on its way; of an If in it, those of the branch that it took.
        """
        latest_first = dict.fromkeys(reversed(completed))
        for frame in self.stepper.walk.stack[1:]:
            pending = {step.id for step in frame.plan.steps[frame.index :]}
            inside = tuple(f"{step.id}/" for step in frame.plan.steps[frame.index + 1 :])
            for node in [i for i in latest_first if i in pending or i.startswith(inside)]:
                del latest_first[node]
            for node in ran_before(completed, frame.plan.steps[: frame.index]):
                latest_first.pop(node, None)
        return [i for i in reversed(latest_first) if i not in self._scene.hidden]

    def _has_run(self, node: str) -> bool:
        computed = self.stepper.frames[0]
        return any(key in computed for key in self._outputs[node])

    def _step_over(self) -> Moves:
        """Run a node that may take long, node by node, so that it can be paused in the middle; a
        breakpoint inside stops it.
        """
        depth, before = self._depth, self.stepper.walk.past.n
        return self._until(lambda: self.stepper.walk.past.n > before and self._depth <= depth)

    def _until(self, arrived: Callable[[], bool]) -> Moves:
        self.arrive()
        if not arrived():
            # Into bodies, as a single loop may take long: it can be paused in the middle of it.
            yield from self._breathing(self.stepper.moves(), arrived)

    def _breathing(self, moves: Moves, arrived: Callable[[], bool] = lambda: False) -> Moves:
        """Make moves until it is enough, and let messages in now and then."""
        rested = time.perf_counter()
        try:
            for _ in moves:
                if arrived():
                    break
                if time.perf_counter() - rested > BREATH_S:
                    yield
                    rested = time.perf_counter()
        finally:
            self.arrive()

    def arrive(self) -> None:
        """Know where the run stands, and go on to a node that is drawn."""
        self._frames.moved()
        if self._interiors is not None and self._interiors.note(self.stepper):
            self.look_again()
        self._skip_hidden()

    def look_again(self) -> None:
        """Know what has been drawn inside of operators meanwhile."""
        if self._interiors is not None:
            self._look_at(self._interiors.inside(self._plain))

    def _skip_hidden(self) -> None:
        while self.stepper.failure is None and self.current in self._scene.hidden:
            self.stepper.step()


def _is_in_main_graph(scene: Scene, group: int) -> bool:
    while group > 0:
        if scene.groups[group].kind != "scope":
            return False
        group = scene.groups[group].parent
    return True
