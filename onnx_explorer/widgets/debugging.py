"""What the debugger of an explorer asks for: inputs, moves, breakpoints, values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import cast

from onnx_explorer.errors import ExplorerError
from onnx_explorer.evaluation.comparison import Comparison
from onnx_explorer.evaluation.plan import plan_of
from onnx_explorer.inference import Types, infer
from onnx_explorer.ir import RunValue
from onnx_explorer.view import Scene
from onnx_explorer.widgets.differing import (
    Against,
    Partner,
    Step,
    difference,
    difference_array,
    partner_of,
)
from onnx_explorer.widgets.inputs import FILLINGS, Inputs
from onnx_explorer.widgets.interiors import Interiors
from onnx_explorer.widgets.recorded import Record, recorded
from onnx_explorer.widgets.session import Moves, Session
from onnx_explorer.widgets.statistics import statistics
from onnx_explorer.widgets.summary import summary
from onnx_explorer.widgets.what_if import WhatIf, change_of
from onnx_explorer.widgets.windows import window

Question = Mapping[str, object]
Buffers = Sequence[bytes | memoryview]
Reply = Mapping[str, object]

OK: Reply = {"ok": True}
MOST_MINIATURES = 200
TURNS = frozenset(("set", "retry", "iteration"))


class Debugger:
    """The runs of one model: what they start from, and the one that is on its way."""

    def __init__(
        self,
        types: Types,
        scene: Scene,
        feeds: Mapping[str, object] | None,
        draw: Callable[[Types], Scene],
    ) -> None:
        self.inputs = Inputs(types, feeds)
        self.what_if = WhatIf(types, scene, draw)
        self._interiors = Interiors(types)
        self._types = types
        # Without what is inside of operators.
        self._plain = scene
        self._draw = draw
        self._session: Session | None = None
        # The run from the former inputs, or of the former model.
        self._before: Session | None = None
        self._compared: Comparison | None = None
        # What was compared, and what the run on its way began with.
        self._compared_feeds: Mapping[str, object] = {}
        self._fed: Mapping[str, object] = {}
        self._begun_after = 0
        # How often values that were seen may have become others.
        self._turns = 0

    @property
    def session(self) -> Session:
        """The run on its way; the first question begins it."""
        if self._session is None:
            self._begin()
        return cast("Session", self._session)

    @property
    def has_begun(self) -> bool:
        return self._session is not None

    @property
    def scene(self) -> Scene:
        """The model's scene, with the functions of operators that a run has gone into."""
        return self._interiors.inside(self._plain)

    @property
    def scene_shown(self) -> Scene:
        """As `scene`, of the changed model while a what-if is looked at."""
        return self._interiors.inside(self.what_if.scene)

    @property
    def interiors(self) -> Interiors:
        """The functions of operators that runs have gone into."""
        return self._interiors

    def restart(self) -> None:
        """Go back to the inputs, as they are now."""
        if self._session is None or self._begun_after != self.inputs.changes:
            self._begin()
        else:
            self._session.restart()

    def compare(self, result: Comparison) -> None:
        """Begin anew from what was compared; values can be looked at beside the partner's."""
        for name, value in result.feeds.items():
            self.inputs.feed(name, value)
        self._compared = result
        self._compared_feeds = {name: self.inputs.values[name] for name in result.feeds}
        self.restart()

    @property
    def compared(self) -> Comparison | None:
        """What was compared, while the run on its way is one from the same inputs."""
        is_same = all(self._fed.get(n) is value for n, value in self._compared_feeds.items())
        return self._compared if is_same else None

    def take_over(self) -> Types:
        """Make the changed model the model; its next run begins anew."""
        types = infer(self.what_if.types.model)
        self._types, self._plain = types, self._draw(types)
        # What stands open stays open, so that the drawing keeps its places.
        self._interiors = self._interiors.in_model(types)
        self.what_if = WhatIf(types, self._plain, self._draw)
        self.inputs.retype(types)
        self._before, self._session = self._session, None
        return types

    def state(self, *, running: bool = False) -> dict[str, object]:
        """Where the run stands, as the front end's `StepState`."""
        begun = {} if self._session is None else self._session.state(running=running)
        stale = self._session is not None and self._begun_after != self.inputs.changes
        return {
            "stepping": True,
            **begun,
            "inputs": self.inputs.changes,
            "stale": stale,
            "what_if": self.what_if.is_active,
            "turns": self._turns,
        }

    def recorded(self) -> tuple[Record, Scene]:
        """A run of its own of what is shown, from the inputs to the end, as a page holds it, and the
        scene with what it went into.
        """
        types = self.what_if.types
        inputs = self.inputs.retyped(types) if self.what_if.is_active else self.inputs
        session = Session(
            types.model, self.what_if.scene, inputs.values, inputs.message, Interiors(types)
        )
        return recorded(session), session.scene

    def moves(self, question: Question) -> Moves:
        """The move that a question asks for."""
        session = self.session
        match question.get("kind"):
            case "step":
                return session.step()
            case "step_out":
                return session.step_out()
            case "back":
                return session.back()
            case "goto":
                return session.goto(index_of(question, "position"))
            case "run_to":
                return session.run_to(str(question.get("target")))
            case _:
                return session.run()

    # -- questions ---------------------------------------------------------------------------

    def answer(self, question: Question, buffers: Buffers = ()) -> Reply | Moves:
        """The answer, or a run that has to be driven to its end first.

        Raises:
            ExplorerError, KeyError: it cannot be answered.
        """
        name = str(question.get("name"))
        if question.get("kind") in TURNS:
            self._turns += 1
        match question.get("kind"):
            case "inputs":
                return {**self.inputs.state()}
            case "fill":
                self._fill(name, question, buffers)
                return {**self.inputs.state()}
            case "size":
                self.inputs.choose_size(name, index_of(question, "size"))
                return {**self.inputs.state()}
            case "seed":
                self.inputs.choose_seed(index_of(question, "seed"))
                return {**self.inputs.state()}
            case "begin":
                self._begin()
                return self.session.run()
            case "what_if":
                return {**self.what_if.state()}
            case "change":
                self.what_if.change(change_of(question))
                return {**self.what_if.state()}
            case "take_back":
                self.what_if.take_back(change_of(question))
                return {**self.what_if.state()}
            case "reset":
                self.what_if.reset()
                return {**self.what_if.state()}
            case "was":
                return {"labels": self.what_if.labels_before}
            case "look_inside":
                self._look_inside(str(question.get("node")))
            case "foresee":
                return {"interior": self._foresee()}
            case "break":
                self.session.add_breakpoint(str(question.get("node")), str(question.get("when")))
            case "unbreak":
                self.session.remove_breakpoint(index_of(question, "index"))
            case "watch":
                self.session.watches.add(str(question.get("text")))
            case "unwatch":
                self.session.watches.remove(str(question.get("text")))
            case "iteration":
                path = str(question.get("path"))
                self.session.show_iteration(path, index_of(question, "iteration"))
            case "set":
                self.session.set(name, str(question.get("text")))
            case "retry":
                self._retry(question.get("attributes"))
            case "iterations":
                return {"frames": self._session.iterations(name) if self._session else []}
            case "value":
                return {**summary(self.value(name))}
            case "initializer":
                return {**summary(self._initializer(name))}
            case "statistics":
                return {**statistics(self.value(name))}
            case "view":
                partner = partner_of(question)
                if partner is not None:
                    gap = difference_array(self.value(name), self._other(name, *partner))
                    return {**window(gap, question)}
                return {**window(self.value(name), question, name)}
            case "partners":
                return {"partners": self._partners(name)}
            case "difference":
                partner = partner_of(question)
                if partner is None:
                    raise ExplorerError(f"{question.get('against')!r} is nothing to compare with")
                return {**difference(self.value(name), self._other(name, *partner))}
            case "observed":
                return {"types": self._observed(question.get("names"))}
            case "miniatures":
                return {"miniatures": self._miniatures(question.get("names"))}
            case kind:
                raise ExplorerError(f"there is no question of the kind {kind!r}")
        return OK

    def value(self, name: str) -> RunValue:
        """A value that a run has made, or an initializer."""
        if name in self.scene.constants:
            return self._initializer(name)
        if self._session is None:
            raise KeyError(f"{name!r} has not been computed yet: step or run first")
        return self._session.value(name)

    # -- inside ------------------------------------------------------------------------------

    def _begin(self) -> None:
        before, inputs = self._session or self._before, self.inputs
        self._fed = inputs.values
        session = Session(
            self._types.model, self._plain, self._fed, inputs.message, self._interiors
        )
        if before is not None:
            session.take_over(before)
        self._session, self._before, self._begun_after = session, before, inputs.changes
        self._turns += 1

    def _look_inside(self, node: str) -> None:
        self._interiors.look_into(plan_of(self._types.model), node)
        if self._session is not None:
            self._session.look_again()

    def _foresee(self) -> str:
        """What `step_into` would show of an operator that nobody has looked into; "" if nothing."""
        found = self._interiors.foresee(self._session.stepper) if self._session else None
        return "" if found is None else found.line

    def _fill(self, name: str, question: Question, buffers: Buffers) -> None:
        how, file = question.get("how"), str(question.get("file", ""))
        if how == "list":
            self.inputs.feed_text(name, str(question.get("text")))
        elif how in FILLINGS:
            self.inputs.fill(name, how)
        elif not buffers:
            raise ExplorerError(f"{file or 'the file'} came without what is in it; choose it again")
        elif how == "image":
            height, width = index_of(question, "height"), index_of(question, "width")
            self.inputs.feed_picture(name, file, bytes(buffers[0]), height, width)
        else:
            self.inputs.feed_file(name, file, bytes(buffers[0]))

    def _partners(self, name: str) -> list[Partner]:
        """What a value can be compared with, besides other values."""
        found: list[Partner] = []
        frames = self._session.iterations(name) if self._session else []
        if frames and frames[-1]["count"] > 1:
            count, shown = frames[-1]["count"], frames[-1]["shown"]
            other = shown - 1 if shown else count - 1
            label = f"of {count} rounds"
            found.append({"against": "iteration", "other": other, "label": label, "count": count})
        steps, before = self._steps_like(name)
        if steps:
            other = steps[before]["value"]
            found.append(
                {"against": "value", "other": other, "label": "another step", "steps": steps}
            )
        if self._before is not None:
            found.append({"against": "former", "other": "", "label": "the run before"})
        if self.compared is not None:
            label = self.compared.partner
            found.append({"against": "compared", "other": "", "label": label})
        return found

    def _steps_like(self, name: str) -> tuple[list[Step], int]:
        if self._session is None or name in self.scene.constants:
            return [], 0
        with suppress(KeyError):
            return self._session.steps_like(name)
        return [], 0

    def _other(self, name: str, against: Against, other: str | int) -> RunValue:
        """What a value is compared with."""
        match against:
            case "value":
                return self.value(str(other))
            case "iteration":
                return self.session.of_iteration(name, int(other))
            case "former":
                if self._before is None:
                    raise KeyError("there was no run before this one")
                return self._before.value(name)
            case "compared":
                if self.compared is None:
                    raise KeyError(
                        "nothing has been compared from the inputs of this run; "
                        "explorer.compare(ox.compare(...))"
                    )
                return self.compared.theirs(name)

    def _retry(self, given: object) -> None:
        attributes = cast("dict[object, object]", given if isinstance(given, dict) else {})
        self.session.retry({str(key): str(text) for key, text in attributes.items()})

    def _initializer(self, name: str) -> RunValue:
        # Of a changed weight the numbers that it has now.
        constant = self.scene_shown.constants.get(name)
        if constant is None:
            raise KeyError(f"there is no initializer {name!r}")
        return constant.numpy()

    def _miniatures(self, names: object) -> Mapping[str, object]:
        if self._session is None or not isinstance(names, list):
            return {}
        wanted = map(str, cast("list[object]", names)[:MOST_MINIATURES])
        return self._session.miniatures(wanted)

    def _observed(self, names: object) -> Mapping[str, str]:
        if self._session is None or not isinstance(names, list):
            return {}
        return self._session.observed(map(str, cast("list[object]", names)))


def index_of(question: Question, key: str) -> int:
    """A whole number of a question."""
    found = question.get(key)
    if not isinstance(found, int):
        raise ExplorerError(f"{key} = {found!r}; expected a whole number")
    return found
