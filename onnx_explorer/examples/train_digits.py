"""Trains the weights of the digits example, with nothing but numpy."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Weights = dict[str, Array]

SEED = 3
HELD_OUT = 360
"""The last images of scikit-learn's digits are never trained on."""


@dataclass
class Adam:
    """The optimiser: a step per weight, scaled by the running size of its gradient."""

    rate: float = 2e-3
    decay: float = 0.03
    steps: int = 0
    mean: Weights = field(default_factory=dict[str, Array])
    square: Weights = field(default_factory=dict[str, Array])

    def update(self, weights: Weights, gradients: Weights) -> None:
        self.steps += 1
        for name, gradient in gradients.items():
            m = self.mean[name] = 0.9 * self.mean.get(name, 0) + 0.1 * gradient
            v = self.square[name] = 0.999 * self.square.get(name, 0) + 0.001 * gradient**2
            m_hat, v_hat = m / (1 - 0.9**self.steps), v / (1 - 0.999**self.steps)
            step = m_hat / (np.sqrt(v_hat) + 1e-8) + self.decay * weights[name]
            weights[name] -= (self.rate * step).astype(np.float32)


def initial_weights(random: np.random.Generator) -> Weights:
    """Random weights of the network: convolutions to 16 and 32 channels, then 64 and 10 units."""
    shapes = {
        "conv1_W": (16, 1, 3, 3),
        "conv2_W": (32, 16, 3, 3),
        "dense_W": (128, 64),
        "logits_W": (64, 10),
    }
    weights: Weights = {}
    for name, shape in shapes.items():
        convolution = name.startswith("conv")
        n_in = int(np.prod(shape[1:])) if convolution else shape[0]
        n_out = shape[0] if convolution else shape[1]
        drawn = random.standard_normal(shape) * np.sqrt(2 / n_in)
        weights[name] = drawn.astype(np.float32)
        weights[name.replace("_W", "_B")] = np.zeros(n_out, np.float32)
    return weights


def train(images: Array, labels: NDArray[np.integer], *, epochs: int = 60) -> Weights:
    """The weights after some epochs over images `(n, 1, 8, 8)`."""
    random = np.random.default_rng(SEED)
    weights, adam = initial_weights(random), Adam()
    for epoch in range(epochs):
        adam.rate = 2e-3 * (1 - epoch / epochs)
        order = random.permutation(len(images))
        for start in range(0, len(order), 64):
            batch = order[start : start + 64]
            adam.update(weights, gradients(weights, shifted(images[batch], random), labels[batch]))
    return weights


def shifted(images: Array, random: np.random.Generator) -> Array:
    """The images, each moved by up to one pixel both ways: hands do not centre what they write."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    height, width = images.shape[2:]
    moves = random.integers(0, 3, (len(images), 2))
    return np.stack(
        [p[:, y : y + height, x : x + width] for p, (y, x) in zip(padded, moves, strict=True)]
    )


def gradients(weights: Weights, images: Array, labels: NDArray[np.integer]) -> Weights:
    """The gradient of the mean cross entropy with respect to each weight."""
    grads: Weights = {}
    columns1, before1 = convolved(images, weights["conv1_W"], weights["conv1_B"])
    pooled1, where1 = pooled(np.maximum(before1, 0))
    columns2, before2 = convolved(pooled1, weights["conv2_W"], weights["conv2_B"])
    pooled2, where2 = pooled(np.maximum(before2, 0))
    flat = pooled2.reshape(len(images), -1)
    before3 = flat @ weights["dense_W"] + weights["dense_B"]
    hidden = np.maximum(before3, 0)
    logits = hidden @ weights["logits_W"] + weights["logits_B"]
    shifted_logits = np.exp(logits - logits.max(axis=1, keepdims=True))
    delta = shifted_logits / shifted_logits.sum(axis=1, keepdims=True)
    delta[np.arange(len(labels)), labels] -= 1
    delta /= len(labels)

    grads["logits_W"], grads["logits_B"] = hidden.T @ delta, delta.sum(axis=0)
    delta = (delta @ weights["logits_W"].T) * (before3 > 0)
    grads["dense_W"], grads["dense_B"] = flat.T @ delta, delta.sum(axis=0)
    delta = (delta @ weights["dense_W"].T).reshape(pooled2.shape)
    delta = unpooled(delta, where2) * (before2 > 0)
    grads["conv2_W"], grads["conv2_B"] = conv_gradients(columns2, delta, weights["conv2_W"])
    delta = unpooled(back_convolved(delta, weights["conv2_W"]), where1) * (before1 > 0)
    grads["conv1_W"], grads["conv1_B"] = conv_gradients(columns1, delta, weights["conv1_W"])
    return grads


def patches(x: Array) -> Array:
    """The 3 x 3 neighbourhoods of every pixel, `(n, h, w, c * 9)`, zeros outside."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    n, c, h, w = x.shape
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(n, h, w, c * 9)


def convolved(x: Array, kernel: Array, bias: Array) -> tuple[Array, Array]:
    """The patches of `x`, and its convolution `(n, channels, h, w)`."""
    columns = patches(x)
    y = columns @ kernel.reshape(len(kernel), -1).T + bias
    return columns, y.transpose(0, 3, 1, 2)


def conv_gradients(columns: Array, delta: Array, kernel: Array) -> tuple[Array, Array]:
    """The gradients of kernel and bias, given that of the convolution's result."""
    flat = delta.transpose(0, 2, 3, 1).reshape(-1, len(kernel))
    gradient = flat.T @ columns.reshape(len(flat), -1)
    return gradient.reshape(kernel.shape), flat.sum(axis=0)


def back_convolved(delta: Array, kernel: Array) -> Array:
    """The gradient of a convolution's input: the flipped kernel over the gradient of its result."""
    flipped = kernel[:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
    return convolved(delta, flipped, np.zeros(len(flipped), np.float32))[1]


def pooled(x: Array) -> tuple[Array, Array]:
    """The maxima of 2 x 2 windows, and a mask of where they were."""
    n, c, h, w = x.shape
    windows = x.reshape(n, c, h // 2, 2, w // 2, 2)
    maxima = windows.max(axis=(3, 5), keepdims=True)
    mask = (windows == maxima).astype(np.float32)
    mask /= mask.sum(axis=(3, 5), keepdims=True)
    return maxima[:, :, :, 0, :, 0], mask


def unpooled(delta: Array, mask: Array) -> Array:
    """The gradient of a pooling's input: each gradient goes where the maximum was."""
    n, c, h, _, w, _ = mask.shape
    return (mask * delta[:, :, :, None, :, None]).reshape(n, c, 2 * h, 2 * w)
