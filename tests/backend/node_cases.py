"""onnx's node tests as we use them: those whose operators all have a page."""

import warnings
from functools import cache

import numpy as np
import onnx
from onnx.backend.test.case.node import collect_testcases

from onnx_explorer.ops.registry import operator


def operators(graph):
    for node in graph.node:
        yield node.domain, node.op_type
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from operators(attribute.g)


@cache
def cases():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = collect_testcases(None)
    return {
        case.name: case
        for case in every
        if all(operator(name, domain) for domain, name in operators(case.model.graph))
    }


def as_feed(value):
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    if isinstance(value, list):
        return [as_feed(item) for item in value]
    if isinstance(value, np.ndarray) and value.dtype.kind in "US":
        return value.astype(object)
    return value
