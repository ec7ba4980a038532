"""Operators of the domain ai.onnx.preview.training: one step of an optimizer."""
