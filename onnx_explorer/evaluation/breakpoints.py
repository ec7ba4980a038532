"""Breakpoints: where a run stops on its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from typing import Literal, cast

import numpy as np

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.conditions import differs, exceeds, holding
from onnx_explorer.evaluation.foresight import Foresight
from onnx_explorer.evaluation.frames import Frame
from onnx_explorer.evaluation.inside import may_have_inside, why_none
from onnx_explorer.evaluation.places import BODY, known, node_in_full, of_model
from onnx_explorer.evaluation.steps import Plan, PlanStep
from onnx_explorer.evaluation.targets import instead
from onnx_explorer.evaluation.walk import Walk, all_steps, inner_plans
from onnx_explorer.ir import RunValue, Type
from onnx_explorer.ir.expected import near_or_some

Condition = Literal["nan", "inf", "dtype", "shape"]
CONDITIONS = ("nan", "inf", "dtype", "shape")
INSIDE_ONLY = "in functions of operators, where somebody steps into one"
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
    """The operator, `Softmax` or `com.acme::Foo`; in functions of operators, those that are stepped
    into.
    """
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
    note: str = ""
    """What a person should know of it: where it can stop at all, or why it stopped elsewhere."""

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

    @property
    def simply_asks(self) -> Callable[[RunValue], bool] | None:
        """What it asks of values, where that is just whether they hold a NaN or an infinity."""
        if self.when is not None or self.larger_than is not None:
            return None
        return holding(self.condition) if self.condition in ("nan", "inf") else None

    def hit(self) -> bool:
        """Count a hit; whether it stops the run."""
        self.hits += 1
        return self.hits > self.skip

    def fits(self, step: PlanStep) -> bool:
        """Whether a node is in its place."""
        if self.node is None and self.operator is None and self.group is None:
            return True
        node = step.node
        if self.node is not None:
            is_named = _matcher(self.node)
            if not (is_named(step.id) or (is_pattern(self.node) and is_named(node.name))):
                return False
        if self.operator is not None and self.operator != node.op_type:
            domain, _, name = self.operator.rpartition("::")
            if name != node.op_type or (domain and domain != (node.domain or "ai.onnx")):
                return False
        return self.group is None or step.id.startswith(self.group.rstrip("/") + "/")

    def names_at(self, step: PlanStep) -> tuple[str, ...]:
        """Which outputs of a node it looks at: none where it is not in its place."""
        if not self.could_stop_at(step):
            return ()
        if self.value is None:
            return step.outputs
        return tuple(filter(_matcher(self.value), step.outputs))

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
        return not goes_on and self.hit()

    def stops_after(self, names: tuple[str, ...], frame: Frame, inferred: Inferred) -> bool:
        """Whether the run stops after a node that gave a graph these values; counts the hit."""
        if self.enabled:
            values = frame.values
            for name in names:
                if name in values and self._meets(values[name], frame, name, inferred):
                    return self.hit()
        return False

    def _fulfils(self, when: Predicate, value: RunValue, frame: Frame, name: str) -> bool:
        try:
            return bool(when(value))
        except Exception as error:
            is_array = isinstance(value, np.ndarray)
            kind = f"{value.dtype}{list(value.shape)}" if is_array else type(value).__name__
            maker = next(step.id for step in frame.plan.steps if name in step.outputs)
            place = "".join(f" at {what} {text!r}" for what, text in self.named_places.items())
            raise EvaluationError(
                f"the breakpoint{place} asked `when` of the value {name!r} ({kind}) of node {maker!r}, "
                f"which raised {type(error).__name__}: {error}. The node has run, and "
                "`run` goes on after it; `remove_breakpoint` takes the breakpoint away"
            ) from error

    def _meets(self, value: RunValue, frame: Frame, name: str, inferred: Inferred) -> bool:
        if self.when is not None and not self._fulfils(self.when, value, frame, name):
            return False
        match self.condition:
            case None:
                pass
            case "nan" | "inf" as kind:
                if not holding(kind)(value):
                    return False
            case aspect:
                if not differs(value, inferred(frame.path, name), aspect):
                    return False
        return self.larger_than is None or exceeds(value, self.larger_than)


Asked = tuple["Breakpoint", tuple[str, ...], Callable[[RunValue], bool] | None]
"""A breakpoint, the values that it looks at after a node, and what it asks of each, where that is
no more than whether it holds a NaN or an infinity.
"""


@dataclass(slots=True, eq=False)
class Lookout:
    """Where breakpoints look in one graph, by the place between two nodes: `after` has those that
    look at what the node before it gave, and at which values; `before` those that stop before the
    node that comes; `entered` are places before a node whose operator's function has some inside.
    """

    after: list[tuple[Asked, ...]]
    before: list[tuple[Breakpoint, ...]]
    entered: frozenset[int] = frozenset()


class Breakpoints:
    """All breakpoints of one run."""

    def __init__(self, foresight: Foresight) -> None:
        self.every: list[Breakpoint] = []
        self.places: list[Breakpoint] = []
        """Those that stop before a node."""
        self.conditions: list[Breakpoint] = []
        """Those that stop after a node, for what it gave."""
        self._foresight = foresight
        # The nodes in whose operators' functions one of them is, or patterns of their ids.
        self._owners: frozenset[str] = frozenset()
        self._lookouts: dict[Plan, Lookout] = {}

    def add(self, breakpoint: Breakpoint, walk: Walk) -> None:  # noqa: A002 - its name
        """Add one to a run.

        Raises:
            EvaluationError: it fits none of its nodes, nor what its operators stand for.
        """
        name = breakpoint.node
        if name is not None and not is_pattern(name):
            breakpoint.node = node_in_full(name, walk, self._foresight)
        if not any(breakpoint.could_stop_at(place.step) for place in of_model(walk)):
            self._add_inside(breakpoint, walk)
        self._set([*self.every, breakpoint])

    def _add_inside(self, breakpoint: Breakpoint, walk: Walk) -> None:  # noqa: A002 - its name
        """Make sure of one that fits no node of the model: it is in what an operator stands for."""
        is_known = any(breakpoint.could_stop_at(place.step) for place in known(walk))
        if not is_known and not self._is_foreseen(breakpoint, walk):
            places = breakpoint.named_places
            wanted = ", ".join(f"{what} {name!r}" for what, name in places.items()) or "node"
            hint = instead(*next(iter(places.items())), walk) if len(places) == 1 else ""
            raise EvaluationError(f"the model has no {wanted} to stop at{hint}")
        if not any(_owners(breakpoint.node or "")):
            breakpoint.note = INSIDE_ONLY

    def leads_into(self, step: PlanStep) -> bool:
        """Whether a run goes into the function of a node's operator for one of them."""
        return any(_matcher(owner)(step.id) for owner in self._owners) and may_have_inside(step)

    def _is_foreseen(self, breakpoint: Breakpoint, walk: Walk) -> bool:  # noqa: A002 - its name
        """Whether it fits a node in the function of an operator that nobody has looked into yet, as
        far as inference knows what the function is given.

        Raises:
            EvaluationError: the operator is not a function of others, or has no such node.
        """
        owners = [*_owners(breakpoint.node or "")]
        there: list[str] = []
        reason = ""
        plans = [frame.plan for frame in walk.stack]
        while plans:
            plan = plans.pop()
            for step in plan.steps:
                plans += inner_plans(step)
                if not any(_matcher(owner)(step.id) for owner in owners):
                    continue
                found = self._foresight.plan(step, plan.path)
                if found is None:
                    reason = reason or why_none(step)
                elif any(map(breakpoint.could_stop_at, found.steps)):
                    return True
                else:
                    self._foresight.enter(found)
                    plans.append(found)
                    there += [inner.id for inner in found.steps]
        if there:
            text = f"there is no node {breakpoint.node!r} to stop at"
            raise EvaluationError(text + near_or_some(breakpoint.node, there))
        if reason:
            raise EvaluationError(f"there is no node {breakpoint.node!r} to stop at: {reason}")
        return False

    def remove(self, breakpoint: Breakpoint) -> None:  # noqa: A002 - its name
        self._set([each for each in self.every if each is not breakpoint])

    def _set(self, every: list[Breakpoint]) -> None:
        self.every = every
        self.places = [each for each in every if not each.looks_at_values]
        self.conditions = [each for each in every if each.looks_at_values]
        self._owners = frozenset(owner for each in every for owner in _owners(each.node or ""))
        self._lookouts.clear()

    def lookout(self, plan: Plan) -> Lookout | None:
        """Where they look in a graph; None if there are none at all."""
        if not self.every:
            return None
        found = self._lookouts.get(plan)
        if found is None:
            found = self._lookouts[plan] = self._lookout(plan.steps)
        return found

    def _lookout(self, steps: list[PlanStep]) -> Lookout:
        found = Lookout([()] * (len(steps) + 1), [()] * (len(steps) + 1))
        for each in self.conditions:
            asks, everywhere = each.simply_asks, not each.named_places
            for place, step in enumerate(steps, 1):
                names = step.outputs if everywhere else each.names_at(step)
                if names:
                    found.after[place] += ((each, names, asks),)
        for each in self.places:
            for place, step in enumerate(steps):
                if each.fits(step):
                    found.before[place] += (each,)
        if self._owners:
            found.entered = frozenset(i for i, step in enumerate(steps) if self.leads_into(step))
        return found

    def after(self, step: PlanStep, frame: Frame) -> Breakpoint | None:
        """The first one that stops a run at what a node gave."""
        for each in self.conditions:
            if each.stops_after(each.names_at(step), frame, self.inferred):
                return each
        return None

    def enter(self, plan: Plan) -> Breakpoint | None:
        """Know that a run goes into the function of an operator; give a breakpoint that stops it
        there, since the node that it names is not in there.
        """
        self._foresight.enter(plan)
        inside = {step.id for step in all_steps(plan.steps)}
        for each in self.every:
            name = each.node or ""
            owner, _, rest = name.rpartition(BODY)
            if f"{owner}{BODY}" != plan.path or is_pattern(name):
                continue
            if name in inside:
                each.note = ""
                continue
            there = near_or_some(rest, [step.id.removeprefix(plan.path) for step in plan.steps])
            each.note = (
                f"with these inputs the function of {owner!r} has no node {rest!r}{there}: "
                "a run stops before its first node"
            )
            if each.enabled and each.hit():
                return each
        return None

    @property
    def inferred(self) -> Inferred:
        """The type of a value with these feeds."""
        return self._foresight.inferred


def _owners(node: str) -> Iterator[str]:
    """The nodes that a node may lie in the functions of, by its id."""
    parts = node.split("/body/")
    for count in range(1, len(parts)):
        yield "/body/".join(parts[:count])


def is_pattern(name: str) -> bool:
    """Whether a name stands for many."""
    return any(character in name for character in "*?[")


@lru_cache
def _matcher(pattern: str) -> Callable[[str], object]:
    """Whether a name is this one, or fits where it is a pattern."""
    if not is_pattern(pattern):
        return pattern.__eq__
    fits = re.compile(translate(pattern)).match
    return lambda name: name == pattern or fits(name)
