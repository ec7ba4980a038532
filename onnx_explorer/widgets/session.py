"""A stepper as the front end sees it: nodes that are not drawn are stepped past, and where it
stands is a dictionary.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Mapping

from onnx_explorer.evaluation import Stepper
from onnx_explorer.ir import Model, RunValue
from onnx_explorer.view import Scene
from onnx_explorer.widgets.feeds import random_feeds
from onnx_explorer.widgets.summary import Summary, observed_type, summary

BREATH_S = 0.05
"""How long a run goes on before it lets messages in."""

Moves = Generator[None]
"""A move in progress; it stops now and then so that messages can come in."""


class Session:
    """One model being run for one explorer."""

    def __init__(self, model: Model, scene: Scene, feeds: Mapping[str, object] | None) -> None:
        self._scene = scene
        self._message = ""
        if feeds is None:
            drawn = random_feeds(model)
            feeds, self._message = drawn.values, drawn.message
        self.stepper = Stepper(model, feeds, seed=0)
        fed = self.stepper.values
        self._inputs = tuple(v.name for v in model.graph.inputs if v.name in fed)
        self._drawn = frozenset(
            box.id
            for box in scene.boxes
            if box.kind in {"node", "constant"} and _is_in_main_graph(scene, box.group)
        )
        self._outputs = {box.id: [key for _, key, _ in box.outputs] for box in scene.boxes}
        self._skip_hidden()

    # -- moves -------------------------------------------------------------------------------

    def step(self) -> None:
        """Run the next node that is drawn."""
        self.stepper.step()
        self._skip_hidden()

    def back(self) -> None:
        """Take the last drawn node back; inside a body, the last one there."""
        if self.stepper.failure is not None or len(self.stepper.frames) > 1:
            self.stepper.back()
            return
        before = self._position
        while before and self.stepper.position and self._position == before:
            self.stepper.back()

    def restart(self) -> None:
        self.stepper.restart()
        self._skip_hidden()

    def run(self) -> Moves:
        """Run to the end or to the first failure."""
        return self._until(lambda: False)

    def run_to(self, target: str) -> Moves:
        """Run until the node of an id, or the one that makes `value:NAME`, has run. Where it has
        run already, begin anew.

        Raises:
            KeyError: there is no such node or value, or it lies inside a body.
        """
        kind, _, name = target.partition(":")
        node = self._maker(name) if kind == "value" else target.removeprefix("node:")
        if node.startswith("in:"):
            return self._until(lambda: True)
        if node.startswith("out:"):
            return self.run()
        if node not in self._outputs:
            raise KeyError(f"there is no node {node!r}")
        if node not in self._drawn:
            raise KeyError(f"{node!r} lies inside another node; run to that one")
        if self._has_run(node):
            self.restart()
        return self._until(lambda: self._has_run(node))

    # -- what there is to see ----------------------------------------------------------------

    def state(self, *, running: bool = False) -> dict[str, object]:
        """Where the stepper stands, as the front end's `StepState`."""
        failure = self.stepper.failure
        position, total = self._position, len(self._drawn)
        return {
            "stepping": True,
            "position": position,
            "total": total,
            "current": None if failure else self._current,
            "done": self._done(),
            "failed": failure.id if failure else None,
            "failure": failure.message if failure else None,
            "running": running,
            "values": {} if running else self._latest(),
            "message": self._message,
        }

    def value(self, name: str) -> RunValue:
        """A value that has been computed, by its name in the scene.

        Raises:
            KeyError: it has not been, it is not kept, or there is none of this name.
        """
        constant = self._scene.constants.get(name)
        if constant is not None:
            return constant.numpy()
        for frame in reversed(self.stepper.frames):
            if name.startswith(frame.path) and name.removeprefix(frame.path) in frame:
                return frame[name.removeprefix(frame.path)]
        if self._is_in_body(name):
            raise KeyError(
                f"{name!r} is not there: values inside loops, branches and functions are not kept"
            )
        raise KeyError(f"{name!r} has not been computed yet")

    def observed(self, names: Iterable[str]) -> dict[str, str]:
        """The types of those of these values that a run has made and that are kept."""
        found: dict[str, str] = {}
        for name in names:
            for frame in reversed(self.stepper.frames):
                inner = name.removeprefix(frame.path)
                if name.startswith(frame.path) and inner in frame:
                    found[name] = observed_type(frame[inner])
                    break
        return found

    def _latest(self) -> dict[str, Summary]:
        """What the last node made; before the first, what was fed; what a failed one read."""
        failure = self.stepper.failure
        last = next((i for i in reversed(self.stepper.completed) if i in self._drawn), None)
        found: dict[str, RunValue] = dict(failure.inputs) if failure else {}
        names = self._inputs if last is None else self._outputs[last]
        values = self.stepper.values
        found |= {name: values[name] for name in names if name in values}
        return {name: summary(value) for name, value in found.items()}

    # -- inside ------------------------------------------------------------------------------

    @property
    def _position(self) -> int:
        return sum(i in self._drawn for i in self.stepper.completed)

    @property
    def _current(self) -> str | None:
        step = self.stepper.current
        return step.id if step else None

    def _done(self) -> list[str]:
        """The nodes that have run, the latest last; one of a loop's body once."""
        latest_first = dict.fromkeys(reversed(self.stepper.completed))
        return [i for i in reversed(latest_first) if i not in self._scene.hidden]

    def _maker(self, value: str) -> str:
        """The box that a value comes out of."""
        for box, keys in self._outputs.items():
            if value in keys:
                return box
        raise KeyError(f"no node makes the value {value!r}")

    def _is_in_body(self, value: str) -> bool:
        return any(
            value in self._outputs[box.id] and not _is_in_main_graph(self._scene, box.group)
            for box in self._scene.boxes
        )

    def _has_run(self, node: str) -> bool:
        computed = self.stepper.frames[0]
        return any(key in computed for key in self._outputs[node])

    def _until(self, arrived: Callable[[], bool]) -> Moves:
        rested = time.perf_counter()
        self._skip_hidden()
        while not arrived() and not self.stepper.done:
            # Into bodies, as a single loop may take long: a run can be paused in the middle of it.
            self.stepper.step_into(operators=False)
            self._skip_hidden()
            if self.stepper.failure is not None:
                return
            if time.perf_counter() - rested > BREATH_S:
                yield
                rested = time.perf_counter()

    def _skip_hidden(self) -> None:
        while self.stepper.failure is None and self._current in self._scene.hidden:
            self.stepper.step()


def _is_in_main_graph(scene: Scene, group: int) -> bool:
    while group > 0:
        if scene.groups[group].kind != "scope":
            return False
        group = scene.groups[group].parent
    return True
