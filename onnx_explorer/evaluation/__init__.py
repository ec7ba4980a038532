"""Running models with numpy: at once, or node by node."""

from onnx_explorer.evaluation.comparing import compare
from onnx_explorer.evaluation.comparison import Comparison
from onnx_explorer.evaluation.machine import Failure
from onnx_explorer.evaluation.run import run
from onnx_explorer.evaluation.stepper import Stepper
from onnx_explorer.evaluation.training import TrainingStep, train_step

__all__ = ["Comparison", "Failure", "Stepper", "TrainingStep", "compare", "run", "train_step"]
