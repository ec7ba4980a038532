"""Names that people give and a run does not have, or does not have yet."""

from __future__ import annotations

from collections.abc import Iterable

from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.walk import Walk, all_steps
from onnx_explorer.ir.expected import near_or_some, shown


class NoSuchName(EvaluationError, KeyError):
    """A name that no value, node or group of a run has."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError puts it in quotes


def no_such_value(name: object, there: Iterable[str], walk: Walk) -> NoSuchName:
    """What to raise for a value that has not been computed where a person looks for it."""
    if not isinstance(name, str):
        return NoSuchName(f"there is no value {shown(name)}; a name is a text")
    for frame in walk.stack:
        for step in all_steps(frame.plan.steps):
            if name and name in step.outputs:
                return NoSuchName(
                    f"value {name!r} is not there; node {step.id!r} makes it, "
                    f"run_to({f'value:{name}'!r}) leads there"
                )
    return NoSuchName(f"there is no value {name!r}{near_or_some(name, there)}")


def no_such_place(name: str, known: Iterable[str]) -> NoSuchName:
    """What to raise for a name to which no run leads."""
    text = f"{name!r} is neither a node, a value nor a group of the model"
    return NoSuchName(f"{text}{near_or_some(name, known)}")
