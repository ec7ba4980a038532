"""Explore ONNX models: read, type, run and step through them, and see them drawn in a notebook.

    import onnx_explorer as ox
    model = ox.load("model.onnx")
    ox.infer(model)["logits"]      # float32[batch, 10]
    ox.explore(model)              # the widget

Each name is imported when it is first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx_explorer import build
    from onnx_explorer.errors import (
        EvaluationError,
        ExplorerError,
        InferenceError,
        ModelError,
        SchemaError,
    )
    from onnx_explorer.evaluation import Stepper, run
    from onnx_explorer.examples import example
    from onnx_explorer.files import load, save
    from onnx_explorer.inference import infer
    from onnx_explorer.schema import schema, schemas
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
    "example",
    "explore",
    "infer",
    "load",
    "run",
    "save",
    "schema",
    "schemas",
]

_ROOMS = {
    "errors": ("EvaluationError", "ExplorerError", "InferenceError", "ModelError", "SchemaError"),
    "evaluation": ("Stepper", "run"),
    "examples": ("example",),
    "files": ("load", "save"),
    "inference": ("infer",),
    "schema": ("schemas",),
    "widgets": ("explore",),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> object:
    # Rooms that are names as well; the module `schema` is callable.
    if name in {"build", "schema"}:
        return import_module(f"onnx_explorer.{name}")
    room = _ROOM_OF.get(name)
    if room is None:
        raise AttributeError(f"module 'onnx_explorer' has no attribute {name!r}")
    # `fromlist` also finds a name that is a module of its room.
    value: object = getattr(__import__(f"onnx_explorer.{room}", fromlist=[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Where JupyterLab's own tools find the built extension of an editable install."""
    return [{"src": "labextension", "dest": "onnx-explorer"}]
