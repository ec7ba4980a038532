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
from onnx_explorer.ir import Model


class Digits(Protocol):
    images: NDArray[np.float64]
    target: NDArray[np.integer]


def trained_weights(untrained: Model) -> dict[str, NDArray[np.generic]]:
    """Weights trained on scikit-learn's digits but for those held out."""
    # A module without types, and of development alone: the package does not depend on it.
    data = cast("Digits", import_module("sklearn.datasets").load_digits())
    images = (data.images[:, None] / 16).astype(np.float32)
    model = train(untrained, images[:-HELD_OUT], data.target[:-HELD_OUT])
    return weights_of(model)


def weights_of(model: Model) -> dict[str, NDArray[np.generic]]:
    """The initializers of the main graph."""
    return {name: tensor.numpy() for name, tensor in model.graph.initializers.items()}


def main() -> None:
    weights = weights_of(load(FOLDER / "digits.onnx"))
    training = models.digits_training(weights)
    if "--train" in sys.argv[1:]:
        weights = trained_weights(training)
    zeros = {name: np.zeros_like(values) for name, values in weights.items()}
    made = {
        "digits": models.digits(weights),
        "digits_training": models.digits_training(zeros),
        "transformer": models.transformer(),
        "loop_if": models.loop_if(),
        "shape_error": models.shape_error(),
    }
    for name, model in made.items():
        save(model, FOLDER / f"{name}.onnx")


if __name__ == "__main__":
    main()
