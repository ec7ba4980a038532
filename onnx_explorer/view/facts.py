"""What there is to say about a model as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from onnx_explorer.ir import Graph, Model, Tensor
from onnx_explorer.ops.registry import canonical_domain
from onnx_explorer.view.constants import constant_of
from onnx_explorer.view.labels import bytes_text, shortened
from onnx_explorer.view.scene import FunctionRow


def model_rows(model: Model, n_hidden: int = 0) -> tuple[tuple[str, str], ...]:
    """Labels and texts: opsets, producer, size, and what the file says about itself. `n_hidden`
    nodes are not drawn.
    """
    graph = model.graph
    weights = list(_weights(graph))
    elements = sum(tensor.size for tensor in weights)
    n_nodes = _count(graph)
    inner = n_nodes - len(graph.nodes)
    rows = {
        "Graph": graph.name,
        "Opset": ", ".join(_opset_text(d, v) for d, v in model.opset_imports.items()),
        "IR version": str(model.ir_version),
        "Producer": f"{model.producer_name} {model.producer_version}".strip(),
        "Domain": model.domain,
        "Version": str(model.model_version or ""),
        "Nodes": f"{len(graph.nodes):,}"
        + (f" + {inner:,} in subgraphs" if inner else "")
        + (f", {n_hidden:,} of them constants" if n_hidden else ""),
        "Functions": str(len(model.functions) or ""),
        "Parameters": f"{elements:,} in {bytes_text(sum(t.nbytes for t in weights))}"
        if elements
        else "none",
        "Description": shortened(model.doc or graph.doc, 2000),
        **{key: shortened(value, 2000) for key, value in model.metadata.items()},
    }
    return tuple((label, text) for label, text in rows.items() if text)


def function_rows(model: Model) -> tuple[FunctionRow, ...]:
    """The functions of a model, those that are called most first."""
    calls = Counter(_called(model))
    rows = [
        (
            f"{function.name}:{function.overload}" if function.overload else function.name,
            function.domain,
            function.inputs,
            function.outputs,
            len(function.nodes),
            calls[canonical_domain(domain), name, overload],
        )
        for (domain, name, overload), function in model.functions.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row[5], row[1], row[0])))


def _called(model: Model) -> Iterator[tuple[str, str, str]]:
    """What each node calls: in the graph, in functions, in their bodies."""
    waiting = [model.graph.nodes, *(function.nodes for function in model.functions.values())]
    while waiting:
        for node in waiting.pop():
            yield canonical_domain(node.domain), node.op_type, node.overload
            waiting.extend(inner.nodes for _, inner in node.subgraphs)


def _opset_text(domain: str, version: int) -> str:
    return f"{domain or 'ai.onnx'} {version}"


def _weights(graph: Graph) -> Iterator[Tensor]:
    yield from graph.initializers.values()
    # What is stored of them.
    yield from (sparse.values for sparse in graph.sparse_initializers)
    for node in graph.nodes:
        constant = constant_of(node)
        if constant is not None:
            yield constant
        for _, inner in node.subgraphs:
            yield from _weights(inner)


def _count(graph: Graph) -> int:
    return len(graph.nodes) + sum(
        _count(inner) for node in graph.nodes for _, inner in node.subgraphs
    )
