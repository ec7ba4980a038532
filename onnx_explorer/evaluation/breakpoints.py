"""Breakpoints: where a run stops on its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import translate
from functools import lru_cache
from typing import Literal, cast

import numpy as np

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.conditions import differs, exceeds, holds
from onnx_explorer.evaluation.frames import Frame
from onnx_explorer.evaluation.steps import Plan, PlanStep
from onnx_explorer.evaluation.walk import Walk
from onnx_explorer.inference import infer
from onnx_explorer.inference.types import Types
from onnx_explorer.ir import Model, RunValue, Type

Condition = Literal["nan", "inf", "dtype", "shape"]
CONDITIONS = ("nan", "inf", "dtype", "shape")
Predicate = Callable[[RunValue], object]
Inferred = Callable[[str, str], Type | None]
"""The inferred type of a value, by the path of its graph and its name."""


@dataclass(slots=True, eq=False)
class Breakpoint:
    """Where a run stops. What is left out fits everything; the rest has to fit together.

    Without a condition on values it stops before a node, with one it stops after the node whose
    outputs meet it. `hits` counts how often it was met, also when it did not stop for `skip`.
    """

    node: str | None = None
    """A node's id, its name, or a pattern with `*` and `?`."""
    operator: str | None = None
    """The operator, `Softmax` or `com.acme::Foo`."""
    group: str | None = None
    """A scope of names, `encoder/layer0`: the first node inside stops the run."""
    value: str | None = None
    """A value's name or a pattern: only that output counts."""
    when: Predicate | None = None
    """What an output has to fulfil: `lambda a: (a < 0).any()`."""
    condition: Condition | None = None
    """`nan` and `inf`: an element is one; `dtype` and `shape`: other than inferred."""
    larger_than: float | None = None
    """An element's absolute value is larger."""
    skip: int = 0
    """How many hits pass before it stops."""
    enabled: bool = True
    hits: int = 0
    _fits: dict[str, bool] = field(default_factory=dict[str, bool], repr=False)

    def __post_init__(self) -> None:
        if self.condition is not None and self.condition not in CONDITIONS:
            known = ", ".join(map(repr, CONDITIONS))
            raise EvaluationError(f"condition {self.condition!r}; expected one of {known}")
        if self.when is not None and not callable(self.when):
            raise EvaluationError(f"when = {self.when!r}; expected a function of a value")
        if not isinstance(cast("object", self.skip), int) or self.skip < 0:
            raise EvaluationError(f"skip = {self.skip!r}; expected 0 or more")
        limit = cast("object", self.larger_than)
        if limit is not None and not isinstance(limit, (int, float, np.number)):
            raise EvaluationError(f"larger_than = {limit!r}; expected a number")
        places = self.named_places
        for what, name in places.items():
            if not isinstance(cast("object", name), str):
                raise EvaluationError(f"{what} = {name!r}; expected a name")
        if not self.looks_at_values and not places:
            raise EvaluationError("a breakpoint needs a place or a condition to stop at")

    @property
    def named_places(self) -> dict[str, str]:
        """The names that say where it stops, by what they name."""
        places = {
            "node": self.node,
            "operator": self.operator,
            "group": self.group,
            "value": self.value,
        }
        return {what: name for what, name in places.items() if name is not None}

    @property
    def looks_at_values(self) -> bool:
        """Whether it stops after a node rather than before."""
        return (
            self.value is not None
            or self.when is not None
            or self.condition is not None
            or self.larger_than is not None
        )

    def fits(self, step: PlanStep) -> bool:
        """Whether a node is in its place."""
        if self.node is None and self.operator is None and self.group is None:
            return True
        found = self._fits.get(step.id)
        if found is None:
            found = self._fits[step.id] = self._in_place(step)
        return found

    def _in_place(self, step: PlanStep) -> bool:
        node = step.node
        if self.node is not None and not (
            _matcher(self.node)(step.id) or _matcher(self.node)(node.name)
        ):
            return False
        if self.operator is not None:
            domain, _, name = self.operator.rpartition("::")
            if name != node.op_type or (domain and domain != (node.domain or "ai.onnx")):
                return False
        return self.group is None or step.id.startswith(self.group.rstrip("/") + "/")

    def could_stop_at(self, step: PlanStep) -> bool:
        """Whether a node is in its place and makes a value of its name."""
        return self.fits(step) and (
            self.value is None or any(map(_matcher(self.value), step.outputs))
        )

    def stops_before(self, walk: Walk) -> bool:
        """Whether a walk stops before a node in its place, which comes next; counts the hit."""
        if not self.enabled:
            return False
        # A group is entered at its first node, not again at every one inside.
        previous = walk.latest if self.group is not None else None
        goes_on = previous is not None and self.fits(previous)
        return not goes_on and self._hit()

    def stops_after(
        self, step: PlanStep, values: Mapping[str, RunValue], path: str, inferred: Inferred
    ) -> bool:
        """Whether the run stops after this node, which gave some of these values; counts the hit."""
        if not self.enabled or not self.fits(step):
            return False
        for name in step.outputs:
            if (
                name in values
                and (self.value is None or _matcher(self.value)(name))
                and self._meets(values[name], path, name, inferred)
            ):
                return self._hit()
        return False

    def _hit(self) -> bool:
        self.hits += 1
        return self.hits > self.skip

    def _fulfils(self, when: Predicate, value: RunValue, name: str) -> bool:
        try:
            return bool(when(value))
        except Exception as error:
            is_array = isinstance(value, np.ndarray)
            kind = f"{value.dtype}{list(value.shape)}" if is_array else type(value).__name__
            place = "".join(f" at {what} {text!r}" for what, text in self.named_places.items())
            raise EvaluationError(
                f"the breakpoint{place} asked `when` of the value {name!r} ({kind}), "
                f"which raised {type(error).__name__}: {error}. The node has run, and "
                "`run` goes on after it; `remove_breakpoint` takes the breakpoint away"
            ) from error

    def _meets(self, value: RunValue, path: str, name: str, inferred: Inferred) -> bool:
        if self.when is not None and not self._fulfils(self.when, value, name):
            return False
        match self.condition:
            case "nan" | "inf" as kind:
                if not holds(value, kind):
                    return False
            case "dtype" | "shape" as aspect:
                if not differs(value, inferred(path, name), aspect):
                    return False
            case None:
                pass
        return self.larger_than is None or exceeds(value, self.larger_than)


class Breakpoints:
    """All breakpoints of one run."""

    def __init__(self, model: Model, feeds: Mapping[str, RunValue]) -> None:
        self.every: list[Breakpoint] = []
        self.places: list[Breakpoint] = []
        """Those that stop before a node."""
        self.conditions: list[Breakpoint] = []
        """Those that stop after a node, for what it gave."""
        self._model = model
        self._feeds = feeds
        self._types: Types | None = None
        self._functions: dict[str, Model] = {}
        self._types_inside: dict[str, tuple[Model, Types]] = {}
        self.inside: frozenset[str] = frozenset()
        """The nodes in whose operators' functions one of them is: a run goes into these."""
        self._at: dict[str, tuple[Breakpoint, ...]] = {}
        self._ahead: dict[Plan, list[int]] = {}

    def add(self, breakpoint: Breakpoint, steps: Iterable[PlanStep]) -> None:  # noqa: A002
        """Add one to a run of these nodes.

        Raises:
            EvaluationError: it fits none of them.
        """
        if not any(breakpoint.could_stop_at(step) for step in steps):
            wanted = ", ".join(f"{what} {name!r}" for what, name in breakpoint.named_places.items())
            raise EvaluationError(f"the model has no {wanted} to stop at")
        self._set([*self.every, breakpoint])

    def remove(self, breakpoint: Breakpoint) -> None:  # noqa: A002 - its name
        self._set([each for each in self.every if each is not breakpoint])

    def _set(self, every: list[Breakpoint]) -> None:
        self.every = every
        self.places = [each for each in every if not each.looks_at_values]
        self.conditions = [each for each in every if each.looks_at_values]
        self.inside = frozenset(owner for each in every for owner in _owners(each.node or ""))
        self._at.clear()
        self._ahead.clear()

    def ahead(self, plan: Plan) -> list[int]:
        """For each place of a graph the next that one of them looks at: before a node, or after it
        where values count. Nothing if there is none at all.
        """
        if not self.every:
            return []
        if plan not in self._ahead:
            self._ahead[plan] = self._looked_at(plan.steps)
        return self._ahead[plan]

    def _looked_at(self, steps: list[PlanStep]) -> list[int]:
        looked_at = {len(steps)}
        if self.inside:
            looked_at.update(i for i, step in enumerate(steps) if step.id in self.inside)
        for each in self.places:
            looked_at.update(i for i, step in enumerate(steps) if each.fits(step))
        for each in self.conditions:
            looked_at.update(i + 1 for i, step in enumerate(steps) if each.could_stop_at(step))
        ahead, place = [len(steps)] * (len(steps) + 1), len(steps)
        for index in range(len(steps) - 1, -1, -1):
            if index + 1 in looked_at:
                place = index + 1
            ahead[index] = place
        return ahead

    def before(self, walk: Walk) -> tuple[Breakpoint, PlanStep] | None:
        """The first one that stops a run before the next node."""
        step = walk.frame.step
        if step is None:
            return None
        here = self._at.get(step.id)
        if here is None:
            here = self._at[step.id] = tuple(b for b in self.places if b.fits(step))
        for each in here:
            if each.stops_before(walk):
                return each, step
        return None

    def after(
        self, computed: Iterable[tuple[PlanStep, Frame]]
    ) -> tuple[Breakpoint, PlanStep] | None:
        """The first one that stops a run at what these nodes gave."""
        for step, frame in computed:
            for each in self.conditions:
                if each.stops_after(step, frame.values, frame.path, self._inferred):
                    return each, step
        return None

    def enter(self, plan: Plan) -> None:
        """Know that a run goes into the function of an operator."""
        if plan.function is not None:
            self._functions[plan.path] = plan.function

    def _inferred(self, path: str, name: str) -> Type | None:
        """The type of a value with these feeds."""
        around = max(filter(path.startswith, self._functions), key=len, default="")
        if around:
            types = self._types_of(around, self._functions[around])
            return types.scopes.get(path.removeprefix(around), {}).get(name)
        if self._types is None:
            fed = self._feeds.items()
            shapes = {n: list(value.shape) for n, value in fed if isinstance(value, np.ndarray)}
            self._types = infer(self._model, shapes)
        return self._types.scopes.get(path, {}).get(name)

    def _types_of(self, path: str, function: Model) -> Types:
        known = self._types_inside.get(path)
        if known is None or known[0] is not function:
            known = self._types_inside[path] = function, infer(function)
        return known[1]


def _owners(node: str) -> Iterator[str]:
    """The nodes that a node may lie in the functions of, by its id."""
    parts = node.split("/body/")
    for count in range(1, len(parts)):
        yield "/body/".join(parts[:count])


@lru_cache
def _matcher(pattern: str) -> Callable[[str], object]:
    """Whether a name is this one, or fits where it is a pattern."""
    if not any(character in pattern for character in "*?["):
        return pattern.__eq__
    fits = re.compile(translate(pattern)).match
    return lambda name: name == pattern or fits(name)
