"""The other libraries that infer shapes, each as a function of a model as onnx reads it."""

from __future__ import annotations

import onnx


def by_onnx(proto: onnx.ModelProto) -> onnx.ModelProto:
    return onnx.shape_inference.infer_shapes(proto, data_prop=True)


def by_onnxruntime(proto: onnx.ModelProto) -> onnx.ModelProto:
    from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference

    return SymbolicShapeInference.infer_shapes(proto, auto_merge=True)


def by_onnx_shape_inference(proto: onnx.ModelProto) -> onnx.ModelProto:
    import onnx_ir
    from onnx_shape_inference import infer_symbolic_shapes

    model = onnx_ir.from_proto(proto)
    return onnx_ir.to_proto(infer_symbolic_shapes(model, warn_on_missing=False))


PEERS = (by_onnx, by_onnxruntime, by_onnx_shape_inference)
