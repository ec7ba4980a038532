"""Type and shape inference over ints and symbolic sizes."""

from onnx_explorer.inference.constraints import Constraint
from onnx_explorer.inference.diagnostics import Assumption, Diagnostic
from onnx_explorer.inference.explain import Explanation
from onnx_explorer.inference.types import Types, forget, infer

__all__ = ["Assumption", "Constraint", "Diagnostic", "Explanation", "Types", "forget", "infer"]
