"""Places of a run by name: where `run_to` leads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from onnx_explorer.evaluation.absent import NoSuchName, no_such_place
from onnx_explorer.evaluation.foresight import Foresight
from onnx_explorer.evaluation.places import Place, bodies, foresee, known, reached
from onnx_explorer.evaluation.steps import PlanStep
from onnx_explorer.evaluation.walk import Walk, inner_plans
from onnx_explorer.ir.expected import near_or_some
from onnx_explorer.ir.names import ends_so, only_one

KINDS = ("value", "node", "group")


@dataclass(frozen=True, slots=True)
class Goal:
    """Where a run is to go: to a value, or before a node or the first node of a group."""

    kind: str
    name: str
    places: tuple[Place, ...]
    """The node, that which makes the value, or those of the group; none for what is fed."""

    def is_reached(self, walk: Walk, since: int) -> bool:
        """Whether a run that was `since` moves long before its latest one stands there."""
        if self.kind != "value":
            step = walk.frame.step
            return step is not None and any(place.step.id == step.id for place in self.places)
        path = self.places[0].path if self.places else ""
        if any(frame.path == path and walk.has(frame, self.name) for frame in walk.stack):
            return True
        # The graph that it was made in may be through.
        made = {place.step.id for place in self.places if place.path}
        return any(step.id in made for step, _ in walk.past.computed(since))

    def is_inside(self, step: PlanStep) -> bool:
        """Whether the way there leads into a node."""
        return any(place.is_inside(step) for place in self.places)


def goal_of(target: str, walk: Walk, foresight: Foresight) -> Goal:
    """What a text names: a value before a node, that before a group, and each of them before what
    only ends so.

    Raises:
        NoSuchName: there is nothing of this name, or it may be one of several.
    """
    kind, colon, name = target.partition(":")
    wishes: list[tuple[Sequence[str], str]] = [(KINDS, target)]
    if colon and kind in KINDS:
        wishes.insert(0, ((kind,), name))
    for kinds, wanted in wishes:
        found = _goal(kinds, wanted, walk)
        if found is None and foresee(wanted, walk, foresight):
            found = _goal(kinds, wanted, walk)
        if found is not None:
            return found
    steps = [place.step for place in reached(walk)]
    names = [*(step.id for step in steps), *(name for step in steps for name in step.outputs)]
    raise no_such_place(target, dict.fromkeys(names))


def _goal(kinds: Sequence[str], name: str, walk: Walk) -> Goal | None:
    if not name:
        return None
    if "value" in kinds and walk.has(walk.stack[0], name):
        return Goal("value", name, ())
    places = [*known(walk)]
    for is_called in (_in_full, _by_itself, _at_the_end):
        for kind in kinds:
            if kind == "group":
                inside = [p for p in places if p.step.id.startswith(f"{name.rstrip('/')}/")]
                if inside:
                    return Goal(kind, name, tuple(inside))
                continue
            found: dict[str, tuple[str, Place]] = {}
            for place in places:
                for full, own in _names(kind, place):
                    if is_called(name, full, own):
                        found.setdefault(full, (own, place))
            if found:
                own, place = found[only_one(name, f"{kind}s", found, NoSuchName)]
                return Goal(kind, own, (place,))
    return None


def _in_full(name: str, full: str, _own: str) -> bool:
    return name == full


def _by_itself(name: str, _full: str, own: str) -> bool:
    return name == own


def _at_the_end(name: str, full: str, _own: str) -> bool:
    return ends_so(full, name)


def _names(kind: str, place: Place) -> Iterator[tuple[str, str]]:
    """What is called so at a node, in full and by its own name."""
    if kind == "node":
        yield place.step.id, place.step.node.name
    else:
        yield from ((place.path + output, output) for output in place.step.outputs if output)


def scopes_of(walk: Walk) -> set[str]:
    """The paths of all graphs that a run may be in."""
    steps = [place.step for place in known(walk)]
    inner = {plan.path for step in steps for plan in (*inner_plans(step), *bodies(step))}
    return inner.union(frame.path for frame in walk.stack)


def instead(what: str, name: str, walk: Walk) -> str:
    """What a person may have meant by the name of a `node`, `operator`, `group` or `value` that
    there is not, as the end of a sentence.
    """
    steps = [place.step for place in known(walk)]
    outputs = {output: step.id for step in steps for output in step.outputs if output}
    match what:
        case "node":
            if name in outputs:
                return f"; node {outputs[name]!r} makes a value of this name: value={name!r}"
            names = dict.fromkeys(text for step in steps for text in (step.id, step.node.name))
            return near_or_some(name, names)
        case "value":
            plans = [frame.plan for frame in walk.stack]
            plans += [plan for step in steps for plan in inner_plans(step)]
            if any(name in plan.inputs or name in plan.constants for plan in plans):
                return "; no node makes it: it is given to the graph"
            return near_or_some(name, outputs)
        case "operator":
            return near_or_some(name, dict.fromkeys(_written(step) for step in steps))
        case _:
            parts = [step.id.split("/")[:-1] for step in steps]
            groups = ("/".join(part[:count]) for part in parts for count in range(1, len(part) + 1))
            return near_or_some(name, dict.fromkeys(groups))


def _written(step: PlanStep) -> str:
    """A node's operator as breakpoints name it."""
    domain = step.node.domain
    return f"{domain}::{step.node.op_type}" if domain else step.node.op_type


def values_of(walk: Walk, fed: Iterable[str]) -> set[str]:
    """Every value of a run, those of its subgraphs and functions included, by their own names and in
    full.
    """
    plans = {id(frame.plan): frame.plan for frame in walk.stack}
    names = set(fed)
    for path, step in ((place.path, place.step) for place in known(walk)):
        names.update(step.outputs)
        names.update(path + output for output in step.outputs)
        plans.update((id(plan), plan) for plan in (*inner_plans(step), *bodies(step)))
    for plan in plans.values():
        given = (*plan.inputs, *plan.constants)
        names.update(given, (plan.path + name for name in given))
    return names
