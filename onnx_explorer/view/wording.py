"""What is said of nodes and types: those that are alike are worded once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onnx_explorer.ir import Node, Tensor, Type
from onnx_explorer.ops.registry import canonical_domain
from onnx_explorer.ops.resolve import Meaning, Resolved
from onnx_explorer.view.categories import Category, category
from onnx_explorer.view.figures import Counter, Figures
from onnx_explorer.view.labels import is_known, type_label
from onnx_explorer.view.rows import attribute_rows, node_detail, port_label


@dataclass(frozen=True, slots=True)
class Words:
    """Of every node that is used in one way; a port's name stands at its position."""

    domain: str
    version: int
    detail: str
    category: Category
    attributes: tuple[tuple[str, str, int], ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    figures: Figures


class Wording:
    """Finds words for the nodes and types of one model.

    What has been worded is known by the identities of its parts, which are kept, so that nothing
    else can take their place in memory.
    """

    def __init__(self) -> None:
        self._counter = Counter()
        self._words: dict[object, tuple[Words, object]] = {}
        self._labels: dict[int, tuple[str, bool, Type]] = {}

    def label(self, type_: Type | None) -> str:
        """The text of a type."""
        return "?" if type_ is None else self._labelled(type_)[0]

    def is_known(self, type_: Type | None) -> bool:
        """Whether element type and rank are known."""
        return type_ is not None and self._labelled(type_)[1]

    def _labelled(self, type_: Type) -> tuple[str, bool, Type]:
        found = self._labels.get(id(type_))
        if found is None:
            found = self._labels[id(type_)] = (type_label(type_), is_known(type_), type_)
        return found

    def words(
        self,
        node: Node,
        meaning: Meaning,
        inputs: Sequence[Type | None],
        outputs: Sequence[Type | None],
        constants: Sequence[Tensor | None],
    ) -> Words:
        """What is said of a node with these types at its ports and these constant inputs."""
        attributes = tuple(node.attributes.values())
        parts = (meaning, *attributes, *inputs, *outputs, *constants)
        named = (*map(bool, node.inputs), *map(bool, node.outputs))
        key = (node.op_type, node.domain, len(attributes), len(inputs), named, *map(id, parts))
        found = self._words.get(key)
        if found is None:
            schema = meaning.schema if isinstance(meaning, Resolved) else None
            words = Words(
                canonical_domain(node.domain),
                schema.since_version if schema else 0,
                node_detail(node, schema, inputs, constants),
                category(node.op_type, node.domain),
                attribute_rows(node, schema),
                tuple(port_label(meaning, i, output=False) for i in range(len(inputs))),
                tuple(port_label(meaning, i, output=True) for i in range(len(outputs))),
                self._counter.figures(node, meaning, inputs, outputs),
            )
            found = self._words[key] = (words, parts)
        return found[0]
