"""Trains the digits example by the training that its model file describes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.evaluation import train_step
from onnx_explorer.ir import Model

Array = NDArray[np.float32]

SEED = 3
BATCH = 64
HELD_OUT = 360
"""The last images of scikit-learn's digits are never trained on."""


def train(model: Model, images: Array, labels: NDArray[np.integer], *, epochs: int = 60) -> Model:
    """The model after some epochs over images `(n, 1, 8, 8)`, at a rate that falls to 0."""
    random = np.random.default_rng(SEED)
    for epoch in range(epochs):
        rate = 2e-3 * (1 - epoch / epochs)
        order = random.permutation(len(images))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            feeds = {
                "image": shifted(images[batch], random),
                "label": labels[batch].astype(np.int64),
                "rate": rate,
            }
            first = epoch == start == 0
            model = train_step(model, feeds, initialize=first, seed=SEED).model
    return model


def shifted(images: Array, random: np.random.Generator) -> Array:
    """The images, each moved by up to one pixel both ways: hands do not centre what they write."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    height, width = images.shape[2:]
    moves = random.integers(0, 3, (len(images), 2))
    return np.stack(
        [p[:, y : y + height, x : x + width] for p, (y, x) in zip(padded, moves, strict=True)]
    )
