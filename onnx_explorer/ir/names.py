"""Names for nodes: files may leave them out or use one twice, people and messages need one each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from onnx_explorer.errors import ExplorerError
from onnx_explorer.ir.model import Node


def node_ids(nodes: Sequence[Node]) -> tuple[str, ...]:
    """A distinct id for each node of one graph: its name where that is unique, else its first
    output (which a valid graph assigns once), else its operator and place.
    """
    names = Counter(node.name for node in nodes)
    ids: list[str] = []
    taken: set[str] = {name for name, times in names.items() if name and times == 1}
    for place, node in enumerate(nodes):
        if node.name and names[node.name] == 1:
            ids.append(node.name)
            continue
        found = next((output for output in node.outputs if output), node.op_type)
        while found in taken:
            found = f"{found}#{place}"
        taken.add(found)
        ids.append(found)
    return tuple(ids)


def inner_path(path: str, node_id: str, part: str) -> str:
    """The path of a scope inside a node: its subgraph attribute or, for a call, `function`.

    Paths end in a slash; the main graph's is empty, and a node's full id is its scope's path
    followed by its id.
    """
    return f"{path}{node_id}/{part}/"


def ends_so(full: str, name: str) -> bool:
    """Whether the last parts of a full name are this one."""
    return full.endswith(name) and full[: len(full) - len(name)].endswith("/")


def only_one(name: str, what: str, found: Collection[str], error: type[ExplorerError]) -> str:
    """The full name that a short one stands for; raises the error where it may be one of several."""
    if len(found) > 1:
        first = ", ".join(map(repr, [*found][:5]))
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        raise error(f"{name!r} may be one of {len(found)} {what}: {first}{more}; give more of it")
    return next(iter(found))
