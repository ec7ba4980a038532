"""What a person gives for operators, held against the operators that a model has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from onnx_explorer.ir import Model, Node
from onnx_explorer.ops.registry import canonical_domain

Key = tuple[str, str]
"""A domain and the name of an operator in it."""


def unused(model: Model, given: Iterable[Key]) -> str:
    """Which operator something is given for that no node has, and which are like it; empty if all
    are there.
    """
    wanted = {(canonical_domain(domain), name) for domain, name in given}
    nodes = [*model.graph.nodes, *(node for f in model.functions.values() for node in f.nodes)]
    there = {(canonical_domain(n.domain), n.op_type) for n in _all_nodes(nodes)}
    missing = min(wanted - there, default=None)
    if missing is None:
        return ""
    same = [key for key in there if key[1] == missing[1]]
    near = get_close_matches(missing[1], sorted({name for _, name in there}), 2, 0.7)
    alike = sorted(same) or sorted(key for key in there if key[1] in near)
    hint = f"; it has {' and '.join(map(repr, alike))}" if alike else ""
    return f"{missing!r}, of which the model has no node{hint}"


def _all_nodes(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        for _, graph in node.subgraphs:
            yield from _all_nodes(graph.nodes)
