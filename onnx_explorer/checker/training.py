"""The training that a model describes: what its bindings name, and whether it fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from onnx_explorer.checker.finding import finding
from onnx_explorer.inference.declared import conflict_text
from onnx_explorer.inference.diagnostics import Diagnostic
from onnx_explorer.ir import Graph, Model, TrainingInfo, Type
from onnx_explorer.schema import Abstract, abstract_of


def training_findings(
    model: Model, scopes: Mapping[str, Mapping[str, Type]]
) -> Iterator[Diagnostic]:
    """What is wrong with the bindings of each training step."""
    for place, step in enumerate(model.training):
        for kind, bindings, graph in (
            ("initialization", step.initialization_binding, step.initialization),
            ("update", step.update_binding, step.algorithm),
        ):
            part = "initialization" if kind == "initialization" else "algorithm"
            types = scopes.get(f"training[{place}]/{part}/", {})
            for name, output in bindings:
                text = _fault(model, step, graph, name, output, types)
                if text:
                    text = f"{kind} binding {name!r} = {output!r} of training {place}: {text}"
                    yield finding("training-binding", text, value=name)


def _fault(
    model: Model,
    step: TrainingInfo,
    graph: Graph | None,
    name: str,
    output: str,
    types: Mapping[str, Type],
) -> str:
    tensor = model.graph.initializers.get(name)
    if tensor is None and step.algorithm is not None:
        tensor = step.algorithm.initializers.get(name)
    if tensor is None:
        return f"there is no initializer {name!r}"
    made = {value.name for g in (model.graph, graph) if g is not None for value in g.outputs}
    if output not in made:
        return f"there is no output {output!r}"
    found = abstract_of(types.get(output))
    conflict = conflict_text(found, Abstract(tensor.dtype, tensor.dims))
    return f"{types[output]} does not fit {tensor.type}" if conflict else ""
