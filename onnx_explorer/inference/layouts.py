"""Changes of layout that mend shapes: transposed, flattened and unsqueezed inputs, and parameters
of another length. Whether they do is for the rule to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations

from onnx_explorer.dims import known_equal, product
from onnx_explorer.inference.journal import Case, input_place
from onnx_explorer.ir import Attribute, shape_text
from onnx_explorer.ops.resolve import Resolved
from onnx_explorer.schema import Abstract, AbstractValue

Inputs = tuple[AbstractValue | None, ...]
Change = tuple[str, Inputs | None, Mapping[str, Attribute] | None]
"""What to say if the change is taken, the inputs and the attributes, None where they stay."""

CHANNELS_FIRST = {3: (0, 2, 1), 4: (0, 3, 1, 2), 5: (0, 4, 1, 2, 3)}
"""From (N, *spatial, C) to (N, C, *spatial), by rank."""
CHANNELS_LAST = {3: (0, 2, 1), 4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
FILTERS_FIRST = {3: (2, 1, 0), 4: (3, 2, 0, 1), 5: (4, 3, 0, 1, 2)}
"""From (*kernel, C, M) to (M, C, *kernel)."""


def matrix_changes(case: Case) -> Iterator[Change]:
    """What makes the factors of a product fit."""
    for name in ("transB", "transA"):
        if isinstance(case.meaning, Resolved) and name in case.meaning.schema.attributes:
            given = case.attributes.get(name)
            flag = 0 if given and given.value else 1
            changed = {**case.attributes, name: Attribute(name, "int", flag)}
            text = f"is {name} = 1 missing?" if flag else f"is {name} = 1 wrong?"
            yield (
                f"{text} without it the sizes match"
                if not flag
                else (f"{text} with it the sizes match"),
                None,
                changed,
            )
    for place in reversed(_placed_inputs(case)):
        value, name = case.inputs[place], case.node.inputs[place]
        if not isinstance(value, Abstract) or value.shape is None:
            continue
        rank = len(value.shape)
        if rank == 2:
            yield _transposed(case, place, (1, 0))
        elif rank > 2:
            flat = (value.shape[0], product(value.shape[1:]))
            text = f"the sizes match after Flatten of {name!r} to {shape_text(flat)}"
            yield text, _with(case, place, value.like(flat)), None
            yield _transposed(case, place, (*range(rank - 2), rank - 1, rank - 2))
    first, second, *rest = (*case.inputs, None, None)[: max(2, len(case.inputs))]
    if first is not None and second is not None:
        text = "the sizes match with the two inputs in the other order"
        yield text, (second, first, *rest), None


def layout_changes(case: Case) -> Iterator[Change]:
    """Inputs in another order of axes, or with axes of size 1 added."""
    operator = case.meaning.operator.name if isinstance(case.meaning, Resolved) else ""
    for place, value in enumerate(case.inputs):
        if not isinstance(value, Abstract) or value.shape is None:
            continue
        rank, name = len(value.shape), case.node.inputs[place]
        others = [
            v.shape for i, v in enumerate(case.inputs) if i != place if isinstance(v, Abstract)
        ]
        if (
            operator.startswith(("Conv", "QLinearConv"))
            or "Normalization" in operator
            or ("Pool" in operator)
        ):
            if place == 0 and rank in CHANNELS_FIRST:
                text, inputs, _ = _transposed(case, place, CHANNELS_FIRST[rank])
                yield f"{text}: its channels seem to stand last", inputs, None
            elif place == 1 and rank in FILTERS_FIRST:
                yield _transposed(case, place, FILTERS_FIRST[rank])
            if place == 0 and rank >= 2 and len(others[0] or () if others else ()) == rank + 1:
                text = f"it is taken after Unsqueeze of {name!r} at axis 0: is the batch missing?"
                yield text, _with(case, place, value.like((1, *value.shape))), None
            continue
        for other in others:
            yield from _towards(case, place, value, other)
    if "group" in case.attributes or operator.startswith("Conv"):
        yield from _groups(case)


def _towards(
    case: Case, place: int, value: Abstract, other: tuple[object, ...] | None
) -> Iterator[Change]:
    """Changes that give an input the axes of another one."""
    shape, name = value.shape, case.node.inputs[place]
    if shape is None or other is None:
        return
    if len(shape) == 1 and len(other) > 1:
        for axis in range(len(other) - 1):
            if known_equal(shape[0], other[axis]):  # pyright: ignore[reportArgumentType]
                wide = (*shape, *(1,) * (len(other) - 1 - axis))
                text = f"the sizes match after Unsqueeze of {name!r} to {shape_text(wide)}"
                yield text, _with(case, place, value.like(wide)), None
    if len(shape) == len(other) and 2 <= len(shape) <= 5:
        known = (CHANNELS_FIRST.get(len(shape)), CHANNELS_LAST.get(len(shape)))
        for order in dict.fromkeys([*filter(None, known), *permutations(range(len(shape)))]):
            moved = [shape[axis] for axis in order]
            if all(map(known_equal, moved, other)):  # pyright: ignore[reportArgumentType]
                yield _transposed(case, place, order)
                return


def _groups(case: Case) -> Iterator[Change]:
    shapes = [v.shape if isinstance(v, Abstract) else None for v in case.inputs[:2]]
    if len(shapes) < 2 or shapes[0] is None or shapes[1] is None or len(shapes[1]) < 2:
        return
    channels, per_group = shapes[0][1] if len(shapes[0]) > 1 else 0, shapes[1][1]
    if isinstance(channels, int) and isinstance(per_group, int) and per_group:
        groups, rest = divmod(channels, per_group)
        if groups and not rest:
            changed = {**case.attributes, "group": Attribute("group", "int", groups)}
            yield f"the channels match with group = {groups}", None, changed


def bias_changes(case: Case) -> Iterator[Change]:
    """A parameter of the length that the other inputs call for."""
    port = case.violation.port if case.violation else None
    place = _place_of(case, port)
    value = case.inputs[place] if place is not None else None
    if place is None or not isinstance(value, Abstract) or value.shape is None:
        return
    name = case.node.inputs[place]
    if len(value.shape) > 1:
        flat = (product(value.shape),)
        text = f"{name!r} fits after Reshape to {shape_text(flat)}"
        yield text, _with(case, place, value.like(flat)), None
    # The filters of a convolution or a product say more than its data; a norm has only data.
    operator = case.meaning.operator.name if isinstance(case.meaning, Resolved) else ""
    others = (0,) if "Normalization" in operator else (1, 0)
    for i in others:
        other = case.inputs[i]
        if i == place or not isinstance(other, Abstract):
            continue
        for axis, size in enumerate(other.shape or ()):
            if isinstance(size, int):
                text = f"{name!r} fits with {size} elements, as axis {axis} of "
                yield (
                    f"{text}{case.node.inputs[i]!r} has",
                    _with(case, place, value.like((size,))),
                    None,
                )


def _placed_inputs(case: Case) -> list[int]:
    """The inputs that the violation speaks of, in their order; without sides, the first two."""
    violation = case.violation
    sides = violation.sides if violation else ()
    places = [place for side in sides if (place := input_place(case, side)) is not None]
    named = _place_of(case, violation.port if violation else None)
    return places or ([named] if named is not None else [0, 1][: len(case.inputs)])


def _place_of(case: Case, port: str | None) -> int | None:
    schema = case.meaning.schema if isinstance(case.meaning, Resolved) else None
    for place in range(len(case.inputs)):
        found = schema.port(place) if schema else None
        if found is not None and found.name == port:
            return place
    return None


def _transposed(case: Case, place: int, order: tuple[int, ...]) -> Change:
    value, name = case.inputs[place], case.node.inputs[place]
    shape = value.shape if isinstance(value, Abstract) else None
    moved = tuple(shape[axis] for axis in order) if shape else None
    changed = value.like(moved) if isinstance(value, Abstract) else None
    text = f"the sizes match after Transpose of {name!r} with perm = {list(order)}"
    return text, _with(case, place, changed), None


def _with(case: Case, place: int, value: AbstractValue | None) -> Inputs:
    return (*case.inputs[:place], value, *case.inputs[place + 1 :])
