"""Targets of a Reshape that a batch size is baked into."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from onnx_explorer.dims import Expr, known_equal, product
from onnx_explorer.inference.journal import Case
from onnx_explorer.ir import Attribute
from onnx_explorer.schema import Abstract, AbstractValue

Inputs = tuple[AbstractValue | None, ...]
Change = tuple[str, Inputs | None, Mapping[str, Attribute] | None]


def reshape_changes(case: Case) -> Iterator[Change]:
    """The target with -1 in the place of a number, where the rest of it fits."""
    target = _target(case)
    data = case.inputs[0] if case.inputs else None
    if target is None or not isinstance(data, Abstract) or data.shape is None:
        return
    for place, size in enumerate(target):
        if not isinstance(size, int) or size < 1 or -1 in target:
            continue
        kept = product(s for i, s in enumerate(target) if i != place)
        rest = product(s for axis, s in enumerate(data.shape) if axis != place)
        if place < len(data.shape) and known_equal(kept, rest):
            yield _text(case, place, target), _with_hole(case, target, place), None
            return
    for place in range(len(target)):
        hole = _with_hole(case, target, place)
        yield f"it holds with -1 in the place of {target[place]} in {list(target)}", hole, None


@dataclass(frozen=True, slots=True)
class PinnedSize:
    """A symbol that a target gives a number to."""

    name: str
    number: int


def pinned_size(case: Case) -> PinnedSize | None:
    """The symbol that a target gives a number to; None where the target leaves it free."""
    target = _target(case)
    data = case.inputs[0] if case.inputs else None
    if target is None or not isinstance(data, Abstract) or data.shape is None:
        return None
    open_axes = [axis for axis, size in enumerate(data.shape) if isinstance(size, Expr)]
    if any(isinstance(size, Expr) or size < 1 for size in target) or len(open_axes) != 1:
        return None
    (axis,) = open_axes
    # All other sizes are numbers.
    rest, whole = product(s for i, s in enumerate(data.shape) if i != axis), product(target)
    size = data.shape[axis]
    if not isinstance(rest, int) or not isinstance(whole, int) or not rest or whole % rest:
        return None
    return PinnedSize(str(size), whole // rest)


def _text(case: Case, place: int, target: tuple[int | Expr, ...]) -> str:
    what = "batch" if place == 0 else f"axis {place}"
    return (
        f"{what} {target[place]} is baked into the target shape: {case.place} asks for "
        f"{list(target)}; with -1 it holds for every {what if place == 0 else 'size'}"
    )


def _target(case: Case) -> tuple[int | Expr, ...] | None:
    value = case.inputs[1] if len(case.inputs) > 1 else None
    if not isinstance(value, Abstract) or value.content is None:
        return None
    if not all(isinstance(size, (int, Expr)) for size in value.content):
        return None
    return tuple(size for size in value.content if isinstance(size, (int, Expr)))


def _with_hole(case: Case, target: tuple[int | Expr, ...], place: int) -> Inputs:
    value = case.inputs[1]
    holed = (*target[:place], -1, *target[place + 1 :])
    changed = Abstract(value.dtype, value.shape, holed) if isinstance(value, Abstract) else None
    return (case.inputs[0], changed, *case.inputs[2:])
