"""From a model and its types to a scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from onnx_explorer.inference import Types
from onnx_explorer.ir import (
    Function,
    Graph,
    Model,
    Node,
    Tensor,
    Type,
    Value,
    inner_path,
    node_ids,
    sorted_nodes,
)
from onnx_explorer.ir.collector import without_collector
from onnx_explorer.ops.registry import canonical_domain
from onnx_explorer.ops.resolve import Meaning, Resolved, Resolver
from onnx_explorer.view.aliases import aliases
from onnx_explorer.view.constants import constant_of
from onnx_explorer.view.facts import function_rows, model_rows
from onnx_explorer.view.findings import Findings
from onnx_explorer.view.groups import Grouping, Scope, scopes
from onnx_explorer.view.labels import elements_text
from onnx_explorer.view.scene import (
    Box,
    BoxKind,
    Edge,
    Group,
    GroupKind,
    Initializer,
    PortRow,
    Scene,
)
from onnx_explorer.view.wording import Wording

MOST_BOXES = 200_000
"""Bodies of further function calls are left out of a scene that has grown to this size."""


def scene_of(types: Types, title: str = "", grouping: Grouping | None = None) -> Scene:
    """The scene of a model with the types that inference found."""
    with without_collector(acyclic=True):
        return _Drawing(types, grouping).scene(title or types.model.graph.name or "model")


def function_scene(types: Types, function: Graph, path: str) -> Scene:
    """The scene of the function that an operator stands for, by itself: `view/inside.py` puts it
    into the node. `path` is that of the function, and `types` are those of its values.
    """
    return _Drawing(types, None).function(function, path)


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a value comes from: its key in the scene, and its box or its constant tensor."""

    key: str
    type: Type | None
    box: int = -1
    constant: Tensor | None = None
    # Of a constant: the group of its graph.
    group: int = 0
    declared: Type | None = None
    from_file: bool = False


@dataclass(slots=True)
class _Place:
    """A graph while it is drawn: its path, its group, and the values that can be seen in it."""

    path: str
    group: int
    imports: Mapping[str, int]
    types: Mapping[str, Type]
    outer: _Place | None = None
    declared: Mapping[str, Type] = field(default_factory=dict[str, Type])
    values: dict[str, _Origin] = field(default_factory=dict[str, _Origin])

    def find(self, name: str) -> _Origin | None:
        place: _Place | None = self
        while place is not None:
            found = place.values.get(name)
            if found is not None:
                return found
            place = place.outer
        return None


class _Drawing:
    def __init__(self, types: Types, grouping: Grouping | None) -> None:
        self._grouping = grouping
        self._model: Model = types.model
        self._scopes = types.scopes
        self._resolver = Resolver(types.model)
        self._findings = Findings(types.diagnostics)
        self._wording = Wording()
        self._groups: list[Group] = []
        self._boxes: list[Box] = []
        self._edges: list[Edge] = []
        # With the boxes that read each, and why it does not fit there.
        self._constants: dict[str, tuple[_Origin, dict[int, str]]] = {}
        self._hidden: set[str] = set()
        self._calls: list[tuple[str, str, str]] = []

    def scene(self, title: str) -> Scene:
        graph = self._model.graph
        root = self._group(-1, title, "root")
        place = _Place("", root, self._model.opset_imports, self._scopes[""])
        self._graph(place, graph)
        place_of = {box.id: i for i, box in enumerate(self._boxes)}
        return Scene(
            title,
            model_rows(self._model, len(self._hidden)),
            tuple(self._groups),
            tuple(self._boxes),
            tuple(self._edges),
            self._initializers(),
            self._findings.rows(place_of),
            aliases(type_ for scope in self._scopes.values() for type_ in scope.values()),
            frozenset(self._hidden),
            self._tensors(),
            function_rows(self._model),
        )

    def function(self, function: Graph, path: str) -> Scene:
        """The scene of a function whose values have these types."""
        # Its findings are those of the node, which are told there.
        self._findings = Findings(())
        self._scopes = {path + inner: types for inner, types in self._scopes.items()}
        group = self._group(-1, "body", "operator")
        imports = self._model.opset_imports
        self._graph(_Place(path, group, imports, self._scopes[path]), function)
        return Scene(
            path,
            (),
            tuple(self._groups),
            # What its nodes compute and keep is counted at the node that it stands for.
            tuple(replace(box, bytes="", macs="", flops="") for box in self._boxes),
            tuple(self._edges),
            self._initializers(),
            hidden=frozenset(self._hidden),
            constants=self._tensors(),
        )

    def _initializers(self) -> tuple[Initializer, ...]:
        return tuple(
            Initializer(
                key,
                self._wording.label(origin.type),
                constant.nbytes,
                tuple(readers),
                origin.group,
                elements_text(constant).strip("[]") if constant.size == 1 else "",
                tuple(readers.values()) if any(readers.values()) else (),
            )
            for key, (origin, readers) in self._constants.items()
            if (constant := origin.constant) is not None
        )

    def _tensors(self) -> dict[str, Tensor]:
        return {
            key: origin.constant
            for key, (origin, _) in self._constants.items()
            if origin.constant is not None
        }

    # -- graphs ------------------------------------------------------------------------------

    def _graph(self, place: _Place, graph: Graph) -> None:
        stated = (*graph.value_info, *graph.outputs)
        place.declared = {value.name: value.type for value in stated if value.type is not None}
        for name, tensor in graph.initializers.items():
            self._constant(place, name, tensor)
        for sparse in graph.sparse_initializers:
            self._constant(place, sparse.name, sparse.values)
        for value in graph.inputs:
            if value.name not in place.values:
                self._input(place, value)
        self._nodes(place, graph.nodes, {value.name for value in graph.outputs})
        for value in graph.outputs:
            self._output(place, value)

    def _body(self, place: _Place, function: Function) -> None:
        for name in function.inputs:
            self._input(place, Value(name))
        self._nodes(place, function.nodes, set(function.outputs))
        for name in function.outputs:
            self._output(place, Value(name))

    def _nodes(self, place: _Place, nodes: Sequence[Node], outputs: set[str]) -> None:
        ids = dict(zip(map(id, nodes), node_ids(nodes), strict=True))
        drawn: list[Node] = []
        for node in sorted_nodes(nodes):
            constant = None if outputs.intersection(node.outputs) else self._folded(place, node)
            if constant is None:
                drawn.append(node)
            else:
                self._constant(place, node.outputs[0], constant)
                self._hidden.add(place.path + ids[id(node)])
        groups = [place.group] * len(drawn)
        self._scope_groups(scopes(drawn, self._grouping), place.group, groups)
        for node, group in zip(drawn, groups, strict=True):
            self._node(place, node, ids[id(node)], group)

    def _folded(self, place: _Place, node: Node) -> Tensor | None:
        """The tensor that a node stands for: a Constant, or a copy of something constant."""
        if node.op_type == "Identity" and len(node.inputs) == 1:
            origin = place.find(node.inputs[0])
            return origin.constant if origin and canonical_domain(node.domain) == "" else None
        return constant_of(node)

    def _scope_groups(self, scope: Scope, group: int, groups: list[int]) -> None:
        for place in scope.nodes:
            groups[place] = group
        for child in scope.children:
            self._scope_groups(child, self._group(group, child.label, "scope"), groups)

    def _group(self, parent: int, label: str, kind: GroupKind, box: int = -1) -> int:
        self._groups.append(Group(parent, label, kind, box))
        return len(self._groups) - 1

    # -- boxes -------------------------------------------------------------------------------

    def _constant(self, place: _Place, name: str, tensor: Tensor) -> None:
        type_ = place.types.get(name, tensor.type)
        origin = _Origin(place.path + name, type_, constant=tensor, group=place.group)
        place.values[name] = origin
        self._constants[origin.key] = (origin, {})

    def _input(self, place: _Place, value: Value) -> None:
        type_ = place.types.get(value.name, value.type)
        key = place.path + value.name
        row = ("", key, self._wording.label(type_))
        box = self._end(place, "input", value, outputs=(row,))
        place.values[value.name] = _Origin(
            key, type_, box, declared=value.type, from_file=value.type is not None
        )

    def _output(self, place: _Place, value: Value) -> None:
        origin = place.find(value.name)
        key, type_ = (origin.key, origin.type) if origin else (place.path + value.name, value.type)
        row = ("", key, self._wording.label(type_))
        box = self._end(place, "output", value, inputs=(row,))
        self._read(origin, box, value.name, "")

    def _end(
        self,
        place: _Place,
        kind: BoxKind,
        value: Value,
        inputs: tuple[PortRow, ...] = (),
        outputs: tuple[PortRow, ...] = (),
    ) -> int:
        self._boxes.append(
            Box(
                place.group,
                kind,
                f"{place.path}{'in' if kind == 'input' else 'out'}:{value.name}",
                name=value.name,
                inputs=inputs,
                outputs=outputs,
                doc=value.doc,
                metadata=tuple(value.metadata.items()),
            )
        )
        return len(self._boxes) - 1

    def _node(self, place: _Place, node: Node, node_id: str, group: int) -> None:
        full_id = place.path + node_id
        meaning = self._resolver.meaning(node, place.imports)
        origins = [place.find(name) if name else None for name in node.inputs]
        input_types = [origin.type if origin else None for origin in origins]
        output_types = [place.types.get(name) for name in node.outputs]
        constants = [origin.constant if origin else None for origin in origins]
        words = self._wording.words(node, meaning, input_types, output_types, constants)
        label = self._wording.label
        index = len(self._boxes)
        self._boxes.append(
            Box(
                group,
                "constant" if constant_of(node) is not None else "node",
                full_id,
                op=node.op_type,
                domain=words.domain,
                version=words.version,
                name=node.name,
                detail=words.detail,
                category=words.category,
                attributes=words.attributes,
                inputs=tuple(
                    [
                        (port, origin.key if origin else place.path + name, label(type_))
                        for port, name, origin, type_ in zip(
                            words.inputs, node.inputs, origins, input_types, strict=True
                        )
                        if name
                    ]
                ),
                outputs=tuple(
                    [
                        (port, place.path + name, label(type_))
                        for port, name, type_ in zip(
                            words.outputs, node.outputs, output_types, strict=True
                        )
                        if name
                    ]
                ),
                doc=node.doc,
                metadata=tuple(node.metadata.items()),
                problems=self._findings.problems(full_id),
                bytes=words.figures.bytes,
                macs=words.figures.macs,
                flops=words.figures.flops,
            )
        )
        for name, origin in zip(node.inputs, origins, strict=True):
            if name:
                self._read(origin, index, name, full_id)
        unknown = not isinstance(meaning, Resolved | Function)
        for name, type_ in zip(node.outputs, output_types, strict=True):
            declared = place.declared.get(name)
            if name:
                place.values[name] = _Origin(
                    place.path + name,
                    type_,
                    index,
                    declared=declared,
                    from_file=unknown and declared is not None,
                )
        self._interiors(place, node, node_id, group, index, meaning)

    def _interiors(
        self, place: _Place, node: Node, node_id: str, group: int, box: int, meaning: Meaning
    ) -> None:
        """The graphs inside a node, each a group that its box owns."""
        for part, graph in node.subgraphs:
            path = inner_path(place.path, node_id, part)
            inner = self._group(group, part, "subgraph", box)
            types = self._scopes.get(path, {})
            self._graph(_Place(path, inner, place.imports, types, place), graph)
        if (
            isinstance(meaning, Function)
            and meaning.key not in self._calls
            and len(self._boxes) < MOST_BOXES
        ):
            path = inner_path(place.path, node_id, "function")
            inner = self._group(group, meaning.name, "function", box)
            self._calls.append(meaning.key)
            types = self._scopes.get(path, {})
            self._body(_Place(path, inner, meaning.opset_imports, types), meaning)
            self._calls.pop()

    def _read(self, origin: _Origin | None, box: int, name: str, node: str) -> None:
        """Note that a box reads a value: an edge, or a mark on the constant."""
        if origin is None:
            return
        mismatch = self._findings.mismatch(origin.key, name, node)
        if origin.constant is not None:
            readers = self._constants[origin.key][1]
            readers[box] = readers.get(box) or mismatch
            return
        known = self._wording.is_known(origin.type)
        label = self._wording.label(origin.type)
        said = "" if origin.declared is None else self._wording.label(origin.declared)
        self._edges.append(
            Edge(
                origin.key,
                origin.box,
                box,
                label,
                "mismatch" if mismatch else "known" if known else "unknown",
                mismatch or ("" if known else self._findings.reason(self._boxes[origin.box].id)),
                # What the file says, where that is not what is shown already.
                "" if said == label else said,
                int(origin.from_file and known),
            )
        )
