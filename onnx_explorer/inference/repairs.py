"""Likely repairs of a node: each is a change that was tried, and that the rule of the node takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, cast

from onnx_explorer.dims import DimLimitError
from onnx_explorer.inference.journal import Case
from onnx_explorer.inference.layouts import (
    Change,
    bias_changes,
    layout_changes,
    matrix_changes,
)
from onnx_explorer.inference.reshapes import reshape_changes
from onnx_explorer.inference.windows import repadded
from onnx_explorer.ir import Attribute, DType
from onnx_explorer.ops._index import INDEX
from onnx_explorer.ops.registry import canonical_domain, operator
from onnx_explorer.ops.resolve import Resolved, opset_of
from onnx_explorer.schema import Abstract, AbstractValue, Operator, Violation

if TYPE_CHECKING:
    from onnx_explorer.inference.engine import Engine

MAX_REPAIRS = 2


@dataclass(frozen=True, slots=True)
class Trial:
    """A changed node: what to say of it if it is taken, and what is changed. What is a fact needs
    no trial.
    """

    text: str
    inputs: tuple[AbstractValue | None, ...] | None = None
    attributes: Mapping[str, Attribute] | None = None
    resolved: Resolved | None = None
    is_fact: bool = False


def repairs(engine: Engine, case: Case, code: str) -> tuple[str, ...]:
    """What would mend the finding of this code about a case, the likeliest first."""
    found = (_first_taken(engine, case, propose) for propose in _PROPOSERS.get(code, ()))
    return tuple(islice(dict.fromkeys(filter(None, found)), MAX_REPAIRS))


def _first_taken(engine: Engine, case: Case, propose: Propose) -> str:
    taken = (trial for trial in propose(case, engine) if _is_taken(engine, case, trial))
    try:
        return next((trial.text for trial in taken), "")
    except DimLimitError:  # a changed shape that is too long to be written
        return ""


def _is_taken(engine: Engine, case: Case, trial: Trial) -> bool:
    if trial.is_fact:
        return True
    resolved = trial.resolved or case.meaning
    if not isinstance(resolved, Resolved):
        return False
    attributes = case.attributes if trial.attributes is None else trial.attributes
    inputs = case.inputs if trial.inputs is None else trial.inputs
    try:
        return bool(engine.attempt(case.node, resolved, attributes, inputs))
    except (Violation, ValueError):
        return False


Propose = Callable[[Case, "Engine"], Iterator[Trial]]


def _changes(make: Callable[[Case], Iterator[Change]]) -> Propose:
    """Trials of changed inputs and attributes."""

    def propose(case: Case, engine: Engine) -> Iterator[Trial]:  # noqa: ARG001
        for text, inputs, attributes in make(case):
            yield Trial(text, inputs, attributes)

    return propose


# -- other versions ------------------------------------------------------------------------------


def other_versions(case: Case, engine: Engine) -> Iterator[Trial]:  # noqa: ARG001
    """The same node under a later opset, or else under an earlier one."""
    if not isinstance(case.meaning, Resolved):
        return
    op, version = case.meaning.operator, case.meaning.version
    for later in (v for v in op.versions if v > version):
        yield Trial(f"it is right from opset {later} on", resolved=_at(op, later))
    for earlier in (v for v in reversed(op.versions) if v < version):
        last = next(v for v in op.versions if v > earlier) - 1
        yield Trial(f"it was right up to opset {last}", resolved=_at(op, earlier))


def newer_import(case: Case, engine: Engine) -> Iterator[Trial]:  # noqa: ARG001
    """The first opset that has the operator."""
    node = case.node
    op = operator(node.op_type, node.domain)
    if op is None:
        return
    domain = canonical_domain(node.domain)
    for version in op.versions:
        of = f"{domain} " if domain else ""
        yield Trial(f"import {of}opset {version} or newer", resolved=_at(op, version))


def _at(op: Operator, opset: int) -> Resolved:
    version = op.version_at(opset) or op.versions[0]
    return Resolved(op, version, opset, op.schema(version))


# -- names ---------------------------------------------------------------------------------------


def close_operators(case: Case, engine: Engine) -> Iterator[Trial]:  # noqa: ARG001
    """Operators of a similar name, or of this name in another domain."""
    node, domain = case.node, canonical_domain(case.node.domain)
    by_case = {name.lower(): name for d, name in INDEX if d == domain}
    exact = by_case.get(node.op_type.lower())
    close = get_close_matches(node.op_type, list(by_case.values()), 3, 0.7)
    for name in dict.fromkeys([exact, *close] if exact else close):
        yield from _in_import(case, name, domain, f"did you mean {name!r}?")
    for other, name in INDEX:
        if name == node.op_type and other != domain:
            label = other or "ai.onnx"
            yield from _in_import(case, name, other, f"{name!r} is an operator of {label!r}")


def _in_import(case: Case, name: str, domain: str, text: str) -> Iterator[Trial]:
    op = operator(name, domain)
    opset = opset_of(domain, case.scope.imports)
    if op is not None:
        yield Trial(text, resolved=_at(op, op.versions[-1] if opset is None else opset))


def close_values(case: Case, engine: Engine) -> Iterator[Trial]:  # noqa: ARG001
    """A value of a similar name in the place of one that is not there."""
    names: dict[str, AbstractValue] = {}
    scope = case.scope
    while scope is not None:
        names = {**scope.values, **names}
        scope = scope.outer
    made = set(case.node.outputs)
    for place, name in enumerate(case.node.inputs):
        if not name or name in names:
            continue
        for close in get_close_matches(name, [n for n in names if n not in made], 3, 0.75):
            yield Trial(f"did you mean {close!r}?", _with(case, place, names[close]))


def _with(case: Case, place: int, value: AbstractValue) -> tuple[AbstractValue | None, ...]:
    return (*case.inputs[:place], value, *case.inputs[place + 1 :])


# -- attributes ----------------------------------------------------------------------------------


def renamed_attributes(case: Case, engine: Engine) -> Iterator[Trial]:  # noqa: ARG001
    """An attribute of a similar name, and attributes that have become inputs."""
    if not isinstance(case.meaning, Resolved):
        return
    schema = case.meaning.schema
    for name, attribute in case.attributes.items():
        if name in schema.attributes:
            continue
        others = {key: a for key, a in case.attributes.items() if key != name}
        free = [known for known in schema.attributes if known not in case.attributes]
        same = [known for known in free if known.lower() == name.lower().replace("-", "_")]
        for close in dict.fromkeys([*same, *get_close_matches(name, free, 2, 0.7)]):
            changed = {**others, close: replace(attribute, name=close)}
            yield Trial(f"did you mean {close!r}?", attributes=changed)
        yield from _as_input(case, name, attribute, others)


def _as_input(
    case: Case, name: str, attribute: Attribute, others: Mapping[str, Attribute]
) -> Iterator[Trial]:
    meaning = cast("Resolved", case.meaning)
    place = next((i for i, port in enumerate(meaning.schema.inputs) if port.name == name), None)
    value = attribute.value
    if place is None or not isinstance(value, (int, tuple)):
        return
    ints = value if isinstance(value, tuple) else (value,)
    if not all(isinstance(each, int) for each in ints):
        return
    content = cast("tuple[int, ...]", ints)
    constant = Abstract(DType.INT64, (len(content),), content)
    filled = (*case.inputs, *(None,) * (place - len(case.inputs)))
    since = next(v for v in meaning.operator.versions if name in _port_names(meaning.operator, v))
    text = f"from opset {since} on {name!r} is an input"
    yield Trial(text, (*filled[:place], constant, *filled[place + 1 :]), others)


def _port_names(op: Operator, version: int) -> list[str]:
    return [port.name for port in op.schema(version).inputs]


def other_attribute_values(case: Case, engine: Engine) -> Iterator[Trial]:  # noqa: ARG001
    """Attributes in the type that is asked for, or with an allowed value that looks similar."""
    if not isinstance(case.meaning, Resolved):
        return
    for name, attr in case.meaning.schema.attributes.items():
        given = case.attributes.get(name)
        if given is None:
            continue
        if given.kind != attr.type and (changed := _converted(given, attr.type)):
            text = f"as {attr.type} {_text(changed.value)} it is taken"
            yield Trial(text, attributes={**case.attributes, name: changed})
        if attr.one_of and isinstance(given.value, bytes):
            spelling = given.value.decode(errors="replace")
            known = {str(value).lower(): str(value) for value in attr.one_of}
            for close in get_close_matches(spelling.lower(), known, 1, 0.6):
                changed = replace(given, value=known[close].encode())
                text = f"did you mean {known[close]!r}?"
                yield Trial(text, attributes={**case.attributes, name: changed})


def _converted(attribute: Attribute, kind: str) -> Attribute | None:
    value = attribute.value
    if kind == "int" and isinstance(value, float) and value.is_integer():
        return replace(attribute, kind="int", value=int(value))
    if kind == "float" and isinstance(value, int):
        return replace(attribute, kind="float", value=float(value))
    if kind == "ints" and isinstance(value, int):
        return replace(attribute, kind="ints", value=(value,))
    if kind == "int" and isinstance(value, tuple) and len(value) == 1 and attribute.kind == "ints":
        return replace(attribute, kind="int", value=cast("int", value[0]))
    if kind == "string" and attribute.kind == "strings":
        only = cast("tuple[bytes, ...]", value)
        return replace(attribute, kind="string", value=only[0]) if len(only) == 1 else None
    return None


def _text(value: object) -> str:
    return str(list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else value)


def _without(*names: str) -> Propose:
    """The node without an attribute."""

    def propose(case: Case, engine: Engine) -> Iterator[Trial]:  # noqa: ARG001
        for name in names:
            if name in case.attributes:
                others = {key: a for key, a in case.attributes.items() if key != name}
                yield Trial(f"without {name} it is taken", attributes=others)

    return propose


def other_axes(case: Case, engine: Engine) -> Iterator[Trial]:
    """Another axis, if it is the only one that fits."""
    ranks = [v.rank for v in case.inputs if isinstance(v, Abstract) and v.rank is not None]
    given = case.attributes.get("axis")
    now = given.value if given else None
    fitting = [
        (axis, {**case.attributes, "axis": Attribute("axis", "int", axis)})
        for axis in range(max(ranks, default=0))
        if axis != now and axis - max(ranks) != now
    ]
    resolved = case.meaning
    if not isinstance(resolved, Resolved):
        return
    taken = [
        (axis, changed)
        for axis, changed in fitting
        if _is_taken(engine, case, Trial("", attributes=changed))
    ]
    if len(taken) == 1:
        ((axis, changed),) = taken
        yield Trial(f"it fits with axis = {axis}", attributes=changed)


# -- types ---------------------------------------------------------------------------------------


def missing_in_call(case: Case, engine: Engine) -> Iterator[Trial]:  # noqa: ARG001
    """What a function reads of its caller, and the call does not give."""
    for attribute in case.node.attributes.values():
        if attribute.reference and attribute.name not in case.attributes:
            yield Trial(f"{attribute.reference!r} is missing in the call", is_fact=True)


def other_windows(case: Case, engine: Engine) -> Iterator[Trial]:
    """Other padding of the windows that the two sizes come from."""
    for change in repadded(case, engine):
        yield Trial(change.text, change.inputs)


def casts(case: Case, engine: Engine) -> Iterator[Trial]:  # noqa: ARG001
    """An input of the type of another one."""
    dtypes = [v.dtype if isinstance(v, Abstract) else None for v in case.inputs]
    for place, dtype in reversed(list(enumerate(dtypes))):
        value = case.inputs[place]
        for other in dict.fromkeys(d for d in dtypes if d is not None and d is not dtype):
            if dtype is None or not isinstance(value, Abstract):
                continue
            text = f"a Cast of {case.node.inputs[place]!r} to {other.label} mends it"
            yield Trial(text, _with(case, place, replace(value, dtype=other)))


_PROPOSERS: Mapping[str, tuple[Propose, ...]] = {
    "attribute-type": (other_attribute_values, other_versions),
    "attribute-value": (other_attribute_values, other_versions),
    "baked-size": (_changes(reshape_changes),),
    "bias-length": (_changes(bias_changes),),
    "bias-shape": (_changes(bias_changes),),
    "broadcast-mismatch": (_changes(layout_changes), other_windows),
    "channel-mismatch": (_changes(layout_changes), _changes(matrix_changes)),
    "concat-mismatch": (other_axes, _changes(layout_changes), other_windows),
    "group-mismatch": (_without("group"),),
    "inner-size-mismatch": (_changes(matrix_changes), _changes(layout_changes)),
    "input-count": (other_versions,),
    "kernel-shape-mismatch": (_without("kernel_shape"),),
    "missing-attribute": (missing_in_call, other_axes),
    "missing-import": (newer_import,),
    "missing-input": (other_versions,),
    "missing-value": (close_values,),
    "operator-too-new": (newer_import,),
    "output-count": (other_versions,),
    "parameter-shape": (_changes(layout_changes), _changes(bias_changes)),
    "reshape-count": (_changes(reshape_changes),),
    "reshape-target": (_changes(reshape_changes),),
    "split-sum": (other_axes,),
    "type-mismatch": (other_versions, casts),
    "type-not-allowed": (other_versions, casts),
    "unknown-attribute": (renamed_attributes, other_versions),
    "no-such-operator": (close_operators,),
    "unknown-operator": (close_operators,),
    "window-too-large": (_changes(layout_changes),),
    "wrong-rank": (_changes(matrix_changes), _changes(layout_changes)),
}
