"""Models in memory: graphs, tensors and types, free of protobuf."""

from onnx_explorer.ir.dtypes import DType
from onnx_explorer.ir.model import (
    Attribute,
    AttributeKind,
    AttributeValue,
    DeviceConfiguration,
    Function,
    Graph,
    Model,
    Node,
    NodeDevices,
    QuantizationAnnotation,
    ShardedDim,
    Sharding,
    TrainingInfo,
    Value,
)
from onnx_explorer.ir.names import inner_path, node_ids
from onnx_explorer.ir.order import captured_names, read_names, sorted_nodes
from onnx_explorer.ir.tensor import ArrayPayload, Payload, SparseTensor, Tensor
from onnx_explorer.ir.types import (
    UNKNOWN_DIM,
    MapType,
    OpaqueType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    Type,
    shape_text,
)
from onnx_explorer.ir.values import RunValue

__all__ = [
    "UNKNOWN_DIM",
    "ArrayPayload",
    "Attribute",
    "AttributeKind",
    "AttributeValue",
    "DType",
    "DeviceConfiguration",
    "Function",
    "Graph",
    "MapType",
    "Model",
    "Node",
    "NodeDevices",
    "OpaqueType",
    "OptionalType",
    "Payload",
    "QuantizationAnnotation",
    "RunValue",
    "SequenceType",
    "ShardedDim",
    "Sharding",
    "SparseTensor",
    "SparseTensorType",
    "Tensor",
    "TensorType",
    "TrainingInfo",
    "Type",
    "Value",
    "captured_names",
    "inner_path",
    "node_ids",
    "read_names",
    "shape_text",
    "sorted_nodes",
]
