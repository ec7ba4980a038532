"""`check`: everything that breaks a rule of the standard, and everything that inference finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from onnx_explorer.checker.finding import finding
from onnx_explorer.checker.graphs import graph_findings, missing_values, node_findings
from onnx_explorer.checker.models import (
    function_findings,
    model_findings,
    placement_findings,
)
from onnx_explorer.checker.report import Report
from onnx_explorer.checker.stored import stored_findings
from onnx_explorer.checker.tensors import tensor_findings
from onnx_explorer.checker.training import training_findings
from onnx_explorer.errors import ModelError
from onnx_explorer.files import Source, load
from onnx_explorer.inference import infer
from onnx_explorer.inference.diagnostics import Diagnostic
from onnx_explorer.inference.structure import Part, parts, structure
from onnx_explorer.ir import Function, Model, Type
from onnx_explorer.ops.resolve import Resolver


def check(source: Source) -> Report:
    """What is wrong with a model, or with what is to be loaded as one; an empty report if nothing
    is. What cannot be loaded is a finding as well.

    Raises:
        FileNotFoundError: there is no such file.
    """
    try:
        model = load(source)
    except ModelError as error:
        return Report([finding("unreadable", str(error))])
    seen: dict[tuple[str, str, str, str], Diagnostic] = {}
    for found in _all(model):
        seen.setdefault((found.code, found.node, found.value, found.message), found)
    return Report(seen.values())


def _all(model: Model) -> Iterator[Diagnostic]:
    yield from model_findings(model)
    types: Mapping[str, Type] = {}
    resolver = Resolver(model)
    called = _called(model, resolver)
    yield from function_findings(model, resolver)
    try:
        types = inferred = infer(model)
    except ModelError:  # a cycle, which the structure tells of
        scopes: Mapping[str, Mapping[str, Type]] = {}
        yield from map(_strictly, structure(model))
    else:
        scopes = inferred.scopes
        # A recursion is told of once, with all that take part in it.
        told = (d for d in inferred.diagnostics if d.code != "recursive-function")
        yield from map(_strictly, told)
        for constraint in inferred.constraints:
            if constraint.is_impossible:
                nodes = " and ".join(map(repr, constraint.nodes))
                text = f"{constraint.text} lets the graph work: {nodes} ask for different ones"
                yield finding("impossible-size", text, node=constraint.nodes[-1])
    yield from training_findings(model, scopes)
    for part in parts(model):
        function = _function_around(part, model)
        names = None if function is None else {*function.attributes, *function.defaults}
        typed = part.path in scopes or (function is not None and function.key in called)
        in_scope = types if not part.path else scopes.get(part.path, {})
        yield from graph_findings(part, in_scope)
        if not typed:
            yield from missing_values(part)
        yield from node_findings(part, resolver, typed=typed, references=names)
        yield from tensor_findings(part)
        yield from stored_findings(part, function, model.ir_version)
        yield from placement_findings(part, model, in_scope)


def _strictly(found: Diagnostic) -> Diagnostic:
    """A finding as the standard sees it: it does not mend the order of nodes, as inference does."""
    return replace(found, severity="error") if found.code == "unsorted-nodes" else found


def _called(model: Model, resolver: Resolver) -> frozenset[tuple[str, str, str]]:
    """The functions that some node calls."""
    if not model.functions:
        return frozenset()
    return frozenset(
        meaning.key
        for part in parts(model)
        for node in part.nodes
        if isinstance(meaning := resolver.meaning(node, part.imports), Function)
    )


def _function_around(part: Part, model: Model) -> Function | None:
    """The function whose body a part is, or lies in."""
    outermost = part
    while outermost.around is not None:
        outermost = outermost.around
    if outermost.graph is not None:
        return None
    return next(f for f in model.functions.values() if f.nodes is outermost.nodes)
