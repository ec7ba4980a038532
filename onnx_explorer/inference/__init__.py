"""Type and shape inference over ints and symbolic sizes."""

from typing import TYPE_CHECKING

from onnx_explorer.inference.diagnostics import Assumption, Diagnostic
from onnx_explorer.inference.types import Types, forget, infer

if TYPE_CHECKING:
    from onnx_explorer.inference.constraints import Constraint
    from onnx_explorer.inference.explain import Explanation

__all__ = ["Assumption", "Constraint", "Diagnostic", "Explanation", "Types", "forget", "infer"]


def __getattr__(name: str) -> object:
    # Most inferences need neither, so these are imported when they are first used.
    if name == "Constraint":
        from onnx_explorer.inference.constraints import Constraint

        return Constraint
    if name == "Explanation":
        from onnx_explorer.inference.explain import Explanation

        return Explanation
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
