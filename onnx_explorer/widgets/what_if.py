"""What a model would be like with something changed: its types and findings, beside what they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypedDict

from onnx_explorer.errors import ExplorerError
from onnx_explorer.evaluation.listed import array_of
from onnx_explorer.inference import Types
from onnx_explorer.inference.bindings import graph_symbols
from onnx_explorer.ir import Model, TensorType
from onnx_explorer.view import Scene
from onnx_explorer.widgets.brought import pasted_value
from onnx_explorer.widgets.entered import entered_attribute
from onnx_explorer.widgets.feeds import open_inputs

Kind = Literal["size", "type", "attribute", "initializer"]
KINDS: tuple[Kind, ...] = ("size", "type", "attribute", "initializer")
MOST_FINDINGS = 5


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is otherwise: of an attribute `place` is the node, else what is changed."""

    kind: Kind
    place: str
    name: str
    text: str

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.kind, self.place, self.name)

    def __str__(self) -> str:
        what = f"{self.place}.{self.name}" if self.kind == "attribute" else self.place
        return f"{what} = {self.text}" if self.text else f"{what} not set"


class ChangeRow(TypedDict):
    what: str
    place: str
    name: str
    text: str
    told: str


class WhatIfState(TypedDict):
    """What can be changed, what is, and what comes of it: how many edges have another type, and
    the findings that are gone and new.
    """

    sizes: list[str]
    inputs: list[list[str]]
    changes: list[ChangeRow]
    changed: int
    gone: list[str]
    new: list[str]


class WhatIf:
    """Changes to one model that can be taken back. They are made anew from the model each time, in
    the order in which a person made them.
    """

    def __init__(self, types: Types, scene: Scene, draw: Callable[[Types], Scene]) -> None:
        self._before, self._scene_before = types, scene
        self._draw = draw
        self._changes: dict[tuple[str, str, str], Change] = {}
        self.types = types
        self.scene = scene

    @property
    def is_active(self) -> bool:
        return bool(self._changes)

    def change(self, change: Change) -> None:
        """Make a change, in place of one to the same thing.

        Raises:
            ExplorerError: it does not fit the model; nothing has changed.
        """
        self._apply({**self._changes, change.key: change})

    def take_back(self, change: Change) -> None:
        """Take one change back."""
        self._apply({key: other for key, other in self._changes.items() if key != change.key})

    def reset(self) -> None:
        """Take all changes back."""
        self._apply({})

    @property
    def labels_before(self) -> dict[str, str]:
        """What the edges said before, by value, where they say something else now."""
        now = {edge.value: edge.label for edge in self.scene.edges}
        return {
            edge.value: edge.label
            for edge in self._scene_before.edges
            if now.get(edge.value, edge.label) != edge.label
        }

    def state(self) -> WhatIfState:
        """All of it as the front end shows it."""
        model = self._before.model
        before, now = _findings(self._scene_before), _findings(self.scene)
        return {
            "sizes": sorted(graph_symbols(model.graph)),
            "inputs": [[v.name, str(self.types.get(v.name))] for v in open_inputs(model)],
            "changes": [_row(change) for change in self._changes.values()],
            "changed": len(self.labels_before),
            "gone": [*(before - now)][:MOST_FINDINGS],
            "new": [*(now - before)][:MOST_FINDINGS],
        }

    def _apply(self, changes: dict[tuple[str, str, str], Change]) -> None:
        types = self._before
        for change in changes.values():
            types = _changed(types, change)
        scene = self._draw(types) if changes else self._scene_before
        if changes:
            # A page that is written meanwhile says that it is not the model itself.
            told = ("What if", ", ".join(map(str, changes.values())))
            scene = replace(scene, model=(told, *scene.model))
        self._changes, self.types, self.scene = changes, types, scene


def change_of(question: Mapping[str, object]) -> Change:
    """The change that a question asks for.

    Raises:
        ExplorerError: there is no such kind of change.
    """
    kind = question.get("what")
    if kind not in KINDS:
        raise ExplorerError(f"{kind!r} cannot be changed; expected one of {', '.join(KINDS)}")
    texts = (str(question.get(key, "")).strip() for key in ("place", "name", "text"))
    return Change(kind, *texts)


def _changed(types: Types, change: Change) -> Types:
    match change.kind:
        case "size":
            number = change.text.isdecimal()
            return types.with_inputs({change.place: int(change.text) if number else change.text})
        case "type":
            return types.with_type(change.place, change.text)
        case "attribute":
            value = entered_attribute(change.text) if change.text else None
            return types.with_attribute(change.place, change.name, value)
        case "initializer":
            return types.with_initializer(change.place, _numbers(types.model, change))


def _numbers(model: Model, change: Change) -> object:
    known = model.graph.initializers.get(change.place)
    if known is None:
        raise ExplorerError(f"the main graph has no initializer {change.place!r}")
    try:
        return array_of(pasted_value(change.text, TensorType(known.dtype)), known.dtype)
    except (TypeError, ValueError) as error:
        raise ExplorerError(f"initializer {change.place!r}: {error}") from error


def _row(change: Change) -> ChangeRow:
    return {
        "what": change.kind,
        "place": change.place,
        "name": change.name,
        "text": change.text,
        "told": str(change),
    }


def _findings(scene: Scene) -> Counter[str]:
    return Counter(f"{severity}: {text}" for severity, _, text, *_ in scene.diagnostics)
