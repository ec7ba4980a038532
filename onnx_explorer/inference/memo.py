"""What inferences remember: equal values are one object, so that the inputs of a node are
compared by identity, and a rule runs once for all nodes that look the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from onnx_explorer.dims import Dim
from onnx_explorer.inference.node import Outcome
from onnx_explorer.inference.signature import Signature, signature_of
from onnx_explorer.ir import Attribute, DType, Tensor
from onnx_explorer.ops.resolve import Resolved
from onnx_explorer.ops.sizes import content_in, may_be_content
from onnx_explorer.schema import Abstract, AbstractValue, PageFunction, Violation
from onnx_explorer.schema.attributes import arguments, decoded

MAX_VALUES = 1 << 18
"""A memo that knows more values is emptied: nothing but speed depends on it."""


class Use:
    """One way to use an operator: its version, decoded attributes and which outputs are wanted,
    with what its rule gave for the inputs seen so far.
    """

    __slots__ = (
        "attributes",
        "complete",
        "findings",
        "has_bodies",
        "keywords",
        "outcomes",
        "resolved",
        "rule",
        "signature",
        "values",
        "wanted",
    )

    def __init__(
        self, resolved: Resolved, attributes: Mapping[str, Attribute], wanted: tuple[bool, ...]
    ) -> None:
        schema = resolved.schema
        self.resolved = resolved
        self.signature: Signature = signature_of(schema)
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
        # By the identities of the inputs; an outcome keeps them alive.
        self.outcomes: dict[tuple[int, ...], Outcome] = {}


class Memo:
    """Values, uses and constants, shared by inferences of models that have much in common."""

    def __init__(self) -> None:
        self._values: dict[AbstractValue, AbstractValue] = {}
        self._uses: dict[tuple[object, ...], Use] = {}
        self._plain: dict[tuple[DType, tuple[int, ...]], Abstract | None] = {}

    def intern(self, value: AbstractValue) -> AbstractValue:
        """The one object that stands for all values equal to this."""
        return self._values.setdefault(value, value)

    def use(
        self, resolved: Resolved, attributes: Mapping[str, Attribute], wanted: tuple[bool, ...]
    ) -> Use:
        """The use with these attributes, one object for all that are equal."""
        key = (resolved, wanted, *(_key(name, attributes[name]) for name in sorted(attributes)))
        found = self._uses.get(key)
        if found is None:
            found = self._uses[key] = Use(resolved, attributes, wanted)
        return found

    def constant(self, tensor: Tensor) -> AbstractValue:
        """A constant, with its content when it is small, numeric and can be read."""
        key = (tensor.dtype, tensor.dims)
        try:
            plain = self._plain[key]
        except KeyError:
            plain = self._plain[key] = self._without_content(*key)
        if plain is not None:
            return plain
        dims: tuple[Dim, ...] = tensor.dims
        return self.intern(Abstract(tensor.dtype, dims, content_in(tensor)))

    def _without_content(self, dtype: DType, dims: tuple[int, ...]) -> Abstract | None:
        """The constant of this type where it cannot have content; None where it may."""
        if may_be_content(dtype, dims):
            return None
        # A damaged file may give sizes below 0, which no rule has to reckon with.
        value = Abstract(dtype, None if min(dims, default=0) < 0 else dims)
        self.intern(value)
        return value

    def trim(self) -> None:
        """Forget everything when it has become much."""
        if len(self._values) > MAX_VALUES:
            for table in (self._values, self._uses, self._plain):
                table.clear()


def _has_graph(attribute: Attribute) -> bool:
    return attribute.kind in {"graph", "graphs"}


def _key(name: str, attribute: Attribute) -> tuple[object, ...]:
    """What two attributes share when they mean the same."""
    value, kind = attribute.value, attribute.kind
    if kind in {"float", "floats"}:  # -0.0 equals 0.0, and NaN nothing
        return (name, kind, repr(value))
    if kind in {"int", "ints", "string", "strings"}:
        return (name, kind, value)
    # A tensor and the like stand for themselves: the use keeps the attribute alive.
    return (name, kind, id(attribute))
