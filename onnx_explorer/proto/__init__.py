"""The messages of the ONNX format, generated from `proto/onnx_explorer.proto`."""
