"""What a run starts from: each input random, zeros, ones, or as a person gave it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import NotRequired, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.dims import Dim, DimError, Expr, UndecidedError, evaluate, symbols
from onnx_explorer.errors import EvaluationError
from onnx_explorer.evaluation.feeds import checked_feeds
from onnx_explorer.inference import Constraint, Types
from onnx_explorer.ir import OptionalType, RunValue, TensorType, Type
from onnx_explorer.ir.expected import expect_dict, expect_name, expected_path
from onnx_explorer.view.labels import shortened
from onnx_explorer.widgets.brought import (
    as_declared,
    file_value,
    image_place,
    pasted_value,
    picture_value,
)
from onnx_explorer.widgets.feeds import Filling, filled, open_inputs, open_sizes
from onnx_explorer.widgets.summary import observed_type

FILLINGS: tuple[Filling, ...] = ("random", "zeros", "ones")
MOST_TEXT = 2000
"""Characters of a pasted text that the front end gets back."""


class InputRow(TypedDict):
    """An input as the front end shows it: its type, how it is filled, what comes of it."""

    name: str
    type: str
    how: str
    text: str
    shown: str
    problem: str
    image: NotRequired[dict[str, int | str]]


class SizeRow(TypedDict):
    """An open size; `fixed` names the input that decides it, `asked` what the model asks of it."""

    name: str
    size: int
    fixed: str
    asked: str


class InputsState(TypedDict):
    """All that the front end shows of the inputs."""

    seed: int
    rows: list[InputRow]
    sizes: list[SizeRow]


@dataclass(frozen=True, slots=True)
class _Given:
    """What a person gave: `how` is `list`, `file` or `python`, `text` the list or the file's name."""

    value: object
    how: str
    text: str


class Inputs:
    """The inputs of one model. Nothing is drawn before it is asked for."""

    def __init__(self, types: Types, feeds: Mapping[str, object] | None = None) -> None:
        self._types = types
        if feeds is not None:
            expect_dict("the feeds", feeds, "{'x': array}", EvaluationError)
        self._given = {n: _Given(value, "python", "") for n, value in (feeds or {}).items()}
        self._how: dict[str, Filling] = {}
        self._chosen: dict[str, int] = {}
        self._seed = 0
        self._made: dict[str, object] | None = None
        self._sizes: dict[str, int] | None = None
        self.changes = 0
        """How often something was changed: what was made before the last change is out of date."""

    # -- what a run starts from --------------------------------------------------------------

    @property
    def values(self) -> Mapping[str, object]:
        """What the next run starts from, by input."""
        if self._made is None:
            random = np.random.default_rng(self._seed)
            sizes = self.sizes
            made: dict[str, object] = {}
            for value in open_inputs(self._types.model):
                name, how = value.name, self._how.get(value.name, "random")
                made[name] = filled(self._types.get(name), how, sizes, random)
            self._made = {**made, **{name: given.value for name, given in self._given.items()}}
        return MappingProxyType(self._made)

    @property
    def sizes(self) -> dict[str, int]:
        """The size of each open dim: what an input that was given shows, what was chosen, or one
        that the model works with.
        """
        if self._sizes is None:
            fixed = {name: size for name, (size, _) in self._fixed().items()}
            self._sizes = open_sizes(self._types, {**self._chosen, **fixed})
        return self._sizes

    @property
    def message(self) -> str:
        """What a person should know: which inputs nobody gave, and how they were made."""
        names = [value.name for value in open_inputs(self._types.model)]
        made = [name for name in names if name not in self._given]
        drawn = [name for name in made if self._how.get(name, "random") == "random"]
        if not drawn:
            return ""
        sizes = ", ".join(f"{name} = {size}" for name, size in self.sizes.items())
        which = "Inputs are" if len(drawn) == len(names) else f"{', '.join(drawn)}:"
        return f"{which} random (seed {self._seed}{f'; {sizes}' if sizes else ''})"

    # -- changes -----------------------------------------------------------------------------

    def retype(self, types: Types) -> None:
        """The same inputs for a changed model; what its types refuse is told beside it."""
        self._types = types
        self.__dict__.pop("_constraints", None)
        self._changed()

    def retyped(self, types: Types) -> Inputs:
        """These inputs for another model, beside this one."""
        other = copy(self)
        other.retype(types)
        return other

    def feed(self, name: str, value: object) -> None:
        """Give an input: an array, a list, a file (`.npy`, `.npz`, an image) or "random", "zeros"
        or "ones".

        Raises:
            EvaluationError: there is no such input, or it takes no such value.
            FileNotFoundError: there is no such file.
        """
        expect_name("the input", name, EvaluationError)
        declared = self._type(name)
        is_text = isinstance(declared, TensorType) and declared.dtype.family == "string"
        if isinstance(value, str) and value in FILLINGS:
            self.fill(name, value)
        elif isinstance(value, os.PathLike) or (isinstance(value, str) and not is_text):
            given = cast("object", value)
            path = expected_path(given, "a file", EvaluationError) if value else Path()
            if not path.name or path.is_dir():
                raise EvaluationError(
                    f"input {name!r}: {str(path)!r} names no file; expected an array, a list, a "
                    f"file, or one of {', '.join(map(repr, FILLINGS))}"
                )
            self.feed_file(name, path.name, path.read_bytes())
        else:
            self._give(name, _Given(value, "python", ""))

    def fill(self, name: str, how: Filling) -> None:
        """Let an input be random, zeros or ones."""
        self._type(name)
        self._given.pop(name, None)
        self._how[name] = how
        self._changed()

    def feed_text(self, name: str, text: str) -> None:
        """Give an input what was typed or pasted."""
        value = pasted_value(text, self._sized(self._type(name)))
        self._give(name, _Given(value, "list", text))

    def feed_file(self, name: str, file_name: str, data: bytes) -> None:
        """Give an input what a file holds."""
        value = file_value(file_name, data, self._type(name), name)
        self._give(name, _Given(value, "file", file_name))

    def feed_picture(self, name: str, file_name: str, data: bytes, height: int, width: int) -> None:
        """Give an input the pixels (red, green, blue, alpha) of a picture."""
        if len(data) != 4 * height * width:
            raise EvaluationError(f"{len(data)} bytes came; expected 4 × {height} × {width}")
        pixels = np.frombuffer(data, np.uint8).reshape(height, width, 4)
        value = picture_value(pixels, self._type(name))
        self._give(name, _Given(value, "file", file_name))

    def choose_size(self, name: str, size: int) -> None:
        """Let an open dim have this size."""
        if name not in self.sizes:
            raise EvaluationError(f"no input has the size {name!r}")
        if size < 0:
            raise EvaluationError(f"{name} = {size}; a size is 0 or more")
        for constraint in self._types.constraints:
            if (
                name in constraint.symbols
                and constraint.allows({**self.sizes, name: size}) is False
            ):
                raise EvaluationError(f"{name} = {size}; the model works for {constraint.text}")
        before = dict(self._chosen)
        self._chosen[name] = size
        self._changed()
        try:
            _ = self.values
        except EvaluationError:
            self._chosen = before
            self._changed()
            raise

    def choose_seed(self, seed: int) -> None:
        """Draw other random inputs."""
        if seed < 0:
            raise EvaluationError(f"seed = {seed}; expected 0 or more")
        self._seed = seed
        self._changed()

    # -- what there is to see ----------------------------------------------------------------

    def state(self) -> InputsState:
        """All inputs as the front end shows them."""
        fixed = self._fixed()
        asked = {
            name: constraint.text for constraint in self._constraints for name in constraint.symbols
        }
        return {
            "seed": self._seed,
            "rows": [self._row(name) for name in self._names()],
            "sizes": [
                {
                    "name": name,
                    "size": size,
                    "fixed": fixed.get(name, (0, ""))[1],
                    "asked": asked.get(name, ""),
                }
                for name, size in self.sizes.items()
            ],
        }

    def _row(self, name: str) -> InputRow:
        declared, given = self._types.get(name), self._given.get(name)
        value = self.values.get(name)
        row: InputRow = {
            "name": name,
            "type": str(declared),
            "how": given.how if given else self._how.get(name, "random"),
            "text": shortened(given.text, MOST_TEXT) if given else "",
            "shown": _shown(value, declared),
            "problem": self._problem(name),
        }
        place = image_place(declared)
        if place is not None:
            row["image"] = {
                "layout": place.layout,
                "height": place.height,
                "width": place.width,
            }
        return row

    def _problem(self, name: str) -> str:
        """Why a run would refuse what an input is now, beside the others."""
        try:
            checked_feeds(self._types.model, self.values)
        except EvaluationError as error:
            message = str(error)
            if message.startswith((f"input {name!r}", f"feed {name!r}")):
                return message
        return ""

    # -- inside ------------------------------------------------------------------------------

    @cached_property
    def _constraints(self) -> tuple[Constraint, ...]:
        return self._types.constraints

    def _names(self) -> Iterator[str]:
        """The inputs without an initializer, and those that were given all the same."""
        names = [value.name for value in open_inputs(self._types.model)]
        yield from names
        yield from (name for name in self._given if name not in names)

    def _type(self, name: str) -> Type | None:
        graph = self._types.model.graph
        for value in graph.inputs:
            if value.name == name:
                return self._types.get(name)
        known = ", ".join(repr(value.name) for value in graph.inputs) or "none"
        raise EvaluationError(f"the model has no input {name!r}; its inputs are {known}")

    def _give(self, name: str, given: _Given) -> None:
        """Take a value if it fits by itself; whether it fits the others is told beside it."""
        graph = self._types.model.graph
        declared = next(value for value in graph.inputs if value.name == name)
        value = given.value if given.how == "python" else _converted(given.value, declared.type)
        alone = replace(self._types.model, graph=replace(graph, inputs=(declared,)))
        checked = checked_feeds(alone, {name: value})[name]
        self._given[name] = replace(given, value=checked)
        self._changed()

    def _changed(self) -> None:
        self._made = self._sizes = None
        self.changes += 1

    def _fixed(self) -> dict[str, tuple[int, str]]:
        """The sizes that given inputs decide, with the input."""
        found: dict[str, tuple[int, str]] = {}
        for name, given in self._given.items():
            declared = self._types.get(name)
            sizes = getattr(given.value, "shape", ())
            if not isinstance(declared, TensorType) or len(declared.shape or ()) != len(sizes):
                continue
            for stated, size in zip(declared.shape or (), sizes, strict=True):
                if isinstance(stated, Expr) and str(stated) in symbols(stated):
                    found.setdefault(str(stated), (int(size), name))
        return found

    def _sized(self, declared: Type | None) -> Type | None:
        """The type with its open sizes as they are chosen now."""
        if isinstance(declared, OptionalType):
            return self._sized(declared.element)
        if not isinstance(declared, TensorType) or declared.shape is None:
            return declared
        sizes = self.sizes
        return TensorType(declared.dtype, tuple(_evaluated(size, sizes) for size in declared.shape))


def _evaluated(size: Dim, sizes: Mapping[str, int]) -> Dim:
    try:
        return evaluate(size, sizes)
    except (UndecidedError, DimError):
        return size


def _shown(value: object, declared: Type | None) -> str:
    if value is None or isinstance(value, (np.ndarray, list, dict)):
        return observed_type(cast("RunValue", value))
    # A number or text of Python's becomes a tensor of the type that the model declares.
    return f"{declared.dtype.label}[]" if isinstance(declared, TensorType) else type(value).__name__


def _converted(value: object, declared: Type | None) -> object:
    if not isinstance(value, np.ndarray):
        return value
    return as_declared(cast("NDArray[np.generic]", value), declared)
