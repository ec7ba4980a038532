"""The rules of a valid model, and everything that breaks one."""

from onnx_explorer.checker.check import check
from onnx_explorer.checker.report import Report

__all__ = ["Report", "check"]
