"""What the entries of the package are given, looked at before anything is done with it."""

from __future__ import annotations

from onnx_explorer.errors import ExplorerError
from onnx_explorer.ir.model import Model


def expect_model(given: object, error: type[ExplorerError]) -> None:
    """Raise the error for what is not a model, such as a path or another library's model."""
    if not isinstance(given, Model):
        msg = f"a {type(given).__name__} came; expected a Model; ox.load(path) gives one"
        raise error(msg)
