"""What a person gives for operators, held against the operators that a model has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from onnx_explorer.ir import Model, Node
from onnx_explorer.ops._index import INDEX
from onnx_explorer.ops.registry import canonical_domain

Key = tuple[str, str]
"""A domain and the name of an operator in it."""
ALIKE = 0.7
"""From here on two spellings are taken for one."""


def misspelt(model: Model, given: Iterable[Key]) -> str:
    """Which operator something is given for that no node has, and which are meant, as far as one
    can tell; empty if nothing looks like a mistake. Much may be given for operators that this model
    does not have: people keep one table for all their models.
    """
    wanted = {(canonical_domain(domain), name) for domain, name in given}
    nodes = [*model.graph.nodes, *(node for f in model.functions.values() for node in f.nodes)]
    # An operator that something is given for is not what another key means.
    there = {(canonical_domain(n.domain), n.op_type) for n in _all_nodes(nodes)} - wanted
    for key in sorted(wanted - INDEX.keys()):
        meant = sorted(_spelled_alike(key, there))
        if meant:
            return (
                f"{key!r}, of which the model has no node; it has {' and '.join(map(repr, meant))}"
            )
    return ""


def _spelled_alike(key: Key, there: Iterable[Key]) -> Iterator[Key]:
    domain, name = key
    for other in there:
        if other[1] == name:
            # The same name elsewhere may well be another operator, if both are known.
            if other not in INDEX or not domain or _ratio(domain, other[0]) >= ALIKE:
                yield other
        elif other[0] == domain and _ratio(name, other[1]) >= ALIKE:
            yield other


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower(), other.lower()).ratio()


def _all_nodes(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        for _, graph in node.subgraphs:
            yield from _all_nodes(graph.nodes)
