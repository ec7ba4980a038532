"""A name that a file gives twice is refused, as onnxruntime or the checker of onnx refuses it."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnx_explorer.errors import ModelError
from onnx_explorer.files import load

IMPORTS = [helper.make_opsetid("", 20), helper.make_opsetid("mine", 1)]
X = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
Y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
W = numpy_helper.from_array(np.ones(2, np.float32), "w")


def model(nodes, initializers=(), sparse=(), functions=()):
    graph = helper.make_graph(nodes, "main", [X], [Y], initializers, sparse_initializer=sparse)
    return helper.make_model(graph, opset_imports=IMPORTS, functions=functions, ir_version=10)


def relu(name, *attributes):
    node = helper.make_node("LeakyRelu", ["x"], ["y"])
    node.attribute.extend(helper.make_attribute(name, value) for value in attributes)
    return node


def function(*nodes):
    return helper.make_function("mine", "F", ["x"], ["y"], nodes, IMPORTS[:1])


ADD = helper.make_node("Add", ["x", "w"], ["y"])
CALL = helper.make_node("F", ["x"], ["y"], domain="mine")
SPARSE = helper.make_sparse_tensor(W, numpy_helper.from_array(np.arange(2)), [2])
TWICE = {
    "initializer": (model([ADD], [W, W]), "two initializers are named 'w' in graph 'main'"),
    "attribute": (
        model([relu("alpha", 0.1, 0.2)]),
        "two attributes are named 'alpha' in node 0, the graph",
    ),
    "function": (
        model([CALL], functions=[function(relu("alpha", 0.1)), function(relu("alpha", 0.2))]),
        r"two functions are named \('mine', 'F', ''\)",
    ),
    "attribute in a function": (
        model([CALL], functions=[function(relu("alpha", 0.1, 0.2))]),
        "two attributes are named 'alpha' in node 0, function 'F'",
    ),
    "sparse initializer": (
        model([ADD], [W], [SPARSE]),
        "two initializers are named 'w' in graph 'main'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", TWICE)
def test_a_name_given_twice_is_named_with_its_place(what):
    message, said = TWICE[what]
    with pytest.raises(ModelError, match=f"is ambiguous: {said}; keep one of them"):
        load(message)


@pytest.mark.parametrize("what", ["attribute", "function"])
def test_onnxruntime_does_not_take_it_either(what):
    with pytest.raises(Exception, match=r"(?i)multiple|already|duplicate"):
        onnxruntime.InferenceSession(TWICE[what][0].SerializeToString())


@pytest.mark.parametrize("what", ["initializer", "sparse initializer"])
def test_the_checker_of_onnx_does_not_take_it_either(what):
    with pytest.raises(onnx.checker.ValidationError, match=f"w {what} name is not unique"):
        onnx.checker.check_model(TWICE[what][0])


def test_the_same_names_in_different_places_are_no_fault():
    load(model([relu("alpha", 0.1), relu("alpha", 0.1)], functions=[function(relu("alpha", 0.1))]))
