"""Places of a run by name: nodes by their ids, and shorter where that is enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from onnx_explorer.evaluation.absent import NoSuchName
from onnx_explorer.evaluation.foresight import Foresight
from onnx_explorer.evaluation.inside import may_have_inside
from onnx_explorer.evaluation.steps import Plan, PlanStep
from onnx_explorer.evaluation.walk import Walk, inner_plans
from onnx_explorer.ir.names import ends_so, only_one

BODY = "/body/"
"""What stands between a node and those of the function that its operator stands for."""


@dataclass(frozen=True, slots=True)
class Place:
    """A node, and the path of the graph that it is in."""

    path: str
    step: PlanStep

    def is_inside(self, step: PlanStep) -> bool:
        """Whether it is in a graph of another node, or in what its operator stands for."""
        if any(self.path.startswith(plan.path) for plan in inner_plans(step)):
            return True
        return self.path.startswith(step.id + BODY) and may_have_inside(step)


def reached(walk: Walk) -> Iterator[Place]:
    """The nodes that a run can come to from where it stands: those of the model, and of the
    operator's function that it is inside.
    """
    for frame in walk.stack:
        yield from _inside(frame.plan, looked_into=False)


def of_model(walk: Walk) -> Iterator[Place]:
    """The nodes of the model."""
    return _inside(walk.stack[0].plan, looked_into=False)


def known(walk: Walk) -> Iterator[Place]:
    """Those, and the nodes of all operators' functions that were looked into before."""
    for frame in walk.stack:
        yield from _inside(frame.plan, looked_into=True)


def _inside(plan: Plan, *, looked_into: bool) -> Iterator[Place]:
    for step in plan.steps:
        yield Place(plan.path, step)
        plans = [*inner_plans(step)]
        if looked_into:
            plans += bodies(step)
        for inner in plans:
            yield from _inside(inner, looked_into=looked_into)


def bodies(step: PlanStep) -> Iterator[Plan]:
    """The functions of an operator that were looked into."""
    return (plan for plan in step.bodies.values() if plan is not None)


def node_named(name: str, walk: Walk, foresight: Foresight) -> Place | None:
    """The node of this id, else the only one of this name or whose id ends so; inside an operator
    that nobody has looked into yet as far as that is foreseen. None where there is none.

    Raises:
        NoSuchName: it may be one of several.
    """
    place = _one_of(name, known(walk))
    if place is None and foresee(name, walk, foresight):
        place = _one_of(name, known(walk))
    return place


def node_in_full(name: str, walk: Walk, foresight: Foresight) -> str:
    """The id of the node that is named; of one inside an operator that has no such node, what its id
    would be. The name itself where there is nothing of the kind.

    Raises:
        NoSuchName: it may be one of several.
    """
    place = node_named(name, walk, foresight)
    if place is not None:
        return place.step.id
    owner_name, inside, rest = name.rpartition(BODY)
    owner = node_named(owner_name, walk, foresight) if inside else None
    return name if owner is None else owner.step.id + inside + rest


def foresee(name: str, walk: Walk, foresight: Foresight) -> bool:
    """Look into the operators in which a node or value of this name would be; whether there are.

    Raises:
        NoSuchName: the operator may be one of several.
    """
    owner_name, inside, _ = name.rpartition(BODY)
    owner = node_named(owner_name, walk, foresight) if inside and owner_name else None
    plan = None if owner is None else foresight.plan(owner.step, owner.path)
    if plan is None:
        return False
    foresight.enter(plan)
    return True


def _one_of(name: str, places: Iterable[Place]) -> Place | None:
    found: dict[str, Place] = {}
    for place in places:
        if place.step.id == name:
            return place
        if place.step.node.name == name or ends_so(place.step.id, name):
            found.setdefault(place.step.id, place)
    return found[only_one(name, "nodes", found, NoSuchName)] if name and found else None
