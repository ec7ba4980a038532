"""Operators on trial, of the domain ai.onnx.preview."""
