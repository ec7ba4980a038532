"""What is wrong with a model before any type is looked at: names, order, and what is declared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import is_

from onnx_explorer.errors import ModelError
from onnx_explorer.inference.codes import CODES
from onnx_explorer.inference.declared import conflict_text
from onnx_explorer.inference.diagnostics import Diagnostic
from onnx_explorer.ir import (
    Graph,
    Model,
    Node,
    SparseTensorType,
    TensorType,
    Type,
    Value,
    inner_path,
    node_ids,
    sorted_nodes,
)
from onnx_explorer.ir.order import read_names
from onnx_explorer.schema import Abstract, abstract_of


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A graph or a function body. `graph` is None for a function; `around` is the part outside
    whose values can be read.
    """

    path: str
    nodes: Sequence[Node]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    imports: Mapping[str, int]
    graph: Graph | None = None
    around: Part | None = None
    _made: set[str] = field(default_factory=set[str], repr=False)
    _ids: list[str] = field(default_factory=list[str], repr=False)

    def makes(self, name: str) -> bool:
        """Whether a node of it makes this value."""
        if not self._made:
            self._made.update(output for node in self.nodes for output in node.outputs)
        return name in self._made

    @property
    def what(self) -> str:
        """What to call it: `the graph`, `subgraph loop_1/body`, `function norm`."""
        if not self.path:
            return "the graph"
        return self.path.rstrip("/") if self.graph is None else f"subgraph {self.path.rstrip('/')}"

    def named_nodes(self) -> Iterator[tuple[Node, str]]:
        """The nodes with their full ids."""
        if not self._ids:
            self._ids.extend(self.path + node_id for node_id in node_ids(self.nodes))
        return zip(self.nodes, self._ids, strict=True)

    def has_constant(self, name: str) -> bool:
        """Whether an initializer has this name."""
        if self.graph is None:
            return False
        sparse = self.graph.sparse_initializers
        return name in self.graph.initializers or any(s.name == name for s in sparse)

    @property
    def constants(self) -> Iterator[str]:
        """Names of the initializers."""
        if self.graph is not None:
            yield from self.graph.initializers
            yield from (sparse.name for sparse in self.graph.sparse_initializers)


def parts(model: Model) -> Iterator[Part]:
    """Every graph and function body, each before what is inside of it."""
    yield from _graphs(model.graph, "", model.opset_imports, None)
    for place, step in enumerate(model.training):
        path, imports = f"training[{place}]", model.opset_imports
        if step.initialization is not None:
            yield from _graphs(step.initialization, f"{path}/initialization/", imports, None)
        if step.algorithm is not None:
            around = _part(model.graph, "", imports, None)
            yield from _graphs(step.algorithm, f"{path}/algorithm/", imports, around)
    for function in model.functions.values():
        part = Part(
            f"function {function.name}/",
            function.nodes,
            function.inputs,
            function.outputs,
            function.opset_imports,
        )
        yield part
        yield from _inside(part)


def _part(graph: Graph, path: str, imports: Mapping[str, int], around: Part | None) -> Part:
    inputs = tuple(value.name for value in graph.inputs)
    outputs = tuple(value.name for value in graph.outputs)
    return Part(path, graph.nodes, inputs, outputs, imports, graph, around)


def _graphs(
    graph: Graph, path: str, imports: Mapping[str, int], around: Part | None
) -> Iterator[Part]:
    part = _part(graph, path, imports, around)
    yield part
    yield from _inside(part)


def _inside(part: Part) -> Iterator[Part]:
    if not any(node.attributes and any(node.subgraphs) for node in part.nodes):
        return
    for node, node_id in zip(part.nodes, node_ids(part.nodes), strict=True):
        for name, graph in node.subgraphs:
            yield from _graphs(graph, inner_path(part.path, node_id, name), part.imports, part)


def structure(model: Model, *, in_order: bool = False) -> Iterator[Diagnostic]:
    """Everything that names, order and declarations have against them. `in_order` says that each
    node of the main graph was seen to come after what it reads, and to make values of its own.
    """
    for part in parts(model):
        is_seen = in_order and not part.path
        if not is_seen:
            yield from _order(part)
        yield from _names(part, nodes=() if is_seen else part.nodes)
        yield from _node_names(part)
        if part.graph is not None:
            yield from _constants(part, part.graph, model.ir_version)
            if not part.path:
                yield from _placeholders(part.graph)


def _found(
    code: str, message: str, *, node: str = "", operator: str = "", value: str = ""
) -> Diagnostic:
    return Diagnostic(code, CODES[code].severity, message, node, operator, value=value)


def _order(part: Part) -> Iterator[Diagnostic]:
    """A cycle, or the first node that reads what a later one makes."""
    try:
        ordered = sorted_nodes(part.nodes)
    except ModelError as error:
        where = f" (in {part.what})" if part.path else ""
        yield _found("cycle", f"{error}{where}")
        return
    if all(map(is_, ordered, part.nodes)):
        return
    makers = {name: node for node in part.nodes for name in node.outputs if name}
    ids = dict(zip(map(id, part.nodes), node_ids(part.nodes), strict=True))
    made = {*part.inputs, *part.constants}
    for node in part.nodes:
        for name in read_names(node):
            if name in makers and name not in made:
                later = ids[id(makers[name])]
                yield _found(
                    "unsorted-nodes",
                    f"it reads {name!r}, which {later!r} makes further down; the nodes were sorted",
                    node=part.path + ids[id(node)],
                    operator=node.op_type,
                    value=name,
                )
                return
        made.update(node.outputs)


def _names(part: Part, nodes: Sequence[Node]) -> Iterator[Diagnostic]:
    """Names that are given twice."""
    givers: dict[str, str | Node] = {}
    for what, given in (("input", part.inputs), ("initializer", tuple(part.constants))):
        for name, times in Counter(given).items():
            if times > 1:
                text = f"{part.what} has two {what}s of this name"
                yield _found("duplicate-value", text, value=name)
            elif (outer := _outer_giver(part, name)) and name not in givers:
                text = f"this {what} of {part.what} hides {outer}"
                yield _found("shadowed-value", text, value=name)
            givers.setdefault(name, f"an {what}")
    for node in nodes:
        for name in node.outputs:
            if not name:
                continue
            if name in givers or (part.around is not None and _outer_giver(part, name)):
                yield _made_twice(part, node, name, givers.get(name))
            givers.setdefault(name, node)


def _node_names(part: Part) -> Iterator[Diagnostic]:
    names = Counter(node.name for node in part.nodes if node.name)
    for name, times in names.items():
        if times > 1:
            text = (
                f"{times} nodes of {part.what} are named {name!r}; they are told apart by outputs"
            )
            yield _found("duplicate-node-name", text)


def _made_twice(part: Part, node: Node, name: str, giver: str | Node | None) -> Diagnostic:
    ids = dict(zip(map(id, part.nodes), node_ids(part.nodes), strict=True))
    if isinstance(giver, Node):
        giver = f"an output of {ids[id(giver)]!r}"
    return _found(
        "duplicate-value",
        f"it makes {name!r}, but {giver or _outer_giver(part, name)} has that name already",
        node=part.path + ids[id(node)],
        operator=node.op_type,
        value=name,
    )


def _outer_giver(part: Part, name: str) -> str:
    """Who gives a name in a graph around this one."""
    around = part.around
    while around is not None:
        if name in around.inputs or around.has_constant(name):
            return f"a value of {around.what}"
        if around.makes(name):
            return f"a node of {around.what}"
        around = around.around
    return ""


def _constants(part: Part, graph: Graph, ir_version: int) -> Iterator[Diagnostic]:
    inputs = {value.name: value for value in graph.inputs}
    for name in part.constants:
        if name not in inputs and ir_version < 4 and not part.path:
            text = (
                f"before IR version 4 an initializer is also an input; this is version {ir_version}"
            )
            yield _found("initializer-not-input", text, value=name)
    for name, tensor in graph.initializers.items():
        declared = inputs[name].type if name in inputs else None
        if declared is None:
            continue
        conflict = conflict_text(Abstract(tensor.dtype, tensor.dims), abstract_of(declared))
        if conflict:
            text = f"declared as the input {declared}, but the initializer is {tensor.type}"
            yield _found("initializer-mismatch", f"{text}: {conflict}", value=name)


def _placeholders(graph: Graph) -> Iterator[Diagnostic]:
    for value in graph.inputs:
        for axis, text in _odd_sizes(value.type):
            yield _placeholder(value, axis, text)
    for value in graph.outputs:
        for axis, text in _odd_sizes(value.type):
            if text != "0":  # what is computed may well be empty
                yield _placeholder(value, axis, text)


def _placeholder(value: Value, axis: int, text: str) -> Diagnostic:
    message = f"axis {axis} is declared as {text}, which is read as unknown; give it a name"
    if text == "0":
        message = f"axis {axis} is declared as 0, an empty axis; if it stands for unknown, name it"
    return _found("placeholder-size", message, value=value.name)


def _odd_sizes(declared: Type | None) -> Iterator[tuple[int, str]]:
    if not isinstance(declared, (TensorType, SparseTensorType)):
        return
    for axis, size in enumerate(declared.shape or ()):
        spelling = declared.spelling[axis] if axis < len(declared.spelling) else ""
        if isinstance(size, int) and size <= 0:
            yield axis, str(size)
        elif spelling.lstrip("-").isdecimal():
            yield axis, spelling
