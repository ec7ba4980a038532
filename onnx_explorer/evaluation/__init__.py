"""Running models with numpy: at once, or node by node."""

from onnx_explorer.evaluation.machine import Failure
from onnx_explorer.evaluation.run import run
from onnx_explorer.evaluation.stepper import Stepper

__all__ = ["Failure", "Stepper", "run"]
