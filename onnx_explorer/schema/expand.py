"""Operators expanded into the function of others that the standard gives them as."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from onnx_explorer.errors import SchemaError
from onnx_explorer.ir.expected import expect_dict, shown
from onnx_explorer.ir.model import Function, Graph, Node
from onnx_explorer.ir.types import Type
from onnx_explorer.schema.attributes import arguments, decoded
from onnx_explorer.schema.body import Body, BodyValue
from onnx_explorer.schema.contract import Violation
from onnx_explorer.schema.operator import Operator


def versions_like(found: Operator, version: int) -> tuple[int, ...]:
    """The versions of an operator that differ from this one in the types that they take alone, this
    one first, then later ones, then earlier ones.
    """
    at = found.versions.index(version)
    later, earlier = found.versions[at + 1 :], found.versions[:at][::-1]
    like = [version]
    for versions in (later, earlier):
        before = version
        for each in versions:
            if not _differ_in_types_alone(found, before, each):
                break
            like.append(each)
            before = each
    return tuple(like)


def _differ_in_types_alone(found: Operator, one: int, other: int) -> bool:
    a, b = found.schema(one), found.schema(other)
    return (
        found.kernel_at(one) is found.kernel_at(other)
        and [(p.name, p.option) for p in a.inputs] == [(p.name, p.option) for p in b.inputs]
        and [(p.name, p.option) for p in a.outputs] == [(p.name, p.option) for p in b.outputs]
        and [(n, x.type, x.default) for n, x in a.attributes.items()]
        == [(n, x.type, x.default) for n, x in b.attributes.items()]
    )


def function_body(
    found: Operator, version: int, node: Node, types: Mapping[str, Type], opset: int
) -> Function | None:
    """The body of an operator for one node, with the node's attributes worked in; None where the
    standard gives none, or none in this context.

    `types` are the types of the node's inputs by name, as far as they are known; `opset` is the
    version of the default operator set that the body is written in. The function takes and gives
    as many values as the node.

    Raises:
        Violation: the number of inputs or an attribute is not as the schema wants it.
        SchemaError: these are other things.
    """
    if not isinstance(cast("object", node), Node):
        raise SchemaError(f"node = {shown(cast('object', node))}; expected an ir.Node")
    if not isinstance(cast("object", opset), int):
        raise SchemaError(f"opset = {shown(cast('object', opset))}; expected a number, as in 20")
    expect_dict("the types of the inputs", types, "{'x': type}", SchemaError)
    page = found.body_at(version)
    if page is None:
        return None
    schema = found.schema(version)
    most = schema.max_inputs
    if len(node.inputs) < schema.min_inputs or (most is not None and len(node.inputs) > most):
        wanted = (
            schema.min_inputs if most == schema.min_inputs else f"{schema.min_inputs} to {most}"
        )
        raise Violation(
            f"{len(node.inputs)} inputs", f"{schema.label} takes {wanted}", code="wrong-count"
        )

    def report(violation: Violation) -> None:
        raise violation

    def subgraph(_: str, graph: Graph) -> Graph:
        return graph

    values = decoded(node.attributes, schema, subgraph, report)
    names: list[BodyValue | None] = []
    inputs: dict[BodyValue, Type] = {}
    for index, name in enumerate(node.inputs):
        port = schema.port(index)
        inner = f"{port.name if port else 'input'}" + (
            str(index) if port and port.option == "variadic" else ""
        )
        names.append(inner if name else None)
        if name in types:
            inputs[inner] = types[name]
    body = Body(opset, inputs)
    keywords = arguments(page, values)
    made = page.function(body, *names, **keywords)
    if made is None:
        return None
    outputs = cast("tuple[BodyValue, ...]", made if isinstance(made, tuple) else (made,))
    return Function(
        found.name,
        found.domain,
        tuple(name or f"absent{i}" for i, name in enumerate(names)),
        outputs[: len(node.outputs)],
        tuple(body.nodes),
        {"": opset},
        doc=schema.doc,
    )
