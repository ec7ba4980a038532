"""Writes the example models: `python -m onnx_explorer.examples.make [--train]`.

Without `--train` the digits keep the weights that they have.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.examples import FOLDER, models
from onnx_explorer.examples.train_digits import HELD_OUT, train
from onnx_explorer.files import load, save


class Digits(Protocol):
    images: NDArray[np.float64]
    target: NDArray[np.integer]


def trained_weights() -> dict[str, NDArray[np.generic]]:
    """Weights trained on scikit-learn's digits but for those held out."""
    # A module without types, and of development alone: the package does not depend on it.
    data = cast("Digits", import_module("sklearn.datasets").load_digits())
    images = (data.images[:, None] / 16).astype(np.float32)
    labels = data.target
    return dict(train(images[:-HELD_OUT], labels[:-HELD_OUT]))


def kept_weights() -> dict[str, NDArray[np.generic]]:
    """The weights in the file as it is."""
    graph = load(FOLDER / "digits.onnx").graph
    return {name: tensor.numpy() for name, tensor in graph.initializers.items()}


def main() -> None:
    weights = trained_weights() if "--train" in sys.argv[1:] else kept_weights()
    made = {
        "digits": models.digits(weights),
        "transformer": models.transformer(),
        "loop_if": models.loop_if(),
        "shape_error": models.shape_error(),
    }
    for name, model in made.items():
        save(model, FOLDER / f"{name}.onnx")


if __name__ == "__main__":
    main()
