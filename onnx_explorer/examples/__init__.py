"""Small models that come with the package, so that there is always something to open."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import overload

from onnx_explorer.errors import ModelError
from onnx_explorer.files import load
from onnx_explorer.ir import Model
from onnx_explorer.ir.expected import expect_name

FOLDER = Path(__file__).parent

EXAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "digits": "a convolutional network that reads handwritten digits of 8 x 8 pixels",
        "digits_training": "the same network to be trained: all weights are 0 until the first step draws them",
        "transformer": "a two-layer transformer encoder over any batch and sequence length",
        "loop_if": "the Collatz sequence: a Loop whose body decides with an If",
        "shape_error": "a network with a wrong shape, three layers after its cause",
    }
)
"""The names of the examples and what each one is."""


@overload
def example() -> Mapping[str, str]: ...
@overload
def example(name: str) -> Model: ...
def example(name: str | None = None) -> Model | Mapping[str, str]:
    """An example by name; without a name, all names with what each is.

    Raises:
        ModelError: there is no example of this name.
    """
    if name is None:
        return EXAMPLES
    expect_name("the example", name, ModelError)
    if name not in EXAMPLES:
        raise ModelError(f"there is no example {name!r}; there are {', '.join(EXAMPLES)}")
    return load(FOLDER / f"{name}.onnx")
