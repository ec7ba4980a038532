"""Recorded runs: a model, what it was fed, what a person changed, and every value that came of it,
in one file that can be stepped through again.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import cast
from zipfile import BadZipFile, ZipFile

import numpy as np

from onnx_explorer.errors import EvaluationError, ExplorerError
from onnx_explorer.evaluation import Stepper
from onnx_explorer.evaluation.differences import Tolerance, difference
from onnx_explorer.evaluation.frames import Frame, Move
from onnx_explorer.evaluation.past import NewPlan, NewValue
from onnx_explorer.evaluation.supplied import Kernels
from onnx_explorer.files import load
from onnx_explorer.ir import Graph, Model, RunValue, Tensor
from onnx_explorer.ir.expected import expected_path, path_to_write

FORMAT = 1
MODEL, VALUES, RUN = "model.onnx", "values.onnx", "run.json"
SAME = Tolerance(rtol=1e-3, atol=1e-4)
"""How near a value has to come to the recorded one on another machine."""

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def write(stepper: Stepper, path: str | Path) -> None:
    """Write a run as it stands.

    Raises:
        ModelError: the model takes more than 2 GiB, or a value is text that UTF-8 cannot write.
        FileNotFoundError: there is no such folder.
    """
    store = _Store()
    file_path = path_to_write(path, "the name of the file to write", EvaluationError)
    run: dict[str, Json] = {
        "format": FORMAT,
        "seed": stepper.seed,
        "feeds": {name: store.put(value) for name, value in stepper.feeds.items()},
        "track": _track(stepper, store),
        "failed": stepper.failure is not None,
        "values": {name: store.put(value) for name, value in stepper.frames[0].items()},
    }
    holder = Model(Graph("values", initializers=store.tensors), {"": 1}, ir_version=10)
    model, values = stepper.model.to_bytes(whole=True), holder.to_bytes(whole=True)
    with ZipFile(file_path, "w") as file:
        file.writestr(MODEL, model)
        file.writestr(VALUES, values)
        file.writestr(RUN, json.dumps(run, default=_plain))


def replay(path: str | Path, *, kernels: Kernels | None = None) -> Stepper:
    """A stepper that stands where the recorded one stood, after the same moves and changes. A value
    that comes out otherwise than recorded is warned of. `kernels` are as for `run`.

    Raises:
        EvaluationError: the file is no recorded run, or not one of this version.
        FileNotFoundError: there is no such file.
    """
    path = expected_path(path, "the name of a recorded run (.oxrun)", EvaluationError)
    try:
        with ZipFile(path) as file:
            run = cast("dict[str, Json]", json.loads(file.read(RUN)))
            if run["format"] != FORMAT:
                found = f"{path} is a recorded run of format {run['format']!r}"
                raise EvaluationError(f"{found}; this version reads {FORMAT}")
            model = load(file.read(MODEL))
            store = _Store(load(file.read(VALUES)).graph.initializers)
        stepper = Stepper(
            model, store.all(run["feeds"]), seed=cast("int", run["seed"]), kernels=kernels
        )
        _follow(stepper, cast("list[Json]", run["track"]), store)
        if run["failed"]:
            stepper.step_into(operators=False)
        recorded = store.all(run["values"])
    except (BadZipFile, KeyError, TypeError, ValueError) as error:
        if isinstance(error, ExplorerError):
            raise
        raise EvaluationError(f"{path} is not a recorded run: {error}") from error
    _warn_of_differences(stepper, recorded)
    return stepper


def _track(stepper: Stepper, store: _Store) -> list[Json]:
    """The way that a run took: counts of moves, "enter" where an operator was looked into, and what
    a person changed.
    """
    track: list[Json] = []
    for move in stepper.walk.past:
        match move:
            case Move(computed=None, entered=Frame(stands_for_kernel=True)):
                track.append("enter")
            case Move():
                if track and isinstance(track[-1], int):
                    track[-1] += 1
                else:
                    track.append(1)
            case NewValue(name=name, new=new):
                track.append({"name": name, "value": store.put(new)})
            case NewPlan(attributes=attributes):
                track.append({"attributes": cast("Json", dict(attributes))})
    return track


def _follow(stepper: Stepper, track: list[Json], store: _Store) -> None:
    """Go the way of a recorded run."""
    target = 0
    for part in track:
        target += part if isinstance(part, int) else 1
        match part:
            case "enter":
                stepper.step_into()
            case {"name": str(name), "value": value}:
                stepper.set(name, store.get(value))
            case {"attributes": dict(attributes)}:
                stepper.retry(attributes=attributes)
            case _:
                while len(stepper.walk.past) < target and stepper.failure is None:
                    if stepper.done:
                        ended = f"its model is through after {len(stepper.walk.past)} moves"
                        raise ValueError(f"{ended}, and {target} were recorded")
                    stepper.step_into(operators=False)


def _warn_of_differences(stepper: Stepper, recorded: Mapping[str, RunValue]) -> None:
    main = stepper.frames[0]
    for name, value in recorded.items():
        if name not in main:
            warnings.warn(f"{name!r} was recorded, but is not computed here", stacklevel=3)
            return
        found = difference(main[name], value, SAME)
        if found.outside:
            warnings.warn(f"{name!r} is not what was recorded: {found}", stacklevel=3)
            return


class _Store:
    """Run-time values as JSON, with their tensors apart."""

    def __init__(self, tensors: Mapping[str, Tensor] | None = None) -> None:
        self.tensors = dict(tensors or {})

    def put(self, value: RunValue) -> Json:
        """The value; tensors as their keys."""
        match value:
            case None:
                return None
            case list():
                return {"list": [self.put(item) for item in value]}
            case dict():
                return {"map": [[key, self.put(item)] for key, item in value.items()]}
            case _:
                key = f"t{len(self.tensors)}"
                self.tensors[key] = Tensor.of(value, key)
                return {"tensor": key}

    def get(self, stored: Json) -> RunValue:
        """The value again."""
        match stored:
            case None:
                return None
            case {"list": list(items)}:
                return [self.get(item) for item in items]
            case {"map": list(pairs)}:
                both = cast("list[tuple[str, Json]]", pairs)
                return cast("RunValue", {key: self.get(item) for key, item in both})
            case {"tensor": str(key)}:
                return self.tensors[key].numpy()
            case _:
                raise ValueError(f"a value reads {stored!r}")

    def all(self, stored: Json) -> dict[str, RunValue]:
        """Values by name."""
        return {name: self.get(value) for name, value in cast("dict[str, Json]", stored).items()}


def _plain(value: object) -> object:
    """What JSON does not know, as attributes have it."""
    if isinstance(value, (np.ndarray, np.generic)):
        return cast("object", value.tolist())
    if isinstance(value, tuple):
        return list(cast("tuple[object, ...]", value))
    raise EvaluationError(f"an attribute that was tried, {value!r}, cannot be recorded")
