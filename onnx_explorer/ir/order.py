"""The order in which nodes can run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from onnx_explorer.errors import ModelError
from onnx_explorer.ir.model import Graph, Node


def captured_names(graph: Graph) -> frozenset[str]:
    """The values of enclosing graphs that a subgraph reads, at any depth."""
    local = {v.name for v in graph.inputs} | set(graph.initializers)
    local |= {sparse.name for sparse in graph.sparse_initializers}
    read: set[str] = {v.name for v in graph.outputs}
    for node in graph.nodes:
        read.update(read_names(node))
        local.update(node.outputs)
    return frozenset(read - local - {""})


def read_names(node: Node) -> Iterator[str]:
    """Every value that a node needs: its inputs and what its subgraphs capture."""
    yield from (name for name in node.inputs if name)
    for _, graph in node.subgraphs:
        yield from captured_names(graph)


def sorted_nodes(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """The nodes in an order in which each comes after those it reads from.

    An order that already holds is returned unchanged. Nodes that do not depend on each other
    keep their order.

    Raises:
        ModelError: the nodes form a cycle, which the message names.
    """
    if _is_sorted(nodes):
        return tuple(nodes)
    producer = {name: i for i, node in enumerate(nodes) for name in node.outputs if name}
    needs = [{producer[n] for n in read_names(node) if n in producer} for node in nodes]
    done: list[int] = []
    state = [0] * len(nodes)  # 0: not seen, 1: on the path, 2: placed
    for start in range(len(nodes)):
        path = [start]
        while path:
            i = path[-1]
            state[i] = max(state[i], 1)
            ahead = next((j for j in sorted(needs[i]) if state[j] < 2), None)
            if ahead is None:
                path.pop()
                if state[i] < 2:
                    state[i] = 2
                    done.append(i)
            elif state[ahead] == 1:
                raise ModelError(_cycle_text(nodes[j] for j in path[path.index(ahead) :]))
            else:
                path.append(ahead)
    return tuple(nodes[i] for i in done)


def _is_sorted(nodes: Sequence[Node]) -> bool:
    later = {name for node in nodes for name in node.outputs}
    later.discard("")
    for node in nodes:
        if not later.isdisjoint(read_names(node)):
            return False
        later.difference_update(node.outputs)
    return True


def _cycle_text(nodes: Iterable[Node]) -> str:
    names = [repr(node.label) for node in nodes]
    return (
        f"the graph has a cycle: {' -> '.join([*names, names[0]])}; each needs the next one first"
    )
