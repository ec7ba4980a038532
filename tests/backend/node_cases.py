"""onnx's node tests as we use them: those whose operators all have a page."""

import fcntl
import os
import pickle
import tempfile
import warnings
from functools import cache
from pathlib import Path

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


def every_case():
    """All cases, from the file that whoever was first has left: to make them takes eleven seconds."""
    versions = f"{onnx.__version__}-numpy-{np.__version__}-{os.getuid()}"
    kept = Path(tempfile.gettempdir()) / f"onnx-node-cases-{versions}.pickle"
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = pickle.dumps(collect_testcases(None))
            whole = kept.with_suffix(".new")
            whole.write_bytes(made)
            whole.replace(kept)
    return pickle.loads(kept.read_bytes())


@cache
def cases():
    return {
        case.name: case
        for case in every_case()
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
