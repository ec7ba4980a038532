"""What tests of files share: messages compared as protobuf compares them, and every model at hand."""

from functools import cache
from pathlib import Path

import onnx

from onnx_explorer.files.encode import AsRead, pieces
from onnx_explorer.ir import Graph
from tests.backend.node_cases import every_case

BACKEND = Path(onnx.__file__).parent / "backend" / "test" / "data"
OURS = Path(__file__).parents[1] / "models" / "data"
MODEL_FILES = sorted(BACKEND.rglob("*.onnx")) + sorted(OURS.glob("*.onnx"))


class Rewritten(AsRead):
    """A placement under which nothing is written as it was read: all of it goes through our objects."""

    def keeps(self, origin):
        return False


def rewritten(model):
    return onnx.ModelProto.FromString(pieces(model, Rewritten()).joined())


def without_defaults(message):
    """The message without fields that only repeat their default, which our objects do not keep."""
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for part in value if field.is_repeated else [value]:
                without_defaults(part)
            if field.name == "type" and not value.ListFields():
                message.ClearField(field.name)
        elif not field.is_repeated and value == field.default_value:
            message.ClearField(field.name)
    return message


@cache
def node_models():
    return {case.name: case.model for case in every_case()}


def their_tensors(graph):
    """The tensors of a GraphProto, subgraphs included, in file order."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            if attribute.HasField("g"):
                yield from their_tensors(attribute.g)


def our_tensors(graph):
    yield from graph.initializers.values()
    for node in graph.nodes:
        for attribute in node.attributes.values():
            if attribute.kind == "tensor":
                yield attribute.value
            if isinstance(attribute.value, Graph):
                yield from our_tensors(attribute.value)
