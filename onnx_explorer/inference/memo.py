"""What inference remembers: equal values are one object, so that the inputs of a node are compared
by identity, and a rule runs once for all nodes that look the same, in whatever model.

Rules are functions of what is in the keys here and of nothing else, so that nothing but speed
depends on what is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import NamedTuple, cast

from onnx_explorer.errors import ModelError
from onnx_explorer.inference.node import Outcome
from onnx_explorer.inference.signature import signature_of
from onnx_explorer.ir import Attribute, Tensor, Type
from onnx_explorer.ops.resolve import Resolved
from onnx_explorer.ops.sizes import content_in, may_be_content
from onnx_explorer.schema import UNKNOWN, Abstract, AbstractValue, PageFunction, Violation
from onnx_explorer.schema.attributes import arguments, decoded

MAX_VALUES = 1 << 17
"""With more values and results than this the memo is emptied before the next inference."""

Key = tuple[object, ...]
UseKey = tuple[str, str, str, int, int]
"""Operator, domain, overload, the identity of the attributes, and how many outputs there are."""
Circumstances = tuple[frozenset[str], frozenset[tuple[str, int]]]
"""The symbols of the inputs, and the numbers that others are bound to."""
DifferenceKey = tuple[int, int, Circumstances]
"""The identities of a value and of its declaration, and what else counts."""
ResultKey = tuple[str, int, str, str, tuple[int, ...]]


class Use:
    """One way to use an operator: its version, decoded attributes and which outputs are wanted,
    with what its rule gave for the inputs seen so far.
    """

    __slots__ = (
        "attributes",
        "complete",
        "findings",
        "has_bodies",
        "is_shared",
        "keywords",
        "outcomes",
        "resolved",
        "rule",
        "runs_on_sizes",
        "signature",
        "spellings",
        "values",
        "wanted",
    )

    def __init__(
        self, resolved: Resolved, attributes: Mapping[str, Attribute], wanted: tuple[bool, ...]
    ) -> None:
        schema = resolved.schema
        self.resolved = resolved
        self.signature = signature_of(schema)
        self.attributes = attributes
        self.wanted = wanted
        self.findings: list[Violation] = []
        self.has_bodies = any(_has_graph(each) for each in attributes.values())
        self.values = decoded(attributes, schema, lambda _, graph: graph, self.findings.append)
        self.complete = all(
            self.values[attr.name] is not None
            for attr in schema.attributes.values()
            if attr.required
        )
        self.rule: PageFunction | None = resolved.operator.rule_at(resolved.version)
        self.keywords = arguments(self.rule, self.values) if self.rule else {}
        kernel = resolved.operator.kernel_at(resolved.version)
        self.runs_on_sizes = kernel is not None and kernel.on_sizes is not None
        # Tables know attributes by their identity, so these have to stay.
        self.spellings: dict[int, Mapping[str, Attribute]] = {}
        self.is_shared = False
        # By the identities of the inputs; an outcome keeps them alive.
        self.outcomes: dict[tuple[int, ...], Outcome] = {}


class Difference(NamedTuple):
    """A value and a declaration that says something else of it: what both together say, what has to
    be assumed for that, or how the two contradict each other.
    """

    value: AbstractValue
    declared: Type
    agreed: AbstractValue
    assumed: tuple[str, ...]
    conflict: str


class UseTable:
    """Uses under the same opset imports, found without looking into attributes. `results` are the
    values of nodes with one output and nothing to tell, by operator, identity of the attributes,
    domain, overload and identities of the inputs. `kept` stay alive for their identity.
    """

    __slots__ = ("kept", "results", "uses")

    def __init__(self) -> None:
        self.uses: dict[UseKey, Use] = {}
        self.results: dict[ResultKey, AbstractValue] = {}
        self.kept: list[Mapping[str, Attribute]] = []


class Memo:
    """Values, uses and constants by what is in them."""

    def __init__(self) -> None:
        self._values: dict[Key, Abstract] = {}
        self._uses: dict[Key, Use] = {}
        self._constants: dict[Key, Abstract] = {}
        self._tables: dict[Key, UseTable] = {}
        # By the identities of a value and of its declaration, which are kept with the answer.
        self.agreements: dict[tuple[int, int], tuple[AbstractValue, AbstractValue, Type]] = {}
        # What declarations that say something else come to.
        self.differences: dict[DifferenceKey, Difference] = {}
        self.unknown = self.intern(UNKNOWN)

    def intern(self, value: AbstractValue) -> AbstractValue:
        """The one object that stands for all tensors like this. Other values stand for themselves:
        they are rare.
        """
        if type(value) is not Abstract:
            return value
        return self._values.setdefault(_value_key(value), value)

    def use(
        self, resolved: Resolved, attributes: Mapping[str, Attribute], wanted: tuple[bool, ...]
    ) -> Use:
        """The use with these attributes, one object for all that are equal."""
        key: Key | None = None
        if signature_of(resolved.schema).is_open:
            pass  # of a rule that was given for one inference
        elif not attributes:
            key = (resolved, resolved.operator.rule_at(resolved.version), wanted)
        else:
            parts = [_attribute_key(name, attributes[name]) for name in sorted(attributes)]
            if None not in parts:
                key = (resolved, resolved.operator.rule_at(resolved.version), wanted, *parts)
        found = None if key is None else self._uses.get(key)
        if found is None:
            found = Use(resolved, attributes, wanted)
            if key is not None:
                self._uses[key] = found
                found.is_shared = True
        if found.is_shared:
            found.spellings[id(attributes)] = attributes
        return found

    def table(self, imports: Mapping[str, int]) -> UseTable:
        """Where uses under these opset imports are found."""
        key = tuple(sorted(imports.items()))
        found = self._tables.get(key)
        if found is None:
            found = self._tables[key] = UseTable()
        return found

    def constant(self, tensor: Tensor) -> Abstract:
        """A constant, with its content when it is small, numeric and can be read."""
        dtype, dims = tensor.dtype, tensor.dims
        key: Key = (dtype, dims)
        if _may_be_content(dtype, dims):
            key = (dtype, dims, _stored(tensor))
            if key[2] is None:
                return self._new_constant(tensor)
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = self._new_constant(tensor)
        return found

    def _new_constant(self, tensor: Tensor) -> Abstract:
        # A damaged file may give sizes below 0, which no rule has to reckon with.
        shape = None if min(tensor.dims, default=0) < 0 else tensor.dims
        value = Abstract(tensor.dtype, shape, content_in(tensor))
        return self._values.setdefault(_value_key(value), value)

    def trim(self) -> None:
        """Forget everything when it has become much."""
        counted = [self._values, self._constants, self.agreements, self.differences]
        for table in self._tables.values():
            counted += [table.uses, table.results]
        if sum(map(len, counted)) > MAX_VALUES:
            self.clear()

    def clear(self) -> None:
        """Forget everything."""
        for table in (self._values, self._uses, self._constants, self._tables):
            table.clear()
        self.agreements.clear()
        self.differences.clear()


_may_be_content = cache(may_be_content)


def _stored(tensor: Tensor) -> bytes | None:
    """The elements of a small constant in one piece; None where they cannot be read."""
    read = cast("Callable[[], bytes | None] | None", getattr(tensor.payload, "raw", None))
    try:
        raw = None if read is None else read()
        return tensor.numpy().tobytes() if raw is None else raw
    except ModelError:
        return None


def _value_key(value: Abstract) -> Key:
    shape, content = value.shape, value.content
    if shape is not None:
        for size in shape:
            if type(size) is not int:
                shape = tuple(map(_element_key, shape))
                break
    if content is None:
        return (value.dtype, shape)
    return (value.dtype, shape, tuple(map(_element_key, content)))


def _element_key(element: object) -> object:
    # A symbolic size stands for itself: one that is written alike may have other bounds. True
    # equals 1.
    kind = type(element)  # asking whether something is a Fraction takes long
    if kind is int:
        return element
    return (element,) if kind is bool or kind is Fraction else ("", id(element))


def _has_graph(attribute: Attribute) -> bool:
    return attribute.kind in {"graph", "graphs"}


def _attribute_key(name: str, attribute: Attribute) -> Key | None:
    """What two attributes share when they mean the same; None for one that means only itself."""
    value, kind = attribute.value, attribute.kind
    if kind in {"float", "floats"}:  # -0.0 equals 0.0, and NaN nothing
        return (name, kind, repr(value))
    if kind in {"int", "ints", "string", "strings"}:
        return (name, kind, value)
    if isinstance(value, Tensor) and _may_be_content(value.dtype, value.dims):
        stored = _stored(value)
        return None if stored is None else (name, kind, value.dtype, value.dims, stored)
    return None
