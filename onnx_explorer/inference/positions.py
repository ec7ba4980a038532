"""Positions that are looked up in a table: a row for each number that a Range counts, so that what it
counts to is at most the size of the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from onnx_explorer.dims import Dim, Expr
from onnx_explorer.inference.claims import Claim
from onnx_explorer.ir import Node
from onnx_explorer.schema import Abstract, AbstractValue

_KEEPS_ELEMENTS = frozenset(
    {"Cast", "Expand", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"}
)
"""Operators that give the elements of their first input and no others."""
_MOST_STEPS = 20

Values = Mapping[str, AbstractValue]


def position_claims(nodes: Iterable[Node], values: Values) -> Iterator[tuple[str, Claim]]:
    """That tables have a row for each position, with the node that looks it up."""
    makers: dict[str, Node] = {}
    for node in nodes:
        if node.domain in {"", "ai.onnx"}:
            if node.op_type == "Gather" and len(node.inputs) == 2 and node.inputs[1] in makers:
                size, end = _rows(node, values), _end(node.inputs[1], makers, values)
                if size is not None and isinstance(end, Expr):
                    yield node.label, Claim(size, end, ">=")
            makers.update(dict.fromkeys(node.outputs, node))


def _rows(node: Node, values: Values) -> Dim | None:
    table = values.get(node.inputs[0])
    axis = node.attributes["axis"].value if "axis" in node.attributes else 0
    shape = table.shape if isinstance(table, Abstract) else None
    if shape is None or not isinstance(axis, int) or not -len(shape) <= axis < len(shape):
        return None
    return shape[axis]


def _end(name: str, makers: Mapping[str, Node], values: Values) -> Dim | None:
    """The number after the largest that a tensor holds, if it is made by counting up by one."""
    offset: Dim = 0
    for _ in range(_MOST_STEPS):
        node = makers.get(name)
        if node is None:
            break
        if node.op_type == "Range" and len(node.inputs) == 3:
            _, limit, step = (_number(each, values) for each in node.inputs)
            return limit + offset if limit is not None and step == 1 else None
        if node.op_type == "Add":
            added = [_number(each, values) for each in node.inputs]
            known = [each for each in added if each is not None]
            if len(known) != 1 or len(added) != 2:
                break
            offset, name = offset + known[0], node.inputs[added.index(None)]
        elif node.op_type in _KEEPS_ELEMENTS and node.inputs:
            name = node.inputs[0]
        else:
            break
    return None


def _number(name: str, values: Values) -> Dim | None:
    """The one element of a tensor, if it is a size."""
    value = values.get(name)
    content = value.content if isinstance(value, Abstract) else None
    if content is None or len(content) != 1:
        return None
    (element,) = content
    return element if type(element) is int or isinstance(element, Expr) else None
