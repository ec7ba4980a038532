"""Explore ONNX models: read, type, run and step through them, and see them drawn in a notebook.

    import onnx_explorer as ox
    model = ox.load("model.onnx")
    ox.infer(model)["logits"]      # float32[batch, 10]
    ox.explore(model)              # the widget

Each name is imported when it is first used, so that importing the package costs next to nothing.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx_explorer import build
    from onnx_explorer.checker import check
    from onnx_explorer.errors import (
        EvaluationError,
        ExplorerError,
        InferenceError,
        ModelError,
        SchemaError,
    )
    from onnx_explorer.evaluation import Stepper, compare, run, train_step
    from onnx_explorer.examples import example
    from onnx_explorer.files import load, save
    from onnx_explorer.inference import infer
    from onnx_explorer.ops.registry import schema, schemas
    from onnx_explorer.recording import replay
    from onnx_explorer.view.draw import draw
    from onnx_explorer.widgets import explore

__version__ = "0.1.0"

__all__ = [
    "EvaluationError",
    "ExplorerError",
    "InferenceError",
    "ModelError",
    "SchemaError",
    "Stepper",
    "build",
    "check",
    "compare",
    "draw",
    "example",
    "explore",
    "infer",
    "load",
    "replay",
    "run",
    "save",
    "schema",
    "schemas",
    "train_step",
]

_HOMES = {
    "checker": ("check",),
    "errors": ("EvaluationError", "ExplorerError", "InferenceError", "ModelError", "SchemaError"),
    "evaluation": ("Stepper", "compare", "run", "train_step"),
    "examples": ("example",),
    "files": ("load", "save"),
    "inference": ("infer",),
    "ops.registry": ("schemas",),
    "view.draw": ("draw",),
    "recording": ("replay",),
    "widgets": ("explore",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_ROOMS = ("build", "schema")  # public names that are rooms themselves


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return import_module(f"onnx_explorer.{name}")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'onnx_explorer' has no attribute {name!r}")
    value: object = getattr(import_module(f"onnx_explorer.{home}"), name)
    globals()[name] = value
    return value


class _SchemaRoom(ModuleType):
    """The room `schema`, callable: `ox.schema("Relu")` and `onnx_explorer.schema.Operator` share a name."""

    def __call__(self, name: str, version: int | None = None, domain: str = "") -> object:
        look_up = import_module("onnx_explorer.ops.registry").schema
        return look_up(name, version, domain)


class _Facade(ModuleType):
    def __setattr__(self, name: str, value: object) -> None:
        # Importing a room binds it here, whoever imports it first; the room itself knows nothing of operators.
        if name == "schema" and isinstance(value, ModuleType):
            value.__class__ = _SchemaRoom
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Facade


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})


def _jupyter_labextension_paths() -> list[dict[str, str]]:  # pyright: ignore[reportUnusedFunction]
    """Where JupyterLab's own tools find the built extension of an editable install."""
    return [{"src": "labextension", "dest": "onnx-explorer"}]
