"""Tensors that a model holds: types, sizes against payloads, data files, sparse indices."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from onnx_explorer.checker.finding import finding
from onnx_explorer.errors import ModelError
from onnx_explorer.files.elements import PAYLOAD_FIELDS, packed_bytes
from onnx_explorer.files.payloads import ExternalPayload, StoredPayload
from onnx_explorer.inference.diagnostics import Diagnostic
from onnx_explorer.inference.structure import Part
from onnx_explorer.ir import Attribute, DType, Node, SparseTensor, Tensor


def tensor_findings(part: Part) -> Iterator[Diagnostic]:
    """What is wrong with the constants of a graph and those in the attributes of its nodes."""
    if part.graph is not None:
        for name, tensor in part.graph.initializers.items():
            yield from _tensor(tensor, f"initializer {name!r}")
        for sparse in part.graph.sparse_initializers:
            yield from _sparse(sparse, f"sparse initializer {sparse.name!r}")
    for node, place in part.named_nodes():
        for attribute in node.attributes.values():
            yield from _in_attribute(node, place, attribute)


def _in_attribute(node: Node, place: str, attribute: Attribute) -> Iterator[Diagnostic]:
    values = attribute.value if isinstance(attribute.value, tuple) else (attribute.value,)
    for value in values:
        if isinstance(value, Tensor):
            yield from _tensor(value, f"attribute {attribute.name!r}", place, node.op_type)
        elif isinstance(value, SparseTensor):
            yield from _sparse(value, f"attribute {attribute.name!r}", place, node.op_type)


def _tensor(tensor: Tensor, what: str, node: str = "", operator: str = "") -> Iterator[Diagnostic]:
    for code, text in _faults(tensor):
        yield finding(code, f"{what}: {text}", node=node, operator=operator, value=tensor.name)


def _faults(tensor: Tensor) -> Iterator[tuple[str, str]]:
    dtype, dims, payload = tensor.dtype, tensor.dims, tensor.payload
    if dtype is DType.UNDEFINED:
        yield "tensor-type", "it has no element type"
        return
    if min(dims, default=0) < 0:
        yield "tensor-size", f"{list(dims)} has a size below 0"
        return
    if isinstance(payload, ExternalPayload):
        yield from _external(tensor, payload)
    elif isinstance(payload, StoredPayload):
        yield from _stored(tensor, payload)


def _external(tensor: Tensor, payload: ExternalPayload) -> Iterator[tuple[str, str]]:
    try:
        found = len(payload.folder.view(payload.location))
    except ModelError as error:
        yield "external-data", str(error)
        return
    needed = packed_bytes(tensor.dtype, tensor.dims)
    if tensor.dtype is DType.STRING:
        yield "tensor-payload", "strings cannot lie in a data file"
    elif found != needed:
        text = f"{found} bytes in {payload.location.path!r}, but {tensor.type} needs {needed}"
        yield "tensor-size", text


def _stored(tensor: Tensor, payload: StoredPayload) -> Iterator[tuple[str, str]]:
    numbers = {field[0] >> 3 for field in payload.fields()} & set(PAYLOAD_FIELDS)
    if len(numbers) > 1:
        yield "tensor-payload", "its elements are stored in two ways"
        return
    if payload.raw_start >= 0:
        needed = packed_bytes(tensor.dtype, tensor.dims)
        if tensor.dtype is DType.STRING:
            yield "tensor-payload", "strings have no raw form"
        elif payload.nbytes != needed:
            yield "tensor-size", f"{payload.nbytes} bytes, but {tensor.type} needs {needed}"
        return
    if numbers and not prod(tensor.dims):
        yield "tensor-size", f"{tensor.type} has no elements, but some are stored"
        return
    try:
        tensor.numpy()
    except ModelError as error:
        yield "tensor-size", str(error).partition(": ")[2] or str(error)


def _sparse(
    sparse: SparseTensor, what: str, node: str = "", operator: str = ""
) -> Iterator[Diagnostic]:
    for part, role in ((sparse.values, "values"), (sparse.indices, "indices")):
        faults = list(_faults(part))
        for code, text in faults:
            text = f"{what}, {role}: {text}"
            yield finding(code, text, node=node, operator=operator, value=sparse.name)
        if faults:
            return
    for text in _sparse_faults(sparse):
        yield finding(
            "sparse-tensor", f"{what}: {text}", node=node, operator=operator, value=sparse.name
        )


def _sparse_faults(sparse: SparseTensor) -> Iterator[str]:
    values, indices, dims = sparse.values, sparse.indices, sparse.dims
    if not dims or min(dims) < 1:
        yield f"the shape {list(dims)} has no elements"
        return
    if len(values.dims) != 1:
        yield f"values of shape {list(values.dims)}; they are a vector"
        return
    (count,) = values.dims
    if count > prod(dims):
        yield f"{count} values, but the shape {list(dims)} has {prod(dims)} elements"
        return
    if indices.dtype is not DType.INT64:
        yield f"indices of {indices.dtype.label}; they are int64"
        return
    if indices.dims not in {(count,), (count, len(dims))}:
        yield f"indices of shape {list(indices.dims)} for {count} values in rank {len(dims)}"
        return
    try:
        places = indices.numpy().astype(np.int64, copy=False)
    except ModelError as error:
        yield str(error)
        return
    if places.ndim == 2:
        outside = (places < 0) | (places >= np.array(dims))
        if outside.any():
            yield f"index {places[outside.any(1)][0].tolist()} lies outside of {list(dims)}"
            return
        places = np.asarray(np.ravel_multi_index(tuple(places.T), dims))
    elif ((places < 0) | (places >= prod(dims))).any():
        yield f"an index lies outside of {prod(dims)} elements"
        return
    steps = np.diff(places)
    if (steps <= 0).any():
        where = int(np.flatnonzero(steps <= 0)[0])
        how = "stands twice" if steps[where] == 0 else "stands after a later one"
        yield f"index {places[where + 1]} {how}; indices ascend"
