"""Where a type or a size comes from: worked out on request by running the rule again on sizes
that carry marks, and looking for the marks in the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import islice
from numbers import Integral
from typing import TYPE_CHECKING, cast

from onnx_explorer.dims import Dim, symbol, symbols
from onnx_explorer.errors import InferenceError
from onnx_explorer.inference.abstraction import type_of
from onnx_explorer.inference.missing import no_such_value
from onnx_explorer.inference.scope import Scope
from onnx_explorer.ir import Node
from onnx_explorer.ir.expected import shown
from onnx_explorer.schema import Abstract, AbstractValue, Violation

if TYPE_CHECKING:
    from onnx_explorer.inference.engine import Engine

DEPTH_LIMIT = 200
"""Derivations longer than this are cut, with a note."""

MOST_LINES = 200
"""How many lines an explanation has as text; what lies deeper is counted."""


# Steps are shared: what the dataclass would compare, hash or print walks every path through them.
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Explanation:
    """One step of a derivation: what is explained, the fact, and what it follows from.

    `str()` gives the tree as text, one step per line; a step told before is referred to. `value`
    and `axis` say what `what` says; `of_content` is set where it is the elements of the value.
    """

    what: str
    fact: str
    reason: str
    causes: tuple[Explanation, ...] = ()
    value: str = ""
    axis: int | None = None
    of_content: bool = False
    cut: bool = False

    def lines(self, deepest: int = DEPTH_LIMIT) -> Iterator[str]:
        """The steps down to a depth, in the order of reading."""
        yield from _lines(self, 0, deepest, set())

    def __str__(self) -> str:
        """As deep as few lines go; the steps below are counted."""
        if len(lines := [*islice(self.lines(), MOST_LINES + 1)]) <= MOST_LINES:
            return "\n".join(lines)
        deepest, told = 0, set[str]()
        while len([*islice(self.lines(deepest + 1), MOST_LINES + 1)]) <= MOST_LINES:
            deepest += 1
        lines = [*_lines(self, 0, deepest, told)]
        hint = "each step has its causes"
        if self.axis is None and not self.fact.endswith("[]"):
            hint = f"explain({self.value!r}, axis=0) shows those of one axis"
        return "\n".join([*lines, f"... {len(_names(self) - told):,} more steps: {hint}"])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f'<pre style="white-space: pre; overflow-x: auto">{escape(str(self))}</pre>'


def _lines(step: Explanation, depth: int, deepest: int, told: set[str]) -> Iterator[str]:
    again = step.what in told
    told.add(step.what)
    reason = "see above" if again and step.causes else step.reason
    yield f"{'  ' * depth}{step.what} = {step.fact}: {reason}"
    if not again and depth < deepest:
        for cause in step.causes:
            yield from _lines(cause, depth + 1, deepest, told)


def _names(step: Explanation) -> set[str]:
    """What all steps are about."""
    found: set[str] = set()
    waiting = [step]
    while waiting:
        one = waiting.pop()
        if one.what not in found:
            found.add(one.what)
            waiting.extend(one.causes)
    return found


def explanation(engine: Engine, name: str, axis: int | None) -> Explanation:
    """The derivation of a value's type, or of one axis of its shape.

    Raises:
        InferenceError: the main graph has no such value, or the value has no such axis.
    """
    scope = engine.scopes[""]
    if not isinstance(cast("object", name), str) or name not in scope.values:
        raise no_such_value(name, engine.scopes)
    value = scope.values[name]
    if axis is not None:
        if isinstance(axis, bool) or not isinstance(cast("object", axis), Integral):
            raise InferenceError(f"axis {shown(axis)} of {name!r}; expected a whole number")
        shape = value.shape if isinstance(value, Abstract) else None
        if shape is None:
            msg = f"value {name!r} is {type_of(value)}; the rank is not known, so it has no axes"
            raise InferenceError(msg)
        if not -len(shape) <= axis < len(shape):
            msg = f"axis {axis} of {name!r}, which is {type_of(value)}: rank {len(shape)}"
            raise InferenceError(msg)
        axis %= len(shape)
    return _Teller(engine, scope).tell(name, axis, 0)


def origin_text(engine: Engine, scope: Scope, name: str, axis: int) -> str:
    """Where the size of an axis comes from, if that is one place and not the value itself:
    `fc2.weight axis 1`.
    """
    step = _Teller(engine, scope).tell(name, axis, 0)
    leaves: dict[int, Explanation] = {}
    seen: set[int] = set()
    waiting = [step]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        waiting.extend(one.causes)
        if not one.causes:
            leaves[id(one)] = one
    if len(leaves) != 1:
        return ""
    (leaf,) = leaves.values()
    if leaf.value == name or leaf.cut:
        return ""
    if leaf.of_content:
        return f"the elements of {leaf.value}"
    return leaf.value if leaf.axis is None else f"{leaf.value} axis {leaf.axis}"


class _Teller:
    def __init__(self, engine: Engine, scope: Scope) -> None:
        self._engine = engine
        self._scope = scope
        self._producers: dict[str, tuple[Node, int, Scope]] = {}
        around: Scope | None = scope
        while around is not None:
            for node in around.nodes:
                for i, output in enumerate(node.outputs):
                    self._producers.setdefault(output, (node, i, around))
            around = around.outer
        self._inputs = {value.name for value in engine.model.graph.inputs}
        self._told: dict[tuple[str, int | None, bool], Explanation] = {}

    def _value(self, name: str) -> AbstractValue | None:
        found = self._scope.find(name)
        return found[0] if found else None

    def tell(
        self, name: str, axis: int | None, depth: int, *, content: bool = False
    ) -> Explanation:
        key = (name, axis, content)
        if key not in self._told:
            self._told[key] = self._tell(name, axis, depth, content)
        return self._told[key]

    def _tell(self, name: str, axis: int | None, depth: int, content: bool) -> Explanation:
        value = self._value(name) or Abstract()
        what, fact = _subject(name, value, axis, content)
        producer = self._producers.get(name)
        if producer is None:
            return Explanation(what, fact, self._origin(name), (), name, axis, content)
        node, index, scope = producer
        schema = self._engine.schema_text(node, scope)
        reason = f"{schema} at node {node.label!r}"
        if depth >= DEPTH_LIMIT:
            reason += " (further steps are left out)"
            return Explanation(what, fact, reason, (), name, axis, content, cut=True)
        sources = self._sources(node, index, scope, axis, content)
        if not sources:
            reason += " and its attributes"
        causes = tuple(
            self.tell(source, source_axis, depth + 1, content=of_content)
            for source, source_axis, of_content in sources
        )
        return Explanation(what, fact, reason, causes, name, axis, content)

    def _origin(self, name: str) -> str:
        if name in self._inputs:
            return "an input of the model, as declared or bound"
        if name in self._scope.values:
            inside = bool(self._scope.path) and name not in self._engine.model.graph.initializers
            return "given to this body" if inside else "an initializer"
        return "an initializer" if self._scope.find(name) else "not produced by anything"

    def _sources(
        self, node: Node, index: int, scope: Scope, axis: int | None, content: bool
    ) -> list[tuple[str, int | None, bool]]:
        """The (value, axis, whether its elements matter) that an output was made from."""
        every: list[tuple[str, int | None, bool]] = [
            (name, None, False) for name in dict.fromkeys(node.inputs) if name
        ]
        if axis is None and not content:
            return every
        marks: dict[str, tuple[str, int | None, bool]] = {}
        marked: list[AbstractValue | None] = []
        for place, name in enumerate(node.inputs):
            value = self._value(name)
            marked.append(
                _marked(place, name, value, marks) if isinstance(value, Abstract) else value
            )
        try:
            outputs = self._engine.try_rule(node, marked, scope)
        except (Violation, ValueError):
            return every
        result = outputs[index] if index < len(outputs) else None
        if not isinstance(result, Abstract):
            return every
        found: list[Dim] = []
        if content:
            found = [c for c in result.content or () if not isinstance(c, (int, bool))]  # pyright: ignore[reportAssignmentType]
        elif result.shape is not None and axis is not None and axis < len(result.shape):
            found = [result.shape[axis]]
        used = {s for size in found if not isinstance(size, int) for s in symbols(size)}
        return list(dict.fromkeys(marks[m] for m in sorted(used) if m in marks))


def _subject(name: str, value: AbstractValue, axis: int | None, content: bool) -> tuple[str, str]:
    if content:
        elements = value.content if isinstance(value, Abstract) else None
        return f"elements of {name}", f"[{', '.join(map(str, elements or ()))}]"
    if axis is None:
        return name, str(type_of(value))
    shape = value.shape if isinstance(value, Abstract) else None
    return f"{name}[{axis}]", str(shape[axis]) if shape else "?"


def _marked(
    place: int, name: str, value: Abstract, marks: dict[str, tuple[str, int | None, bool]]
) -> Abstract:
    """The value with a symbol of its own for each size and each element."""
    shape = value.shape
    if shape is not None:
        shape = tuple(symbol(f"mark{place}.{axis}") for axis in range(len(shape)))
        for axis in range(len(shape)):
            marks[f"mark{place}.{axis}"] = (name, axis, False)
    content = value.content
    if content is not None and value.shape is not None:
        # The rule needs the real sizes of a tensor whose elements it reads.
        shape = value.shape
        # Flags, holes and zeros decide what a rule does, so they stay; other elements are traced.
        content = tuple(
            symbol(f"mark{place}:{i}", low=None)
            if not isinstance(element, bool) and not (isinstance(element, int) and element < 1)
            else element
            for i, element in enumerate(content)
        )
        for i in range(len(content)):
            marks[f"mark{place}:{i}"] = (name, None, True)
    return replace(value, shape=shape, content=content)
