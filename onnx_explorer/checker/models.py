"""The model as a whole: versions, imports, functions, metadata and placement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from onnx_explorer.checker.finding import finding
from onnx_explorer.checker.stored import stored_imports
from onnx_explorer.files.memo import Metadata
from onnx_explorer.inference.diagnostics import Diagnostic
from onnx_explorer.inference.structure import Part
from onnx_explorer.ir import Function, Model, Node, NodeDevices, Type
from onnx_explorer.ops._index import INDEX
from onnx_explorer.ops.registry import canonical_domain, operator
from onnx_explorer.ops.resolve import Resolver, opset_of

NEWEST_IR = 14
NEWEST_OPSET = max(max(versions) for (domain, _), (_, _, versions) in INDEX.items() if not domain)


def model_findings(model: Model) -> Iterator[Diagnostic]:
    """What is wrong with versions, imports and metadata."""
    if not 1 <= model.ir_version <= NEWEST_IR:
        text = f"the IR version is {model.ir_version}; expected 1 to {NEWEST_IR}"
        yield finding("ir-version", text)
    yield from _imports(model)
    yield from stored_imports("the model", model)
    if isinstance(model.metadata, Metadata):
        for key in model.metadata.repeated():
            yield finding("duplicate-metadata", f"the metadata has {key!r} twice")


def _imports(model: Model) -> Iterator[Diagnostic]:
    if not model.opset_imports and model.ir_version >= 3:
        yield finding("missing-import", "the model imports no opset")
    if model.opset_imports and 1 <= model.ir_version < 3:
        text = f"imports came with IR version 3; this model is of version {model.ir_version}"
        yield finding("import-conflict", text)
    versions: dict[str, int] = {}
    for name, version in model.opset_imports.items():
        domain = canonical_domain(name)
        if versions.setdefault(domain, version) != version:
            text = f"'ai.onnx' is imported as {versions[domain]} and as {version}"
            yield finding("import-conflict", text)
        text = f"{domain or 'ai.onnx'!r} is imported in version {version}"
        if version < 1:
            yield finding("import-version", f"{text}; expected 1 or more")
        elif not domain and version > NEWEST_OPSET:
            text += f"; {NEWEST_OPSET} is the newest known here, and its operators are used instead"
            yield finding("newer-import", text)


# -- functions -----------------------------------------------------------------------------------


def function_findings(model: Model, resolver: Resolver) -> Iterator[Diagnostic]:
    """What is wrong with the functions, each by itself and together."""
    if model.functions and model.ir_version < 8:
        text = f"functions came with IR version 8; this model is of version {model.ir_version}"
        yield finding("ir-version", text)
    for function in model.functions.values():
        yield from _function(function, model)
    yield from _recursion(model, resolver)


def _function(function: Function, model: Model) -> Iterator[Diagnostic]:
    what = f"function {function.name!r}"
    for field, text in (("name", function.name), ("domain", function.domain)):
        if not text:
            yield finding("missing-field", f"{what} has no {field}")
    for role, names in (
        ("inputs", function.inputs),
        ("outputs", function.outputs),
        ("attributes", (*function.attributes, *function.defaults)),
    ):
        for name in _repeated(names):
            yield finding("duplicate-function", f"{what} has two {role} named {name!r}")
        if "" in names:
            yield finding("missing-field", f"one of the {role} of {what} has no name")
    made = {*function.inputs, *(name for node in function.nodes for name in node.outputs)}
    for name in function.outputs:
        if name and name not in made:
            yield finding("missing-value", f"nothing in {what} makes its output", value=name)
    if not function.opset_imports:
        yield finding("missing-import", f"{what} imports no opset")
    yield from stored_imports(what, function)
    yield from _compatible(function, model)


def _compatible(function: Function, model: Model) -> Iterator[Diagnostic]:
    """Operators that mean something else under the function's import than under the model's."""
    for node in function.nodes:
        domain = canonical_domain(node.domain)
        own, outer = (opset_of(domain, m) for m in (function.opset_imports, model.opset_imports))
        found = operator(node.op_type, domain)
        if found is None or own is None or outer is None or own == outer:
            continue
        if found.version_at(own) != found.version_at(outer):
            text = (
                f"function {function.name!r} imports {domain or 'ai.onnx'!r} {own}, the model {outer}, "
                f"and {node.op_type!r} changed in between"
            )
            yield finding("import-conflict", text)
            return


def _recursion(model: Model, resolver: Resolver) -> Iterator[Diagnostic]:
    calls = {
        key: list(dict.fromkeys(_calls(function.nodes, function, resolver)))
        for key, function in model.functions.items()
    }
    settled: set[tuple[str, str, str]] = set()
    for start in calls:
        path: list[tuple[str, str, str]] = []
        waiting = [(start, 0)]
        while waiting:
            key, depth = waiting.pop()
            del path[depth:]
            if key in path:
                names = " -> ".join(repr(name) for _, name, _ in (*path[path.index(key) :], key))
                yield finding("recursive-function", f"functions call each other: {names}")
                settled.update(path)
                break
            if key in settled:
                continue
            path.append(key)
            waiting.extend((inner, len(path)) for inner in calls[key])
        settled.add(start)


def _calls(
    nodes: Iterable[Node], function: Function, resolver: Resolver
) -> Iterator[tuple[str, str, str]]:
    for node in nodes:
        meaning = resolver.meaning(node, function.opset_imports)
        if isinstance(meaning, Function):
            yield meaning.key
        for _, graph in node.subgraphs:
            yield from _calls(graph.nodes, function, resolver)


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


# -- placement -----------------------------------------------------------------------------------


def placement_findings(part: Part, model: Model, types: Mapping[str, Type]) -> Iterator[Diagnostic]:
    """Placements of nodes that name devices, tensors or axes which are not there."""
    for node, place in part.named_nodes():
        for placement in node.devices:
            for text in _placement(placement, node, model, types):
                yield finding("sharding", text, node=place, operator=node.op_type)


def _placement(
    placement: NodeDevices, node: Node, model: Model, types: Mapping[str, Type]
) -> Iterator[str]:
    known = {configuration.name: configuration for configuration in model.devices}
    configuration = known.get(placement.configuration)
    if configuration is None:
        yield f"there is no device configuration {placement.configuration!r}"
        return
    for sharding in placement.sharding:
        if sharding.tensor not in {*node.inputs, *node.outputs}:
            yield f"it places {sharding.tensor!r}, which is neither input nor output"
        groups = {index for index, _ in sharding.groups}
        devices = [*(d for d in sharding.devices if d not in groups)]
        devices += [device for _, members in sharding.groups for device in members]
        for device in devices:
            if not 0 <= device < configuration.num_devices:
                text = f"device {device} of configuration {configuration.name!r}"
                yield f"{text}, which has {configuration.num_devices}"
        for dim in sharding.dims:
            shape = getattr(types.get(sharding.tensor), "shape", None)
            if shape is not None and not -len(shape) <= dim.axis < len(shape):
                yield f"axis {dim.axis} of {sharding.tensor!r}, which has rank {len(shape)}"
            if any(shards < 1 for _, shards in dim.pieces):
                yield f"axis {dim.axis} of {sharding.tensor!r} is cut into fewer than 1 shard"
