"""Sizes that differ by a little because a window before them was padded differently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from onnx_explorer.inference.journal import Case, input_place
from onnx_explorer.ir import Attribute, Node
from onnx_explorer.ops.resolve import Resolved, Resolver
from onnx_explorer.schema import Abstract, AbstractValue, Violation

if TYPE_CHECKING:
    from onnx_explorer.inference.engine import Engine

WINDOWS = frozenset({"AveragePool", "Conv", "LpPool", "MaxPool"})
_KEEP_SHAPES = frozenset({"BatchNormalization", "Clip", "Dropout", "Identity", "LeakyRelu", "Relu"})
_FAR_ENOUGH = 5
"""How many nodes that keep shapes may stand between a window and where sizes clash."""


@dataclass(frozen=True, slots=True)
class Repadded:
    """A node with other padding, and what the inputs of the clashing node then are."""

    text: str
    inputs: tuple[AbstractValue | None, ...]


def repadded(case: Case, engine: Engine) -> Iterator[Repadded]:
    """Changes of the windows that made the two sizes."""
    for side in reversed(case.violation.sides if case.violation else ()):
        place = input_place(case, side)
        if place is None:
            continue
        window = _window_before(case, case.node.inputs[place])
        value = case.inputs[place]
        if window is None or not isinstance(value, Abstract):
            continue
        for text, made in _other_outputs(case, engine, window):
            changed = replace(value, shape=made.shape)
            inputs = (*case.inputs[:place], changed, *case.inputs[place + 1 :])
            yield Repadded(f"the sizes match with {text} at {window.label!r}", inputs)


def _window_before(case: Case, name: str) -> Node | None:
    for _ in range(_FAR_ENOUGH):
        maker = next((node for node in case.scope.nodes if name in node.outputs), None)
        if maker is None or maker.op_type in WINDOWS:
            return maker
        if maker.op_type not in _KEEP_SHAPES or not maker.inputs:
            return None
        name = maker.inputs[0]
    return None


def _other_outputs(case: Case, engine: Engine, node: Node) -> Iterator[tuple[str, Abstract]]:
    meaning = Resolver(engine.model).meaning(node, case.scope.imports)
    inputs = [found[0] if (found := case.scope.find(name)) else None for name in node.inputs]
    first = inputs[0]
    if not isinstance(meaning, Resolved) or not isinstance(first, Abstract) or not first.shape:
        return
    for text, attributes in _other_paddings(node, len(first.shape) - 2):
        try:
            made = engine.attempt(node, meaning, attributes, inputs)
        except (Violation, ValueError):
            continue
        if made and isinstance(made[0], Abstract):
            yield text, made[0]


def _other_paddings(node: Node, axes: int) -> Iterator[tuple[str, Mapping[str, Attribute]]]:
    given = node.attributes.get("pads")
    pads = given.value if given and isinstance(given.value, tuple) else (0,) * (2 * axes)
    sizes = [size for size in pads if isinstance(size, int)]
    if len(sizes) != 2 * axes:
        return
    for begin, end in ((1, 1), (-1, -1), (0, 1), (1, 0)):
        changed = [s + (begin if i < axes else end) for i, s in enumerate(sizes)]
        if min(changed, default=0) >= 0:
            attribute = Attribute("pads", "ints", tuple(changed))
            yield f"pads = {changed}", {**node.attributes, "pads": attribute}
    if node.op_type != "Conv":
        ceil = 0 if (mode := node.attributes.get("ceil_mode")) and mode.value else 1
        attribute = Attribute("ceil_mode", "int", ceil)
        yield f"ceil_mode = {ceil}", {**node.attributes, "ceil_mode": attribute}
