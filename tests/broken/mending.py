"""Does to a model what the text of a repair says, as a person would."""

import re
from dataclasses import replace

import numpy as np

from onnx_explorer.ir import Attribute, Node, Tensor

TARGET = re.compile(r"asks for \[(.*?)\]; with -1")


def numbers(text):
    return tuple(int(part) for part in text.split(","))


def mended(model, finding, repair):
    """The model after the repair; None where the text is of a kind that is not known here."""
    place = next(i for i, node in enumerate(model.graph.nodes) if node.name == finding.node)
    node = model.graph.nodes[place]

    def with_node(new, *before):
        nodes = (*model.graph.nodes[:place], *before, new, *model.graph.nodes[place + 1 :])
        return replace(model, graph=replace(model.graph, nodes=nodes))

    def with_attribute(name, kind, value):
        attribute = Attribute(name, kind, value)
        return with_node(replace(node, attributes={**node.attributes, name: attribute}))

    def after(op, name, attributes=None, inputs=(), constants=None):
        first = Node(op, (name, *inputs), ("mended",), attributes or {})
        changed = with_node(
            replace(node, inputs=tuple("mended" if i == name else i for i in node.inputs)), first
        )
        initializers = {**changed.graph.initializers, **(constants or {})}
        return replace(changed, graph=replace(changed.graph, initializers=initializers))

    if found := re.search(r"after Transpose of '(.*?)' with perm = \[(.*?)\]", repair):
        perm = Attribute("perm", "ints", numbers(found[2]))
        return after("Transpose", found[1], {"perm": perm})
    if found := re.search(r"after Flatten of '(.*?)'", repair):
        return after("Flatten", found[1])
    if found := re.search(r"after Unsqueeze of '(.*?)' to \[(.*?)\]", repair):
        shape = Tensor.of(np.array(numbers(found[2])), "shape")
        return after("Reshape", found[1], inputs=("shape",), constants={"shape": shape})
    if found := re.search(r"after Unsqueeze of '(.*?)' at axis 0", repair):
        axes = {"axes": Tensor.of(np.array([0]), "axes")}
        return after("Unsqueeze", found[1], inputs=("axes",), constants=axes)
    if found := re.search(r"a Cast of '(.*?)' to (\w+) mends", repair):
        to = {"float32": 1, "float16": 10}[found[2]]
        return after("Cast", found[1], {"to": Attribute("to", "int", to)})
    if found := re.search(r"is (trans[AB]) = 1 (missing|wrong)\?", repair):
        return with_attribute(found[1], "int", int(found[2] == "missing"))
    if found := re.search(r"with (axis|group) = (\d+)", repair):
        return with_attribute(found[1], "int", int(found[2]))
    if found := re.search(r"with pads = \[(.*?)\] at '(.*?)'", repair):
        pads = Attribute("pads", "ints", numbers(found[1]))
        nodes = tuple(
            replace(n, attributes={**n.attributes, "pads": pads}) if n.name == found[2] else n
            for n in model.graph.nodes
        )
        return replace(model, graph=replace(model.graph, nodes=nodes))
    if found := re.search(r"'(.*?)' fits with (\d+) elements", repair):
        value = Tensor.of(np.zeros(int(found[2]), np.float32), found[1])
        kept = {**model.graph.initializers, found[1]: value}
        return replace(model, graph=replace(model.graph, initializers=kept))
    if found := TARGET.search(repair):
        target = Tensor.of(np.array([-1, *numbers(found[1])[1:]]), node.inputs[1])
        kept = {**model.graph.initializers, node.inputs[1]: target}
        return replace(model, graph=replace(model.graph, initializers=kept))
    if found := re.search(r"without (\w+) it is taken", repair):
        left = {name: a for name, a in node.attributes.items() if name != found[1]}
        return with_node(replace(node, attributes=left))
    if found := re.search(r"'(.*?)' is an input", repair):
        value = Tensor.of(np.array(node.attributes[found[1]].value), found[1])
        left = {name: a for name, a in node.attributes.items() if name != found[1]}
        changed = with_node(replace(node, attributes=left, inputs=(*node.inputs, found[1])))
        return replace(changed, graph=replace(changed.graph, initializers={found[1]: value}))
    if found := re.search(r"(?:from|import)(?: \S+)? opset (\d+)(?: on| or newer)$", repair):
        return replace(model, opset_imports={"": int(found[1])})
    if found := re.search(r"as int (\d+) it is taken", repair):
        (name,) = node.attributes
        return with_attribute(name, "int", int(found[1]))
    if found := re.search(r"did you mean '(.*?)'\?", repair):
        return respelt(model, node, finding, found[1], with_node)
    return None


def respelt(model, node, finding, name, with_node):
    if finding.code == "no-such-operator":
        return with_node(replace(node, op_type=name))
    if finding.code == "missing-value":
        inputs = tuple(name if i == finding.value else i for i in node.inputs)
        return with_node(replace(node, inputs=inputs))
    if finding.code == "attribute-value":
        attributes = {
            key: replace(a, value=name.encode()) if a.kind == "string" else a
            for key, a in node.attributes.items()
        }
        return with_node(replace(node, attributes=attributes))
    (given,) = node.attributes.values()
    return with_node(replace(node, attributes={name: replace(given, name=name)}))
